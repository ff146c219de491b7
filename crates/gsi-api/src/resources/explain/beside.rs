//! Scores of previous methods that run in parallel with the current one.

use crate::representation::Number;
use crate::resources::scores::body::shown_score;
use gsi_model::{BesideSnapshot, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// A previous method that runs in parallel with the current one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BesideMethod)]
pub struct BesideBody {
    #[schema(example = "2.0.0")]
    pub version: String,
    pub digest: String,
    /// The first tick of the method that replaced it.
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub since: Timestamp,
    /// The first tick at which this method is no longer computed.
    #[schema(example = "2026-12-14T23:45:00Z")]
    pub until: Timestamp,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub score: Number,
}

impl BesideBody {
    pub fn of(older: &BesideSnapshot) -> Option<Self> {
        Some(BesideBody {
            version: older.snapshot.method_version.clone(),
            digest: older.snapshot.method_digest.clone(),
            since: older.since,
            until: older.until(),
            score: shown_score(older.snapshot.score)?,
        })
    }
}
