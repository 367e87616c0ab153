#!/bin/sh
# Makes sure that all tools are there. Quick and silent when they are.
# As root on Debian it installs what is missing; elsewhere it says what to install and stops.
set -eu
cd "$(dirname "$0")/.."

RUST_MIN=1.91
OTP_MIN=25
# application of OTP (or package) -> Debian package that brings it
OTP_APPS="common_test:erlang-common-test crypto:erlang-crypto dialyzer:erlang-dialyzer
edoc:erlang-edoc eunit:erlang-eunit inets:erlang-inets parsetools:erlang-parsetools
runtime_tools:erlang-runtime-tools syntax_tools:erlang-syntax-tools tools:erlang-tools
xmerl:erlang-xmerl proper:erlang-proper"

say() { printf 'setup: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

# The folders in which Erlang looks for applications, without starting it.
erlang_libs() {
    root=$(dirname "$(dirname "$(readlink -f "$(command -v erl)")")")
    printf '%s/lib\n' "$root"
    printf '%s\n' "${ERL_LIBS:-}" | tr ':' '\n' | grep . || true
}

has_app() {
    for lib in $libs; do
        for dir in "$lib/$1" "$lib/$1"-*; do [ -d "$dir/ebin" ] && return 0; done
    done
    return 1
}

missing_packages() {
    has cc || printf 'gcc libc6-dev '
    if has erl; then
        libs=$(erlang_libs)
        for pair in $OTP_APPS; do
            has_app "${pair%%:*}" || printf '%s ' "${pair##*:}"
        done
    else
        printf 'erlang-base '
        for pair in $OTP_APPS; do printf '%s ' "${pair##*:}"; done
    fi
    has rebar3 || printf 'rebar3 '
}

install_packages() {
    if [ "$(id -u)" = 0 ] && has apt-get; then
        say "installing $1"
        apt-get update -qq >&2
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >&2
    else
        say "these Debian packages are missing:"
        say "    apt-get install $1"
        say "(on other systems: Erlang/OTP $OTP_MIN or newer with PropEr in ERL_LIBS, rebar3, a C linker)"
        exit 1
    fi
}

# $1 is at least $2, both of the form 1.91
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

check_rust() {
    if has cargo; then
        version=$(cargo --version | sed -E 's/^cargo ([0-9]+\.[0-9]+).*/\1/')
        at_least "$version" "$RUST_MIN" && return 0
        say "cargo $version is too old: install Rust $RUST_MIN or newer with rustup (Debian's own is older)"
    else
        say "cargo is missing: install Rust $RUST_MIN or newer with rustup (Debian's own is older)"
    fi
    exit 1
}

check_otp() {
    libs=$(erlang_libs)
    release=$(for lib in $libs; do ls -d "$lib"/../releases/[0-9]* 2>/dev/null || true; done \
        | sed 's,.*/,,' | sort -n | tail -n 1)
    [ -z "$release" ] || [ "$release" -ge "$OTP_MIN" ] || {
        say "Erlang/OTP $release is too old, $OTP_MIN or newer is needed"
        exit 1
    }
}

packages=$(missing_packages)
[ -z "$packages" ] || install_packages "$packages"
check_rust
check_otp
