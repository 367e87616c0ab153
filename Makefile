# Everything starts here. `make help` lists the targets.
# Each target does the set-up it needs; set-up does nothing when all is there.

.PHONY: help setup build test demo bench fuzz check repl clean

help: ## this list
	@grep -E '^[a-z]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 10

setup: ## install what is missing, or say exactly what to install
	@./scripts/setup.sh

build: setup ## compile the native crates and the Erlang applications
	@rebar3 compile

test: setup ## all tests; ends with `N passed, N failed`
	@./scripts/test.sh

demo: build ## rename a class and a method in a running harbour, then flush
	@./bin/bt demo

bench: build ## figures as a table and as JSON; QUICK=1 for a run under a minute
	@./bench/run.sh

fuzz: setup ## throw random texts at the parser; SECONDS=600 for a long run
	@cargo run --release --quiet --manifest-path native/fuzz/Cargo.toml -- \
	    --seconds $(or $(SECONDS),60)

check: build ## formatting, clippy, xref and dialyzer, all without a warning
	@./scripts/check.sh

repl: build ## a prompt in the harbour example
	@./bin/bt repl examples/harbour

clean: ## remove all that was built
	@rm -rf _build target native/fuzz/target bench/results erlang/*/priv/*.so rebar.lock
