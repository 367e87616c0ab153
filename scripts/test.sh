#!/bin/sh
# All tests: Rust, Common Test, Beamtalk (scripts and the examples' own tests).
# The last line is `N passed, N failed`. A runner that broke counts as a failure, and so does a
# test that was skipped: nothing passes unseen.
set -u
cd "$(dirname "$0")/.."
logs=_build/test-logs
mkdir -p "$logs"
: >"$logs/failures"
passed=0
failed=0
notes=""

note() { notes="$notes  $1
"; }

# What a runner's log says of its failures, told again at the end, where nobody has to look for it:
# name, pattern of a failure's first line, pattern of the first line after it.
tell_failures() {
    sed 's/\x1b\[[0-9;]*m//g' "$logs/$1.log" | awk -v from="$2" -v to="$3" '
        $0 ~ from { told = 1; if (++n == 1) print "" }
        told && !($0 ~ from) && $0 ~ to { told = 0 }
        told && lines++ < 80' >>"$logs/failures"
}

# Runs a command, showing its output and keeping it in a file; answers its exit status.
run() {
    name=$1
    shift
    printf '\n== %s\n' "$name"
    { "$@" 2>&1; echo $? >"$logs/$name.rc"; } | tee "$logs/$name.log"
    rc=$(cat "$logs/$name.rc")
}

# Adds one runner's figures: name, exit status, passed, failed, skipped.
add() {
    passed=$((passed + $3))
    failed=$((failed + $4 + $5))
    [ "$4" = 0 ] || note "$1: $4 failed"
    [ "$5" = 0 ] || note "$1: $5 skipped"
    if [ "$2" != 0 ] && [ "$4" = 0 ] && [ "$5" = 0 ]; then
        failed=$((failed + 1))
        note "$1: broke (exit status $2)"
    elif [ "$3" = 0 ] && [ "$4" = 0 ]; then
        failed=$((failed + 1))
        note "$1: ran no test"
    fi
}

# The sum of the numbers before a word in lines that match a pattern: pattern, word, log.
sum() {
    grep -E "$1" "$logs/$3.log" | grep -oE "[0-9]+ $2" | awk '{ n += $1 } END { print n + 0 }'
}

# bt_nif is a library for Erlang to load and links with nothing else: Common Test tests it.
rust() {
    run cargo cargo test --locked --workspace --exclude bt_nif --no-fail-fast --quiet
    add cargo "$rc" "$(sum '^test result:' passed cargo)" "$(sum '^test result:' failed cargo)" \
        "$(sum '^test result:' ignored cargo)"
    tell_failures cargo '^---- .* ----$' '^(failures:|test result:)'
}

# rebar3 ends with `All 12 tests passed.` or
# `Failed 1 tests. Skipped 3 (1, 2) tests. Passed 8 tests.`
common_test() {
    run ct rebar3 ct
    line=$(sed 's/\x1b\[[0-9;]*m//g' "$logs/ct.log" |
        grep -E '(^|[ .])(All [0-9]+ tests passed|Passed [0-9]+ tests|Failed [0-9]+ tests|Skipped [0-9]+ )' |
        tail -n 1)
    add ct "$rc" "$(number "$line" '(All|Passed)')" "$(number "$line" Failed)" \
        "$(number "$line" Skipped)"
    tell_failures ct '==> .*: (FAILED|SKIPPED)' '^(%%% [a-z_]*_SUITE: |\.+$|EXPERIMENTAL|Failed )'
}

# The number after a word in a line, or 0.
number() {
    n=$(printf '%s' "$1" | grep -oE "$2 [0-9]+" | grep -oE '[0-9]+' | tail -n 1)
    printf '%s' "${n:-0}"
}

# A runner of ours, which ends with `N passed, N failed`: name, command.
ours() {
    name=$1
    shift
    run "$name" "$@"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1)
    add "$name" "$rc" "$(printf '%s' "$line" | grep -oE '^[0-9]+' || echo 0)" \
        "$(printf '%s' "$line" | grep -oE '[0-9]+ failed' | grep -oE '[0-9]+' || echo 0)" 0
}

rust
common_test
ours scripts ./bin/bt script test/scripts/*.btscript
ours guide ./bin/bt script docs/guide.md
for example in examples/*/; do
    ours "$(basename "$example")" ./bin/bt test "${example%/}"
done

printf '\n'
cat "$logs/failures"
[ -z "$notes" ] || printf 'not as it should be:\n%s' "$notes"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
