//! Removal of data that are older than the operator's retention time.
//!
//! Published data are never removed: snapshots, summaries, briefings, observations and the newest version of every event
//! stay. Removable data are needed only to recompute or show the past, or are finished messages to hooks. The note of the
//! removal ([`Store::pruned_before`]) is written before the first row is removed, so no answer is made from a part of the
//! rows: a query for them is [`StoreError::Pruned`].

use crate::{Result, Store, StoreError};
use gsi_model::{DAY, Timestamp};
use std::fmt;

/// The minimum retention time: lists look back eight days for events, and a replay starts from a state 26 hours before its
/// first tick.
pub const LEAST_DAYS_KEPT: u32 = 10;
/// Data younger than this are never pruned. The two days are a margin for a reader that is behind.
pub(crate) const NEVER_PRUNED_SECONDS: i64 = (LEAST_DAYS_KEPT as i64 - 2) * DAY;
/// Rows looked up at once. This bounds the memory of a first pruning of years.
const MAX_LOOKED_UP: usize = 50_000;
/// Rows removed in one transaction. A tick waits for at most one such transaction, which takes about ten milliseconds.
const MAX_REMOVED: usize = 500;
/// News files removed in one transaction. A file has up to 1,500 rows.
const MAX_FILES_REMOVED: usize = 4;

/// A kind of removable data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrunableKind {
    /// Rows of news files, by the tick that took in the file.
    NewsRows,
    /// Versions of events that a later version has replaced.
    EventVersions,
    /// The engine's memory after past ticks.
    EngineStates,
    /// Finished messages to hooks: sent, parked, replaced or dropped, or to a hook that has ended.
    Deliveries,
}

impl PrunableKind {
    pub const ALL: [PrunableKind; 4] = [
        PrunableKind::NewsRows,
        PrunableKind::EventVersions,
        PrunableKind::EngineStates,
        PrunableKind::Deliveries,
    ];

    pub fn key(self) -> &'static str {
        match self {
            PrunableKind::NewsRows => "news_rows",
            PrunableKind::EventVersions => "event_versions",
            PrunableKind::EngineStates => "engine_states",
            PrunableKind::Deliveries => "deliveries",
        }
    }

    /// The name of the small value that stores the time of the removal.
    pub(crate) fn note(self) -> &'static str {
        match self {
            PrunableKind::NewsRows => "pruned.news_rows",
            PrunableKind::EventVersions => "pruned.event_versions",
            PrunableKind::EngineStates => "pruned.engine_states",
            PrunableKind::Deliveries => "pruned.deliveries",
        }
    }

    fn max_removed(self) -> usize {
        match self {
            PrunableKind::NewsRows => MAX_FILES_REMOVED,
            _ => MAX_REMOVED,
        }
    }
}

impl fmt::Display for PrunableKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PrunableKind::NewsRows => "news rows",
            PrunableKind::EventVersions => "replaced event versions",
            PrunableKind::EngineStates => "engine states",
            PrunableKind::Deliveries => "messages to hooks",
        })
    }
}

/// Days that each kind is kept for. Only days with published ticks count, so that neither an outage nor a clock that ran
/// ahead makes data old. 0 keeps everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionDays {
    pub news_rows: u32,
    pub event_versions: u32,
    pub engine_states: u32,
    pub deliveries: u32,
}

impl RetentionDays {
    pub fn of(&self, kind: PrunableKind) -> u32 {
        match kind {
            PrunableKind::NewsRows => self.news_rows,
            PrunableKind::EventVersions => self.event_versions,
            PrunableKind::EngineStates => self.engine_states,
            PrunableKind::Deliveries => self.deliveries,
        }
    }
}

/// The size of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindSize {
    pub rows: u64,
    /// The size of its tables and indexes.
    pub bytes: u64,
}

/// The effect of pruning on one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedPart {
    pub kind: PrunableKind,
    /// Older rows are removed; `None` if all are kept.
    pub before: Option<Timestamp>,
    pub size_before: KindSize,
    pub removed: u64,
    pub size_after: KindSize,
}

/// A store that can be pruned. Every call is a separate transaction, between those of ticks.
pub trait Prune: Send + Sync {
    /// The newest `most` days with published ticks, newest first, as days since 1970.
    fn published_days(&self, most: u32) -> Result<Vec<i64>>;
    /// Records that rows of this kind from before that moment are removed. A later recorded moment stays.
    fn note_pruned(&self, kind: PrunableKind, before: Timestamp) -> Result<()>;
    /// The numbers of at most `most` older rows: stamps of news files, keys of versions, ticks of states.
    fn expired(&self, kind: PrunableKind, before: Timestamp, most: usize) -> Result<Vec<i64>>;
    /// Counts the older rows.
    fn count_expired(&self, kind: PrunableKind, before: Timestamp) -> Result<u64>;
    /// Removes the rows of these numbers and returns how many they were. Refused if another process has taken the lead from
    /// this one.
    fn remove(&self, kind: PrunableKind, numbers: &[i64]) -> Result<u64>;
    /// Removes whole partitions of older rows, if the store has them, and returns the number of rows. The rest is left to
    /// [`Prune::remove`].
    fn remove_parts(&self, _kind: PrunableKind, _before: Timestamp) -> Result<u64> {
        Ok(0)
    }
    fn size(&self, kind: PrunableKind) -> Result<KindSize>;
    /// Returns freed space to the file system (SQLite, which rewrites the file and needs space for that) or to later rows
    /// (PostgreSQL). Returns the bytes of the whole store before and after.
    fn compact(&self) -> Result<(u64, u64)>;
}

/// The moment before which a kind is not kept, if any data are older.
fn keep_from(store: &dyn Prune, days: u32) -> Result<Option<Timestamp>> {
    if days == 0 {
        return Ok(None);
    }
    let days = days.max(LEAST_DAYS_KEPT);
    let published = store.published_days(days)?;
    let oldest = published.get(days as usize - 1);
    Ok(oldest.map(|day| Timestamp::from_unix(day * DAY)))
}

/// Removes everything older than `keep` in small transactions between the ticks. An interrupted run continues the next time.
/// With `dry_run` nothing is changed, and the sizes afterwards are estimates.
pub fn prune(
    store: &dyn Prune,
    keep: &RetentionDays,
    dry_run: bool,
    progress: &mut dyn FnMut(PrunableKind, u64),
) -> Result<Vec<PrunedPart>> {
    let mut parts = Vec::new();
    for kind in PrunableKind::ALL {
        let size_before = store.size(kind)?;
        let before = keep_from(store, keep.of(kind))?;
        let removed = match before {
            Some(before) if dry_run => store.count_expired(kind, before)?,
            Some(before) => remove_expired(store, kind, before, progress, &|| false)?,
            None => 0,
        };
        let size_after = match (dry_run, removed) {
            (_, 0) => size_before,
            (false, _) => store.size(kind)?,
            (true, _) => {
                let rows = size_before.rows.saturating_sub(removed);
                let share = rows as f64 / size_before.rows.max(1) as f64;
                KindSize { rows, bytes: (size_before.bytes as f64 * share) as u64 }
            }
        };
        parts.push(PrunedPart { kind, before, size_before, removed, size_after });
    }
    Ok(parts)
}

/// Prunes without a report, until `enough` returns `true`. The server does this every day.
pub fn prune_quietly(store: &dyn Prune, keep: &RetentionDays, enough: &dyn Fn() -> bool) -> Result<u64> {
    let mut removed = 0;
    for kind in PrunableKind::ALL {
        if let Some(before) = keep_from(store, keep.of(kind))? {
            removed += remove_expired(store, kind, before, &mut |_, _| (), enough)?;
        }
    }
    Ok(removed)
}

fn remove_expired(
    store: &dyn Prune,
    kind: PrunableKind,
    before: Timestamp,
    progress: &mut dyn FnMut(PrunableKind, u64),
    enough: &dyn Fn() -> bool,
) -> Result<u64> {
    let mut removed = 0;
    loop {
        let numbers = store.expired(kind, before, MAX_LOOKED_UP)?;
        if numbers.is_empty() {
            return Ok(removed);
        }
        store.note_pruned(kind, before)?;
        let at_once = store.remove_parts(kind, before)?;
        if at_once > 0 {
            removed += at_once;
            progress(kind, removed);
            continue;
        }
        for some in numbers.chunks(kind.max_removed()) {
            if enough() {
                return Ok(removed);
            }
            removed += store.remove(kind, some)?;
            progress(kind, removed);
        }
    }
}

/// Parses the stored note of a removal.
pub(crate) fn read_note(note: Option<String>) -> Result<Option<Timestamp>> {
    note.map(|text| text.parse().map_err(|_| StoreError::Corrupt(format!("the note of a pruning: {text:?}"))))
        .transpose()
}

/// Fails with [`StoreError::Pruned`] if data as of `moment` were removed.
pub(crate) fn refuse_before(kind: PrunableKind, note: Option<Timestamp>, moment: Timestamp) -> Result<()> {
    match note {
        Some(before) if moment < before => Err(StoreError::Pruned { kind, before }),
        _ => Ok(()),
    }
}

/// Refuses a replay from `start` if rows since then were removed.
pub fn refuse_pruned(store: &dyn Store, kinds: &[PrunableKind], start: Timestamp) -> Result<()> {
    kinds.iter().try_for_each(|kind| refuse_before(*kind, store.pruned_before(*kind)?, start))
}
