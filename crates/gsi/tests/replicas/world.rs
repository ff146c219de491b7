//! The publishers that all replicas read, and the clock they share.

use gsi_model::{DAY, SimulatedPace, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const BEGINS: &str = "2026-11-10T06:00:00Z";
const ROWS_PER_SLOT: f64 = 60.0;

pub struct Publishers {
    /// The rehearsal's time, as the replicas reckon it.
    pub clock: SimulatedPace,
    pub since: Timestamp,
    pub server: SimServer,
}

impl Publishers {
    pub fn start(scale: f64) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let begins: Timestamp = BEGINS.parse().unwrap();
        let clock = SimulatedPace { begins, since: UNIX_EPOCH + Duration::from_secs(now), scale };
        let world = World::new(WorldSettings {
            rows_per_slot: ROWS_PER_SLOT,
            // Every file is published, so that a missing one was lost on the way.
            missing_slots: false,
            live: begins,
            ..WorldSettings::new(1, begins.minus(DAY))
        });
        let server = SimServer::start(Arc::new(world), Arc::new(clock)).unwrap();
        Publishers { clock, since: Timestamp::from_unix(now as i64), server }
    }
}
