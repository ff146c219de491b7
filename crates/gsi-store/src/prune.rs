//! Removing what is older than an operator wants to keep, and remembering since when it is gone.
//!
//! What was published is never removed: snapshots, summaries, briefings, observations and the newest version of every event
//! stay. What may go is what is needed only to compute or show the past again. The note of what is gone
//! ([`Store::pruned_before`]) is written before the first row goes, so that no answer is ever made from half of the rows:
//! whoever asks for them gets [`StoreError::Pruned`].

use crate::{Result, Store, StoreError};
use gsi_model::{DAY, Timestamp};
use std::fmt;

/// No kind is kept for fewer days than this: events are looked back at for eight days, and a replay sets out from a state that is
/// 26 hours older than its first tick.
pub const LEAST_DAYS_KEPT: u32 = 10;
/// What is younger than the newest tick less this is never pruned, with two days to spare for a reader that is behind.
pub(crate) const NEVER_PRUNED_SECONDS: i64 = (LEAST_DAYS_KEPT as i64 - 2) * DAY;
/// Rows looked up in one go, so that a first pruning of years needs no memory to speak of.
const LOOKED_UP_AT_ONCE: usize = 50_000;
/// Removed in one transaction. A tick waits for at most one such transaction, which takes some ten milliseconds.
const REMOVED_AT_ONCE: usize = 500;
/// A news file has up to 1,500 rows.
const FILES_REMOVED_AT_ONCE: usize = 4;

/// What may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrunableKind {
    /// Rows of news files, by the tick that took their file in.
    NewsRows,
    /// Versions of events that a later version has replaced.
    EventVersions,
    /// The engine's memory after past ticks.
    EngineStates,
}

impl PrunableKind {
    pub const ALL: [PrunableKind; 3] =
        [PrunableKind::NewsRows, PrunableKind::EventVersions, PrunableKind::EngineStates];

    pub fn key(self) -> &'static str {
        match self {
            PrunableKind::NewsRows => "news_rows",
            PrunableKind::EventVersions => "event_versions",
            PrunableKind::EngineStates => "engine_states",
        }
    }

    /// The small value under which a store remembers since when it is gone.
    pub(crate) fn note(self) -> &'static str {
        match self {
            PrunableKind::NewsRows => "pruned.news_rows",
            PrunableKind::EventVersions => "pruned.event_versions",
            PrunableKind::EngineStates => "pruned.engine_states",
        }
    }

    fn removed_at_once(self) -> usize {
        match self {
            PrunableKind::NewsRows => FILES_REMOVED_AT_ONCE,
            _ => REMOVED_AT_ONCE,
        }
    }
}

impl fmt::Display for PrunableKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PrunableKind::NewsRows => "news rows",
            PrunableKind::EventVersions => "replaced event versions",
            PrunableKind::EngineStates => "engine states",
        })
    }
}

/// Days that each kind is kept for, counted over days on which something was published, so that neither an outage nor a clock
/// that ran ahead makes data old. 0 keeps all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionDays {
    pub news_rows: u32,
    pub event_versions: u32,
    pub engine_states: u32,
}

impl RetentionDays {
    pub fn of(&self, kind: PrunableKind) -> u32 {
        match kind {
            PrunableKind::NewsRows => self.news_rows,
            PrunableKind::EventVersions => self.event_versions,
            PrunableKind::EngineStates => self.engine_states,
        }
    }

    pub fn keeps_everything(&self) -> bool {
        *self == RetentionDays::default()
    }
}

/// How much of a kind there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindSize {
    pub rows: u64,
    /// Of the tables and indexes it is kept in.
    pub bytes: u64,
}

/// What pruning did to one kind, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedPart {
    pub kind: PrunableKind,
    /// What is older is gone; `None` when all of it is kept.
    pub before: Option<Timestamp>,
    pub size_before: KindSize,
    pub removed: u64,
    pub size_after: KindSize,
}

/// A store that can be pruned. Every call is a transaction of its own, in line with the ticks.
pub trait Prune: Send + Sync {
    /// Days, counted from 1970, on which something was published: the newest `most`, newest first.
    fn published_days(&self, most: u32) -> Result<Vec<i64>>;
    /// Notes that rows of this kind from before that moment are gone; an earlier note that says more stays.
    fn note_pruned(&self, kind: PrunableKind, before: Timestamp) -> Result<()>;
    /// Numbers of what is older, at most so many: news files by their stamp, versions by their key, states by their tick.
    fn expired(&self, kind: PrunableKind, before: Timestamp, most: usize) -> Result<Vec<i64>>;
    /// Rows that are older.
    fn count_expired(&self, kind: PrunableKind, before: Timestamp) -> Result<u64>;
    /// Removes the rows behind these numbers and says how many they were. Refused when another process has taken the lead from
    /// this one.
    fn remove(&self, kind: PrunableKind, numbers: &[i64]) -> Result<u64>;
    /// Removes older rows at once where the store keeps them apart from younger ones, and says how many they were. Whatever
    /// cannot go so is left to [`Prune::remove`].
    fn remove_parts(&self, _kind: PrunableKind, _before: Timestamp) -> Result<u64> {
        Ok(0)
    }
    fn size(&self, kind: PrunableKind) -> Result<KindSize>;
    /// Gives room that was freed back where that can be done: to the file system (SQLite, which rewrites the file and refuses
    /// where there is no room for that), or to the next rows (PostgreSQL). Returns the bytes of the whole store before and after.
    fn compact(&self) -> Result<(u64, u64)>;
}

/// The moment before which a kind is not kept, if anything is older.
fn edge(store: &dyn Prune, days: u32) -> Result<Option<Timestamp>> {
    if days == 0 {
        return Ok(None);
    }
    let days = days.max(LEAST_DAYS_KEPT);
    let published = store.published_days(days)?;
    let oldest = published.get(days as usize - 1);
    Ok(oldest.map(|day| Timestamp::from_unix(day * DAY)))
}

/// Removes everything that is older than `keep` says, in small transactions between the ticks. It may be broken off at any time,
/// and goes on the next time. With `dry_run` nothing is changed, and sizes afterwards are estimates.
pub fn prune(
    store: &dyn Prune,
    keep: &RetentionDays,
    dry_run: bool,
    progress: &mut dyn FnMut(PrunableKind, u64),
) -> Result<Vec<PrunedPart>> {
    let mut parts = Vec::new();
    for kind in PrunableKind::ALL {
        let size_before = store.size(kind)?;
        let before = edge(store, keep.of(kind))?;
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

/// The same without a report, for a service that does it every day, until it is told that it is enough.
pub fn prune_quietly(store: &dyn Prune, keep: &RetentionDays, enough: &dyn Fn() -> bool) -> Result<u64> {
    let mut removed = 0;
    for kind in PrunableKind::ALL {
        if let Some(before) = edge(store, keep.of(kind))? {
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
        let numbers = store.expired(kind, before, LOOKED_UP_AT_ONCE)?;
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
        for some in numbers.chunks(kind.removed_at_once()) {
            if enough() {
                return Ok(removed);
            }
            removed += store.remove(kind, some)?;
            progress(kind, removed);
        }
    }
}

/// As it is noted in a store.
pub(crate) fn read_note(note: Option<String>) -> Result<Option<Timestamp>> {
    note.map(|text| {
        text.parse().map_err(|_| StoreError::Corrupt(format!("a note of what was pruned: {text:?}")))
    })
    .transpose()
}

/// [`StoreError::Pruned`] when something as of `moment` is asked for and the note says that it is gone.
pub(crate) fn refuse_before(kind: PrunableKind, note: Option<Timestamp>, moment: Timestamp) -> Result<()> {
    match note {
        Some(before) if moment < before => Err(StoreError::Pruned { kind, before }),
        _ => Ok(()),
    }
}

/// Refuses a way to a tick that leads through what is gone: setting out from `start` needs every row since.
pub fn refuse_pruned(store: &dyn Store, kinds: &[PrunableKind], start: Timestamp) -> Result<()> {
    kinds.iter().try_for_each(|kind| refuse_before(*kind, store.pruned_before(*kind)?, start))
}
