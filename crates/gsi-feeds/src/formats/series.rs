//! Builds observations from dated values.

use crate::Payload;
use crate::formats::table::{self, Table, TableRow};
use data_encoding::HEXLOWER;
use gsi_model::{Day, Decoded, FeedId, Observation, Origin, PayloadRefusal, Reject, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Returns the first 16 hex digits of the SHA-256 of the bytes.
pub fn raw_hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes)[..8])
}

/// The fields that all observations of one payload share.
pub struct ObservationStamp {
    feed: FeedId,
    raw: String,
    known_at: Timestamp,
    ingested_at: Timestamp,
}

impl ObservationStamp {
    pub fn new(origin: &Origin, payload: &Payload<'_>) -> Self {
        ObservationStamp {
            feed: FeedId::new(origin.feed),
            raw: payload.raw.map_or_else(|| raw_hash(payload.bytes), str::to_owned),
            known_at: payload.known_at(),
            ingested_at: payload.fetched_at,
        }
    }

    pub fn observe(&self, series: &str, from: Timestamp, to: Timestamp, value: f64) -> Observation {
        Observation {
            series: series.to_owned(),
            entity: String::new(),
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

    pub fn observe_day(&self, series: &str, day: Day, value: f64) -> Observation {
        self.observe(series, day.start(), day.end(), value)
    }
}

/// Adds the values of each day.
pub fn add_days<V: IntoIterator<Item = (&'static str, f64)>>(
    decoded: &mut Decoded,
    origin: &Origin,
    payload: &Payload<'_>,
    days: impl IntoIterator<Item = Day>,
    mut values: impl FnMut(Day) -> V,
) {
    let stamp = ObservationStamp::new(origin, payload);
    for day in days {
        let values = values(day).into_iter().map(|(series, value)| stamp.observe_day(series, day, value));
        decoded.observations.extend(values);
    }
}

/// Decodes a table in which each row holds the values of one day. `read` returns the row's key, its day and its values. Of
/// several rows with the same key the first counts.
pub fn decode_day_table<K: Ord + Copy, V: IntoIterator<Item = (&'static str, f64)>>(
    origin: &Origin,
    payload: &Payload<'_>,
    mut table: Table<'_>,
    mut read: impl FnMut(&TableRow<'_>) -> Result<(K, Day, V), Reject>,
) -> Result<Decoded, PayloadRefusal> {
    let stamp = ObservationStamp::new(origin, payload);
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    while let Some(row) = table.next() {
        let row = row.and_then(|row| read(&row));
        let Some((_, day, values)) = decoded.take(row, |(key, ..)| known.insert(*key)) else { continue };
        note_newest(&mut decoded, day);
        let values = values.into_iter().map(|(series, value)| stamp.observe_day(series, day, value));
        decoded.observations.extend(values);
    }
    table::finish(decoded)
}

/// Parses a finite number within bounds.
pub fn number(text: &str, bounds: RangeInclusive<f64>) -> Option<f64> {
    let value: f64 = text.trim().parse().ok()?;
    // `parse` accepts "inf" and "nan". The comparison rejects both.
    bounds.contains(&value).then_some(value)
}

/// The earliest day that any feed may have a value for.
pub const FIRST_DAY: Day = Day(-25_567);

/// Rejects a day before [`FIRST_DAY`] or after the fetch. One day of grace covers time zones.
pub fn plausible(day: Option<Day>, payload: &Payload<'_>) -> Result<Day, Reject> {
    day.filter(|day| (FIRST_DAY..=payload.fetched_at.day().plus(1)).contains(day)).ok_or(Reject::Date)
}

/// Parses a plausible ISO 8601 date.
pub fn iso_day(text: &str, payload: &Payload<'_>) -> Result<Day, Reject> {
    plausible(Day::parse_iso(text), payload)
}

/// Extends the newest moment of the decoded content to the end of `day`.
pub fn note_newest(decoded: &mut Decoded, day: Day) {
    decoded.newest = decoded.newest.max(Some(day.end()));
}

/// Returns the first and the last key.
pub fn spanned<V>(days: &std::collections::BTreeMap<Day, V>) -> Option<(Day, Day)> {
    days.keys().next().zip(days.keys().next_back()).map(|(first, last)| (*first, *last))
}

/// Returns the days from `first` to `last`, both included.
pub fn days(first: Day, last: Day) -> impl DoubleEndedIterator<Item = Day> {
    (first.0..=last.0).map(Day)
}
