//! Feeds: their publishers, and their health.

use crate::{PayloadRefusal, Pillar, RejectCounts, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A feed's stable short name: `gdelt`, `kev`, `oil`, `ofr` …
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeedId(pub String);

impl FeedId {
    pub fn new(name: &str) -> Self {
        FeedId(name.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FeedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The origin record of every connector: enough to cite, to license and to judge freshness.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub feed: &'static str,
    pub title: &'static str,
    pub publisher: &'static str,
    pub homepage: &'static str,
    pub pillar: Option<Pillar>,
    pub licence: Licence,
    /// The attribution that readers must be shown.
    pub attribution: &'static str,
    /// The interval between two polls.
    pub poll_every_seconds: i64,
    /// Newest content older than this is degraded …
    pub warn_after_seconds: i64,
    /// … and older than this, stale.
    pub stale_after_seconds: i64,
    pub default_on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Licence {
    pub name: &'static str,
    /// Whether raw values may be shown to third parties.
    pub republish: bool,
    pub note: &'static str,
}

/// One feed's status, saved with its data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedState {
    pub feed: String,
    pub last_attempt: Option<Timestamp>,
    pub last_success: Option<Timestamp>,
    /// When the content last changed.
    pub last_change: Option<Timestamp>,
    /// The end of the newest period in the content.
    pub newest_content: Option<Timestamp>,
    pub last_refusal: Option<PayloadRefusal>,
    /// When the current run of failures began.
    pub failing_since: Option<Timestamp>,
    pub seen: u64,
    pub accepted: u64,
    pub duplicates: u64,
    pub rejected: RejectCounts,
    /// The connector's state (validators, last contiguous slot, open gaps), as JSON text.
    pub checkpoint: String,
}

closed_set! {
    /// How a feed is doing: `never` when nothing was ever received.
    #[cfg_attr(feature = "schema", schema(as = FeedHealthWord))]
    FeedHealth {
        Ok = "ok",
        /// Content is older than its warning budget, or the last poll failed.
        Late = "late",
        /// Content is older than its whole budget.
        Stale = "stale",
        /// Nothing was ever received.
        Never = "never",
    }
}

/// One feed's health at a tick, as clients see it. Stored in the snapshot, so that the store alone is enough to write its
/// text again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedStanding {
    pub feed: String,
    pub title: String,
    pub pillar: Option<Pillar>,
    pub health: FeedHealth,
    pub newest_content: Option<Timestamp>,
    /// When the failures began, for a feed without content to date them by.
    pub since: Option<Timestamp>,
}

impl FeedState {
    pub fn health(&self, origin: &Origin, now: Timestamp) -> FeedHealth {
        match self.newest_content {
            None => FeedHealth::Never,
            Some(newest) if now.since(newest) > origin.stale_after_seconds => FeedHealth::Stale,
            Some(newest) if now.since(newest) > origin.warn_after_seconds => FeedHealth::Late,
            Some(_) if self.failing_since.is_some_and(|s| now.since(s) > origin.warn_after_seconds) => {
                FeedHealth::Late
            }
            Some(_) => FeedHealth::Ok,
        }
    }
}
