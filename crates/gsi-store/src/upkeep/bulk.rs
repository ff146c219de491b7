//! Whole stores: their tables, digests of their contents, and copies from one backend to another.
//!
//! Both backends have the same tables. A copy reads one consistent snapshot of the source, which stays usable, writes the
//! target in one transaction, and then compares the digests of both.

use crate::rows::body::unpack_bytes;
use crate::{PostgresStore, Result, SqliteStore, StoreError};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Int,
    /// A 32-bit integer, in backends that have them.
    Small,
    Bool,
    Real,
    Text,
    Blob,
}

pub struct StoreTable {
    pub name: &'static str,
    pub columns: &'static [(&'static str, ColumnKind)],
    /// The store generates the numbers; a copy keeps them and continues after them.
    pub numbered: bool,
}

impl StoreTable {
    pub fn column_list(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

use ColumnKind::{Blob, Bool, Int, Real, Small, Text};

const fn table(name: &'static str, columns: &'static [(&'static str, ColumnKind)]) -> StoreTable {
    StoreTable { name, columns, numbered: false }
}

const fn numbered(name: &'static str, columns: &'static [(&'static str, ColumnKind)]) -> StoreTable {
    StoreTable { name, columns, numbered: true }
}

/// The tables, each after the tables it refers to.
pub const TABLES: &[StoreTable] = &[
    table("meta", &[("name", Text), ("value", Text)]),
    table("secret", &[("name", Text), ("value", Blob), ("until", Int)]),
    table("counter", &[("name", Text), ("value", Int)]),
    table(
        "api_key",
        &[
            ("id", Text),
            ("name", Text),
            ("secret_hash", Blob),
            ("scopes", Text),
            ("rate_per_minute", Int),
            ("rate_burst", Int),
            ("created_at", Int),
            ("expires_at", Int),
            ("revoked_at", Int),
            ("last_used", Int),
        ],
    ),
    numbered(
        "key_audit",
        &[("key", Int), ("at", Int), ("action", Text), ("key_id", Text), ("name", Text), ("made_by", Text)],
    ),
    table("feed_state", &[("feed", Text), ("body", Text)]),
    numbered("series", &[("key", Int), ("series", Text), ("entity", Text)]),
    numbered("payload", &[("key", Int), ("feed", Text), ("raw", Text)]),
    table(
        "observation",
        &[
            ("series", Int),
            ("period_end", Int),
            ("revision", Int),
            ("period_start", Int),
            ("value", Real),
            ("known_at", Int),
            ("ingested_at", Int),
            ("quality", Real),
            ("payload", Int),
        ],
    ),
    table(
        "news_slot",
        &[
            ("stamp", Int),
            ("known_at", Int),
            ("rows", Int),
            ("articles", Int),
            ("conflict", Real),
            ("threat", Real),
            ("cyber", Int),
            ("supply", Int),
            ("countries", Text),
        ],
    ),
    table(
        "news_row",
        &[
            ("id", Int),
            ("added", Int),
            ("day", Small),
            ("code", Text),
            ("is_root", Bool),
            ("quad_class", Small),
            ("goldstein", Real),
            ("mentions", Int),
            ("sources", Int),
            ("articles", Int),
            ("tone", Real),
            ("actor1", Text),
            ("actor2", Text),
            ("geo", Text),
            ("url", Text),
        ],
    ),
    numbered("pending", &[("key", Int), ("rows", Int), ("body", Blob)]),
    table("engine_state", &[("tick", Int), ("body", Blob)]),
    table(
        "snapshot",
        &[
            ("tick", Int),
            ("id", Text),
            ("score", Real),
            ("conflict", Real),
            ("cyber", Real),
            ("supply_chain", Real),
            ("macro", Real),
            ("published_at", Int),
        ],
    ),
    table("country_snapshot", &[("tick", Int), ("published_at", Int), ("points", Blob), ("body", Blob)]),
    table("snapshot_body", &[("tick", Int), ("summary_as_of", Int), ("summary", Text), ("body", Blob)]),
    numbered(
        "event_version",
        &[
            ("key", Int),
            ("id", Text),
            ("valid_from", Int),
            ("valid_to", Int),
            ("occurred_at", Int),
            ("last_activity", Int),
            ("first_row", Int),
            ("category", Small),
            ("status", Small),
            ("country", Text),
            ("escalation", Real),
            ("lat", Real),
            ("lon", Real),
            ("actors", Text),
            ("body", Blob),
        ],
    ),
    table("event_alias", &[("id", Text), ("kept", Text), ("tick", Int)]),
    numbered("briefing", &[("key", Int), ("id", Text), ("published_at", Int), ("tick", Int), ("body", Blob)]),
    table("briefing_tag", &[("briefing", Int), ("tag", Text)]),
    table(
        "correction",
        &[("briefing", Text), ("reason", Text), ("asked_at", Int), ("tick", Int), ("corrected_by", Text)],
    ),
    table(
        "alert",
        &[
            ("id", Text),
            ("tick", Int),
            ("rule", Text),
            ("country", Text),
            ("began_at", Int),
            ("ended_at", Int),
            ("body", Blob),
        ],
    ),
    table("hook", &[("name", Text), ("body", Text), ("holds", Text)]),
    numbered(
        "delivery",
        &[
            ("key", Int),
            ("hook", Text),
            ("message", Text),
            ("tick", Int),
            ("kind", Text),
            ("body", Text),
            ("state", Text),
            ("waiting_since", Int),
            ("next_try_at", Int),
            ("tries", Text),
        ],
    ),
];

/// The compared contents: everything but the store's internal numbers. A last column named body is compared unpacked.
/// `{events}` is the backend's source of event versions with bodies.
const CONTENTS: &[(&str, &str)] = &[
    (
        "observations",
        "SELECT s.series, s.entity, o.period_start, o.period_end, o.revision, o.value, o.known_at, o.ingested_at,
                o.quality, p.feed, p.raw
         FROM observation o JOIN series s ON s.key = o.series JOIN payload p ON p.key = o.payload
         ORDER BY s.series, s.entity, o.period_end, o.revision",
    ),
    (
        "news_slots",
        "SELECT stamp, known_at, rows, articles, conflict, threat, cyber, supply, countries FROM news_slot
         ORDER BY stamp",
    ),
    (
        "news_rows",
        "SELECT id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles, tone, actor1,
                actor2, geo, url FROM news_row ORDER BY id",
    ),
    ("pending", "SELECT rows, body FROM pending ORDER BY key"),
    ("engine_states", "SELECT tick, body FROM engine_state ORDER BY tick"),
    (
        "snapshots",
        "SELECT s.tick, s.id, s.score, s.conflict, s.cyber, s.supply_chain, s.macro, s.published_at, b.summary_as_of,
                b.summary, b.body
         FROM snapshot s JOIN snapshot_body b ON b.tick = s.tick ORDER BY s.tick",
    ),
    (
        "country_snapshots",
        "SELECT tick, published_at, points, body FROM country_snapshot ORDER BY tick",
    ),
    (
        "event_versions",
        "SELECT id, valid_from, valid_to, occurred_at, last_activity, first_row, category, status, country,
                escalation, lat, lon, actors, body FROM {events} ORDER BY id, valid_from",
    ),
    ("event_mergers", "SELECT id, kept, tick FROM event_alias ORDER BY id"),
    ("briefings", "SELECT id, published_at, tick, body FROM briefing ORDER BY published_at, id"),
    (
        "briefing_tags",
        "SELECT b.id, t.tag FROM briefing_tag t JOIN briefing b ON b.key = t.briefing ORDER BY b.id, t.tag",
    ),
    (
        "corrections",
        "SELECT briefing, reason, asked_at, tick, corrected_by FROM correction ORDER BY briefing",
    ),
    ("alerts", "SELECT id, tick, rule, country, began_at, ended_at, body FROM alert ORDER BY id, tick"),
    ("hooks", "SELECT name, body, holds FROM hook ORDER BY name"),
    (
        "deliveries",
        "SELECT hook, message, tick, kind, body, state, waiting_since, next_try_at, tries FROM delivery ORDER BY key",
    ),
    ("feeds", "SELECT feed, body FROM feed_state ORDER BY feed"),
    (
        "keys",
        "SELECT id, name, secret_hash, scopes, rate_per_minute, rate_burst, created_at, expires_at, revoked_at,
                last_used
         FROM api_key ORDER BY id",
    ),
    ("key_audit", "SELECT at, action, key_id, name, made_by FROM key_audit ORDER BY key"),
    ("secrets", "SELECT name, value, until FROM secret ORDER BY name"),
    ("meta", "SELECT name, value FROM meta ORDER BY name"),
];

/// Contents whose last column is a compressed body.
const PACKED: [&str; 7] =
    ["pending", "engine_states", "snapshots", "country_snapshots", "event_versions", "briefings", "alerts"];

/// Rows and SHA-256 of one kind of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentDigest {
    pub rows: u64,
    pub sha256: String,
}

pub type Digests = BTreeMap<&'static str, ContentDigest>;

/// One consistent view of a store.
pub trait View {
    /// `FROM` for event versions with their bodies.
    fn events(&self) -> &'static str;
    fn rows(&mut self, sql: &str, each: &mut dyn FnMut(Vec<Value>) -> Result<()>) -> Result<()>;
}

/// The target of a copy. Nothing is kept unless everything is loaded.
pub trait Loading {
    fn load(&mut self, table: &'static StoreTable, rows: Vec<Vec<Value>>) -> Result<()>;
}

/// Called with the table or content, the rows done, and all rows.
pub type Progress<'a> = &'a mut dyn FnMut(&str, u64, u64);

/// A store that can be read and written as a whole.
pub trait Bulk: Send + Sync {
    fn viewing(&self, work: &mut dyn FnMut(&mut dyn View) -> Result<()>) -> Result<()>;
    fn loading(&self, work: &mut dyn FnMut(&mut dyn Loading) -> Result<()>) -> Result<()>;
    /// Runs the database's own check of its files.
    fn verify(&self) -> Result<()>;
}

/// Opens a store for a copy, a check or digests.
pub fn open_bulk(url: &str) -> Result<Box<dyn Bulk>> {
    match crate::open::StoreAddress::parse(url)? {
        crate::open::StoreAddress::Sqlite(path) => Ok(Box::new(SqliteStore::open(path)?)),
        crate::open::StoreAddress::Postgres(url) => Ok(Box::new(PostgresStore::open(url)?)),
    }
}

/// Opens a backup for reading and leaves the file unchanged. If it has an earlier format or a log, a copy in the folder
/// `scratch` is read; dropping the backup removes the copy.
pub fn open_backup(file: &Path, scratch: &Path) -> Result<Backup> {
    let failed = |e: std::io::Error| StoreError::Unavailable(format!("{}: {e}", file.display()));
    let log = with_suffix(file, "-wal");
    let has_log = log.metadata().is_ok_and(|log| log.len() > 0);
    if !has_log && SqliteStore::format_of_untouched(file)?.steps.is_empty() {
        return Ok(Backup { store: SqliteStore::open_untouched(file)?, _copy: None });
    }
    let copy = scratch.join(format!("restoring-{}.db", std::process::id()));
    let guard = ScratchCopy(copy.clone());
    std::fs::copy(file, &copy).map_err(failed)?;
    if has_log {
        std::fs::copy(&log, with_suffix(&copy, "-wal")).map_err(failed)?;
    }
    Ok(Backup { store: SqliteStore::open_and_upgrade_alone(&copy)?, _copy: Some(guard) })
}

fn with_suffix(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// An open backup.
pub struct Backup {
    /// Declared first, so that it is closed before its copy is removed.
    pub store: SqliteStore,
    _copy: Option<ScratchCopy>,
}

struct ScratchCopy(PathBuf);

impl Drop for ScratchCopy {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm", ".leader"] {
            let _ = std::fs::remove_file(with_suffix(&self.0, ending));
        }
    }
}

/// Returns the digests of all contents of a store.
pub fn digests(store: &dyn Bulk, progress: Progress<'_>) -> Result<Digests> {
    let mut found = Digests::new();
    store.viewing(&mut |view| {
        found = digests_of(view, progress)?;
        Ok(())
    })?;
    Ok(found)
}

/// Counts rows that become known after the last tick. No tick took them in, and a tick that stores the same rows would fail.
pub fn rows_after_last_tick(store: &dyn Bulk) -> Result<u64> {
    let mut found = 0;
    store.viewing(&mut |view| {
        for table in ["observation", "news_slot"] {
            let sql =
                format!("SELECT count(*) FROM {table} WHERE known_at > (SELECT max(tick) FROM engine_state)");
            view.rows(&sql, &mut |row| {
                if let Some(Value::Int(n)) = row.first() {
                    found += n.unsigned_abs();
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(found)
}

fn digests_of(view: &mut dyn View, progress: Progress<'_>) -> Result<Digests> {
    let mut found = Digests::new();
    for (name, sql) in CONTENTS {
        let sql = sql.replace("{events}", view.events());
        let packed = PACKED.contains(name);
        let (mut hash, mut rows) = (Sha256::new(), 0);
        view.rows(&sql, &mut |mut row| {
            if packed && let Some(Value::Blob(body)) = row.last_mut() {
                *body = unpack_bytes(body)?;
            }
            row.iter().for_each(|value| add(&mut hash, value));
            rows += 1;
            if rows % REPORT_EVERY == 0 {
                progress(name, rows, 0);
            }
            Ok(())
        })?;
        progress(name, rows, rows);
        found.insert(name, ContentDigest { rows, sha256: hex(&hash.finalize()) });
    }
    Ok(found)
}

/// Adds a value with its kind and length, so that different rows have different digests.
fn add(hash: &mut Sha256, value: &Value) {
    let (kind, bytes): (u8, &[u8]) = match value {
        Value::Null => (0, &[]),
        Value::Int(n) => (1, &n.to_be_bytes()),
        // One backend keeps the sign of zero and the other does not, so it is removed.
        Value::Real(x) => (2, &(x + 0.0).to_bits().to_be_bytes()),
        Value::Text(text) => (3, text.as_bytes()),
        Value::Blob(bytes) => (4, bytes),
    };
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

const BATCH: usize = 5_000;
const REPORT_EVERY: u64 = 10_000;

/// Copies everything into an empty store and compares the digests. The source may be in use; the copy shows one moment.
pub fn copy(from: &dyn Bulk, to: &dyn Bulk, progress: Progress<'_>) -> Result<Digests> {
    refuse_unless_empty(to)?;
    let mut source = Digests::new();
    from.viewing(&mut |view| {
        to.loading(&mut |target| {
            for table in TABLES {
                copy_table(view, target, table, progress)?;
            }
            Ok(())
        })?;
        source = digests_of(view, progress)?;
        Ok(())
    })?;
    let target = digests(to, progress)?;
    match source.iter().find(|(name, digest)| target.get(*name) != Some(digest)) {
        None => Ok(source),
        Some((name, _)) => {
            Err(StoreError::Corrupt(format!("the copy differs from the original in its {name}")))
        }
    }
}

fn copy_table(
    view: &mut dyn View,
    target: &mut dyn Loading,
    table: &'static StoreTable,
    progress: Progress<'_>,
) -> Result<()> {
    let place = if table.name == "event_version" { view.events() } else { table.name };
    let mut total = 0;
    view.rows(&format!("SELECT count(*) FROM {}", table.name), &mut |row| {
        if let Some(Value::Int(n)) = row.first() {
            total = n.unsigned_abs();
        }
        Ok(())
    })?;
    let (mut batch, mut done) = (Vec::with_capacity(BATCH), 0);
    let sql = format!("SELECT {} FROM {place}", table.column_list());
    view.rows(&sql, &mut |row| {
        batch.push(row);
        if batch.len() == BATCH {
            done += batch.len() as u64;
            target.load(table, std::mem::replace(&mut batch, Vec::with_capacity(BATCH)))?;
            progress(table.name, done, total);
        }
        Ok(())
    })?;
    done += batch.len() as u64;
    target.load(table, batch)?;
    progress(table.name, done, total);
    Ok(())
}

fn refuse_unless_empty(store: &dyn Bulk) -> Result<()> {
    store.viewing(&mut |view| {
        for table in TABLES.iter().filter(|t| t.name != "counter") {
            let mut any = false;
            view.rows(&format!("SELECT 1 FROM {} LIMIT 1", table.name), &mut |_| {
                any = true;
                Ok(())
            })?;
            if any {
                return Err(StoreError::Refused("the target is not empty; copy into a new one".to_owned()));
            }
        }
        Ok(())
    })
}
