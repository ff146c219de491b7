//! The plan to recompute ticks: the kept state to start from, and the ticks to go through.

use crate::upkeep::prune::refuse_pruned;
use crate::{Frontier, PrunableKind, Result, Store, StoreError};
use gsi_model::{HOUR, Timestamp};
use std::collections::BTreeSet;

/// A tick compares itself with the tick a day before, or up to two hours earlier if that one was missed. A replay that starts
/// from a state this old recomputes everything that a tick needs.
const LOOK_BACK_SECONDS: i64 = 26 * HOUR;
/// The feeds of derived data, a few rows at every tick.
pub const DERIVED_FEEDS: [&str; 3] = ["events", "index", "countries"];

/// The name under which the store keeps a method's document, so that a program with a later method can recompute its
/// snapshots.
pub fn method_name(digest: &str) -> String {
    format!("method.{digest}")
}

#[derive(Debug, Clone)]
pub struct ReplayPlan {
    /// The kept state to start from; `None` starts without one.
    pub anchor: Option<Frontier>,
    /// Every tick after it, up to and including the last requested one.
    pub ticks: Vec<Timestamp>,
}

/// The kept state from which `first` can be computed; [`StoreError::Pruned`] if all that are old enough were removed.
fn anchor_of(store: &dyn Store, first: Timestamp) -> Result<Option<Frontier>> {
    let kind = PrunableKind::EngineStates;
    match (store.state_at(first.minus(LOOK_BACK_SECONDS))?, store.pruned_before(kind)?) {
        (None, Some(before)) => Err(StoreError::Pruned { kind, before }),
        (anchor, _) => Ok(anchor),
    }
}

/// Fails with [`StoreError::Pruned`] if the tick `first` cannot be recomputed with its events, which also needs the news rows
/// and event versions since the start state.
pub fn refuse_unless_replayable(store: &dyn Store, first: Timestamp) -> Result<()> {
    let start = anchor_of(store, first)?.map_or(Timestamp::MIN, |anchor| anchor.tick);
    refuse_pruned(store, &[PrunableKind::NewsRows, PrunableKind::EventVersions], start)
}

/// Returns how many of these ticks, oldest first, can no longer be recomputed, and the error.
pub fn unreplayable(store: &dyn Store, ticks: &[Timestamp]) -> Result<Option<(usize, StoreError)>> {
    let (mut gone, mut whole, mut why) = (0, ticks.len(), None);
    // All ticks after a computable tick are computable, so a binary search finds the first.
    while gone < whole {
        // The search starts with the first tick, because most stores were never pruned.
        let middle = if why.is_none() { gone } else { gone + (whole - gone) / 2 };
        match refuse_unless_replayable(store, ticks[middle]) {
            Ok(()) => whole = middle,
            Err(error @ StoreError::Pruned { .. }) => (gone, why) = (middle + 1, Some(error)),
            Err(error) => return Err(error),
        }
    }
    Ok(why.map(|why| (gone, why)))
}

/// Plans the replay of all ticks from `first` to `last`.
pub fn plan_replay(store: &dyn Store, first: Timestamp, last: Timestamp) -> Result<ReplayPlan> {
    let anchor = anchor_of(store, first)?;
    let from = anchor.as_ref().map_or(Timestamp::MIN, |a| a.tick.plus(1));
    let published = store.history(None, from, last.plus(1))?;
    let mut ticks: BTreeSet<Timestamp> = published.iter().map(|p| p.tick).collect();
    if anchor.is_none() {
        // Ticks before the first snapshot have no snapshot; their derived data show their times.
        let until = published.first().map_or(last, |p| p.tick.min(last));
        store.observations(until, &mut |o| {
            if DERIVED_FEEDS.contains(&o.feed.as_str()) {
                ticks.insert(o.ingested_at);
            }
        })?;
    }
    Ok(ReplayPlan { anchor, ticks: ticks.into_iter().collect() })
}
