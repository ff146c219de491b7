//! Checks of a store after a drill: no tick is missing, and data from before the drill is unchanged.

use gsi_model::{TICK, Timestamp};
use gsi_store::{EventQuery, Store};
use std::hash::{DefaultHasher, Hash, Hasher};

/// More events than any drill produces.
const EVERY_EVENT: usize = 1_000_000;

/// Digests of a store's data as of a tick.
#[derive(Debug, PartialEq, Eq)]
pub struct StoreDigest {
    pub tick: Timestamp,
    observations: u64,
    slots: u64,
    rows: u64,
    events: u64,
    snapshots: u64,
}

impl StoreDigest {
    /// Reads the store as of its last tick.
    pub fn now(store: &dyn Store) -> Self {
        let tick = store.pulse().unwrap().published.expect("there is a snapshot");
        Self::at(store, tick)
    }

    fn at(store: &dyn Store, tick: Timestamp) -> Self {
        let (mut observations, mut slots, mut rows) = (Digest::new(), Digest::new(), Digest::new());
        store.observations(tick, &mut |observation| observations.add(&observation)).unwrap();
        let mut newest = Timestamp::MIN;
        let mut add_slot = |slot: gsi_model::NewsSlot| {
            newest = slot.stamp;
            slots.add(&slot);
        };
        store.slots(Timestamp::MIN, Timestamp::MAX, tick, &mut add_slot).unwrap();
        store.rows(Timestamp::MIN, newest, &mut |row| rows.add(&row)).unwrap();
        let mut events = Digest::new();
        for event in store.events(&EventQuery::any(tick, EVERY_EVENT)).unwrap() {
            events.add(&event);
        }
        let mut snapshots = Digest::new();
        for point in store.history(None, Timestamp::MIN, tick.plus(1)).unwrap() {
            snapshots.add(&store.published_at(point.tick).unwrap().unwrap());
        }
        StoreDigest {
            tick,
            observations: observations.finish(),
            slots: slots.finish(),
            rows: rows.finish(),
            events: events.finish(),
            snapshots: snapshots.finish(),
        }
    }

    /// Checks that the store's data as of this digest's tick is unchanged.
    pub fn assert_unchanged(&self, store: &dyn Store) {
        assert_eq!(*self, Self::at(store, self.tick), "the data as of {} has changed", self.tick);
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

    fn finish(self) -> u64 {
        self.0.finish()
    }
}

/// Checks that no tick is missing between the first and the last published one, and returns their number.
pub fn assert_no_tick_missing(store: &dyn Store) -> usize {
    let history = store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap();
    for pair in history.windows(2) {
        let (earlier, later) = (pair[0].tick, pair[1].tick);
        assert_eq!(later.since(earlier), TICK, "ticks between {earlier} and {later}");
    }
    history.len()
}

/// Checks that the store has every news file since its first, and returns their number.
pub fn assert_no_file_missing(store: &dyn Store) -> usize {
    let mut stamps = Vec::new();
    store.slots(Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |slot| stamps.push(slot.stamp)).unwrap();
    for pair in stamps.windows(2) {
        assert_eq!(pair[1].since(pair[0]), TICK, "news files between {} and {}", pair[0], pair[1]);
    }
    stamps.len()
}
