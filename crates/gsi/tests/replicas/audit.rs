//! What the database must look like after every drill: each tick once, none missing, and nothing gone that was there.
#![allow(dead_code, reason = "shared by tests of which none uses all of it")]

use gsi_model::{TICK, Timestamp};
use gsi_store::{EventQuery, Store};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Everything that was known at a tick, in one number each.
#[derive(Debug, PartialEq, Eq)]
pub struct Mark {
    pub tick: Timestamp,
    observations: u64,
    slots: u64,
    rows: u64,
    events: u64,
    snapshots: u64,
}

impl Mark {
    /// Of what is stored now, as of the last tick.
    pub fn now(store: &dyn Store) -> Self {
        let tick = store.pulse().unwrap().published.expect("there is a snapshot");
        Self::at(store, tick)
    }

    fn at(store: &dyn Store, tick: Timestamp) -> Self {
        let (mut observations, mut slots, mut rows) = (Digest::new(), Digest::new(), Digest::new());
        store.observations(tick, &mut |o| observations.add(&o)).unwrap();
        let mut known = Vec::new();
        store
            .slots(Timestamp::MIN, Timestamp::MAX, tick, &mut |s| {
                known.push(s.stamp);
                slots.add(&s);
            })
            .unwrap();
        let newest = known.last().copied().unwrap_or(Timestamp::MIN);
        store.rows(Timestamp::MIN, newest, &mut |r| rows.add(&r)).unwrap();
        let mut events = Digest::new();
        for event in store.events(&EventQuery::any(tick, 1_000_000)).unwrap() {
            events.add(&event);
        }
        let mut snapshots = Digest::new();
        for point in store.history(None, Timestamp::MIN, tick.plus(1)).unwrap() {
            snapshots.add(&store.published_at(point.tick).unwrap().unwrap());
        }
        Mark {
            tick,
            observations: observations.end(),
            slots: slots.end(),
            rows: rows.end(),
            events: events.end(),
            snapshots: snapshots.end(),
        }
    }

    /// What was there then is there now, unchanged.
    pub fn check(&self, store: &dyn Store) {
        assert_eq!(*self, Self::at(store, self.tick), "what was known at {} has changed", self.tick);
    }
}

struct Digest(DefaultHasher);

impl Digest {
    fn new() -> Self {
        Digest(DefaultHasher::new())
    }

    fn add(&mut self, value: &impl std::fmt::Debug) {
        format!("{value:?}").hash(&mut self.0);
    }

    fn end(self) -> u64 {
        self.0.finish()
    }
}

/// Returns how many ticks there are, from the first that published to the last.
pub fn no_tick_missing(store: &dyn Store) -> usize {
    let history = store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap();
    for pair in history.windows(2) {
        assert_eq!(
            pair[1].tick.since(pair[0].tick),
            TICK,
            "ticks between {} and {}",
            pair[0].tick,
            pair[1].tick
        );
    }
    history.len()
}

/// Every file the publisher put out since the start was taken, whoever led.
pub fn no_file_missing(store: &dyn Store) -> usize {
    let mut stamps = Vec::new();
    store.slots(Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |s| stamps.push(s.stamp)).unwrap();
    for pair in stamps.windows(2) {
        assert_eq!(pair[1].since(pair[0]), TICK, "news files between {} and {}", pair[0], pair[1]);
    }
    stamps.len()
}
