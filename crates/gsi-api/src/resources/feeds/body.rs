//! The body of the list of feeds.

use gsi_model::{FeedHealth, FeedState, Origin, Pillar, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Every feed and its health.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Feeds)]
pub struct FeedsBody {
    pub feeds: Vec<FeedBody>,
}

/// One feed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedBody {
    #[schema(example = "gdelt")]
    pub feed: String,
    pub title: String,
    pub publisher: String,
    pub homepage: String,
    /// The pillar of its series, or null when there are several.
    #[schema(required = true)]
    pub pillar: Option<Pillar>,
    pub licence: String,
    pub attribution: String,
    pub status: FeedHealth,
    #[schema(required = true)]
    pub last_attempt: Option<Timestamp>,
    #[schema(required = true)]
    pub last_success: Option<Timestamp>,
    #[schema(required = true)]
    pub last_change: Option<Timestamp>,
    #[schema(required = true)]
    pub newest_content: Option<Timestamp>,
    /// Age of the newest content. The next two fields are the ages at which it is late and stale.
    #[schema(required = true)]
    pub age_seconds: Option<i64>,
    pub late_after_seconds: i64,
    pub stale_after_seconds: i64,
    pub poll_seconds: i64,
    #[schema(required = true)]
    pub failing_since: Option<Timestamp>,
    /// Why the last payload was refused, or null.
    #[schema(required = true)]
    pub last_refusal: Option<String>,
    pub rows_seen: u64,
    pub rows_accepted: u64,
    pub rows_duplicate: u64,
    /// Rejected rows by reason.
    pub rows_rejected: BTreeMap<String, u64>,
}

impl FeedsBody {
    pub fn of(origins: &[Origin], states: &[FeedState], now: Timestamp) -> Self {
        let feed = |o: &Origin| {
            let known = states.iter().find(|s| s.feed == o.feed);
            let s = known.cloned().unwrap_or_default();
            FeedBody {
                feed: o.feed.to_owned(),
                title: o.title.to_owned(),
                publisher: o.publisher.to_owned(),
                homepage: o.homepage.to_owned(),
                pillar: o.pillar,
                licence: o.licence.name.to_owned(),
                attribution: o.attribution.to_owned(),
                status: s.health(o, now),
                last_attempt: s.last_attempt,
                last_success: s.last_success,
                last_change: s.last_change,
                newest_content: s.newest_content,
                age_seconds: s.newest_content.map(|t| now.since(t)),
                late_after_seconds: o.warn_after_seconds,
                stale_after_seconds: o.stale_after_seconds,
                poll_seconds: o.poll_every_seconds,
                failing_since: s.failing_since,
                last_refusal: s.last_refusal.map(|r| r.code.to_string()),
                rows_seen: s.seen,
                rows_accepted: s.accepted,
                rows_duplicate: s.duplicates,
                rows_rejected: s.rejected.into_iter().map(|(reason, n)| (reason.to_string(), n)).collect(),
            }
        };
        FeedsBody { feeds: origins.iter().map(feed).collect() }
    }
}
