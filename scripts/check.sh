#!/bin/sh
# The walls: formatting, clippy, xref and dialyzer. One warning is a failure.
set -eu
cd "$(dirname "$0")/.."
cargo fmt --check
cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
rebar3 xref
rebar3 dialyzer
