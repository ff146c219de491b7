//! A publisher whose clock is a little ahead of ours: its newest file is stamped after the tick that takes it, and counts for the
//! next one.

use crate::rig::{Rig, at, world};
use gsi_index::Method;
use gsi_model::{DAY, HeldClock, TICK, Timestamp};
use gsi_sim::WorldSettings;
use gsi_store::{SqliteStore, Store};
use std::sync::Arc;

const FIRST: &str = "2026-11-12T12:00:00Z";
const TICKS: i64 = 8;
/// A file appears a quarter of an hour after its stamp.
const AHEAD_SECONDS: i64 = 2 * TICK;
/// One feed for each pillar is enough.
const LEFT_OUT: &str = "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";

/// What a process knew at its end is what the next one knows at its start, or what they publish could not be computed again.
#[test]
fn files_of_after_the_tick_outlast_a_restart() {
    let first = at(FIRST);
    let (ours, theirs) = (Arc::new(HeldClock::at(first)), Arc::new(HeldClock::at(first)));
    let settings = WorldSettings {
        rows_per_slot: 40.0,
        mentions_per_row: 0.0,
        missing_slots: false,
        live: first,
        ..WorldSettings::new(5, first.minus(2 * DAY))
    };
    let sim = world(settings, &theirs);
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().unwrap());
    let mut connectors = gsi_feeds::default_connectors();
    connectors.retain(|c| !LEFT_OUT.split(',').any(|feed| feed == c.origin().feed));
    let last = first.plus((TICKS - 1) * TICK);
    for n in 0..TICKS {
        let tick = first.plus(n * TICK);
        theirs.set(tick.plus(AHEAD_SECONDS));
        // A separate process does every tick.
        let mut rig =
            Rig::over(store.clone(), Method::default_text(), &ours, &sim.base_url(), connectors.clone());
        rig.tick(tick);
    }
    let mut stamps = Vec::new();
    store.slots(Timestamp::MIN, Timestamp::MAX, last, &mut |slot| stamps.push(slot.stamp)).unwrap();
    assert_eq!(stamps.last(), Some(&last.plus(TICK)), "the newest file is of after the tick that took it");

    let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
    let method = Arc::new(Method::load(Method::default_text(), &feeds).unwrap());
    let replayed = gsi_pipeline::replay(&*store, method, first, last, true, &mut |_, _| ()).unwrap();
    assert_eq!(replayed.difference, None);
    assert!(replayed.ticks as i64 >= TICKS - 1, "{replayed:?}");
}
