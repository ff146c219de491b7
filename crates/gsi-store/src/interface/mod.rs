//! The traits of a store and the types in their signatures.

pub mod hooks;
pub mod key_audit;
pub mod keys;
pub mod leadership;
pub mod limit;
pub mod pulse;
pub mod queries;
pub mod reads;
pub mod store;
pub mod ticks;
