//! The data of the messages to hooks, except alerts, as schemas for the OpenAPI document. The tick's commit writes the messages themselves.

use crate::resources::scores::body::PillarScores;
use gsi_model::{Band, DataStatus, Trend};
use utoipa::ToSchema;

/// A briefing that was published, in short.
#[derive(ToSchema)]
#[allow(dead_code)]
#[serde(deny_unknown_fields)]
pub struct HookBriefing {
    #[schema(example = "brf_0123456789ABCDEFGHJKMNPQRS", pattern = "^brf_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    #[schema(example = "global")]
    pub subject: String,
    pub headline: String,
    pub summary: String,
    pub tags: Vec<String>,
    #[schema(format = DateTime, example = "2026-11-15T00:00:00Z")]
    pub published_at: String,
}

/// A snapshot that was published, in short.
#[derive(ToSchema)]
#[allow(dead_code)]
#[serde(deny_unknown_fields)]
pub struct HookSnapshot {
    #[schema(example = "snp_0123456789ABCDEFGHJKMNPQRS", pattern = "^snp_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub id: String,
    #[schema(format = DateTime, example = "2026-11-14T23:45:00Z")]
    pub as_of: String,
    #[schema(minimum = 0, maximum = 100, example = 41.3)]
    pub score: f64,
    pub band: Band,
    pub trend: Trend,
    pub pillars: PillarScores,
    pub status: DataStatus,
    /// Null while there is no score of 24 hours before.
    #[schema(required = true, example = -1.4)]
    pub delta_24h: Option<f64>,
}

/// A message that an operator sent to try a hook.
#[derive(ToSchema)]
#[allow(dead_code)]
#[serde(deny_unknown_fields)]
pub struct HookTest {
    /// The hook's name.
    pub hook: String,
}
