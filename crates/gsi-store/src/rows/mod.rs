//! The form of records in the tables, the same for both backends.

pub mod body;
pub mod check;
pub mod corrections;
pub mod country_points;
pub mod event_versions;
pub mod events;
pub mod keys;
pub mod pending;
