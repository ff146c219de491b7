//! What can be said on the command line.

mod analyst;
mod operator;
mod time;

pub use analyst::*;
pub use operator::*;

use clap::{Args, Parser, Subcommand};
use gsi_model::{TimeError, Timestamp};
use std::path::PathBuf;

/// Global Stability Intelligence: how stable is the world right now?
///
/// `gsi demo` shows everything with a simulated world and needs no network. `gsi serve` reads the public feeds.
#[derive(Debug, Parser)]
#[command(name = "gsi", version, max_term_width = 110)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, Args)]
pub struct Common {
    /// A configuration file; `gsi config` prints one with every key and its default
    #[arg(long, global = true, env = "GSI_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where to answer [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// The folder for everything the service keeps [default: ./gsi-data, of the demo ./gsi-demo]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Where data is kept: sqlite:PATH or postgres://… [default: SQLite inside the data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub store: Option<String>,
    /// How much to say on stderr: error, warn, info, debug, trace
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service on a simulated world: no network, no keys, no set-up
    Demo(Demo),
    /// Run the service on the live feeds, alone or as one of many replicas on one database
    Serve(Serve),
    /// Make, list, revoke and rotate API keys; works while the service runs
    #[command(subcommand)]
    Key(Key),
    /// Say where alerts, briefings and snapshots are to be sent; works while the service runs
    #[command(subcommand)]
    Hook(HookCommand),
    /// List briefings and ask for corrections; works while the service runs
    #[command(subcommand)]
    Briefing(BriefingCommand),
    /// Copy, back up, restore and check a store as a whole; works while the service runs
    #[command(subcommand)]
    Store(StoreCommand),
    /// Take data away as files: Parquet, CSV or NDJSON, with a manifest of what is inside and whom to name. Reads a store, also
    /// beside a running service, or asks a running service
    Export(Export),
    /// Look at the feeds and their formats
    #[command(subcommand)]
    Feeds(Feeds),
    /// Look at how news becomes events
    #[command(subcommand)]
    Events(EventsCommand),
    /// Read history in the observations format into the store; doing it twice changes nothing
    Import {
        /// A folder of CSV files: series,period_start,period_end,known_at,value
        folder: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// The real past that comes with the program: make the file, or look at what is in it
    #[command(subcommand)]
    History(HistoryCommand),
    /// Fetch a feed's past into the store, newest first; stopped in the middle, it goes on from there
    Backfill(Backfill),
    /// Compute past ticks from recordings, archives or imported history, into a store of its own
    Reprocess(Reprocess),
    /// Put two stores side by side: scores, bands, alarms
    Compare(Compare),
    /// Compute stored ticks again from their stored inputs, through the code that the service runs
    Replay(Replay),
    /// Compute a snapshot again from the inputs that /v1/snapshots/{id}/inputs gives
    Recompute(Recompute),
    /// Measure every indicator on its history and write the baseline file that the service can load
    Calibrate(Calibrate),
    /// Judge the index on past crises, each value used only from the moment it was known
    Backtest(Backtest),
    /// Show how the texts of a published tick came about: facts, plan, text
    Narrate(Narrate),
    /// Let an agent ask a running service over stdin and stdout (Model Context Protocol)
    Mcp(Mcp),
    /// Say on one screen whether machine, configuration, store and network are fit to serve, and what to do where not
    Doctor(DoctorArguments),
    /// Print the interface description (OpenAPI 3.1)
    Openapi,
    /// Print the completions of a shell: source <(gsi completions bash)
    Completions { shell: clap_complete::Shell },
    /// Write the manual pages of every command into a folder
    Man { folder: PathBuf },
    /// Print the default configuration with its comments, or check the one in force
    Config(ConfigArguments),
}

/// A configuration file can say no larger one.
const LARGEST_SEED: u64 = i64::MAX as u64;

/// The years that the simulated world can be lived through in: its catalogues only ever grow, and it has a decade of past.
fn simulated_time(text: &str) -> Result<Timestamp, String> {
    let time: Timestamp = text.parse().map_err(|error: TimeError| error.to_string())?;
    match time.day().ymd().0 {
        1990..=2069 => Ok(time),
        _ => Err("the simulated world lies between the years 1990 and 2069".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct Demo {
    /// The same seed gives the same world [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    pub seed: Option<u64>,
    /// Days of history to fast-forward through on the first start [default: 45]
    #[arg(long)]
    pub days: Option<u32>,
    /// Simulated seconds per second after that; 900 is a tick a second [default: 1]
    #[arg(long, value_name = "N")]
    pub time_scale: Option<f64>,
    /// calm, border_war, chokepoint_closure, worm, market_crash, several, silence, or a scenario file [default: calm]
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// The moment the history ends and the live part begins, for reproducible runs [default: now]
    #[arg(long, value_name = "TIME", value_parser = simulated_time)]
    pub at: Option<Timestamp>,
    /// On the first start, put the real observations that come with the program before the simulated ones
    #[arg(long)]
    pub with_history: bool,
    /// Stop when the simulated clock has passed this moment
    #[arg(long, value_name = "TIME")]
    pub until: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub struct Serve {
    /// Ask nobody: go through the payloads that `gsi feeds record` (or a service's own archive) holds, at the times
    /// they came, then go on showing the last moment
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// auto: do the ticks when no other replica does; serve: never do them [default: auto]
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// A PostgreSQL standby to read lists from: postgres://…
    #[arg(long, value_name = "URL")]
    pub read_store: Option<String>,
}
