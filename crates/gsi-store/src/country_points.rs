//! The scores of all countries of a tick in a few bytes, so that the history of one is read without unpacking whole ticks:
//! two letters and ten thousandths of a point, country by country.

use crate::{HistoryPoint, Result, StoreError};
use gsi_model::{CountryCode, CountrySnapshot, Timestamp};

const ENTRY: usize = 6;
const SCALE: f64 = 10_000.0;

pub(crate) fn encode(snapshot: &CountrySnapshot) -> Vec<u8> {
    let scored = snapshot.countries.iter().filter_map(|c| Some((c.country, c.score?)));
    let mut bytes = Vec::with_capacity(snapshot.countries.len() * ENTRY);
    for (country, score) in scored {
        bytes.extend_from_slice(country.as_str().as_bytes());
        bytes.extend_from_slice(&((score * SCALE).round() as u32).to_le_bytes());
    }
    bytes
}

/// The score of one country, if it had one.
pub(crate) fn score_of(bytes: &[u8], country: CountryCode) -> Result<Option<f64>> {
    let entries = bytes.chunks_exact(ENTRY);
    if !entries.remainder().is_empty() {
        return Err(StoreError::Corrupt("scores of countries are cut".to_owned()));
    }
    let found = entries.into_iter().find(|entry| entry[..2] == *country.as_str().as_bytes());
    Ok(found.map(|entry| f64::from(u32::from_le_bytes([entry[2], entry[3], entry[4], entry[5]])) / SCALE))
}

/// A point of one country's history, if it had a score then.
pub(crate) fn point(
    tick: Timestamp,
    published_at: Timestamp,
    bytes: &[u8],
    country: CountryCode,
) -> Result<Option<HistoryPoint>> {
    Ok(score_of(bytes, country)?.map(|score| HistoryPoint { tick, score, published_at }))
}
