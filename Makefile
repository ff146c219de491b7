.PHONY: build
build:
	cargo build --workspace
