//! Options of the commands that manage a service: keys, hooks, briefings, the store and the configuration.

use super::time::{self, last_tick_or_day, time_or_day};
use clap::{Args, Subcommand};
use gsi_model::{Day, Timestamp};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Do not contact publishers
    #[arg(long)]
    pub offline: bool,
    /// Print JSON
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
    /// Read file, environment and flags as `serve` does, and report errors; opens and creates nothing
    Check,
}

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Create a key and print it on stdout. It is shown only once. It works on every replica immediately
    Create {
        /// A name for people
        #[arg(long)]
        name: String,
        /// A permission: scores:read, events:read, briefings:read, alerts:read, or * for all; repeatable [default: *]
        #[arg(long)]
        scope: Vec<String>,
        /// When it expires: 90d, 12h, a time such as 2027-01-01T00:00:00Z, or never
        #[arg(long, default_value = "365d")]
        expires: String,
        /// Its request limit: 600/min, or none for no limit
        #[arg(long, default_value = "600/min")]
        rate: String,
    },
    /// List all keys, without their secrets
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key immediately
    Revoke {
        /// The key's public id (the ten characters after gsi_)
        id: String,
    },
    /// Create a key with the name, scopes and limit of an old one, print it, and revoke the old one
    Rotate {
        /// The old key's public id
        id: String,
        /// How long the old key continues to work: 24h, 30m, 0
        #[arg(long, default_value = "0")]
        grace: String,
    },
    /// Print the audit log of keys: time, action, key, author
    Audit {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Sign cursors with a new secret, on every replica and without a restart
    RotateCursorSecret {
        /// How long cursors of the old secret are accepted: 24h, 30m, 0
        #[arg(long, default_value = "24h")]
        grace: String,
    },
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct HookAddress {
    /// The receiver: https://…, or mailto:NAME@HOST for mail. Other users of this machine can see it; a chat's address is a
    /// secret and belongs in --url-file
    #[arg(long)]
    pub url: Option<String>,
    /// A file with the receiver's address in its only line, or - for stdin
    #[arg(long, value_name = "FILE")]
    pub url_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Create a hook and print its signing secret on stdout
    Create {
        /// A name: small letters, digits and hyphens
        #[arg(long)]
        name: String,
        #[command(flatten)]
        address: HookAddress,
        /// What it receives: alert, briefing, snapshot; repeatable
        #[arg(long, default_value = "alert")]
        on: Vec<String>,
        /// A rule that replaces the general alerts: 'score >= 50', 'pillar.conflict rises 8 in 24h', 'country.UA >= 60',
        /// 'feed.gdelt stale', joined by and. Briefings and snapshots are then sent only while the rule holds
        #[arg(long)]
        when: Option<String>,
        /// webhook (signed JSON), slack (one line of text, for Slack and similar chats) or email
        #[arg(long, default_value = "webhook")]
        format: String,
    },
    /// List all hooks, without their secrets
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Send a test message to a hook and print the answer
    Test { name: String },
    /// Stop sending to a hook until it is resumed
    Pause { name: String },
    /// Send to a paused hook again
    Resume { name: String },
    /// Revoke a hook for good
    Revoke { name: String },
    /// Sign with a new secret and print it; messages carry both signatures during the grace period
    Rotate {
        name: String,
        /// How long the old secret signs as well: 24h, 30m, 0
        #[arg(long, default_value = "24h")]
        grace: String,
    },
    /// List messages with every try, its time and its answer, newest first
    Deliveries {
        /// Only messages to this hook
        name: Option<String>,
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Send the parked messages of a hook again; of its snapshots only the newest
    Retry {
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print how often a rule would have fired over the stored history
    Try {
        #[arg(long)]
        when: String,
        /// The first tick, such as 2026-11-01T12:00:00Z, or the day that begins with it [default: the oldest stored tick]
        #[arg(long, value_name = "TIME", value_parser = time_or_day)]
        from: Option<Timestamp>,
        /// The last tick, or the day that ends with it [default: the newest stored tick]
        #[arg(long, value_name = "TIME", value_parser = last_tick_or_day)]
        to: Option<Timestamp>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum BriefingCommand {
    /// List briefings, newest first, with their corrections
    List {
        /// Only briefings of one UTC day, for example 2026-11-13 [default: the newest hundred]
        #[arg(long, value_name = "DAY", value_parser = time::day)]
        day: Option<Day>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Request a correction. The next tick publishes a new briefing that names the old one and the reason. The old briefing is
    /// unchanged and links to the new one
    Correct {
        /// The briefing's id from `gsi briefing list`
        id: String,
        #[arg(long, value_enum, value_name = "REASON")]
        because: Because,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Because {
    /// A statement without supporting facts; the new text is written from the same snapshot
    WrongText,
    /// A publisher revised its data; the new text is written from the newest snapshot
    RevisedData,
    /// Missing data has arrived; the new text is written from the newest snapshot
    LateData,
}

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Copy a store into an empty one and compare their digests: SQLite to PostgreSQL, or back
    Copy {
        /// sqlite:PATH or postgres://…
        from: String,
        /// sqlite:PATH or postgres://…; must be empty
        to: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a backup of the store into a new file
    Backup {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read a backup into the store, which must be empty
    Restore {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read the whole store, and print its contents with digests
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Migrate the store to this program's format, as the next start of the service does. No other command does. A copy of a
    /// SQLite file is kept in the same folder (gsi-formatN.db)
    Upgrade {
        /// Print what would be done, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Keep no copy of the file
        #[arg(long)]
        no_copy: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove rows that are older than `[retention]` allows, messages to hooks after 30 days, and raw payloads older than
    /// feeds.archive_days. Prints rows and bytes of every kind before and after. Works while the service runs
    Prune {
        /// Print what would be removed, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Return the free space to the disk. SQLite rewrites its file: stop the service first, and provide twice the space
        #[arg(long, conflicts_with = "dry_run")]
        compact: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Withdraw ticks that are in the future, after a clock ran ahead. The rows received since then wait for the next tick, and so
    /// do rows that an earlier release stored outside the ticks
    Repair {
        /// Print what would be withdrawn, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// The newest tick to keep is at or before this moment [default: now]
        #[arg(long, value_name = "TIME")]
        to: Option<Timestamp>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
