//! Connections, the lead and errors of PostgreSQL.

pub mod client;
pub mod connector;
pub mod error;
pub mod lead;
pub mod news;
pub mod pooler;
pub mod session;
pub mod sessions;
pub mod standby;
