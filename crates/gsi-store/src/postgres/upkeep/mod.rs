//! Migrations, copies, pruning and repair.

pub mod bulk;
pub mod migrate;
pub mod prune;
pub mod repair;
