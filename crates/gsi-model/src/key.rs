//! A stored API key. Of its secret, only a hash is stored.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// The public part of a key, ten characters, safe to log.
pub type KeyId = String;

closed_set! {
    Scope {
        Scores = "scores:read",
        Events = "events:read",
        Briefings = "briefings:read",
        Alerts = "alerts:read",
        All = "*",
    }
}

/// A token bucket that allows `per_minute` requests on average and `burst` at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    pub per_minute: u32,
    pub burst: u32,
}

impl RateLimit {
    pub const DEFAULT: RateLimit = RateLimit { per_minute: 600, burst: 100 };
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    pub id: KeyId,
    pub name: String,
    /// SHA-256 of the secret part.
    pub secret_hash: [u8; 32],
    pub scopes: Vec<Scope>,
    /// `None` means no limit.
    pub rate: Option<RateLimit>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// The start of the day of its last use. The server updates it about once a minute.
    pub last_used: Option<Timestamp>,
}
