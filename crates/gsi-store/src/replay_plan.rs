//! The way back to a tick: from which kept state, and through which ticks, it can be computed again.

use crate::prune::refuse_pruned;
use crate::{Frontier, PrunableKind, Result, Store, StoreError};
use gsi_model::{HOUR, Timestamp};
use std::collections::BTreeSet;

/// A tick compares itself with the one a day before, or with one up to two hours earlier when that was missed. Setting
/// out from a state this old, everything a tick asks for has been computed on the way.
const LOOK_BACK_SECONDS: i64 = 26 * HOUR;
/// Feeds of what the service itself derives, a few rows at every tick.
pub const DERIVED_FEEDS: [&str; 3] = ["events", "index", "countries"];

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

/// The kept state from which `first` can be computed; [`StoreError::Pruned`] when those that were old enough are gone.
fn anchor_of(store: &dyn Store, first: Timestamp) -> Result<Option<Frontier>> {
    let kind = PrunableKind::EngineStates;
    match (store.state_at(first.minus(LOOK_BACK_SECONDS))?, store.pruned_before(kind)?) {
        (None, Some(before)) => Err(StoreError::Pruned { kind, before }),
        (anchor, _) => Ok(anchor),
    }
}

/// [`StoreError::Pruned`] when the tick `first` cannot be computed again with its events: for that, the news rows and event
/// versions since the state it sets out from are needed as well.
pub fn refuse_unless_replayable(store: &dyn Store, first: Timestamp) -> Result<()> {
    let start = anchor_of(store, first)?.map_or(Timestamp::MIN, |anchor| anchor.tick);
    refuse_pruned(store, &[PrunableKind::NewsRows, PrunableKind::EventVersions], start)
}

/// How many of these ticks, oldest first, can no longer be computed again, and why.
pub fn unreplayable(store: &dyn Store, ticks: &[Timestamp]) -> Result<Option<(usize, StoreError)>> {
    let (mut gone, mut whole, mut why) = (0, ticks.len(), None);
    // One that can be computed is followed by none that cannot: halve the rest until the two meet.
    while gone < whole {
        // The first look is at the first tick, since mostly nothing was ever pruned.
        let middle = if why.is_none() { gone } else { gone + (whole - gone) / 2 };
        match refuse_unless_replayable(store, ticks[middle]) {
            Ok(()) => whole = middle,
            Err(error @ StoreError::Pruned { .. }) => (gone, why) = (middle + 1, Some(error)),
            Err(error) => return Err(error),
        }
    }
    Ok(why.map(|why| (gone, why)))
}

/// The way to all ticks from `first` to `last`.
pub fn plan_replay(store: &dyn Store, first: Timestamp, last: Timestamp) -> Result<ReplayPlan> {
    let anchor = anchor_of(store, first)?;
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
