//! The command line of `gsi-lab`.

use clap::{Args, Parser, Subcommand};
use gsi::{CommonOptions, day, last_tick_or_day, time_or_day};
use gsi_model::{Day, Timestamp};
use std::path::PathBuf;

/// The first and the last day of a backtest unless others are given.
pub const BACKTEST_FROM: &str = "2008-01-01";
pub const BACKTEST_TO: &str = "2024-12-31";

/// The laboratory of Global Stability Intelligence: how good is the method?
///
/// Judges the index, the event filter and the texts on recorded data, and writes the data that `gsi` contains.
#[derive(Debug, Parser)]
#[command(name = "gsi-lab", version, max_term_width = 110)]
pub struct Arguments {
    #[command(flatten)]
    pub common: CommonOptions,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge the index on past crises; each value is used only from the moment when it was known
    Backtest(Backtest),
    /// Measure every indicator on its history and write the baseline file that the service can load
    Calibrate(Calibrate),
    /// Compare the scores, bands and alarms of two stores
    Compare(Compare),
    /// Compute past ticks from recordings, archives or imported history, into a separate store
    Reprocess(Reprocess),
    /// Write or show the packed history that the program contains
    #[command(subcommand)]
    History(HistoryCommand),
    /// Show how news becomes events
    #[command(subcommand)]
    Events(EventsCommand),
    /// Show how the texts of a published tick are made: facts, plan, text
    Narrate(Narrate),
    /// Train the event filter on articles judged by readers, and write its weights
    TrainEvents(TrainEvents),
}

#[derive(Debug, Args)]
pub struct Backtest {
    /// A folder of CSV files in the observations format [default: the packed history in the program]
    #[arg(long, value_name = "DIR", conflicts_with = "history")]
    pub observations: Option<PathBuf>,
    /// Another packed history, written by `gsi-lab history pack`
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// A JSON list of crises: name, date, end, pillars, tier. The first list is judged. With several lists, each is also
    /// compared with the days that are calm in all of them [default: the packed list]
    #[arg(long, value_name = "FILE")]
    pub crises: Vec<PathBuf>,
    /// Another catalogue than the program's; two catalogues are compared, with the interval of their difference
    #[arg(long, value_name = "FILE")]
    pub method: Vec<PathBuf>,
    /// Instead, judge the coded-news indicator on the histories below DIR: icews/icews0515_union.csv.gz and
    /// daily_releases_2018-10_2019-03.tar.gz, gdelt1_daily/india_events_daily.csv.gz and _dyads.csv.gz,
    /// outcomes/cline_coup_2.1.2.csv and ucdp_country_month.csv
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "plot", "with", "method"])]
    pub coded: Option<PathBuf>,
    /// With --coded, judge the scores of single countries
    #[arg(long, requires = "coded")]
    pub countries: bool,
    /// The first day
    #[arg(long, default_value = BACKTEST_FROM, value_name = "DAY", value_parser = day)]
    pub from: Day,
    /// The last day
    #[arg(long, default_value = BACKTEST_TO, value_name = "DAY", value_parser = day)]
    pub to: Day,
    /// Also use a feed whose values may not be republished: vix; repeatable
    #[arg(long, value_name = "FEED")]
    pub with: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Draw composite, pillars and crises into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the whole report as a page with tables, intervals, both halves and failures, and the plot next to it
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Calibrate {
    /// Read only values that were known before this day
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub as_of: Day,
    /// A folder in the observations format instead of the store
    #[arg(long, value_name = "DIR")]
    pub observations: Option<PathBuf>,
    /// An archive of GDELT event files (*.export.CSV, zipped or not, in any folders) to measure the news indicators on
    #[arg(long, value_name = "DIR")]
    pub events: Option<PathBuf>,
    /// The file to write [default: baseline-DAY.json]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// The first store: sqlite:PATH or postgres://…
    pub first: String,
    /// The second store
    pub second: String,
    /// The first tick, or the day that begins with it [default: the first in both]
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Option<Timestamp>,
    /// The last tick, or the day that ends with it [default: the last in both]
    #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
    pub to: Option<Timestamp>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Reprocess {
    /// The first tick, a quarter of an hour such as 2025-06-01T12:15:00Z, or the day that begins with it
    #[arg(long, value_name = "TIME", value_parser = time_or_day)]
    pub from: Timestamp,
    /// The last tick, or the day that ends with it
    #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
    pub to: Timestamp,
    /// The publishers' files: a folder from `gsi feeds record` or a service's archive, a folder with HOST/PATH, or an address
    /// that serves these paths [default: only what was imported into the store]
    #[arg(long, value_name = "DIR|URL")]
    pub mirror: Option<String>,
    /// Minutes from tick to tick, a multiple of 15
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub every_minutes: u32,
    /// Days of files to read before the first tick, from an archive without times
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub warm_up_days: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Pack the series that may be republished, as method/history/series.tsv decides, into one file with a checksum
    Pack {
        /// A folder of CSV files: series,period_start,period_end,known_at,value
        folder: PathBuf,
        /// A JSON list of crises: name, date, end, pillars, tier [default: the packed list]
        #[arg(long, value_name = "FILE")]
        crises: Option<PathBuf>,
        /// The first day
        #[arg(long, default_value = "2000-01-01", value_name = "DAY", value_parser = day)]
        from: Day,
        /// The last day
        #[arg(long, default_value = "2024-12-31", value_name = "DAY", value_parser = day)]
        to: Day,
        /// The file to write
        #[arg(long, default_value = "method/history/observations.csv.gz", value_name = "FILE")]
        out: PathBuf,
    },
    /// Compute as JSON what the method would have published on every day of the packed history
    Reconstruct {
        /// The file to write [default: stdout]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Check a packed file, and print its series with their origin and its crises
    Show {
        /// [default: the packed history in the program]
        file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum EventsCommand {
    /// Judge raw event files as the service does: every article with its probability, outcome and reason, and the events
    /// with sources, place, sides, status and escalation
    Judge {
        /// GDELT 2.0 event files from the publisher: .CSV, .gz or .zip
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct Narrate {
    /// Show the newest tick at or before this moment [default: the newest tick]
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<Timestamp>,
    /// The stage to show
    #[arg(long, value_enum, default_value = "text")]
    pub show: Stage,
    /// The text: summary, global, conflict, cyber, supply_chain, macro, theater:SLUG, or day for all briefings
    #[arg(long, value_name = "SUBJECT", default_value = "summary")]
    pub about: String,
    /// Instead, run every scenario of the simulated world and write 30 summaries and 30 briefings into DIR
    #[arg(long, value_name = "DIR", conflicts_with_all = ["as_of", "show", "about"])]
    pub examples: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Stage {
    /// All facts of the tick, as JSON
    Facts,
    /// The selected facts and their order, as JSON
    Plan,
    /// The text
    Text,
}

#[derive(Debug, Args)]
pub struct TrainEvents {
    /// The folder with labels/ and gdelt2/export/
    #[arg(long, env = "GSI_REAL_DATA", default_value = "../shared/data", value_name = "DIR")]
    pub data: PathBuf,
    /// The file for the weights
    #[arg(long, default_value = "method/event_filter.tsv", value_name = "FILE")]
    pub out: PathBuf,
    /// Only measure: hold out a few days of files in turn, train on the others, and print how the held-out days are judged
    #[arg(long)]
    pub held_out: bool,
}
