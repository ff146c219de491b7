//! Copying, pruning, repairing and replaying a store.

pub mod bulk;
pub mod prune;
pub mod repair;
pub mod replay_plan;
pub mod retention;
