//! The way back to a tick: from which kept state, and through which ticks, it can be computed again.

use crate::{Frontier, Result, Store};
use gsi_model::{HOUR, Timestamp};
use std::collections::BTreeSet;

/// A tick compares itself with the one a day before, or with one up to two hours earlier when that was missed. Setting
/// out from a state this old, everything a tick asks for has been computed on the way.
const LOOK_BACK: i64 = 26 * HOUR;
/// Feeds of what the service itself derives, a few rows at every tick.
pub const DERIVED_FEEDS: [&str; 2] = ["events", "index"];

/// The name under which a method's document is kept in the store, so that its snapshots can be computed again by a
/// program whose own method has moved on.
pub fn method_name(digest: &str) -> String {
    format!("method.{digest}")
}

#[derive(Debug, Clone)]
pub struct ReplayPlan {
    /// The kept state to set out from; `None` sets out from nothing.
    pub anchor: Option<Frontier>,
    /// Every tick after it, up to and with the last one asked for.
    pub ticks: Vec<Timestamp>,
}

/// The way to all ticks from `first` to `last`.
pub fn plan_replay(store: &dyn Store, first: Timestamp, last: Timestamp) -> Result<ReplayPlan> {
    let anchor = store.state_at(first.minus(LOOK_BACK))?;
    let from = anchor.as_ref().map_or(Timestamp::MIN, |a| a.tick.plus(1));
    let published = store.history(None, from, last.plus(1))?;
    let mut ticks: BTreeSet<Timestamp> = published.iter().map(|p| p.tick).collect();
    if anchor.is_none() {
        // Ticks before the first snapshot left no snapshot, but what they derived says when it was.
        let until = published.first().map_or(last, |p| p.tick.min(last));
        store.observations(until, &mut |o| {
            if DERIVED_FEEDS.contains(&o.feed.as_str()) {
                ticks.insert(o.ingested_at);
            }
        })?;
    }
    Ok(ReplayPlan { anchor, ticks: ticks.into_iter().collect() })
}
