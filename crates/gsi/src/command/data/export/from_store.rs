//! Rows from a store, which is only read.

use super::manifest::{MethodNamed, Provenance, SourceNamed};
use super::row::{ExportCell, ExportRow};
use super::sink::ExportSink;
use super::source::ExportSource;
use super::window::ExportWindow;
use crate::cli::ExportKind;
use crate::config::{Config, ConfigError};
use crate::setup::sqlite_path;
use anyhow::{Context, bail};
use gsi_api::is_late;
use gsi_model::{
    Briefing, CountryCode, DAY, Event, EventStatus, Observation, Origin, Pillar, Timestamp, round_half_away,
};
use gsi_store::{BriefingQuery, DERIVED_FEEDS, EventQuery, HistoryPoint, PageAfter, Store};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Rows in memory at the same time: a page of a list, or this number of days of ticks.
const PAGE: usize = 500;
const DAYS_AT_ONCE: i64 = 20;

pub struct StoreSource {
    store: Arc<dyn Store>,
}

impl StoreSource {
    pub fn open(config: &Config) -> anyhow::Result<Self> {
        let url = config.store_url();
        // Opening would create a missing file.
        if sqlite_path(&url).is_some_and(|path| !path.exists()) {
            bail!(ConfigError::Invalid(format!("there is no store {}", config.shown_store_url())));
        }
        Ok(StoreSource { store: gsi_store::open(&url).context("cannot open the store")? })
    }

    fn scores(&self, window: ExportWindow, sink: &mut ExportSink) -> anyhow::Result<()> {
        for piece in window.pieces(DAYS_AT_ONCE * DAY) {
            let series = |pillar| self.store.history(pillar, piece.from, piece.to);
            let pillars = Pillar::ALL.map(|pillar| series(Some(pillar)));
            let mut by_tick: BTreeMap<Timestamp, [Option<f64>; 4]> = BTreeMap::new();
            for (n, points) in pillars.into_iter().enumerate() {
                for point in points? {
                    by_tick.entry(point.tick).or_default()[n] = shown(point.score, 1);
                }
            }
            for point in series(None)? {
                let Some(score) = shown(point.score, 1) else { continue };
                let pillars = by_tick.get(&point.tick).copied().unwrap_or_default();
                let mut row = published(&point);
                row.push(ExportCell::Number(score));
                row.extend(pillars.map(ExportCell::maybe_number));
                sink.row(row)?;
            }
            sink.reached(window.share_before(piece.to));
        }
        Ok(())
    }

    fn events(&self, window: ExportWindow, as_of: Timestamp, sink: &mut ExportSink) -> anyhow::Result<()> {
        let mut query = EventQuery {
            since: window.from,
            until: window.to,
            statuses: vec![EventStatus::Confirmed, EventStatus::Reported],
            ..EventQuery::any(as_of, PAGE)
        };
        loop {
            let found = self.store.events(&query)?;
            let Some(last) = found.last() else { return Ok(()) };
            // The list is newest first.
            sink.reached(1.0 - window.share_before(last.occurred_at));
            query.after = Some(PageAfter { at: last.occurred_at, id: last.id.to_string() });
            for row in found.iter().filter_map(event_row) {
                sink.row(row)?;
            }
        }
    }

    fn briefings(&self, window: ExportWindow, as_of: Timestamp, sink: &mut ExportSink) -> anyhow::Result<()> {
        let mut query = BriefingQuery {
            as_of,
            since: window.from,
            until: window.to,
            tags: Vec::new(),
            after: None,
            limit: PAGE,
        };
        loop {
            let found = self.store.briefings(&query)?;
            let Some(last) = found.last() else { return Ok(()) };
            sink.reached(1.0 - window.share_before(last.published_at));
            query.after = Some(PageAfter { at: last.published_at, id: last.id.to_string() });
            for briefing in &found {
                sink.row(briefing_row(briefing))?;
            }
        }
    }

    fn countries(&self, window: ExportWindow, sink: &mut ExportSink) -> anyhow::Result<()> {
        let all = CountryCode::all();
        for (n, country) in all.iter().enumerate() {
            for piece in window.pieces(DAYS_AT_ONCE * DAY) {
                for point in self.store.country_history(*country, piece.from, piece.to)? {
                    let Some(score) = shown(point.score, 1) else { continue };
                    let mut row = vec![ExportCell::text(country.as_str()), ExportCell::text(country.name())];
                    row.extend(published(&point));
                    row.push(ExportCell::Number(score));
                    sink.row(row)?;
                }
            }
            sink.reached((n + 1) as f64 / all.len() as f64);
        }
        Ok(())
    }

    fn observations(
        &self,
        window: ExportWindow,
        as_of: Timestamp,
        sink: &mut ExportSink,
    ) -> anyhow::Result<()> {
        let terms = SeriesTerms::new();
        let mut failed = None;
        let mut take = |observation: Observation| {
            let is_inside = (window.from..window.to).contains(&observation.period_end);
            if !is_inside || failed.is_some() {
                return;
            }
            match terms.reason_to_leave_out(&observation) {
                Some(reason) => sink.leave_out(&observation.series, || reason),
                None => failed = sink.row(observation_row(observation)).err(),
            }
        };
        self.store.observations(as_of, &mut take)?;
        failed.map_or(Ok(()), Err)
    }
}

impl ExportSource for StoreSource {
    fn provenance(&self) -> anyhow::Result<Provenance> {
        let newest = self.store.published_at(Timestamp::MAX)?;
        let Some(newest) = newest else { bail!("this store has no published tick yet") };
        let connectors = gsi_feeds::all_connectors();
        let origin = |feed: &str| connectors.iter().map(|c| c.origin()).find(|o| o.feed == feed);
        let states = self.store.feed_states()?;
        Ok(Provenance {
            as_of: newest.snapshot.tick,
            is_simulated: newest.snapshot.simulated,
            method: MethodNamed {
                version: newest.snapshot.method_version,
                digest: newest.snapshot.method_digest,
            },
            sources: states.iter().filter_map(|s| origin(&s.feed)).map(SourceNamed::of).collect(),
        })
    }

    fn export(
        &self,
        what: ExportKind,
        window: ExportWindow,
        as_of: Timestamp,
        sink: &mut ExportSink,
    ) -> anyhow::Result<()> {
        match what {
            ExportKind::Scores => self.scores(window, sink),
            ExportKind::Events => self.events(window, as_of, sink),
            ExportKind::Briefings => self.briefings(window, as_of, sink),
            ExportKind::Countries => self.countries(window, sink),
            ExportKind::Observations => self.observations(window, as_of, sink),
        }
    }
}

/// The terms of each series' publisher.
struct SeriesTerms {
    by_series: HashMap<&'static str, &'static Origin>,
    by_feed: HashMap<&'static str, &'static Origin>,
}

impl SeriesTerms {
    fn new() -> Self {
        let connectors = gsi_feeds::all_connectors();
        let mut terms = SeriesTerms { by_series: HashMap::new(), by_feed: HashMap::new() };
        for connector in &connectors {
            let origin = connector.origin();
            terms.by_feed.insert(origin.feed, origin);
            terms.by_series.extend(connector.series().iter().map(|spec| (spec.series, origin)));
        }
        terms
    }

    /// Returns why a row is left out. The feed of the series decides, also for imported rows, and otherwise the feed of the row. A row
    /// without known terms is left out too.
    fn reason_to_leave_out(&self, observation: &Observation) -> Option<String> {
        if DERIVED_FEEDS.contains(&observation.feed.as_str()) {
            return None;
        }
        let origin = self
            .by_series
            .get(observation.series.as_str())
            .or_else(|| self.by_feed.get(observation.feed.as_str()));
        match origin {
            None => Some("its terms are unknown".to_owned()),
            Some(origin) if !origin.licence.republish => Some(format!(
                "{} does not allow raw values to be passed on ({}). {}",
                origin.publisher, origin.licence.name, origin.licence.note
            )),
            Some(_) => None,
        }
    }
}

/// Rounds a value as the service's answers do.
fn shown(value: f64, decimals: u32) -> Option<f64> {
    value.is_finite().then(|| round_half_away(value, decimals))
}

fn published(point: &HistoryPoint) -> ExportRow {
    vec![
        ExportCell::Time(point.tick),
        ExportCell::Time(point.published_at),
        ExportCell::Flag(is_late(point.tick, point.published_at)),
    ]
}

/// Returns `None` for an event with a number that is not finite. The service does not show it either.
fn event_row(event: &Event) -> Option<ExportRow> {
    let mut actors: Vec<&str> = Vec::new();
    for actor in &event.actors {
        if !actors.contains(&actor.as_str()) {
            actors.push(actor);
        }
    }
    Some(vec![
        ExportCell::text(event.id.to_string()),
        ExportCell::Time(event.occurred_at),
        ExportCell::Number(shown(event.lat, 4)?),
        ExportCell::Number(shown(event.lon, 4)?),
        ExportCell::maybe_text(event.country.map(|c| c.to_string())),
        ExportCell::text(&event.place),
        ExportCell::text(event.category.key()),
        ExportCell::text(event.status.key()),
        ExportCell::Number(shown(event.escalation.clamp(0.0, 1.0), 3)?),
        ExportCell::text(actors.join("; ")),
    ])
}

fn briefing_row(briefing: &Briefing) -> ExportRow {
    vec![
        ExportCell::text(briefing.id.to_string()),
        ExportCell::Time(briefing.published_at),
        ExportCell::text(&briefing.headline),
        ExportCell::text(&briefing.summary),
        ExportCell::text(briefing.tags.join("; ")),
    ]
}

fn observation_row(o: Observation) -> ExportRow {
    vec![
        ExportCell::Text(o.series),
        ExportCell::maybe_text(Some(o.entity).filter(|entity| !entity.is_empty())),
        ExportCell::Time(o.period_start),
        ExportCell::Time(o.period_end),
        ExportCell::Number(o.value),
        ExportCell::Time(o.known_at),
        ExportCell::Whole(o.revision.into()),
        ExportCell::Number(o.quality),
        ExportCell::text(o.feed.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_may_not_be_passed_on_are_left_out() {
        let at: Timestamp = "2026-11-14T00:00:00Z".parse().unwrap();
        let observation = |series: &str, feed: &str| Observation {
            series: series.into(),
            entity: String::new(),
            period_start: at,
            period_end: at,
            value: 1.0,
            known_at: at,
            ingested_at: at,
            revision: 0,
            quality: 1.0,
            feed: gsi_model::FeedId::new(feed),
            raw: String::new(),
        };
        let terms = SeriesTerms::new();
        for (series, feed, is_left_out) in [
            ("cboe.vix", "vix", true),
            // Its feed decides, not the import.
            ("cboe.vix", "import", true),
            ("somebody.else", "import", true),
            ("eia.brent", "oil", false),
            ("eia.brent", "import", false),
            ("events.heat", "events", false),
        ] {
            let reason = terms.reason_to_leave_out(&observation(series, feed));
            assert_eq!(reason.is_some(), is_left_out, "{series} of {feed}: {reason:?}");
        }
    }
}
