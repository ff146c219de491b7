//! The caller's own key.

use gsi_model::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The key the request was made with.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeySelf {
    /// The public part of the key.
    #[schema(example = "7h2k9m4q1z")]
    pub id: String,
    #[schema(example = "nightly report")]
    pub name: String,
    #[schema(example = json!(["scores:read"]))]
    pub scopes: Vec<&'static str>,
    #[schema(required = true)]
    pub created_at: Option<Timestamp>,
    /// Null: never.
    #[schema(required = true)]
    pub expires_at: Option<Timestamp>,
    /// Null: no limit.
    #[schema(required = true)]
    pub quota: Option<Quota>,
}

/// A token bucket and what is left in it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    pub per_minute: u32,
    pub burst: u32,
    pub remaining: u64,
    /// Seconds until the bucket is full again.
    pub reset_seconds: u64,
}
