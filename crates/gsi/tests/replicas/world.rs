//! The publishers that all replicas read, and the clock they share.

use gsi_model::{Clock, DAY, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const BEGINS: &str = "2026-11-10T06:00:00Z";
const ROWS_PER_SLOT: f64 = 60.0;

/// The rehearsal's time, as the replicas reckon it.
#[derive(Clone, Copy)]
pub struct Rehearsal {
    pub since: Timestamp,
    /// Simulated seconds per second.
    scale: f64,
}

impl Rehearsal {
    fn simulated(&self) -> f64 {
        let begun = UNIX_EPOCH + Duration::from_secs(self.since.unix() as u64);
        let elapsed = SystemTime::now().duration_since(begun).unwrap_or_default().as_secs_f64();
        BEGINS.parse::<Timestamp>().unwrap().unix() as f64 + elapsed * self.scale
    }
}

impl Clock for Rehearsal {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix(self.simulated() as i64)
    }

    fn until(&self, then: Timestamp) -> Duration {
        Duration::from_secs_f64((then.unix() as f64 - self.simulated()).max(0.0) / self.scale)
    }
}

pub struct Publishers {
    pub clock: Rehearsal,
    pub server: SimServer,
}

impl Publishers {
    pub fn start(scale: f64) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let clock = Rehearsal { since: Timestamp::from_unix(now as i64), scale };
        let begins: Timestamp = BEGINS.parse().unwrap();
        let world = World::new(WorldSettings {
            rows_per_slot: ROWS_PER_SLOT,
            // Every file is published, so that a missing one was lost on the way.
            missing_slots: false,
            live: begins,
            ..WorldSettings::new(1, begins.minus(DAY))
        });
        Publishers { clock, server: SimServer::start(Arc::new(world), Arc::new(clock)).unwrap() }
    }
}
