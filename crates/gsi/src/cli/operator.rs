//! What an operator says: about keys, hooks, briefings, the store, feeds and the configuration.

use super::time::{self, last_tick_or_day, time_or_day};
use clap::{Args, Subcommand};
use gsi_model::{Day, Timestamp};
use std::path::PathBuf;

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
        /// The first tick, such as 2026-11-01T12:00:00Z, or the day that begins with it [default: the first there is]
        #[arg(long, value_name = "TIME", value_parser = time_or_day)]
        from: Option<Timestamp>,
        /// The last tick, or the day that ends with it [default: the last there is]
        #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
        to: Option<Timestamp>,
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
        #[arg(long, value_name = "DAY", value_parser = time::day)]
        day: Option<Day>,
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
