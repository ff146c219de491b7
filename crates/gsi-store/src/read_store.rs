//! What was published, as readers ask for it.

use crate::pulse::StandbyState;
use crate::{AlertQuery, BriefingQuery, EventQuery, EventRecord, HistoryPoint, Published, Result};
use gsi_model::{
    Alert, AlertId, Briefing, BriefingId, Correction, CountryCode, CountrySnapshot, Event, EventId,
    FeedState, Observation, Pillar, SnapshotId, Timestamp,
};

pub trait ReadStore: Send + Sync + 'static {
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
    /// Observations of some series with `known_at <= known_until` whose period ends after `period_after`, ordered by (series,
    /// entity, period_end, revision).
    fn observations_of(
        &self,
        series: &[&str],
        period_after: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(Observation),
    ) -> Result<()>;
    /// A page in the order of lists (newest first, then id), evaluated as the list stood at `query.as_of`. This and the
    /// other questions about events as of a moment are [`StoreError::Pruned`](crate::StoreError::Pruned) for one of which versions
    /// are gone.
    fn events(&self, query: &EventQuery) -> Result<Vec<Event>>;
    /// Events with activity after `active_since`, as they stood at `as_of`, ordered by (occurred_at, first_row).
    fn events_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<Event>>;
    fn event(&self, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>>;
    fn briefings(&self, query: &BriefingQuery) -> Result<Vec<Briefing>>;
    fn briefing(&self, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>>;
    /// A page in the order of lists (newest first, then id), as it stood at `query.as_of`.
    fn alerts(&self, query: &AlertQuery) -> Result<Vec<Alert>>;
    fn alert(&self, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>>;
    /// What began and ended with the ticks after `after` until `until`, by tick and id.
    fn alerts_between(&self, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>>;
    /// What was asked about this briefing, and what had come of it by `as_of`.
    fn correction(&self, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>>;
    fn feed_states(&self) -> Result<Vec<FeedState>>;
    /// The copy that lists are read from, if it is not the store itself.
    fn standby(&self) -> Option<StandbyState> {
        None
    }
}
