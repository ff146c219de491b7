# The two commands a newcomer needs are `make run` and `make test`; both set up what they need.

SHELL := /bin/bash
.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: run
run: ## Build and start the service on the simulated world
	@scripts/setup build
	@scripts/dashboard
	cargo build --release --locked -p gsi
	$${CARGO_TARGET_DIR:-target}/release/gsi demo

.PHONY: live
live: ## Build and start the service on the real feeds
	@scripts/setup build
	@scripts/dashboard
	cargo build --release --locked -p gsi
	$${CARGO_TARGET_DIR:-target}/release/gsi serve

.PHONY: test
test: ## Run every test, on SQLite and PostgreSQL, slow ones included
	@scripts/setup test
	scripts/test

.PHONY: check
check: ## Formatting, lints, docs, licences, advisories, unused dependencies
	@scripts/setup check
	scripts/check

.PHONY: chaos
chaos: ## Two hours of every fault at once, ten thousand kills, replicas under load; half a year of a calm world; the page at length
	@scripts/setup test
	TEST_REQUIRE_POSTGRES=1 TEST_CHAOS_MINUTES=$${TEST_CHAOS_MINUTES:-120} \
	    cargo test --workspace --locked --test chaos -- --nocapture
	TEST_REQUIRE_POSTGRES=1 TEST_CRASH_KILLS=$${TEST_CRASH_KILLS:-10000} \
	    cargo test --workspace --locked --test crash --test replicas -- --nocapture
	cargo test --workspace --locked --test wars --test scenario_alerts -- --ignored --nocapture
	TEST_LONG=1 TEST_CONSISTENCY_MOMENTS=300 scripts/browser chromium

.PHONY: release
release: ## Make the packages of this version in target/dist: archive, Debian, image, clients, bill of materials
	@scripts/setup release
	scripts/release

.PHONY: reproduce
reproduce: ## Build the shipped program once more in another folder and compare it with that of `make release`
	scripts/reproduce

.PHONY: packages
packages: ## Install, run, upgrade, remove and purge the Debian package on a fresh Debian, and start the image
	@scripts/setup packages
	scripts/packages

.PHONY: fuzz
fuzz: ## Damage every feed's files for a long time and see that no decoder falls
	scripts/fuzz

.PHONY: bench
bench: ## Measure requests, the first start, memory, replay and decoding
	@scripts/setup bench
	scripts/bench
