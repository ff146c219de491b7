//! What the tick, and whoever computes one again, asks of a store.

use crate::{Frontier, Ingest, IngestReport, PendingBatch, Result, TickCommit};
use gsi_model::{Correction, EventVersion, NewsRow, NewsSlot, Observation, Timestamp};

/// Which observations are read.
#[derive(Clone, Copy, Debug)]
pub struct ObservationScope<'a> {
    pub known_until: Timestamp,
    /// Of these series only periods that ended after `recent_after`, and the newest of each entity however old it is.
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
    /// Takes data that arrive outside a tick (import, back-fill), whole or not at all.
    ///
    /// A tick is computed from what its process has in memory, so nothing may slip in beside it: from
    /// [`TickStore::begin_ticks`] on, everything waits in [`TickStore::pending`] for a tick to take it. Before that, observations
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
    /// Events with activity after `active_since`, as they stood at `as_of`, with what the clustering needs to go on from them.
    fn event_versions_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<EventVersion>>;
    /// Corrections that were published with `tick`; without one, those that still wait. In the order they were asked for.
    fn corrections(&self, tick: Option<Timestamp>) -> Result<Vec<Correction>>;
}
