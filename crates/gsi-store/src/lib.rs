//! What is kept, and how it is found again: one store, two backends, one suite that both run.
//!
//! [`SqliteStore`] is the default: one file, no server. [`PostgresStore`] is for many machines. [`open`] picks by
//! address. Both keep the same tables and answer the same; `conformance` says what that means, case by case.
//!
//! Three ideas carry the rest. **A tick is one transaction**: data, checkpoints and the published snapshot appear
//! together or not at all, and a tick that is done cannot be done again. **Nothing is overwritten**: a changed value
//! is a new vintage, a changed event a new version with the tick it holds from, so any answer can be given again as
//! it was. **Whole things are bodies, columns are for finding**: a snapshot, event or briefing is compressed JSON,
//! and the columns beside it hold the published, rounded values, so that a filter agrees with what a reader saw.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod body;
pub mod bulk;
mod check;
#[cfg(feature = "conformance")]
#[allow(clippy::unwrap_used, reason = "a suite of tests")]
pub mod conformance;
mod correction_columns;
mod country_points;
mod event_columns;
mod event_versions;
mod format;
mod hooks;
mod key_audit;
mod key_columns;
mod key_store;
mod leadership;
mod limit;
mod open;
mod pending;
mod postgres;
mod prune;
mod pulse;
mod query;
mod read_store;
mod repair;
mod replay_plan;
mod retention;
mod sqlite;
mod tick_store;

pub use self::postgres::PostgresStore;
pub use event_columns::fold_case;
pub use format::StoreFormat;
pub use hooks::{HookStore, KeptHook};
pub use key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret};
pub use key_store::KeyStore;
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
pub use read_store::ReadStore;
pub use repair::{Repair, SetBackReport};
pub use replay_plan::{
    DERIVED_FEEDS, ReplayPlan, method_name, plan_replay, refuse_unless_replayable, unreplayable,
};
pub use sqlite::SqliteStore;
pub use tick_store::{ObservationScope, TickStore};

use gsi_model::{
    Alert, Briefing, BriefingId, CorrectionReason, CountrySnapshot, Event, EventChange, EventVersion,
    FeedState, HookMessage, HookRuleState, NewsRow, NewsSlot, Observation, Snapshot, Summary, Timestamp,
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
    /// The batches of [`TickStore::pending`] that this tick took in. They stop waiting with it; one that waits no more is a
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

/// All that one database does, by who asks for it: ticks, readers, keys and hooks each have a trait of their own.
///
/// Blocking by design: the tick is sequential, and the HTTP room calls it off its event loop.
pub trait Store: TickStore + ReadStore + KeyStore + HookStore {
    /// Asks for a correction, to be published with a tick to come. Any process may, whoever leads. `false` when it was
    /// asked for before, in which case what was asked first stands. An unknown briefing is [`StoreError::Refused`].
    fn ask_correction(&self, of: &BriefingId, because: CorrectionReason, asked_at: Timestamp)
    -> Result<bool>;

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
}
