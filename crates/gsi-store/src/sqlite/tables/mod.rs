//! Queries and changes of the tables.

pub mod access;
pub mod alerts;
pub mod cells;
pub mod corrections;
pub mod data;
pub mod events;
pub mod hooks;
pub mod reads;
pub mod ticks;
