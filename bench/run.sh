#!/bin/sh
# All benchmarks: criterion for the crates, Erlang for what crosses the NIF or runs live.
# QUICK=1 runs small sizes and short rounds, under a minute once all is built.
# The table goes to the terminal, the same figures as JSON to bench/results/.
set -eu
cd "$(dirname "$0")/.."
out=_build/bench
mkdir -p "$out" bench/results
if [ -n "${QUICK:-}" ]; then
    criterion="--quick --warm-up-time 0.1 --measurement-time 0.3"
else
    criterion="--warm-up-time 1 --measurement-time 3"
fi

# Only this run's figures may reach the table.
rm -rf target/criterion
for manifest in native/*/Cargo.toml; do
    crate=$(basename "$(dirname "$manifest")")
    for name in $(sed -n '/^\[\[bench\]\]/,/^$/s/^name = "\(.*\)"/\1/p' "$manifest"); do
        echo "bench: $crate, $name" >&2
        # shellcheck disable=SC2086
        cargo bench --locked --quiet -p "$crate" --bench "$name" -- $criterion \
            >"$out/$name.log" 2>&1 || {
            tail -n 20 "$out/$name.log" >&2
            exit 1
        }
    done
done

# Generated inputs for the Erlang side, the same on each run.
echo "bench: inputs" >&2
classes=400
[ -n "${QUICK:-}" ] && classes=100
cargo run --locked --quiet --release -p bt_testkit --example generate -- 7 "$classes" \
    >"$out/project.fixture"

echo "bench: NIF and live system" >&2
erlc +debug_info -pa _build/default/lib/bt_refactor/ebin -pa _build/default/lib/bt_embedded/ebin \
    -o "$out" bench/*.erl
exec erl -noshell +sbwt none -pa "$out" -pa _build/default/lib/*/ebin \
    -eval 'halt(bench:main())'
