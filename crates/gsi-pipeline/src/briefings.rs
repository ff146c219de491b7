//! When words are written: a summary with every snapshot, the day's briefings at midnight, missed days on return.

use crate::memory::Memory;
use crate::model::Drafts;
use gsi_model::{Briefing, DAY, Day, FeedStanding, FeedState, Origin, Pillar, Snapshot, Timestamp};
use gsi_narrate::{Context, Draft};
use gsi_store::{BriefingQuery, Result, Store};
use std::collections::BTreeMap;

/// The narrative compares itself with the briefings of these last days.
const RECENT: i64 = 4 * DAY;
/// A service that was off for longer than this does not write up every missed day, only the last ones.
const MOST_MISSED_DAYS: i32 = 14;
/// More briefings than that in [`RECENT`] days are not looked at.
const MOST_RECENT: usize = 100;

/// The words of this tick, in the template's wording.
pub fn write(
    store: &dyn Store,
    memory: &Memory,
    tick: Timestamp,
    snapshot: Option<&Snapshot>,
) -> Result<Drafts> {
    let Some(snapshot) = snapshot else { return Ok(Drafts::default()) };
    let context = Context {
        snapshot,
        events: memory.events.as_slice(),
        history: memory.history.points(),
        pillar_history: std::array::from_fn(|i| memory.pillar_history.get(i).map_or(&[][..], |t| t.points())),
        feeds: &snapshot.feeds,
        band_edges: band_edges(memory),
        previous_summary: memory.last_summary.as_deref(),
        recent_briefings: &memory.briefings,
    };
    let summary = gsi_narrate::narrate_summary(&context);
    // The day that ended at or before this tick, and any before it that nobody was there to write up.
    let yesterday = tick.day().plus(-1);
    let mut briefings = Vec::new();
    for day in days_to_write(store, memory, yesterday)? {
        if day == yesterday && tick == day.end() {
            briefings.extend(gsi_narrate::draft_day(&context, day, tick, false));
        } else {
            briefings.extend(write_late(store, memory, day, tick)?);
        }
    }
    Ok(Drafts { summary: Some(summary), briefings })
}

/// Days after the last one written up to `yesterday`; none before the service had a snapshot.
fn days_to_write(store: &dyn Store, memory: &Memory, yesterday: Day) -> Result<Vec<Day>> {
    let written = memory.briefings.iter().map(|b| b.day).max();
    let written = match written {
        Some(day) => Some(day),
        None => match &memory.frontier {
            Some(f) => last_written(store, f.tick)?,
            None => None,
        },
    };
    let first = match written {
        Some(day) if day >= yesterday.0 => return Ok(Vec::new()),
        Some(day) => day + 1,
        // The first briefing is of the first whole or broken day with a snapshot.
        None => memory.history.points().first().map_or(yesterday.0 + 1, |p| p.0.day().0),
    };
    let first = first.max(yesterday.0 - MOST_MISSED_DAYS + 1);
    Ok((first..=yesterday.0).map(Day).collect())
}

fn last_written(store: &dyn Store, as_of: Timestamp) -> Result<Option<i32>> {
    let newest = BriefingQuery {
        as_of,
        since: Timestamp::MIN,
        until: Timestamp::MAX,
        tags: Vec::new(),
        after: None,
        limit: MOST_RECENT,
    };
    Ok(store.briefings(&newest)?.iter().map(|b| b.day).max())
}

/// A missed day, from what was known at its end; nothing when there is no snapshot of that day.
fn write_late(store: &dyn Store, memory: &Memory, day: Day, published_at: Timestamp) -> Result<Vec<Draft>> {
    let Some(published) = store.published_at(day.end())? else { return Ok(Vec::new()) };
    let then = published.snapshot.tick;
    if then < day.start() {
        return Ok(Vec::new());
    }
    let events = store.events_active(then, then.minus(7 * DAY))?;
    let until = |points: &[(Timestamp, f64)]| -> Vec<(Timestamp, f64)> {
        points.iter().copied().filter(|p| p.0 <= then).collect()
    };
    let history = until(memory.history.points());
    let pillars: Vec<_> = Pillar::ALL
        .iter()
        .map(|p| memory.pillar_history.get(p.index()).map_or_else(Vec::new, |t| until(t.points())))
        .collect();
    let context = Context {
        snapshot: &published.snapshot,
        events: &events,
        history: &history,
        pillar_history: std::array::from_fn(|i| pillars[i].as_slice()),
        feeds: &published.snapshot.feeds,
        band_edges: band_edges(memory),
        previous_summary: None,
        recent_briefings: &memory.briefings,
    };
    Ok(gsi_narrate::draft_day(&context, day, published_at, true))
}

fn band_edges(memory: &Memory) -> [f64; 4] {
    memory.engine.method().parameters().band_edges
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

pub fn recent(store: &dyn Store, as_of: Timestamp) -> Result<Vec<Briefing>> {
    let query = BriefingQuery {
        as_of,
        since: as_of.minus(RECENT),
        until: Timestamp::MAX,
        tags: Vec::new(),
        after: None,
        limit: MOST_RECENT,
    };
    let mut briefings = store.briefings(&query)?;
    in_order(&mut briefings);
    Ok(briefings)
}

/// Those that were published with this tick.
pub fn of_tick(store: &dyn Store, tick: Timestamp) -> Result<Vec<Briefing>> {
    let query = BriefingQuery {
        as_of: tick,
        since: tick,
        until: tick.plus(1),
        tags: Vec::new(),
        after: None,
        limit: MOST_RECENT,
    };
    store.briefings(&query)
}

/// Oldest first. The same order whether they were just written or read back, because the narrative looks at it.
fn in_order(briefings: &mut [Briefing]) {
    briefings.sort_by(|a, b| (a.published_at, &a.id).cmp(&(b.published_at, &b.id)));
}

/// Takes the new ones in and drops what is too old to matter.
pub fn remember(briefings: &mut Vec<Briefing>, new: Vec<Briefing>, tick: Timestamp) {
    briefings.extend(new);
    briefings.retain(|b| tick.since(b.published_at) <= RECENT);
    in_order(briefings);
}
