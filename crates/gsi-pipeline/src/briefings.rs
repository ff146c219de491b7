//! When words are written: a summary with every snapshot, the day's briefings at midnight, missed days on return, and
//! corrections when they were asked for.

use crate::corrections;
use crate::model::Drafts;
use crate::recent::RecentEvents;
use crate::recent_briefings;
use crate::state::{NARRATED_SECONDS, PipelineState};
use gsi_alerts::AlertMethod;
use gsi_index::CountryMethod;
use gsi_model::{
    Briefing, Correction, CountrySnapshot, Day, FeedStanding, FeedState, Origin, Snapshot, Timestamp,
};
use gsi_narrate::{BriefingDraft, Context};
use gsi_store::{BriefingQuery, Published, ReadStore, Result};
use std::collections::BTreeMap;

/// A service that was off for longer than this does not write up every missed day, only the last ones.
const MOST_MISSED_DAYS: i32 = 14;

/// The words of this tick, in the template's wording; `asked` are the corrections it takes up.
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
        countries: told_countries(state.countries.as_ref(), tick),
        country_bands: AlertMethod::compiled().country_band_edges(),
        band_edges: band_edges(state),
        previous_summary: state.last_summary.as_deref(),
        recent_briefings: &state.briefings,
    };
    let summary = gsi_narrate::narrate_summary(&context);
    // The day that ended at or before this tick, and any before it that nobody was there to write up.
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

/// Days after the last one written up to `yesterday`; none before the service had a snapshot.
fn days_to_write(store: &dyn ReadStore, state: &PipelineState, yesterday: Day) -> Result<Vec<Day>> {
    // A correction of an old day says nothing about which days were written up.
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
        // The first briefing is of the first whole or broken day with a snapshot.
        None => state.history.points().first().map_or(yesterday.0 + 1, |p| p.0.day().0),
    };
    let first = first.max(yesterday.0 - MOST_MISSED_DAYS + 1);
    Ok((first..=yesterday.0).map(Day).collect())
}

fn last_written(store: &dyn ReadStore, as_of: Timestamp) -> Result<Option<i32>> {
    let newest = BriefingQuery {
        as_of,
        since: Timestamp::MIN,
        until: Timestamp::MAX,
        tags: Vec::new(),
        after: None,
        limit: recent_briefings::MOST_RECENT,
    };
    Ok(store.briefings(&newest)?.iter().filter(|b| b.corrects.is_none()).map(|b| b.day).max())
}

/// A missed day, from what was known at its end; nothing when there is no snapshot of that day.
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

/// A tick that is past, with what its words could draw on and nothing that was learnt afterwards.
pub struct Then {
    published: Published,
    events: RecentEvents,
    countries: Option<CountrySnapshot>,
    history: Vec<(Timestamp, f64)>,
    pillar_history: Vec<Vec<(Timestamp, f64)>>,
    briefings: Vec<Briefing>,
}

impl Then {
    /// The newest published tick at or before `as_of`; `briefings` are the ones to look back at.
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
            countries: told_countries(self.countries.as_ref(), self.tick()),
            country_bands: AlertMethod::compiled().country_band_edges(),
            band_edges: band_edges(state),
            previous_summary: None,
            recent_briefings: &self.briefings,
        }
    }
}

/// The countries that words may speak of: those of the tick itself, by the method in force. What another release published said
/// nothing of countries, and stays as it is when it is computed again.
pub(crate) fn told_countries(
    countries: Option<&CountrySnapshot>,
    tick: Timestamp,
) -> Option<&CountrySnapshot> {
    countries.filter(|c| c.tick == tick && c.method_digest == CountryMethod::compiled().digest())
}

fn band_edges(state: &PipelineState) -> [f64; 4] {
    state.engine.method().parameters().band_edges
}

/// How each feed is doing at `tick`, for the reader.
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
