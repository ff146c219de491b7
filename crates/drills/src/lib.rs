//! Tools that the tests of several crates share. Production crates depend on it only for their tests.
//!
//! Without features, it has sample values and recorded files of publishers. The feature `service` adds processes around a running
//! service (a demo, PostgreSQL, a proxy, simulated publishers, a receiver of webhooks, a wall clock that can be wrong) and checks of
//! its store after a drill.

#[cfg(feature = "service")]
pub mod audit;
#[cfg(feature = "service")]
pub mod clock;
#[cfg(feature = "service")]
pub mod demo;
pub mod http;
mod output;
#[cfg(feature = "service")]
pub mod postgres;
pub mod proxy;
#[cfg(feature = "service")]
pub mod publishers;
mod random;
pub mod real_data;
pub mod sample;
#[cfg(feature = "service")]
pub mod store;
mod wait;
pub mod webhooks;

pub use output::{succeed, text_of};
pub use random::{SeededRandom, seed_from_time};
pub use wait::wait_until;

/// Feeds that drills switch off: one feed for each pillar is enough to test with, and ticks are faster.
pub const DISABLED_FEEDS: &str =
    "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";

/// Returns a port on loopback that no process listens on.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
