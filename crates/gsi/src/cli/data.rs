//! Options of the commands that move or recompute data.

use super::time::{day, last_tick_or_day, time_or_day};
use clap::{Args, Subcommand};
use gsi_model::{Day, Timestamp};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Feeds {
    /// List the feeds with publisher, licence and cadence
    List {
        /// Print JSON
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// Print the list of attributions in Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Store every payload with its time for `gsi serve --replay`; polls every quarter of an hour until stopped
    Record {
        /// A folder; a second recording adds to it
        folder: PathBuf,
        /// Stop after N polls
        #[arg(long, value_name = "N")]
        looks: Option<u32>,
    },
    /// Fetch and decode the current files, and report each feed's health; stores nothing
    Check {
        /// A feed's name [default: all feeds that are switched on]
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Decode files as the service does, and count their rows
    Decode {
        /// A feed's name
        name: String,
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct Export {
    /// The kind of data
    #[arg(long, value_enum)]
    pub what: ExportKind,
    /// The first time or day, for example 2026-11-01 or 2026-11-01T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Timestamp,
    /// The time or day before which it ends [default: the newest tick, included]
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub to: Option<Timestamp>,
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The folder for the file and manifest.json [default: gsi-export-WHAT]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Ask this service instead of reading a store; needs a key
    #[arg(long, value_name = "URL")]
    pub url: Option<url::Url>,
    /// A key of the service, from `gsi key create`
    #[arg(long, env = "GSI_KEY", hide_env_values = true, value_name = "KEY")]
    pub key: Option<String>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// Print the manifest
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportKind {
    /// The composite and its pillars at every tick
    Scores,
    /// The newest version of confirmed and reported conflict events
    Events,
    /// Daily briefings
    Briefings,
    /// The score of every country at every tick
    Countries,
    /// The values behind the scores, as far as their publishers allow it; only from a store
    Observations,
}

impl ExportKind {
    pub const fn key(self) -> &'static str {
        match self {
            ExportKind::Scores => "scores",
            ExportKind::Events => "events",
            ExportKind::Briefings => "briefings",
            ExportKind::Countries => "countries",
            ExportKind::Observations => "observations",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    Parquet,
    Csv,
    /// One JSON object a line
    Ndjson,
}

impl ExportFormat {
    pub const fn extension(self) -> &'static str {
        match self {
            ExportFormat::Parquet => "parquet",
            ExportFormat::Csv => "csv",
            ExportFormat::Ndjson => "ndjson",
        }
    }
}

#[derive(Debug, Args)]
pub struct Backfill {
    /// A feed's name, or gdelt-daily: ten years of coded news as daily counts, from one file a day
    pub name: String,
    /// First day, for example 2026-10-01
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub from: Day,
    /// Last day, included [default: yesterday]
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub to: Option<Day>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Replay {
    /// The first tick, or the day that begins with it [default: the oldest stored tick]
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Option<Timestamp>,
    /// The last tick, or the day that ends with it [default: the newest stored tick]
    #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
    pub to: Option<Timestamp>,
    /// Compare snapshots, events, summaries and briefings with the stored ones. The first difference is printed and ends
    /// the command with exit code 3. Without this option, each tick prints one line of JSON. Ticks whose inputs were pruned
    /// are skipped, or end the command with exit code 4 if --from names one of them.
    #[arg(long)]
    pub verify: bool,
}

#[derive(Debug, Args)]
pub struct Recompute {
    /// A file with the inputs, or - for stdin
    pub inputs: PathBuf,
    /// The output: the answer of /v1/global-stability/explain, the answer of /v1/global-stability, the whole record, or the
    /// record of all countries
    #[arg(long = "as", value_name = "FORM", default_value = "explain", value_parser = ["explain", "overview", "record", "countries"])]
    pub form: String,
}
