//! The briefings of the last days, which later briefings refer to.

use gsi_model::{Briefing, DAY, Timestamp};
use gsi_store::{BriefingQuery, ReadStore, Result};

/// Texts refer to the briefings of this period.
const RECENT_SECONDS: i64 = 4 * DAY;
/// More than the service publishes in that time: a briefing a day for the world, each pillar and each country, and
/// corrections.
pub const MAX_RECENT: usize = 2_000;
/// More than a tick can publish: the same for each of 14 missed days.
const MAX_IN_A_TICK: usize = 5_000;

pub fn recent(store: &dyn ReadStore, as_of: Timestamp) -> Result<Vec<Briefing>> {
    let query = BriefingQuery {
        as_of,
        since: as_of.minus(RECENT_SECONDS),
        until: Timestamp::MAX,
        tags: Vec::new(),
        after: None,
        limit: MAX_RECENT,
    };
    let mut briefings = store.briefings(&query)?;
    in_order(&mut briefings);
    Ok(briefings)
}

/// The briefings published with this tick.
pub fn of_tick(store: &dyn ReadStore, tick: Timestamp) -> Result<Vec<Briefing>> {
    let query = BriefingQuery {
        as_of: tick,
        since: tick,
        until: tick.plus(1),
        tags: Vec::new(),
        after: None,
        limit: MAX_IN_A_TICK,
    };
    store.briefings(&query)
}

/// Sorts oldest first. New and stored briefings have the same order, because texts depend on it.
fn in_order(briefings: &mut [Briefing]) {
    briefings.sort_by(|a, b| (a.published_at, &a.id).cmp(&(b.published_at, &b.id)));
}

/// Adds new briefings and drops old ones.
pub fn remember(briefings: &mut Vec<Briefing>, new: Vec<Briefing>, tick: Timestamp) {
    briefings.extend(new);
    briefings.retain(|b| tick.since(b.published_at) <= RECENT_SECONDS);
    in_order(briefings);
}
