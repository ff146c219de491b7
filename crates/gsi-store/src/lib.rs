//! What is kept, and how it is found again: one trait, two backends, one suite that both run.
//!
//! [`SqliteStore`] is the default: one file, no server. [`PostgresStore`] is for many machines. [`open`] picks by
//! address. Both keep the same tables and answer the same; `conformance` says what that means, case by case.
//!
//! Three ideas carry the rest. **A tick is one transaction**: data, checkpoints and the published snapshot appear
//! together or not at all, and a tick that is done cannot be done again. **Nothing is overwritten**: a changed value
//! is a new vintage, a changed event a new version with the tick it holds from, so any answer can be given again as
//! it was. **Whole things are bodies, columns are for finding**: a snapshot, event or briefing is compressed JSON,
//! and the columns beside it hold the published, rounded values, so that a filter agrees with what a reader saw.

mod body;
pub mod bulk;
mod check;
#[cfg(feature = "conformance")]
pub mod conformance;
mod correction_columns;
mod country_points;
mod event_columns;
mod event_versions;
mod format;
mod hooks;
mod key_audit;
mod key_columns;
mod leadership;
mod limit;
mod open;
mod pending;
mod postgres;
mod prune;
mod pulse;
mod query;
mod repair;
mod replay_plan;
mod retention;
mod sqlite;

pub use self::postgres::PostgresStore;
pub use event_columns::fold_case;
pub use format::StoreFormat;
pub use hooks::{HookStore, KeptHook};
pub use key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret};
pub use leadership::{KEEP_EVERY, Leadership, Lease};
pub use limit::ReadLimit;
pub use open::{
    LedStore, Replica, copy_of, format_of, open, open_and_upgrade, open_and_upgrade_alone, open_led,
    open_replica,
};
pub use pending::{Ingest, PendingBatch};
pub use prune::{
    KindSize, LEAST_DAYS_KEPT, PrunableKind, Prune, PrunedPart, RetentionDays, prune, prune_quietly,
    refuse_pruned,
};
pub use pulse::{KeyUse, Pulse, StandbyState};
pub use query::{AlertQuery, BriefingQuery, EventQuery, HistoryPoint, PageAfter};
pub use repair::{Repair, SetBackReport};
pub use replay_plan::{
    DERIVED_FEEDS, ReplayPlan, method_name, plan_replay, refuse_unless_replayable, unreplayable,
};
pub use sqlite::SqliteStore;

use gsi_model::{
    Alert, AlertId, ApiKey, Briefing, BriefingId, Correction, CorrectionReason, CountryCode, CountrySnapshot,
    Event, EventChange, EventId, EventVersion, FeedState, HookMessage, HookRuleState, KeyId, NewsRow,
    NewsSlot, Observation, Pillar, Snapshot, SnapshotId, Summary, Timestamp,
};
use std::time::{Duration, SystemTime};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A later tick is already committed, or this one is: a tick is done once.
    #[error("tick {0} is already committed")]
    TickDone(Timestamp),
    #[error("a row contradicts what is stored: {0}")]
    Conflict(String),
    /// The database answers, and says no.
    #[error("the store refused: {0}")]
    Refused(String),
    /// There is no room left. Nothing of the refused write was kept, everything before it is.
    #[error("the store is full: {0}")]
    Full(String),
    /// Another replica has taken the lead since; whatever this one still wanted to write is void.
    #[error("the lead was lost: {0}")]
    Fenced(String),
    /// The database does not answer.
    #[error("the store cannot be reached: {0}")]
    Unavailable(String),
    /// A read under a [`ReadLimit`] was not done in time, or found no connection free.
    #[error("the store is busy: {0}")]
    Overloaded(String),
    #[error("stored data cannot be read: {0}")]
    Corrupt(String),
    /// It was there and was removed, because an operator keeps it for a limited time.
    #[error("{kind} from before {before} are no longer kept")]
    Pruned { kind: PrunableKind, before: Timestamp },
}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Everything one tick changes, committed as a whole or not at all.
///
/// Numbers must be finite; anything else is [`StoreError::Refused`].
#[derive(Debug, Clone)]
pub struct TickCommit {
    pub tick: Timestamp,
    /// When it is shown from, by the clock that ticks go by: the tick itself at the earliest.
    pub published_at: Timestamp,
    /// Nobody is shown it before a later tick is committed, so that one may answer for this one's safety from power loss.
    pub is_history: bool,
    /// `None` while there is too little data to publish. Comes with `summary`, or neither does.
    pub snapshot: Option<Snapshot>,
    /// The countries of the tick, where they were computed. Only beside a snapshot.
    pub countries: Option<CountrySnapshot>,
    /// The index engine's own memory after this tick, opaque here.
    pub state: Vec<u8>,
    pub summary: Option<Summary>,
    /// Revisions are already assigned; one that exists is a [`StoreError::Conflict`].
    pub observations: Vec<Observation>,
    /// One that exists may come again if it says the same (`known_at` aside), else it is a conflict.
    pub slots: Vec<NewsSlot>,
    /// The first row of a number stays; a later one is passed over, since publishers do repeat themselves.
    pub rows: Vec<NewsRow>,
    /// Applied in order. Of two versions of one event the later stands. A merged event gets no more versions.
    pub events: Vec<EventChange>,
    /// One that corrects another answers what was asked about that one. Where nobody asked, or it was answered before,
    /// it is a [`StoreError::Conflict`]: a correction is published once.
    pub briefings: Vec<Briefing>,
    /// What begins and what ends.
    pub alerts: Vec<Alert>,
    /// What hooks are to be told of it, and what their own rules remember after it.
    pub messages: Vec<HookMessage>,
    pub hook_states: Vec<HookRuleState>,
    pub feeds: Vec<FeedState>,
    /// The batches of [`Store::pending`] that this tick took in. They stop waiting with it; one that waits no more is a
    /// [`StoreError::Conflict`].
    pub taken_batches: Vec<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IngestReport {
    pub inserted: u64,
    pub unchanged: u64,
    /// Becomes known with the next ticks.
    pub waiting: u64,
}

impl std::ops::AddAssign for IngestReport {
    fn add_assign(&mut self, more: IngestReport) {
        self.inserted += more.inserted;
        self.unchanged += more.unchanged;
        self.waiting += more.waiting;
    }
}

/// How far the service has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontier {
    pub tick: Timestamp,
    pub state: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    pub snapshot: Snapshot,
    pub summary: Summary,
    /// When it was committed. Well after its tick for one that was computed late.
    pub published_at: Timestamp,
}

/// An event by its own id or by the id of one that was merged into it, with its earlier versions.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    pub event: Event,
    /// The tick each version was published at, oldest first; the last is the one shown.
    pub versions: Vec<(Timestamp, EventVersion)>,
    /// Versions that were replaced before this moment are no longer kept; `None` when all of them are here.
    pub kept_since: Option<Timestamp>,
}

/// Blocking by design: the tick is sequential, and the HTTP room calls it off its event loop.
pub trait Store: HookStore + Send + Sync + 'static {
    fn commit_tick(&self, commit: &TickCommit) -> Result<()>;
    /// Takes data that arrive outside a tick (import, back-fill), whole or not at all.
    ///
    /// A tick is computed from what its process has in memory, so nothing may slip in beside it: from
    /// [`Store::begin_ticks`] on, everything waits in [`Store::pending`] for a tick to take it. Before that, observations
    /// are stored at once with the times they state, in the next revision of their period unless they repeat its newest
    /// value. News files always wait: they mean something only to the tick that clusters them.
    fn ingest(&self, ingest: &Ingest) -> Result<IngestReport>;
    /// Somebody is about to compute ticks here. Called before anything is read into memory.
    fn begin_ticks(&self) -> Result<()>;
    /// What waits to become known, in the order it arrived: batches of at most `most_rows` rows together, but at least
    /// one.
    fn pending(&self, most_rows: u64) -> Result<Vec<PendingBatch>>;

    fn frontier(&self) -> Result<Option<Frontier>>;
    /// The engine's memory after the newest tick at or before `tick` of which it is still kept: every tick of the
    /// last eight days, and the midnights before, unless they were pruned.
    fn state_at(&self, tick: Timestamp) -> Result<Option<Frontier>>;

    /// The newest snapshot whose tick is at or before `tick`.
    fn published_at(&self, tick: Timestamp) -> Result<Option<Published>>;
    /// The newest snapshot that was committed at or before `moment`: what a reader could have been shown then.
    fn published_by(&self, moment: Timestamp) -> Result<Option<Published>>;
    fn snapshot_by_id(&self, id: &SnapshotId) -> Result<Option<Published>>;
    /// Whole snapshots with `from <= tick < to`, oldest first.
    fn snapshots(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(Published)) -> Result<()>;
    /// Published points with `from <= tick < to`, oldest first; `None` for the composite.
    fn history(&self, pillar: Option<Pillar>, from: Timestamp, to: Timestamp) -> Result<Vec<HistoryPoint>>;

    /// The newest countries whose tick is at or before `tick`.
    fn countries_at(&self, tick: Timestamp) -> Result<Option<CountrySnapshot>>;
    /// Published scores of one country with `from <= tick < to`, oldest first.
    fn country_history(
        &self,
        country: CountryCode,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<HistoryPoint>>;

    /// Every observation with `known_at <= known_until`, ordered by (series, entity, period_end, revision).
    fn observations(&self, known_until: Timestamp, each: &mut dyn FnMut(Observation)) -> Result<()>;
    /// Of these, those of some series whose period ends after `period_after`, in the same order.
    fn observations_of(
        &self,
        series: &[&str],
        period_after: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(Observation),
    ) -> Result<()>;
    /// Slots with `from < stamp <= to` and `known_at <= known_until`, oldest first.
    fn slots(
        &self,
        from: Timestamp,
        to: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(NewsSlot),
    ) -> Result<()>;
    /// Rows with `from < added <= to`, ordered by (added, id).
    fn rows(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(NewsRow)) -> Result<()>;
    fn row(&self, id: u64) -> Result<Option<NewsRow>>;

    /// A page in the contract's order (newest first, then id), evaluated as the list stood at `query.as_of`. This and the
    /// other questions about events as of a moment are [`StoreError::Pruned`] for one of which versions are gone.
    fn events(&self, query: &EventQuery) -> Result<Vec<Event>>;
    /// Events with activity after `active_since`, as they stood at `as_of`, ordered by (occurred_at, first_row).
    fn events_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<Event>>;
    /// The same with what the clustering needs to go on from them.
    fn event_versions_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<EventVersion>>;
    fn event(&self, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>>;

    fn briefings(&self, query: &BriefingQuery) -> Result<Vec<Briefing>>;
    fn briefing(&self, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>>;

    /// A page in the order of lists (newest first, then id), as it stood at `query.as_of`.
    fn alerts(&self, query: &AlertQuery) -> Result<Vec<Alert>>;
    fn alert(&self, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>>;
    /// What began and ended with the ticks after `after` until `until`, by tick and id.
    fn alerts_between(&self, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>>;

    /// Asks for a correction, to be published with a tick to come. Any process may, whoever leads. `false` when it was
    /// asked for before, in which case what was asked first stands. An unknown briefing is [`StoreError::Refused`].
    fn ask_correction(&self, of: &BriefingId, because: CorrectionReason, asked_at: Timestamp)
    -> Result<bool>;
    /// What was asked about this briefing, and what had come of it by `as_of`.
    fn correction(&self, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>>;
    /// Corrections that were published with `tick`; without one, those that still wait. In the order they were asked for.
    fn corrections(&self, tick: Option<Timestamp>) -> Result<Vec<Correction>>;

    fn feed_states(&self) -> Result<Vec<FeedState>>;

    /// Adds a key or replaces what is known of it, and notes in the audit what that was. A revocation stays: whoever changes a
    /// key may have read it before. When it was last used stays as well.
    fn put_key(&self, key: &ApiKey, note: &ChangeNote) -> Result<()>;
    fn keys(&self) -> Result<Vec<ApiKey>>;
    /// Changes whenever any key does; cheap enough to ask every second.
    fn keys_version(&self) -> Result<i64>;

    /// Notes the day each of these keys was used on, as its first second; a later day that is known stays. No change of keys:
    /// nobody has to read them again.
    fn note_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()>;
    /// Everything that was done to keys, oldest first.
    fn key_audit(&self) -> Result<Vec<KeyAuditEntry>>;
    /// Adds what concerns no stored key, and is done elsewhere.
    fn add_to_key_audit(&self, action: KeyAction, note: &ChangeNote) -> Result<()>;

    /// A random 32-byte secret of this installation, made on first use and the same on every replica.
    fn secret(&self, name: &str) -> Result<[u8; 32]>;
    /// Makes a new one in its place, keeps the old one as the previous until then, and notes it in the audit. Counts as a change
    /// of keys, so that every replica reads it. The one before the old one is forgotten.
    fn rotate_secret(&self, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()>;
    fn previous_secret(&self, name: &str) -> Result<Option<PreviousSecret>>;

    /// A small named value, and its replacement. Not for data.
    fn meta(&self, name: &str) -> Result<Option<String>>;
    fn set_meta(&self, name: &str, value: &str) -> Result<()>;

    /// Since when rows of this kind are whole; what is older was removed. `None` when nothing was.
    fn pruned_before(&self, kind: PrunableKind) -> Result<Option<Timestamp>> {
        prune::read_note(self.meta(kind.note())?)
    }

    /// What every replica asks about all the time, in one round trip.
    fn pulse(&self) -> Result<Pulse> {
        Ok(Pulse {
            frontier: self.frontier()?.map(|f| f.tick),
            published: self.published_at(Timestamp::MAX)?.map(|p| p.snapshot.tick),
            keys_version: self.keys_version()?,
        })
    }
    /// Comes back when another process may have changed something, at the latest after `at_most`. `false`, and at once,
    /// from a store that cannot say so: there one looks from time to time.
    fn wait_for_news(&self, _at_most: Duration) -> Result<bool> {
        Ok(false)
    }
    /// What the store itself takes for the time; `None` when it lives by this machine's clock.
    fn time(&self) -> Result<Option<SystemTime>> {
        Ok(None)
    }
    /// Tells how often each key was used on this replica since it started, and returns what the others told: all of it,
    /// or what changed in the last half minute. Approximate by design: no request waits for it, and a failover may
    /// forget it.
    fn share_usage(&self, _replica: &str, _taken: &[(KeyId, u64)], _all: bool) -> Result<Vec<KeyUse>> {
        Ok(Vec::new())
    }
    /// The copy that lists are read from, if it is not the store itself.
    fn standby(&self) -> Option<StandbyState> {
        None
    }
}
