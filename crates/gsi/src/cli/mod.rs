//! The command line of `gsi`.

mod data;
mod management;
mod serving;
mod time;

pub use data::*;
pub use management::*;
pub use serving::*;
pub use time::{check_span, day, last_tick_or_day, time_or_day};

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Global Stability Intelligence: how stable is the world right now?
///
/// `gsi demo` runs on a simulated world and needs no network. `gsi serve` reads the public feeds. `gsi-lab` is the laboratory that
/// judges the method on the past.
#[derive(Debug, Parser)]
#[command(name = "gsi", version, max_term_width = 110)]
pub struct Arguments {
    #[command(flatten)]
    pub common: CommonOptions,
    /// The address to listen on [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub listen: Option<String>,
    #[command(subcommand)]
    pub command: Command,
}

// Options of every command of both programs. A doc comment here would replace the programs' help texts.
#[derive(Debug, Clone, Args)]
pub struct CommonOptions {
    /// A configuration file; `gsi config` prints one with every key and its default
    #[arg(long, global = true, env = "GSI_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The folder for all data of the service [default: ./gsi-data, for the demo ./gsi-demo]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The store: sqlite:PATH or postgres://… [default: SQLite in the data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub store: Option<String>,
    /// The level of the log on stderr: error, warn, info, debug, trace
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service on a simulated world, without network, keys or set-up
    Demo(Demo),
    /// Run the service on the live feeds, alone or as one of many replicas on one database
    Serve(Serve),
    /// Create, list, revoke and rotate API keys; works while the service runs
    #[command(subcommand)]
    Key(Key),
    /// Set where alerts, briefings and snapshots are sent; works while the service runs
    #[command(subcommand)]
    Hook(HookCommand),
    /// List briefings and request corrections; works while the service runs
    #[command(subcommand)]
    Briefing(BriefingCommand),
    /// Copy, back up, restore and check a whole store; works while the service runs
    #[command(subcommand)]
    Store(StoreCommand),
    /// Export data as Parquet, CSV or NDJSON, with a manifest of contents and attributions. Reads a store, even while a service
    /// uses it, or asks a running service
    Export(Export),
    /// List, check and record the feeds
    #[command(subcommand)]
    Feeds(Feeds),
    /// Import history in the observations format into the store; a second import changes nothing
    Import {
        /// A folder of CSV files: series,period_start,period_end,known_at,value
        folder: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch a feed's history into the store, newest first; a second run continues where the first one stopped
    Backfill(Backfill),
    /// Compute stored ticks again from their stored inputs, with the code that the service runs
    Replay(Replay),
    /// Compute a snapshot again from the inputs that /v1/snapshots/{id}/inputs returns
    Recompute(Recompute),
    /// Connect an agent with a running service over stdin and stdout (Model Context Protocol)
    Mcp(Mcp),
    /// Check whether machine, configuration, store and network are ready to serve, and print what to fix
    Doctor(DoctorArguments),
    /// Print the interface description (OpenAPI 3.1)
    Openapi,
    /// Print the completions of a shell: source <(gsi completions bash)
    Completions { shell: clap_complete::Shell },
    /// Write the manual pages of all commands into a folder
    Man { folder: PathBuf },
    /// Print the default configuration with its comments, or check the current one
    Config(ConfigArguments),
    /// Compute the reconstructed past for a running service, which starts this as a separate process
    #[command(hide = true)]
    Reconstruct(Reconstruct),
}
