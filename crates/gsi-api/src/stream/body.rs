//! What the stream says, message by message. Events and briefings are the same as in their lists.

use crate::representation::Number;
use crate::resources::scores::body::{Overview, PillarScores, shown_delta};
use gsi_model::{Band, DataStatus, FeedHealth, FeedState, Origin, Snapshot, Timestamp, Trend};
use serde::Serialize;
use utoipa::ToSchema;

/// A new snapshot.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamSnapshot {
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub score: Number,
    pub trend: Trend,
    pub pillars: PillarScores,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    pub band: Band,
    /// Against the score published 24 hours before; 0.0 while there is no such baseline.
    #[schema(value_type = f64, minimum = -100, maximum = 100, example = -1.4)]
    pub delta_24h: Number,
    /// As in `GSI-Data-Status`.
    pub status: DataStatus,
    pub simulated: bool,
}

impl StreamSnapshot {
    pub fn of(snapshot: &Snapshot) -> Option<Self> {
        let Overview { score, trend, pillars, as_of } = Overview::of(snapshot)?;
        Some(StreamSnapshot {
            score,
            trend,
            pillars,
            as_of,
            band: snapshot.band,
            delta_24h: shown_delta(snapshot.score, snapshot.delta_24h)?,
            status: snapshot.status,
            simulated: snapshot.simulated,
        })
    }
}

/// How every feed is doing, sent when that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFeeds {
    pub feeds: Vec<StreamFeed>,
}

/// One feed's standing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFeed {
    #[schema(example = "gdelt")]
    pub feed: &'static str,
    pub status: FeedHealth,
}

impl StreamFeeds {
    pub fn of(origins: &[Origin], states: &[FeedState], now: Timestamp) -> Self {
        let standing = |o: &Origin| {
            let health = states.iter().find(|s| s.feed == o.feed).map(|s| s.health(o, now));
            StreamFeed { feed: o.feed, status: health.unwrap_or(FeedHealth::Never) }
        };
        StreamFeeds { feeds: origins.iter().map(standing).collect() }
    }
}

/// The end of everything a tick had to say; its id is where a later connection goes on from.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamTick {
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    /// Events that are new or changed, whether the key may see them or not.
    #[schema(format = Int32)]
    pub events: usize,
    /// How many of them were too many to send; the list has them all.
    #[schema(format = Int32)]
    pub events_left_out: usize,
}

/// Messages were missed that are no longer kept: whatever was built from them must be asked for again.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamReset {
    /// The newest tick, which follows.
    #[schema(required = true, example = "2026-11-14T23:45:00Z")]
    pub as_of: Option<Timestamp>,
}
