//! What can be said on the command line.

use clap::{Args, Parser, Subcommand};
use gsi_model::Timestamp;
use std::path::PathBuf;

/// The days judged unless others are asked for.
pub const BACKTEST_FROM: &str = "2008-01-01";
pub const BACKTEST_TO: &str = "2024-12-31";

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
    /// Show how the words of a published tick came about: facts, plan, text, checks
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

/// A day is its first second.
fn time_or_day(text: &str) -> Result<Timestamp, String> {
    let day = || gsi_model::Day::parse_iso(text).map(gsi_model::Day::start);
    text.parse()
        .ok()
        .or_else(day)
        .ok_or_else(|| "a time such as 2026-11-01T12:00:00Z or a day such as 2026-11-01".to_owned())
}

#[derive(Debug, Args)]
pub struct Mcp {
    /// The service to ask
    #[arg(long, env = "GSI_URL", default_value = "http://127.0.0.1:8080", value_name = "URL")]
    pub url: url::Url,
    /// A key of it, from `gsi key create`
    #[arg(long, env = "GSI_KEY", hide_env_values = true, value_name = "KEY")]
    pub key: String,
}

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Ask no publisher
    #[arg(long)]
    pub offline: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ConfigArguments {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Read file, environment and flags as `serve` would, and say what is wrong; nothing is opened or made
    Check,
}

#[derive(Debug, Args)]
pub struct Demo {
    /// The same seed gives the same world [default: 1]
    #[arg(long)]
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
    #[arg(long, value_name = "TIME")]
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
        #[arg(long, default_value = "2000-01-01", value_name = "DAY")]
        from: String,
        /// Last day that is packed
        #[arg(long, default_value = "2024-12-31", value_name = "DAY")]
        to: String,
        #[arg(long, default_value = "method/history/observations.csv.gz", value_name = "FILE")]
        out: PathBuf,
    },
    /// Compute what the method would have published on every day of the packed history, as JSON
    Reconstruct {
        /// Keep it in FILE as the service does, with the mark of this build around it [default: print it]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
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
    #[arg(long, value_name = "DAY")]
    pub from: String,
    /// Last day, included [default: yesterday]
    #[arg(long, value_name = "DAY")]
    pub to: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Reprocess {
    /// The first tick, a quarter of an hour such as 2025-06-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub from: Timestamp,
    /// The last tick
    #[arg(long, value_name = "TIME")]
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
    /// The first tick [default: the first they share]
    #[arg(long, value_name = "TIME")]
    pub from: Option<Timestamp>,
    /// The last tick [default: the last they share]
    #[arg(long, value_name = "TIME")]
    pub to: Option<Timestamp>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Replay {
    /// The first tick [default: the first there is]
    #[arg(long, value_name = "TIME")]
    pub from: Option<Timestamp>,
    /// The last tick [default: the last there is]
    #[arg(long, value_name = "TIME")]
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
    #[arg(long, value_name = "DAY")]
    pub as_of: String,
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

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Make a key and print it, alone, on stdout; it is shown only once, and works on every replica by then
    Create {
        /// A name to recognise it by
        #[arg(long)]
        name: String,
        /// What it may read: scores:read, events:read, briefings:read, alerts:read, or * for all; repeatable [default: *]
        #[arg(long)]
        scope: Vec<String>,
        /// When it ends: 90d, 12h, a time such as 2027-01-01T00:00:00Z, or never
        #[arg(long, default_value = "365d")]
        expires: String,
        /// How often it may ask: 600/min, or none for no limit
        #[arg(long, default_value = "600/min")]
        rate: String,
    },
    /// List all keys, without their secrets
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// End a key now
    Revoke {
        /// The key's public id (the ten characters after gsi_)
        id: String,
    },
    /// Make a new key like an old one, print it, and end the old one
    Rotate {
        /// The old key's public id
        id: String,
        /// Let the old key work this much longer: 24h, 30m, 0
        #[arg(long, default_value = "0")]
        grace: String,
    },
    /// Print everything that was done to keys: when, what, to which, by whom
    Audit {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Sign cursors with a new secret from now on, on every replica and without a restart
    RotateCursorSecret {
        /// Take cursors that the old secret signed for this much longer: 24h, 30m, 0
        #[arg(long, default_value = "24h")]
        grace: String,
    },
}

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Set a hook; the secret it signs with is printed, alone, on stdout
    Create {
        /// A name to recognise it by: small letters, digits and hyphens
        #[arg(long)]
        name: String,
        /// Where to: https://…, or mailto:NAME@HOST for mail
        #[arg(long)]
        url: String,
        /// What it is told of: alert, briefing, snapshot; repeatable
        #[arg(long, default_value = "alert")]
        on: Vec<String>,
        /// A rule of its own in place of everybody's alerts: 'score >= 50', 'pillar.conflict rises 8 in 24h', 'country.UA >= 60',
        /// 'feed.gdelt stale', joined by and. Briefings and snapshots are then sent only while it holds
        #[arg(long)]
        when: Option<String>,
        /// webhook (signed JSON), slack (one line of text, for Slack and its likes) or email
        #[arg(long, default_value = "webhook")]
        format: String,
    },
    /// List all hooks, without their secrets
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Send a hook a message that says it is a test, and print what it answers
    Test { name: String },
    /// Tell a hook nothing more for now
    Pause { name: String },
    /// Tell a paused hook again
    Resume { name: String },
    /// End a hook for good
    Revoke { name: String },
    /// Sign with a new secret, which is printed; the old one signs beside it for a while
    Rotate {
        name: String,
        /// Sign with the old secret for this much longer: 24h, 30m, 0
        #[arg(long, default_value = "24h")]
        grace: String,
    },
    /// Show what was sent, every try with its time and answer, newest first
    Deliveries {
        /// Of this hook only
        name: Option<String>,
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Say how often a rule would have fired over the stored history, before anybody is woken
    Try {
        #[arg(long)]
        when: String,
        /// From this time on, for example 2026-11-01T00:00:00Z [default: all there is]
        #[arg(long, value_name = "TIME")]
        from: Option<gsi_model::Timestamp>,
        /// Up to this time
        #[arg(long, value_name = "TIME")]
        to: Option<gsi_model::Timestamp>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum BriefingCommand {
    /// List briefings, newest first, with what became of those that were wrong
    List {
        /// Those of one UTC day, for example 2026-11-13 [default: the newest hundred]
        #[arg(long, value_name = "DAY")]
        day: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Ask for a correction: the next tick publishes a new briefing that says what it corrects and why. The old one stays
    /// as it was and points to the new one
    Correct {
        /// The briefing's id, as `gsi briefing list` shows it
        id: String,
        #[arg(long, value_enum, value_name = "REASON")]
        because: Because,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Because {
    /// It said something its facts do not support; it is written anew from the snapshot it was about
    WrongText,
    /// A publisher has revised its data; it is written from the newest snapshot
    RevisedData,
    /// Data that was missing has come in; it is written from the newest snapshot
    LateData,
}

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Copy everything from one store into an empty one and compare their digests: SQLite to PostgreSQL, or back
    Copy {
        /// sqlite:PATH or postgres://…
        from: String,
        /// The same; must be empty
        to: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Write the store, as it is at this moment, into a new file
    Backup {
        file: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Read a backup into the store, which must be empty
    Restore {
        file: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Read all of it, and print what it holds with digests
    Check {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring it to this program's format, as the next start of the service would. No other command does. A file is first copied
    /// beside itself (gsi-formatN.db), for the way back
    Upgrade {
        /// Say what would be done, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Without a copy of the file before
        #[arg(long)]
        no_copy: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove what is older than `[retention]` of the configuration keeps, and raw payloads beyond feeds.archive_days, beside a
    /// running service; count rows and bytes of every kind before and after
    Prune {
        /// Say what would be removed, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Afterwards give the room back. SQLite writes its file anew: stop the service before, and have twice the room
        #[arg(long, conflicts_with = "dry_run")]
        compact: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Set it back to the last tick that does not lie in the future, after a clock that ran ahead; what was received since
    /// then waits for the next tick. Also lets rows wait that an earlier release stored beside the ticks
    Repair {
        /// Say what would be withdrawn, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// The moment after which nothing may be published [default: now]
        #[arg(long, value_name = "TIME")]
        to: Option<Timestamp>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Feeds {
    /// List the feeds with publisher, licence and cadence
    List {
        /// As JSON
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// As the attribution list of the README
        #[arg(long)]
        markdown: bool,
    },
    /// Keep every payload with its time, for `gsi serve --replay`; looks every quarter of an hour until stopped
    Record {
        /// A folder; recording into it again adds to what is there
        folder: PathBuf,
        /// Stop after so many looks
        #[arg(long, value_name = "N")]
        looks: Option<u32>,
    },
    /// Fetch, decode and judge without changing anything
    Check {
        /// One feed; all that are switched on without it
        name: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Decode files as the service would and count what was seen
    Decode {
        /// The feed's name
        name: String,
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
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
    /// What could be said, as JSON
    Facts,
    /// What is said, in which order, as JSON
    Plan,
    /// The words
    Text,
    /// What the verifier looked at and what it found, as JSON
    Checks,
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
    #[arg(long, default_value = BACKTEST_FROM, value_name = "DAY")]
    pub from: String,
    /// Last day judged
    #[arg(long, default_value = BACKTEST_TO, value_name = "DAY")]
    pub to: String,
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
