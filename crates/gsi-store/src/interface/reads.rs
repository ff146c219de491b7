//! Published data, as readers query it.

use crate::interface::pulse::StandbyState;
use crate::{AlertQuery, BriefingQuery, EventQuery, HistoryPoint, Result};
use gsi_model::{
    Alert, AlertId, Briefing, BriefingId, Correction, CountryCode, CountrySnapshot, Event, EventId,
    EventVersion, FeedState, Observation, Pillar, Snapshot, SnapshotId, Summary, Timestamp,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    pub snapshot: Snapshot,
    pub summary: Summary,
    /// The time of the commit. Well after its tick for one that was computed late.
    pub published_at: Timestamp,
}

/// An event by its id, or by the id of an event that was merged into it, with its earlier versions.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    pub event: Event,
    /// The versions with the ticks that published them, oldest first; the last is the one shown.
    pub versions: Vec<(Timestamp, EventVersion)>,
    /// Versions that were replaced before this time are no longer kept; `None` if all are.
    pub kept_since: Option<Timestamp>,
}

pub trait ReadStore: Send + Sync + 'static {
    /// The newest snapshot whose tick is at or before `tick`.
    fn published_at(&self, tick: Timestamp) -> Result<Option<Published>>;
    /// The newest snapshot that was committed at or before `moment`: the one that a reader saw then.
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
    /// A page in the order of lists (newest first, then id), as of `query.as_of`. This and the other queries of events are
    /// [`StoreError::Pruned`](crate::StoreError::Pruned) if versions as of that moment were removed.
    fn events(&self, query: &EventQuery) -> Result<Vec<Event>>;
    /// Events with activity after `active_since`, as of `as_of`, ordered by (occurred_at, first_row).
    fn events_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<Event>>;
    fn event(&self, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>>;
    fn briefings(&self, query: &BriefingQuery) -> Result<Vec<Briefing>>;
    fn briefing(&self, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>>;
    /// A page in the order of lists (newest first, then id), as of `query.as_of`.
    fn alerts(&self, query: &AlertQuery) -> Result<Vec<Alert>>;
    fn alert(&self, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>>;
    /// Alerts that began or ended with the ticks after `after` until `until`, by tick and id.
    fn alerts_between(&self, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>>;
    /// The request for a correction of this briefing, with its result as of `as_of`.
    fn correction(&self, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>>;
    fn feed_states(&self) -> Result<Vec<FeedState>>;
    /// The standby that lists are read from, if there is one.
    fn standby(&self) -> Option<StandbyState> {
        None
    }
}
