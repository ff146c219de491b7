//! The publisher of ship counts.

mod portwatch;
mod traffic;
mod where_clause;

pub use portwatch::respond as portwatch;
