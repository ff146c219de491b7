//! The append-only, bitemporal log that every number is computed from.

use crate::{FeedId, NewsRow, NewsSlot, Reject, RejectCounts, Timestamp};
use serde::{Deserialize, Serialize};

/// One value of one series for one period, as it could be known from `known_at` on.
///
/// Rows are never changed. A corrected value is a new row for the same period with a later `known_at` and the next
/// `revision`; a tick reads only rows with `known_at <= tick`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// For example `ofr.fsi` or `eia.brent`.
    pub series: String,
    /// What the value is about: a country, a port; empty for the world.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub entity: String,
    pub period_start: Timestamp,
    pub period_end: Timestamp,
    pub value: f64,
    pub known_at: Timestamp,
    pub ingested_at: Timestamp,
    /// Counted from 0 within (series, entity, period); assigned by the store.
    pub revision: u32,
    /// 1 as published; 0.8 for history whose `known_at` is reconstructed; lower when partial.
    pub quality: f64,
    pub feed: FeedId,
    /// First 16 hex digits of the SHA-256 of the bytes the value was decoded from.
    pub raw: String,
}

/// Identifies one row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObservationRef {
    pub series: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub entity: String,
    pub period_end: Timestamp,
    pub revision: u32,
}

/// The decoded content of one payload. `accepted + rejected + duplicates == seen`, always.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    pub seen: u64,
    pub accepted: u64,
    pub duplicates: u64,
    pub rejected: RejectCounts,
    /// The date of the newest content, by the publisher's own dates.
    pub newest: Option<Timestamp>,
    pub observations: Vec<Observation>,
    pub slots: Vec<NewsSlot>,
    pub rows: Vec<NewsRow>,
}

impl Decoded {
    pub fn reject(&mut self, reason: Reject) {
        *self.rejected.entry(reason).or_default() += 1;
    }

    /// Counts one row that was read as rejected, as a repetition of an earlier row (`is_new` returns false), or as
    /// accepted, and returns accepted ones.
    pub fn take<T>(&mut self, row: Result<T, Reject>, is_new: impl FnOnce(&T) -> bool) -> Option<T> {
        self.seen += 1;
        match row {
            Err(reason) => {
                self.reject(reason);
                None
            }
            Ok(row) if is_new(&row) => {
                self.accepted += 1;
                Some(row)
            }
            Ok(_) => {
                self.duplicates += 1;
                None
            }
        }
    }

    pub fn rejected_total(&self) -> u64 {
        self.rejected.values().sum()
    }

    pub fn is_balanced(&self) -> bool {
        self.seen == self.accepted + self.duplicates + self.rejected_total()
    }
}
