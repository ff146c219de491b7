//! Coded news rows become conflict events: filter, collapse, cluster, assess.
//!
//! Pure: values in, values out. No I/O, no clock, no randomness, no logging. The same rows and ticks give the same
//! events to the last bit, on any machine, through any number of restarts.

mod actors;
mod address;
mod book;
mod cameo;
mod cluster;
pub mod derived;
mod escalation;
mod exclusions;
mod facts;
mod filter;
mod heat;
mod lookup;
mod news;
mod outlet;
mod place;
mod rarity;
mod report;
mod shelf;
mod story;

pub use book::EventBook;
pub use cluster::{MAX_ACTORS, MAX_SOURCES};
pub use escalation::contributions as escalation_contributions;
pub use facts::{Advance, EventFacts};
pub use heat::Theater;

use gsi_model::{DAY, HOUR};

/// The few numbers of clustering that an operator may want to argue about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// An event without a report for longer than this is over, in seconds.
    pub idle: i64,
    /// No event lasts longer than this; what goes on is a new one, in seconds.
    pub longest: i64,
    /// Two city-level places within this distance are one place.
    pub join_km: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { idle: 24 * HOUR, longest: 7 * DAY, join_km: 50.0 }
    }
}
