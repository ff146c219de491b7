//! A simulated world whose publishers speak the real feeds' formats over loopback HTTP, for the demo and for tests of faults
//! and crises.
//!
//! [`World`] is a function: any slot or day can be read, in any order, and equal settings give equal bytes. A [`Scenario`]
//! describes what happens in the world; [`Faults`] describe what goes wrong with its publishers. [`SimServer`] serves
//! `/{host}/{path}` as of a shared clock. Names of outlets, vendors and victims are invented.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod data;
mod news;
mod publishers;
mod scenario;
mod series;
mod server;
mod world;

pub use news::SlotNews;
pub use publishers::PUBLISHERS;
pub use scenario::{Scenario, ScenarioError};
pub use server::{Fault, Faults, SimServer, UnknownFault};
pub use world::{LANDING_DELAY_SECONDS, NEWS_BEFORE_START_SECONDS, World, WorldSettings};
