//! The briefings of the last days, which the next ones look back at.

use gsi_model::{Briefing, DAY, Timestamp};
use gsi_store::{BriefingQuery, ReadStore, Result};

/// The narrative compares itself with the briefings of these last days.
const RECENT_SECONDS: i64 = 4 * DAY;
/// More than can be published in so many seconds: one to the world, to each pillar and to each country a day, and corrections.
pub const MOST_RECENT: usize = 2_000;
/// More than a tick can publish: the same for each of a fortnight's missed days.
const MOST_OF_A_TICK: usize = 5_000;

pub fn recent(store: &dyn ReadStore, as_of: Timestamp) -> Result<Vec<Briefing>> {
    let query = BriefingQuery {
        as_of,
        since: as_of.minus(RECENT_SECONDS),
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
pub fn of_tick(store: &dyn ReadStore, tick: Timestamp) -> Result<Vec<Briefing>> {
    let query = BriefingQuery {
        as_of: tick,
        since: tick,
        until: tick.plus(1),
        tags: Vec::new(),
        after: None,
        limit: MOST_OF_A_TICK,
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
    briefings.retain(|b| tick.since(b.published_at) <= RECENT_SECONDS);
    in_order(briefings);
}
