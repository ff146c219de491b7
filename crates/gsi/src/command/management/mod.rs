//! Commands that manage a service.

pub mod briefing;
pub mod configuration;
pub mod hook;
pub mod key;
pub mod manual;
mod prune;
pub mod store;
