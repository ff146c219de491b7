//! `cargo xtask bench`: prints the figures of `make bench`. Everything stays on loopback and ends by itself.

mod caller;
mod median;
mod program;
mod requests;
mod server;

use anyhow::Context;
use std::path::PathBuf;
use tempfile::TempDir;

#[derive(Debug, clap::Args)]
pub struct BenchArguments {
    /// The service's program
    gsi: PathBuf,
    /// The plain router's program
    plain_router: PathBuf,
    /// How often each server is measured
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 7)]
    rounds: u32,
    /// Seconds of a round
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 5)]
    seconds: u32,
    /// Recorded files of publishers
    #[arg(long, env = "GSI_REAL_DATA", default_value = "../shared/data", value_name = "DIR")]
    data: PathBuf,
}

pub fn run(arguments: &BenchArguments) -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let data = folder.path().join("demo");
    let gsi = &arguments.gsi.canonicalize().with_context(|| format!("no {}", arguments.gsi.display()))?;

    let start = program::first_start(gsi, &data)?;
    println!("first start of the demo     {:.1} s", start.seconds);
    println!("resident memory after it    {:.0} MB", start.resident_megabytes);
    println!("replay, compared            {:.0} ticks a second", program::replay_rate(gsi, &data)?);
    match program::decode_rate(gsi, &arguments.data)? {
        Some(rate) => {
            println!("gsi feeds decode gdelt      {:.2} million rows a second on one core", rate / 1e6)
        }
        None => println!("gsi feeds decode gdelt      skipped: no real data"),
    }
    requests::measure(arguments, gsi, folder.path(), &data)
}
