//! `cargo xtask`: scripts that are too large for a shell.

use clap::{Parser, Subcommand};
use xtask::bench::{self, BenchArguments};
use xtask::tidy;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct TaskArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check what the compiler and clippy cannot: dependencies between crates, lengths of files, words
    Tidy,
    /// Measure the service: requests, first start, memory, replay, decoding (`scripts/bench`)
    Bench(BenchArguments),
}

fn main() -> anyhow::Result<()> {
    match TaskArguments::parse().task {
        Task::Tidy => tidy::run(),
        Task::Bench(arguments) => bench::run(&arguments),
    }
}
