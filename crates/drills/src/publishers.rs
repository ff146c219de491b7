//! Simulated publishers that several processes of the service read, and the clock that they share.

use gsi_model::{DAY, SimulatedPace, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The simulated moment at which the clock begins.
pub const BEGINS: &str = "2026-11-10T06:00:00Z";
const ROWS_PER_SLOT: f64 = 60.0;

pub struct Publishers {
    /// Simulated time, as every process that [`Publishers::apply_to`] configures computes it.
    pub clock: SimulatedPace,
    pub server: SimServer,
}

impl Publishers {
    /// Starts a world that is a day old, with `scale` simulated seconds to a second.
    pub fn start(scale: f64) -> Self {
        let begins: Timestamp = BEGINS.parse().unwrap();
        let settings = WorldSettings::new(1, begins.minus(DAY));
        Self::start_world(scale, WorldSettings { rows_per_slot: ROWS_PER_SLOT, ..settings })
    }

    pub fn start_world(scale: f64, settings: WorldSettings) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let begins: Timestamp = BEGINS.parse().unwrap();
        let clock = SimulatedPace { begins, since: UNIX_EPOCH + Duration::from_secs(now), scale };
        // Every file is published, so a missing one was lost by the service.
        let world = World::new(WorldSettings { missing_slots: false, live: begins, ..settings });
        let server = SimServer::start(Arc::new(world), Arc::new(clock)).unwrap();
        Publishers { clock, server }
    }

    /// Makes a program read these publishers and use this clock.
    pub fn apply_to(&self, command: &mut Command) {
        let since = self.clock.since.duration_since(UNIX_EPOCH).unwrap().as_secs();
        command
            .env("GSI_REHEARSAL_PUBLISHERS", self.server.base_url())
            .env("GSI_REHEARSAL_BEGINS", BEGINS)
            .env("GSI_REHEARSAL_SINCE", Timestamp::from_unix(since as i64).to_string())
            .env("GSI_REHEARSAL_SCALE", self.clock.scale.to_string());
    }
}
