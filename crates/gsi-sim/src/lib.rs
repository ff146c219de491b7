//! A simulated world whose publishers speak the real feeds' formats over loopback HTTP, for the demo and for every test of
//! a fault or a crisis.
//!
//! [`World`] is a function: any slot or day can be asked for, in any order, and equal settings give equal bytes. A
//! [`Scenario`] says what goes wrong in the world; [`Faults`] say what goes wrong with its publishers. [`SimServer`] serves
//! `/{host}/{path}` as of a shared clock. Names of outlets, vendors and victims are invented.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod body;
mod calendar;
mod chance;
mod faults;
mod markets;
mod news;
mod publisher_names;
mod publishers;
mod scenario;
mod server;
mod shipping;
mod slots;
mod tables;
mod tamper;
mod theaters;
mod topics;
mod vulnerabilities;
mod workbook;
mod world;

pub use faults::{Fault, Faults, UnknownFault};
pub use news::SlotNews;
pub use publisher_names::PUBLISHERS;
pub use scenario::{Scenario, ScenarioError};
pub use server::SimServer;
pub use world::{LANDING_DELAY_SECONDS, NEWS_BEFORE_START_SECONDS, World, WorldSettings};
