//! What somebody says who takes data away, computes them again, or judges the method.

use super::time::{day, last_tick_or_day, time_or_day};
use clap::{Args, Subcommand};
use gsi_model::{Day, Timestamp};
use std::path::PathBuf;

/// The days judged unless others are asked for.
pub const BACKTEST_FROM: &str = "2008-01-01";
pub const BACKTEST_TO: &str = "2024-12-31";

#[derive(Debug, Args)]
pub struct Export {
    /// What to take away
    #[arg(long, value_enum)]
    pub what: ExportKind,
    /// From this time or day on, for example 2026-11-01 or 2026-11-01T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Timestamp,
    /// Up to this time or day, exclusive [default: all that is published]
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub to: Option<Timestamp>,
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// The folder for the file and manifest.json [default: gsi-export-WHAT]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Ask this service instead of reading a store; with a key of it
    #[arg(long, value_name = "URL")]
    pub url: Option<url::Url>,
    /// A key of the service, from `gsi key create`
    #[arg(long, env = "GSI_KEY", hide_env_values = true, value_name = "KEY")]
    pub key: Option<String>,
    /// Replace files that are there
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
    /// Conflict events, confirmed and reported, as they stand now
    Events,
    /// Daily briefings
    Briefings,
    /// The score of every country at every tick
    Countries,
    /// What all of it was computed from, as far as publishers let it be passed on; from a store
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

#[derive(Debug, Subcommand)]
pub enum EventsCommand {
    /// What the service makes of raw event files: every article with its probability, what became of it and why, and the
    /// events with their sources, place, sides, status and escalation
    Judge {
        /// GDELT 2.0 event files as the publisher serves them: .CSV, .gz or .zip
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Pack the series that may be passed on (method/history/series.tsv decides) into one sealed file
    Pack {
        /// A folder of CSV files: series,period_start,period_end,known_at,value
        folder: PathBuf,
        /// A JSON list of crises: name, date, end, pillars, tier [default: the list that is packed now]
        #[arg(long, value_name = "FILE")]
        crises: Option<PathBuf>,
        /// First day that is packed
        #[arg(long, default_value = "2000-01-01", value_name = "DAY", value_parser = day)]
        from: Day,
        /// Last day that is packed
        #[arg(long, default_value = "2024-12-31", value_name = "DAY", value_parser = day)]
        to: Day,
        #[arg(long, default_value = "method/history/observations.csv.gz", value_name = "FILE")]
        out: PathBuf,
    },
    /// Compute what the method would have published on every day of the packed history, as JSON
    Reconstruct {
        /// Keep it in FILE as the service does, with the mark of this build around it [default: print it]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// End as soon as the parent, which is this process, has ended: what it asked for nobody wants any more
        #[arg(long, value_name = "PROCESS", hide = true)]
        parent: Option<u32>,
    },
    /// Check a packed file and print its series with their origin, and its crises
    Show {
        /// [default: the file that this program was built with]
        file: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct Backfill {
    /// The feed's name, or gdelt-daily: ten years of coded news as daily tallies, from one file a day
    pub name: String,
    /// First day, for example 2026-10-01
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub from: Day,
    /// Last day, included [default: yesterday]
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub to: Option<Day>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Reprocess {
    /// The first tick, a quarter of an hour such as 2025-06-01T12:15:00Z; of a day, 2025-06-01, its first
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Timestamp,
    /// The last tick; of a day its last
    #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
    pub to: Timestamp,
    /// Where the publishers' files are: a folder that `gsi feeds record` or a service's archive filled, a folder of their
    /// files as HOST/PATH, or an address that serves them so. Without it, what was imported into the store is all there is
    #[arg(long, value_name = "DIR|URL")]
    pub mirror: Option<String>,
    /// Minutes from tick to tick, a multiple of 15
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub every_minutes: u32,
    /// Days of files read before the first tick, from an archive without times
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub warm_up_days: u32,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// A store: sqlite:PATH or postgres://…
    pub first: String,
    /// Another
    pub second: String,
    /// The first tick, or the day that begins with it [default: the first they share]
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Option<Timestamp>,
    /// The last tick, or the day that ends with it [default: the last they share]
    #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
    pub to: Option<Timestamp>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Replay {
    /// The first tick, or the day that begins with it [default: the first there is]
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Option<Timestamp>,
    /// The last tick, or the day that ends with it [default: the last there is]
    #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
    pub to: Option<Timestamp>,
    /// Compare snapshots, events, summaries and briefings with what is stored; the first difference is shown and ends
    /// it with exit code 3. Without this, one line of JSON is printed for each tick. Ticks whose inputs were pruned are
    /// left out; asked for by --from, they end it with exit code 4.
    #[arg(long)]
    pub verify: bool,
}

#[derive(Debug, Args)]
pub struct Calibrate {
    /// Only what was known before this day is read
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub as_of: Day,
    /// A folder in the observations format instead of the store
    #[arg(long, value_name = "DIR")]
    pub observations: Option<PathBuf>,
    /// An archive of GDELT event files (*.export.CSV, zipped or not, in any folders): what they say about the news indicators
    #[arg(long, value_name = "DIR")]
    pub events: Option<PathBuf>,
    /// Where to write it [default: baseline-DAY.json]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Recompute {
    /// A file with the inputs, or - for standard input
    pub inputs: PathBuf,
    /// What to print: the answer of /v1/global-stability/explain, that of /v1/global-stability, the whole record, or the record of
    /// all countries
    #[arg(long = "as", value_name = "FORM", default_value = "explain", value_parser = ["explain", "overview", "record", "countries"])]
    pub form: String,
}

#[derive(Debug, Args)]
pub struct Narrate {
    /// The newest tick at or before this moment [default: the newest of all]
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<Timestamp>,
    /// Which stage to show
    #[arg(long, value_enum, default_value = "text")]
    pub show: Stage,
    /// Whose words: summary, global, conflict, cyber, supply_chain, macro, theater:SLUG, or day for all briefings
    #[arg(long, value_name = "SUBJECT", default_value = "summary")]
    pub about: String,
    /// Instead, live through every scenario of the simulated world and write 30 summaries and 30 briefings into DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["as_of", "show", "about"])]
    pub examples: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Stage {
    /// The facts that a text may state, as JSON
    Facts,
    /// The sentences with their facts, in order, as JSON
    Plan,
    /// The text
    Text,
}

#[derive(Debug, Args)]
pub struct Backtest {
    /// A folder of CSV files in the observations format [default: the history that comes with the program]
    #[arg(long, value_name = "DIR", conflicts_with = "history")]
    pub observations: Option<PathBuf>,
    /// Another packed history, as `gsi history pack` makes it
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// A JSON list of crises: name, date, end, pillars, tier; the first is judged, with more of them each also against
    /// the days that are calm by all [default: the packed list]
    #[arg(long, value_name = "FILE")]
    pub crises: Vec<PathBuf>,
    /// Another catalogue than the program's; two are put side by side, with the interval of their difference
    #[arg(long, value_name = "FILE")]
    pub method: Vec<PathBuf>,
    /// Instead, judge the coded-news indicator on the histories below DIR: icews/icews0515_union.csv.gz and
    /// daily_releases_2018-10_2019-03.tar.gz, gdelt1_daily/india_events_daily.csv.gz and _dyads.csv.gz,
    /// outcomes/cline_coup_2.1.2.csv and ucdp_country_month.csv
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "plot", "with", "method"])]
    pub coded: Option<PathBuf>,
    /// Of the coded histories, judge the scores of single countries
    #[arg(long, requires = "coded")]
    pub countries: bool,
    /// First day judged
    #[arg(long, default_value = BACKTEST_FROM, value_name = "DAY", value_parser = day)]
    pub from: Day,
    /// Last day judged
    #[arg(long, default_value = BACKTEST_TO, value_name = "DAY", value_parser = day)]
    pub to: Day,
    /// Also use a feed whose values may not be shown to others: vix; repeatable
    #[arg(long, value_name = "FEED")]
    pub with: Vec<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Draw composite, pillars and crises into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the whole report as a page: tables, intervals, both halves, what fails; the plot is drawn beside it
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}
