//! Building observations: the parts that every table of dated values has in common.

use crate::Payload;
use data_encoding::HEXLOWER;
use gsi_model::{Day, Decoded, FeedId, Observation, Timestamp};
use sha2::{Digest, Sha256};

/// First 16 hex digits of the SHA-256 of the bytes.
pub fn raw_hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes)[..8])
}

/// Stamps observations that come from one payload.
pub struct Stamp {
    feed: FeedId,
    raw: String,
    known_at: Timestamp,
    ingested_at: Timestamp,
}

impl Stamp {
    pub fn of(feed: &str, payload: &Payload<'_>) -> Self {
        Stamp {
            feed: FeedId::new(feed),
            raw: raw_hash(payload.bytes),
            known_at: payload.known_at(),
            ingested_at: payload.fetched_at,
        }
    }

    pub fn observation(
        &self,
        series: &str,
        entity: &str,
        from: Timestamp,
        to: Timestamp,
        value: f64,
    ) -> Observation {
        Observation {
            series: series.to_owned(),
            entity: entity.to_owned(),
            period_start: from,
            period_end: to,
            value,
            known_at: self.known_at,
            ingested_at: self.ingested_at,
            revision: 0,
            quality: 1.0,
            feed: self.feed.clone(),
            raw: self.raw.clone(),
        }
    }

    pub fn daily(&self, series: &str, day: Day, value: f64) -> Observation {
        self.observation(series, "", day.start(), day.end(), value)
    }
}

/// A finite number within bounds, or nothing.
pub fn number(text: &str, low: f64, high: f64) -> Option<f64> {
    let value: f64 = text.trim().parse().ok()?;
    // Comparison also refuses NaN; `parse` accepts "inf" and "nan".
    (low..=high).contains(&value).then_some(value)
}

/// No feed speaks of days before this, and none may speak of days after the fetch.
pub const FIRST_DAY: Day = Day(-25_567);

/// A day that the publisher could know of when the payload was fetched. One day of grace covers time zones.
pub fn is_plausible(day: Day, payload: &Payload<'_>) -> bool {
    day >= FIRST_DAY && day <= payload.fetched_at.day().plus(1)
}

/// The newest moment that a table of days speaks of.
pub fn note_newest(decoded: &mut Decoded, day: Day) {
    decoded.newest = decoded.newest.max(Some(day.end()));
}
