//! Connections, the lead and errors of SQLite.

pub mod error;
pub mod lead;
pub mod readers;
