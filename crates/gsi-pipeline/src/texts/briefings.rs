//! Schedules texts: a summary with every snapshot, the day's briefings at midnight, missed days after an outage, and
//! requested corrections.

use super::{corrections, recent_briefings};
use crate::model::Drafts;
use crate::state::recent_events::RecentEvents;
use crate::state::{NARRATED_SECONDS, PipelineState};
use gsi_alerts::AlertMethod;
use gsi_index::CountryMethod;
use gsi_model::{
    Briefing, Correction, CountrySnapshot, Day, FeedStanding, FeedState, Origin, Snapshot, Timestamp,
};
use gsi_narrate::{BriefingDraft, Context};
use gsi_store::{BriefingQuery, Published, ReadStore, Result};
use std::collections::BTreeMap;

/// The maximum number of missed days that get briefings: the last ones.
const MAX_MISSED_DAYS: i32 = 14;

/// Writes the template's texts of this tick; `asked` are the requested corrections.
pub fn write(
    store: &dyn ReadStore,
    state: &PipelineState,
    tick: Timestamp,
    snapshot: Option<&Snapshot>,
    asked: &[Correction],
) -> Result<Drafts> {
    let Some(snapshot) = snapshot else { return Ok(Drafts::default()) };
    let context = Context {
        snapshot,
        events: state.events.as_slice(),
        history: state.history.points(),
        pillar_history: std::array::from_fn(|i| state.pillar_history.get(i).map_or(&[][..], |t| t.points())),
        feeds: &snapshot.feeds,
        words: state.engine.method().words(),
        countries: current_countries(state.countries.as_ref(), tick),
        country_bands: AlertMethod::compiled().country_band_edges(),
        band_edges: band_edges(state),
        previous_summary: state.last_summary.as_deref(),
        recent_briefings: &state.briefings,
    };
    let summary = gsi_narrate::narrate_summary(&context);
    // The day that ended at or before this tick, and earlier days that were missed.
    let yesterday = tick.day().plus(-1);
    let mut briefings = Vec::new();
    for day in days_to_write(store, state, yesterday)? {
        if day == yesterday && tick == day.end() {
            briefings.extend(gsi_narrate::draft_day(&context, day, tick, false));
        } else {
            briefings.extend(write_late(store, state, day, tick)?);
        }
    }
    let corrections = corrections::write(store, state, tick, &context, asked)?;
    Ok(Drafts { summary: Some(summary), briefings, corrections })
}

/// The days without briefings up to `yesterday`; none before the first snapshot.
fn days_to_write(store: &dyn ReadStore, state: &PipelineState, yesterday: Day) -> Result<Vec<Day>> {
    // A correction of an old day does not show which days have briefings.
    let written = state.briefings.iter().filter(|b| b.corrects.is_none()).map(|b| b.day).max();
    let written = match written {
        Some(day) => Some(day),
        None => match &state.frontier {
            Some(f) => last_written(store, f.tick)?,
            None => None,
        },
    };
    let first = match written {
        Some(day) if day >= yesterday.0 => return Ok(Vec::new()),
        Some(day) => day + 1,
        // The first briefing describes the first complete or partial day with a snapshot.
        None => state.history.points().first().map_or(yesterday.0 + 1, |p| p.0.day().0),
    };
    let first = first.max(yesterday.0 - MAX_MISSED_DAYS + 1);
    Ok((first..=yesterday.0).map(Day).collect())
}

fn last_written(store: &dyn ReadStore, as_of: Timestamp) -> Result<Option<i32>> {
    let newest = BriefingQuery {
        as_of,
        since: Timestamp::MIN,
        until: Timestamp::MAX,
        tags: Vec::new(),
        after: None,
        limit: recent_briefings::MAX_RECENT,
    };
    Ok(store.briefings(&newest)?.iter().filter(|b| b.corrects.is_none()).map(|b| b.day).max())
}

/// Writes a missed day from the data known at its end; nothing without a snapshot of that day.
fn write_late(
    store: &dyn ReadStore,
    state: &PipelineState,
    day: Day,
    published_at: Timestamp,
) -> Result<Vec<BriefingDraft>> {
    let then = Then::load(store, state, day.end(), state.briefings.clone())?;
    let Some(then) = then.filter(|t| t.tick() >= day.start()) else { return Ok(Vec::new()) };
    Ok(gsi_narrate::draft_day(&then.context(state), day, published_at, true))
}

/// A past tick with the data available to its texts, and no later data.
pub struct Then {
    published: Published,
    events: RecentEvents,
    countries: Option<CountrySnapshot>,
    history: Vec<(Timestamp, f64)>,
    pillar_history: Vec<Vec<(Timestamp, f64)>>,
    briefings: Vec<Briefing>,
}

impl Then {
    /// Loads the newest published tick at or before `as_of`; `briefings` are the earlier ones that texts refer to.
    pub fn load(
        store: &dyn ReadStore,
        state: &PipelineState,
        as_of: Timestamp,
        briefings: Vec<Briefing>,
    ) -> Result<Option<Then>> {
        let Some(published) = store.published_at(as_of)? else { return Ok(None) };
        let then = published.snapshot.tick;
        let mut events = RecentEvents::new(store.events_active(then, then.minus(NARRATED_SECONDS))?);
        events.forget(then, NARRATED_SECONDS);
        let countries = store.countries_at(then)?;
        let until = |points: &[(Timestamp, f64)]| -> Vec<(Timestamp, f64)> {
            points.iter().copied().filter(|p| p.0 <= then).collect()
        };
        let history = until(state.history.points());
        let pillar_history = state.pillar_history.iter().map(|t| until(t.points())).collect();
        Ok(Some(Then { published, events, countries, history, pillar_history, briefings }))
    }

    pub fn tick(&self) -> Timestamp {
        self.published.snapshot.tick
    }

    pub fn context<'a>(&'a self, state: &'a PipelineState) -> Context<'a> {
        let of = |i: usize| self.pillar_history.get(i).map_or(&[][..], Vec::as_slice);
        Context {
            snapshot: &self.published.snapshot,
            events: self.events.as_slice(),
            history: &self.history,
            pillar_history: std::array::from_fn(of),
            feeds: &self.published.snapshot.feeds,
            words: state.engine.method().words(),
            countries: current_countries(self.countries.as_ref(), self.tick()),
            country_bands: AlertMethod::compiled().country_band_edges(),
            band_edges: band_edges(state),
            previous_summary: None,
            recent_briefings: &self.briefings,
        }
    }
}

/// The countries that texts may mention: those of the tick itself by the current method. Another method's countries are not
/// mentioned, so texts stay the same when they are recomputed.
pub(crate) fn current_countries(
    countries: Option<&CountrySnapshot>,
    tick: Timestamp,
) -> Option<&CountrySnapshot> {
    countries.filter(|c| c.tick == tick && c.method_digest == CountryMethod::compiled().digest())
}

fn band_edges(state: &PipelineState) -> [f64; 4] {
    state.engine.method().parameters().band_edges
}

/// The status of each feed at `tick`, for readers.
pub fn standings(
    states: &BTreeMap<String, FeedState>,
    origins: &[&'static Origin],
    tick: Timestamp,
) -> Vec<FeedStanding> {
    let none = FeedState::default();
    let mut standings: Vec<_> = origins
        .iter()
        .map(|origin| {
            let state = states.get(origin.feed).unwrap_or(&none);
            FeedStanding {
                feed: origin.feed.to_owned(),
                title: origin.title.to_owned(),
                pillar: origin.pillar,
                health: state.health(origin, tick),
                newest_content: state.newest_content,
                since: state.failing_since,
            }
        })
        .collect();
    standings.sort_by(|a, b| a.feed.cmp(&b.feed));
    standings
}
