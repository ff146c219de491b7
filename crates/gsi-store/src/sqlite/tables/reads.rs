//! The queries of readers.

use super::{alerts, corrections, data, events, ticks};
use crate::sqlite::SqliteStore;
use crate::sqlite::upkeep::prune;
use crate::{AlertQuery, BriefingQuery, EventQuery, EventRecord, HistoryPoint, Published, ReadStore, Result};
use gsi_model::{
    Alert, AlertId, Briefing, BriefingId, Correction, CountryCode, CountrySnapshot, Event, EventId,
    FeedState, Observation, Pillar, SnapshotId, Timestamp,
};

impl ReadStore for SqliteStore {
    fn published_at(&self, tick: Timestamp) -> Result<Option<Published>> {
        self.readers.with(|conn| ticks::published_at(conn, tick))
    }

    fn published_by(&self, moment: Timestamp) -> Result<Option<Published>> {
        self.readers.with(|conn| ticks::published_by(conn, moment))
    }

    fn snapshot_by_id(&self, id: &SnapshotId) -> Result<Option<Published>> {
        self.readers.with(|conn| ticks::snapshot_by_id(conn, id))
    }

    fn snapshots(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(Published)) -> Result<()> {
        self.readers.with(|conn| ticks::snapshots(conn, from, to, each))
    }

    fn history(&self, pillar: Option<Pillar>, from: Timestamp, to: Timestamp) -> Result<Vec<HistoryPoint>> {
        self.readers.with(|conn| ticks::history(conn, pillar, from, to))
    }

    fn countries_at(&self, tick: Timestamp) -> Result<Option<CountrySnapshot>> {
        self.readers.with(|conn| ticks::countries(conn, tick))
    }

    fn country_history(
        &self,
        country: CountryCode,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<HistoryPoint>> {
        self.readers.with(|conn| ticks::country_history(conn, country, from, to))
    }

    fn observations_of(
        &self,
        series: &[&str],
        period_after: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(Observation),
    ) -> Result<()> {
        self.readers.with(|conn| data::observations_of(conn, series, period_after, known_until, each))
    }

    fn events(&self, query: &EventQuery) -> Result<Vec<Event>> {
        self.readers.with(|conn| prune::unpruned(conn, query.as_of, events::page(conn, query)?))
    }

    fn events_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<Event>> {
        self.readers.with(|conn| prune::unpruned(conn, as_of, events::active(conn, as_of, active_since)?))
    }

    fn event(&self, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>> {
        self.readers.with(|conn| prune::unpruned(conn, as_of, events::one(conn, id, as_of)?))
    }

    fn briefings(&self, query: &BriefingQuery) -> Result<Vec<Briefing>> {
        self.readers.with(|conn| ticks::briefings(conn, query))
    }

    fn briefing(&self, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>> {
        self.readers.with(|conn| ticks::briefing(conn, id, as_of))
    }

    fn alerts(&self, query: &AlertQuery) -> Result<Vec<Alert>> {
        self.readers.with(|conn| alerts::page(conn, query))
    }

    fn alert(&self, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>> {
        self.readers.with(|conn| alerts::one(conn, id, as_of))
    }

    fn alerts_between(&self, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>> {
        self.readers.with(|conn| alerts::between(conn, after, until))
    }

    fn correction(&self, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>> {
        self.readers.with(|conn| corrections::one(conn, of, as_of))
    }

    fn feed_states(&self) -> Result<Vec<FeedState>> {
        self.readers.with(data::feed_states)
    }
}
