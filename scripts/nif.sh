#!/bin/sh
# Builds the NIF with cargo and puts it in its application's priv/ (rebar3 links priv from there).
set -eu
cd "$(dirname "$0")/.."
cargo build --locked --release -p bt_nif -q
mkdir -p erlang/bt_refactor/priv
src="${CARGO_TARGET_DIR:-target}/release/libbt_nif.so"
dst=erlang/bt_refactor/priv/bt_nif.so
# Without debug information, which stays in target/: a start reads and digests the library.
new=$dst.new.$$
strip --strip-debug -o "$new" "$src" 2>/dev/null || cp "$src" "$new"
# Rename, never overwrite in place: a running node has the old file mapped.
if cmp -s "$new" "$dst"; then rm -f "$new"; else mv -f "$new" "$dst"; fi
