//! The pipeline's memory between ticks, and its restoration from the store.

pub mod recent_events;

use crate::previous_methods::PreviousMethod;
use crate::texts::recent_briefings;
use crate::tick::alerts;
use gsi_events::EventClusterer;
use gsi_index::{CountryEngine, CountryMethod, Engine, Method, SeriesTable, TableLoader};
use gsi_model::{
    Alert, Briefing, CountrySnapshot, DAY, FeedState, HOUR, Observation, Pillar, ReconstructedLine, Timestamp,
};
use gsi_store::{AlertQuery, Frontier, ObservationScope, Result, Store};
use recent_events::RecentEvents;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Open clusters live at most 7 days. One more day covers recently closed ones.
const EVENT_MEMORY_SECONDS: i64 = 8 * DAY;
/// Texts mention events of the last 7 days.
pub(crate) const NARRATED_SECONDS: i64 = 7 * DAY;
/// Every tick needs the states of the last day and a little more; older ones are read from the store.
const STATE_MEMORY_SECONDS: i64 = 27 * HOUR;
/// Every tick of this period is kept for texts; older history has daily closes only.
const FINE_HISTORY_SECONDS: i64 = 7 * DAY;
pub(crate) const COARSE_HISTORY_SECONDS: i64 = 3_653 * DAY;

pub struct PipelineState {
    pub table: SeriesTable,
    pub engine: Engine,
    pub country_engine: CountryEngine,
    /// The last published countries.
    pub countries: Option<CountrySnapshot>,
    /// Previous methods that are still computed.
    pub previous_methods: Vec<PreviousMethod>,
    pub clusterer: EventClusterer,
    pub feeds: BTreeMap<String, FeedState>,
    pub frontier: Option<Frontier>,
    /// Published composite, oldest first: daily closes, then every tick of the last week.
    pub history: Track,
    /// The same for each pillar, in the order of [`Pillar::ALL`].
    pub pillar_history: Vec<Track>,
    /// The newest version of each event with recent activity.
    pub events: RecentEvents,
    /// The reconstructed past that scores are compared with, if there is one.
    pub line: Option<Arc<ReconstructedLine>>,
    pub last_summary: Option<String>,
    /// Briefings of the last days, oldest first.
    pub briefings: Vec<Briefing>,
    /// Active alerts, by their beginning.
    pub alerts: Vec<Alert>,
    /// The highest news row number since the start; `None` before the first rows.
    pub highest_row: Option<u64>,
    states: VecDeque<Frontier>,
}

impl PipelineState {
    /// Restores the state after the tick of `frontier`: the store's frontier at a start, an earlier one for a replay.
    pub fn restore(
        store: &dyn Store,
        method: Arc<Method>,
        frontier: Option<Frontier>,
    ) -> Result<PipelineState> {
        // Without a frontier there may be imported history, all of which is known.
        let as_of = frontier.as_ref().map_or(Timestamp::MAX, |f| f.tick);
        Self::restore_as_of(store, method, frontier, as_of)
    }

    /// The state before the first tick, without any data.
    pub fn blank(store: &dyn Store, method: Arc<Method>) -> Result<PipelineState> {
        let mut state = Self::restore_as_of(store, method, None, Timestamp::MIN)?;
        state.clusterer = EventClusterer::default();
        Ok(state)
    }

    fn restore_as_of(
        store: &dyn Store,
        method: Arc<Method>,
        frontier: Option<Frontier>,
        as_of: Timestamp,
    ) -> Result<PipelineState> {
        let mut loader = TableLoader::new();
        let mut derived: Vec<Observation> = Vec::new();
        let scope = ObservationScope {
            known_until: as_of,
            recent_series: &gsi_events::derived::PER_TICK,
            recent_after: SeriesTable::fast_series_needed_from(as_of),
        };
        store.observations_in(&scope, &mut |o| {
            loader.add(&o);
            if gsi_events::derived::is_read_back(&o.series, o.period_end, as_of) {
                derived.push(o);
            }
        })?;
        let mut table = loader.finish();
        // Selected by `known_at` instead of by stamp: a publisher whose clock is slightly ahead has published files with
        // stamps after the frontier, and the next tick counts them.
        store.slots(SeriesTable::slots_needed_from(as_of), Timestamp::MAX, as_of, &mut |slot| {
            table.insert_slot(&slot)
        })?;
        let events = match &frontier {
            Some(f) => store.event_versions_active(f.tick, f.tick.minus(EVENT_MEMORY_SECONDS))?,
            None => Vec::new(),
        };
        let recent = RecentEvents::new(events.iter().map(|version| version.event.clone()).collect());
        let clusterer = EventClusterer::restore(as_of, events, &derived);
        let feeds = store.feed_states()?.into_iter().map(|s| (s.feed.clone(), s)).collect();
        let mut tracks = Vec::with_capacity(5);
        for which in std::iter::once(None).chain(Pillar::ALL.into_iter().map(Some)) {
            let mut track = Track::default();
            if let Some(f) = &frontier {
                for point in store.history(
                    which,
                    f.tick.day().start().minus(COARSE_HISTORY_SECONDS),
                    f.tick.plus(1),
                )? {
                    track.push(point.tick, point.score);
                }
            }
            tracks.push(track);
        }
        let last_summary = match &frontier {
            Some(f) => store.published_at(f.tick)?.map(|p| p.summary.text),
            None => None,
        };
        let briefings = match &frontier {
            Some(f) => recent_briefings::recent(store, f.tick)?,
            None => Vec::new(),
        };
        let mut alerts = match &frontier {
            Some(f) => store.alerts(&AlertQuery::active(f.tick))?,
            None => Vec::new(),
        };
        alerts::sort(&mut alerts);
        let countries = match &frontier {
            Some(f) => store.countries_at(f.tick)?,
            None => None,
        };
        let country_engine = CountryEngine::new(CountryMethod::compiled(), method.parameters().clone());
        let pillar_history = tracks.split_off(1);
        let history = tracks.pop().unwrap_or_default();
        Ok(PipelineState {
            table,
            engine: Engine::new(method),
            country_engine,
            countries,
            previous_methods: Vec::new(),
            clusterer,
            feeds,
            frontier,
            history,
            pillar_history,
            events: recent,
            line: None,
            last_summary,
            briefings,
            alerts,
            highest_row: None,
            states: VecDeque::new(),
        })
    }

    /// The engine's state after the newest tick at or before `moment`.
    pub fn state_at(&self, store: &dyn Store, moment: Timestamp) -> Result<Option<Vec<u8>>> {
        let reached = self.states.front().is_some_and(|oldest| oldest.tick <= moment);
        if !reached {
            return Ok(store.state_at(moment)?.map(|f| f.state));
        }
        Ok(self.states.iter().rev().find(|f| f.tick <= moment).map(|f| f.state.clone()))
    }

    pub fn advance_frontier(&mut self, frontier: Frontier) {
        while self.states.front().is_some_and(|f| frontier.tick.since(f.tick) > STATE_MEMORY_SECONDS) {
            self.states.pop_front();
        }
        self.states.push_back(frontier.clone());
        self.frontier = Some(frontier);
    }

    /// Drops events that texts no longer mention.
    pub fn forget_old_events(&mut self, tick: Timestamp) {
        self.events.forget(tick, NARRATED_SECONDS);
    }
}

/// A published series that keeps only daily closes of older history, so that years of it stay small.
#[derive(Default, Debug, Clone)]
pub struct Track {
    points: Vec<(Timestamp, f64)>,
    /// Points before this index are daily closes.
    fine_from: usize,
}

impl Track {
    pub fn points(&self) -> &[(Timestamp, f64)] {
        &self.points
    }

    /// With each new day, points older than a week are reduced to the last of their day. The kept points depend on the day
    /// alone, so that a restart or a replay keeps the same.
    pub fn push(&mut self, tick: Timestamp, value: f64) {
        let new_day = self.points.last().is_some_and(|last| last.0.day() < tick.day());
        self.points.push((tick, value));
        if !new_day {
            return;
        }
        let today = tick.day().start();
        let edge = today.minus(FINE_HISTORY_SECONDS);
        let mut kept: Vec<(Timestamp, f64)> = self.points[..self.fine_from].to_vec();
        for (i, point) in self.points.iter().enumerate().skip(self.fine_from) {
            let last_of_day = self.points.get(i + 1).is_none_or(|next| next.0.day() != point.0.day());
            if point.0 >= edge || last_of_day {
                kept.push(*point);
            }
        }
        kept.drain(..kept.partition_point(|p| p.0 < today.minus(COARSE_HISTORY_SECONDS)));
        self.fine_from = kept.partition_point(|p| p.0 < edge);
        self.points = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::TICK;

    #[test]
    fn a_track_stays_small_and_keeps_daily_closes() {
        let start = Timestamp::from_unix(20_000 * DAY);
        let mut track = Track::default();
        for i in 0..(400 * 96) {
            track.push(start.plus(i * TICK), i as f64);
        }
        assert!(track.points().len() < 400 + 8 * 96, "{}", track.points().len());
        // The close of day 100 is its last tick, 23:45.
        let close = start.plus(101 * DAY - TICK);
        assert!(track.points().iter().any(|p| p.0 == close && p.1 == (101 * 96 - 1) as f64));
        assert!(track.points().windows(2).all(|w| w[0].0 < w[1].0));
        // The last week has every tick.
        assert!(track.points().windows(2).rev().take(7 * 96 - 1).all(|w| w[1].0.since(w[0].0) == TICK));

        // A track that starts later, as after a restart, has the same points of its period.
        let mut later = Track::default();
        for i in (37 * 96 + 11)..(400 * 96) {
            later.push(start.plus(i * TICK), i as f64);
        }
        let common = track.points().len() - later.points().len();
        assert_eq!(&track.points()[common..], later.points());
    }
}
