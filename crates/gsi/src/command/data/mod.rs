//! Commands that move or recompute data.

pub mod backfill;
pub mod export;
pub mod feeds;
pub mod import;
pub mod recompute;
pub mod replay;
