//! A tick that the store does not take.

use crate::rig::{Rig, at, world};
use gsi_model::{HOUR, HeldClock, TICK};
use gsi_sim::WorldSettings;
use gsi_store::TickCommit;
use std::sync::Arc;

#[test]
fn a_refused_tick_is_still_to_be_done() {
    let start = at("2026-11-14T06:00:00Z");
    let clock = Arc::new(HeldClock::at(start));
    let settings = WorldSettings {
        rows_per_slot: 20.0,
        mentions_per_row: 0.0,
        ..WorldSettings::new(5, start.minus(24 * HOUR))
    };
    let sim = world(settings, &clock);
    let mut rig = Rig::new(&clock, &sim.base_url(), gsi_feeds::default_connectors());
    rig.tick(start);
    assert_eq!(rig.done(), Some(start));
    // Another process has done this tick.
    let next = start.plus(TICK);
    let theirs = TickCommit {
        tick: next,
        published_at: next,
        is_history: false,
        snapshot: None,
        countries: None,
        state: rig.store.frontier().unwrap().unwrap().state,
        summary: None,
        observations: vec![],
        slots: vec![],
        rows: vec![],
        events: vec![],
        briefings: vec![],
        feeds: vec![],
        alerts: vec![],
        messages: vec![],
        hook_states: vec![],
        taken_batches: vec![],
    };
    rig.store.commit_tick(&theirs).unwrap();
    assert!(rig.try_tick(next).is_err());
    assert_eq!(rig.done(), Some(start), "looked at, but not done");
}
