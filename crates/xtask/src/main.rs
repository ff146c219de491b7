//! `cargo xtask`: scripts that are too large for a shell.

use anyhow::Context;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use xtask::bench::{self, BenchArguments};
use xtask::{examples, measure, teach, tidy};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct TaskArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Teach the event filter on articles judged by hand, and write its weights
    TrainEvents {
        /// The folder with labels/ and gdelt2/export/
        #[arg(long, env = "GSI_REAL_DATA", default_value = "../shared/data", value_name = "DIR")]
        data: PathBuf,
        /// Where to write the weights
        #[arg(long, default_value = "method/event_filter.tsv", value_name = "FILE")]
        out: PathBuf,
        /// Only measure: teach on all files but a few days at a time, and judge those
        #[arg(long)]
        held_out: bool,
    },
    /// Check what the compiler and clippy cannot: dependencies between crates, lengths of files, words
    Tidy,
    /// Measure the service: requests, first start, memory, replay, decoding (`scripts/bench`)
    Bench(BenchArguments),
}

fn main() -> anyhow::Result<()> {
    match TaskArguments::parse().task {
        Task::TrainEvents { data, out, held_out } => train_events(&data, &out, held_out),
        Task::Tidy => tidy::run(),
        Task::Bench(arguments) => bench::run(&arguments),
    }
}

fn train_events(data: &Path, out: &Path, held_out: bool) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = examples::Corpus::load(&root.join(data))?;
    if held_out {
        print!("{}", measure::held_out(&corpus).page());
        return Ok(());
    }
    let out = root.join(out);
    let text = teach::weights_file(&corpus);
    std::fs::write(&out, text).with_context(|| format!("cannot write {}", out.display()))?;
    println!("{} articles, {} real; wrote {}", corpus.articles.len(), corpus.real(), out.display());
    Ok(())
}
