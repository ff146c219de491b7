//! The queries of readers.

use super::{alerts, corrections, data, events, ticks};
use crate::interface::pulse::StandbyState;
use crate::postgres::PostgresStore;
use crate::postgres::connection::standby::Standby;
use crate::{AlertQuery, BriefingQuery, EventQuery, EventRecord, HistoryPoint, Published, ReadStore, Result};
use gsi_model::{
    Alert, AlertId, Briefing, BriefingId, Correction, CountryCode, CountrySnapshot, Event, EventId,
    FeedState, Observation, Pillar, SnapshotId, Timestamp,
};

impl ReadStore for PostgresStore {
    fn published_at(&self, tick: Timestamp) -> Result<Option<Published>> {
        self.read(tick, |s| ticks::published_at(s, tick))
    }

    fn published_by(&self, moment: Timestamp) -> Result<Option<Published>> {
        self.read(moment, |s| ticks::published_by(s, moment))
    }

    fn snapshot_by_id(&self, id: &SnapshotId) -> Result<Option<Published>> {
        self.read(Timestamp::MAX, |s| ticks::snapshot_by_id(s, id))
    }

    fn snapshots(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(Published)) -> Result<()> {
        self.pool().with(|s| ticks::snapshots(s, from, to, each))
    }

    fn history(&self, pillar: Option<Pillar>, from: Timestamp, to: Timestamp) -> Result<Vec<HistoryPoint>> {
        self.read(to, |s| ticks::history(s, pillar, from, to))
    }

    fn countries_at(&self, tick: Timestamp) -> Result<Option<CountrySnapshot>> {
        self.read(tick, |s| ticks::countries(s, tick))
    }

    fn country_history(
        &self,
        country: CountryCode,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<HistoryPoint>> {
        self.read(to, |s| ticks::country_history(s, country, from, to))
    }

    fn observations_of(
        &self,
        series: &[&str],
        period_after: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(Observation),
    ) -> Result<()> {
        // All rows are read before the first is passed on, because a failed read is repeated from the start.
        let found = self.read(known_until, |s| {
            let mut found = Vec::new();
            data::observations_of(s, series, period_after, known_until, &mut |o| found.push(o))?;
            Ok(found)
        })?;
        found.into_iter().for_each(each);
        Ok(())
    }

    fn events(&self, query: &EventQuery) -> Result<Vec<Event>> {
        self.read_events(query.as_of, |s| events::page(s, query))
    }

    fn events_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<Event>> {
        self.read_events(as_of, |s| events::active(s, as_of, active_since))
    }

    fn event(&self, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>> {
        self.read_events(as_of, |s| events::one(s, id, as_of))
    }

    fn briefings(&self, query: &BriefingQuery) -> Result<Vec<Briefing>> {
        self.read(query.as_of, |s| ticks::briefings(s, query))
    }

    fn briefing(&self, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>> {
        self.read(as_of, |s| ticks::briefing(s, id, as_of))
    }

    fn alerts(&self, query: &AlertQuery) -> Result<Vec<Alert>> {
        self.read(query.as_of, |s| alerts::page(s, query))
    }

    fn alert(&self, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>> {
        self.read(as_of, |s| alerts::one(s, id, as_of))
    }

    fn alerts_between(&self, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>> {
        self.read(until, |s| alerts::between(s, after, until))
    }

    fn correction(&self, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>> {
        self.read(as_of, |s| corrections::one(s, of, as_of))
    }

    fn feed_states(&self) -> Result<Vec<FeedState>> {
        self.pool().read(&mut data::feed_states)
    }

    fn standby(&self) -> Option<StandbyState> {
        self.standby.as_ref().map(Standby::state)
    }
}
