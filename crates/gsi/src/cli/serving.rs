//! Options of the commands that run the service or connect to it.

use clap::Args;
use gsi_model::{TimeError, Timestamp};
use std::path::PathBuf;

/// The largest seed that a configuration file can hold.
const LARGEST_SEED: u64 = i64::MAX as u64;

/// Reads a time in the years that the simulated world supports: it needs a decade of history, and its catalogues grow every year.
fn simulated_time(text: &str) -> Result<Timestamp, String> {
    let time: Timestamp = text.parse().map_err(|error: TimeError| error.to_string())?;
    match time.day().ymd().0 {
        1990..=2069 => Ok(time),
        _ => Err("the simulated world is between the years 1990 and 2069".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct Demo {
    /// The seed of the simulated world; the same seed gives the same world [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    pub seed: Option<u64>,
    /// Days of history that the first start simulates [default: 45]
    #[arg(long)]
    pub days: Option<u32>,
    /// Simulated seconds per second afterwards; 900 is a tick every second [default: 1]
    #[arg(long, value_name = "N")]
    pub time_scale: Option<f64>,
    /// calm, border_war, chokepoint_closure, worm, market_crash, several, silence, or a scenario file [default: calm]
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// The moment when the history ends and the live part begins, for reproducible runs [default: now]
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub at: Option<Timestamp>,
    /// On the first start, put the real observations that the program contains before the simulated ones
    #[arg(long)]
    pub with_history: bool,
    /// Stop when the simulated clock has passed this moment
    #[arg(long, value_name = "TIME")]
    pub until: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Contact no publisher: replay the payloads that `gsi feeds record` or a service's archive has stored, at their
    /// times, then keep serving the last moment
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// auto: do the ticks when no other replica does; serve: never do them [default: auto]
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// A PostgreSQL standby to read lists from: postgres://…
    #[arg(long, value_name = "URL")]
    pub read_store: Option<String>,
}

#[derive(Debug, Args)]
pub struct Mcp {
    /// The address of the service
    #[arg(long, env = "GSI_URL", default_value = "http://127.0.0.1:8080", value_name = "URL")]
    pub url: url::Url,
    /// A key of the service, from `gsi key create`
    #[arg(long, env = "GSI_KEY", hide_env_values = true, value_name = "KEY")]
    pub key: String,
}

#[derive(Debug, Args)]
pub struct Reconstruct {
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// End when the parent, which is this process, has ended
    #[arg(long, value_name = "PROCESS")]
    pub parent: u32,
}
