//! Operations of the tick, and of programs that recompute one.

use crate::{Ingest, PendingBatch, Result};
use gsi_model::{
    Alert, Briefing, Correction, CountrySnapshot, EventChange, EventVersion, FeedState, HookMessage,
    HookRuleState, NewsRow, NewsSlot, Observation, Snapshot, Summary, Timestamp,
};

/// All changes of one tick, committed as a whole or not at all.
///
/// Numbers must be finite; others are [`StoreError::Refused`](crate::StoreError::Refused).
#[derive(Debug, Clone)]
pub struct TickCommit {
    pub tick: Timestamp,
    /// The time from which it is shown, by the clock of the ticks: the tick itself at the earliest.
    pub published_at: Timestamp,
    /// No reader sees it before a later tick is committed, so that tick's forced write protects it from power loss as well.
    pub is_history: bool,
    /// `None` while there is too little data to publish. Present exactly if `summary` is.
    pub snapshot: Option<Snapshot>,
    /// The countries of the tick, if they were computed. Requires a snapshot.
    pub countries: Option<CountrySnapshot>,
    /// The index engine's memory after this tick, opaque to the store.
    pub state: Vec<u8>,
    pub summary: Option<Summary>,
    /// Revisions are assigned already; an existing one is a [`StoreError::Conflict`](crate::StoreError::Conflict).
    pub observations: Vec<Observation>,
    /// A stored slot may come again with the same content (`known_at` aside); different content is a conflict.
    pub slots: Vec<NewsSlot>,
    /// The first row of a number stays and later ones are skipped, because publishers repeat rows.
    pub rows: Vec<NewsRow>,
    /// Applied in order. Of two versions of one event the later is kept. A merged event gets no more versions.
    pub events: Vec<EventChange>,
    /// A briefing that corrects another answers the request for that correction. Without an unanswered request it is a
    /// [`StoreError::Conflict`](crate::StoreError::Conflict), because a correction is published once.
    pub briefings: Vec<Briefing>,
    /// Alerts that begin and alerts that end.
    pub alerts: Vec<Alert>,
    /// Messages to hooks, and the state of hooks' own rules after the tick.
    pub messages: Vec<HookMessage>,
    pub hook_states: Vec<HookRuleState>,
    pub feeds: Vec<FeedState>,
    /// The batches of [`TickStore::pending`] that this tick took in. They no longer wait after it; a batch that does not wait is
    /// a [`StoreError::Conflict`](crate::StoreError::Conflict).
    pub taken_batches: Vec<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IngestReport {
    pub inserted: u64,
    pub unchanged: u64,
    /// Rows that become known with the next ticks.
    pub waiting: u64,
}

impl std::ops::AddAssign for IngestReport {
    fn add_assign(&mut self, more: IngestReport) {
        self.inserted += more.inserted;
        self.unchanged += more.unchanged;
        self.waiting += more.waiting;
    }
}

/// The last committed tick and the engine's memory after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontier {
    pub tick: Timestamp,
    pub state: Vec<u8>,
}

/// A selection of observations.
#[derive(Clone, Copy, Debug)]
pub struct ObservationScope<'a> {
    pub known_until: Timestamp,
    /// Of these series, only periods that ended after `recent_after`, and the newest period of each entity whatever its age.
    pub recent_series: &'a [&'a str],
    pub recent_after: Timestamp,
}

impl ObservationScope<'_> {
    pub fn all(known_until: Timestamp) -> Self {
        ObservationScope { known_until, recent_series: &[], recent_after: Timestamp::MIN }
    }
}

pub trait TickStore: Send + Sync + 'static {
    fn commit_tick(&self, commit: &TickCommit) -> Result<()>;
    /// Stores data from outside a tick (import, back-fill), as a whole or not at all.
    ///
    /// A tick is computed from the memory of its process, so data must not appear between two ticks. After
    /// [`TickStore::begin_ticks`], everything waits in [`TickStore::pending`] until a tick takes it. Before that, observations
    /// are stored at once with their own times, as the next revision of their period unless they repeat its newest value. News
    /// files always wait, because only the tick that clusters them can use them.
    fn ingest(&self, ingest: &Ingest) -> Result<IngestReport>;
    /// Marks the store as used by ticks. Called before anything is read into memory.
    fn begin_ticks(&self) -> Result<()>;
    /// The waiting batches, in order of arrival: at most `most_rows` rows together, but at least one batch.
    fn pending(&self, most_rows: u64) -> Result<Vec<PendingBatch>>;
    fn frontier(&self) -> Result<Option<Frontier>>;
    /// The engine's memory after the newest tick at or before `tick` whose memory is kept: every tick of the last eight days,
    /// and earlier midnights, unless they were pruned.
    fn state_at(&self, tick: Timestamp) -> Result<Option<Frontier>>;
    /// Every observation with `known_at <= known_until`, ordered by (series, entity, period_end, revision).
    fn observations(&self, known_until: Timestamp, each: &mut dyn FnMut(Observation)) -> Result<()> {
        self.observations_in(&ObservationScope::all(known_until), each)
    }
    /// The observations of a scope, in the same order.
    fn observations_in(&self, scope: &ObservationScope<'_>, each: &mut dyn FnMut(Observation)) -> Result<()>;
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
    /// Events with activity after `active_since`, as of `as_of`, with the fields that clustering continues from.
    fn event_versions_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<EventVersion>>;
    /// Corrections published with `tick`, or those that still wait. In the order of the requests.
    fn corrections(&self, tick: Option<Timestamp>) -> Result<Vec<Correction>>;
}
