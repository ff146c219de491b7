//! The bodies of the stream's messages. Events and briefings have the same bodies as in their lists.

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
    /// The change against the score published 24 hours before; 0.0 without such a baseline.
    #[schema(value_type = f64, minimum = -100, maximum = 100, example = -1.4)]
    pub delta_24h: Number,
    /// The same status as in `GSI-Data-Status`.
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

/// The status of every feed, sent when one changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFeeds {
    pub feeds: Vec<StreamFeed>,
}

/// One feed's status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFeed {
    #[schema(example = "gdelt")]
    pub feed: &'static str,
    pub status: FeedHealth,
}

impl StreamFeeds {
    pub fn of(origins: &[Origin], states: &[FeedState], now: Timestamp) -> Self {
        let status_of = |o: &Origin| {
            let health = states.iter().find(|s| s.feed == o.feed).map(|s| s.health(o, now));
            StreamFeed { feed: o.feed, status: health.unwrap_or(FeedHealth::Never) }
        };
        StreamFeeds { feeds: origins.iter().map(status_of).collect() }
    }
}

/// The end of a tick's messages. A later connection continues from its id.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamTick {
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    /// The number of new or changed events, including events that the key may not read.
    #[schema(format = Int32)]
    pub events: usize,
    /// The number of these events that were not sent because there were too many. The list has all of them.
    #[schema(format = Int32)]
    pub events_left_out: usize,
}

/// Missed messages are no longer kept, so the client must request its data again.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamReset {
    /// The newest tick. Its messages follow.
    #[schema(required = true, example = "2026-11-14T23:45:00Z")]
    pub as_of: Option<Timestamp>,
}
