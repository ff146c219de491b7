//! What a replica polls to learn of changes by the others.

use gsi_model::{KeyId, Timestamp};
use std::time::Duration;

/// Enough for a replica to see whether it is behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pulse {
    /// The last committed tick.
    pub frontier: Option<Timestamp>,
    /// The tick of the newest published snapshot; older than the frontier while there is too little data.
    pub published: Option<Timestamp>,
    /// See [`KeyStore::keys_version`](crate::KeyStore::keys_version).
    pub keys_version: i64,
}

/// The state of the standby that reads use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StandbyState {
    /// It answered the last query.
    pub answers: bool,
    /// The newest tick it shows.
    pub reached: Option<Timestamp>,
    /// The age of the newest change it shows, while it has received newer ones. As it reports itself.
    pub lag: Duration,
    /// Seconds between its newest tick and the primary's.
    pub behind_seconds: i64,
}

/// How often a key was used on another replica since that replica started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyUse {
    pub replica: String,
    pub key: KeyId,
    pub taken: u64,
}
