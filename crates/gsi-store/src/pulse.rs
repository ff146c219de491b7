//! How a replica learns what the others did.

use gsi_model::{KeyId, Timestamp};
use std::time::Duration;

/// The little that tells a replica whether it is behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pulse {
    /// The last committed tick.
    pub frontier: Option<Timestamp>,
    /// The tick of the newest published snapshot; older than the frontier while there is too little data.
    pub published: Option<Timestamp>,
    /// See [`KeyStore::keys_version`](crate::KeyStore::keys_version).
    pub keys_version: i64,
}

/// How the copy that reads go to is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StandbyState {
    /// It answered when it was last asked.
    pub answers: bool,
    /// The newest tick it shows.
    pub reached: Option<Timestamp>,
    /// By its own account: how long ago the newest change it shows was made, while it knows of newer ones.
    pub lag: Duration,
    /// Seconds of ticks that the primary has and it has not.
    pub behind_seconds: i64,
}

/// How often a key was used on another replica since that started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyUse {
    pub replica: String,
    pub key: KeyId,
    pub taken: u64,
}
