//! The scores of all countries of a tick in a few bytes, so that a country's history can be read without unpacking whole
//! ticks. An entry is the two letters of the code and ten thousandths of a point.

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

/// Returns the score of one country, if it has one.
pub(crate) fn score_of(bytes: &[u8], country: CountryCode) -> Result<Option<f64>> {
    let entries = bytes.chunks_exact(ENTRY);
    if !entries.remainder().is_empty() {
        return Err(StoreError::Corrupt("the scores of countries are truncated".to_owned()));
    }
    let found = entries.into_iter().find(|entry| entry[..2] == *country.as_str().as_bytes());
    Ok(found.map(|entry| f64::from(u32::from_le_bytes([entry[2], entry[3], entry[4], entry[5]])) / SCALE))
}

/// Returns a point of one country's history, if it has a score.
pub(crate) fn point(
    tick: Timestamp,
    published_at: Timestamp,
    bytes: &[u8],
    country: CountryCode,
) -> Result<Option<HistoryPoint>> {
    Ok(score_of(bytes, country)?.map(|score| HistoryPoint { tick, score, published_at }))
}
