//! The observations format: one CSV file per series, `series,period_start,period_end,known_at,value`.
//!
//! `gsi import`, `gsi-lab backtest` and `gsi-lab history pack` read it. Invalid rows are counted and skipped. A file without the header
//! is refused, because the meaning of its columns is unknown.

use crate::notice;
use anyhow::{Context, bail};
use gsi_model::{Decoded, FeedId, Observation, Reject, Timestamp};
use std::path::{Path, PathBuf};

pub const HEADER: &str = "series,period_start,period_end,known_at,value";
/// The quality of values whose publication time was not observed but reconstructed.
const RECONSTRUCTED_QUALITY: f64 = 0.8;
const FEED: &str = "import";
/// The longest name of a series.
const MAX_NAME: usize = 100;

/// Returns the CSV files of a folder, sorted by name.
pub fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listing =
        std::fs::read_dir(folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut found: Vec<PathBuf> = listing
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        .collect();
    found.sort();
    if found.is_empty() {
        bail!("{} has no .csv file", folder.display());
    }
    Ok(found)
}

pub fn read(path: &Path) -> anyhow::Result<Decoded> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    decode(&bytes).with_context(|| format!("{} is refused", path.display()))
}

/// Reads a whole folder, sorted by series, period and time of knowledge. Exploited vulnerabilities may be plain counts; the weighted
/// counts of the index are then computed from them.
pub fn read_folder(folder: &Path) -> anyhow::Result<Vec<Observation>> {
    let mut rows = Vec::new();
    for path in files(folder)? {
        let decoded = read(&path)?;
        for (code, n) in &decoded.rejected {
            notice!("{}: rejected {n}: {code}", path.display());
        }
        rows.extend(decoded.observations);
    }
    rows.extend(gsi_feeds::kev::weigh_counts(&rows));
    rows.sort_by(|a, b| (&a.series, a.period_end, a.known_at).cmp(&(&b.series, b.period_end, b.known_at)));
    Ok(rows)
}

pub fn decode(bytes: &[u8]) -> anyhow::Result<Decoded> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = bytes.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l));
    match lines.next() {
        Some(first) if first == HEADER.as_bytes() => {}
        _ => bail!("the first line is not {HEADER:?}"),
    }
    let mut decoded = Decoded::default();
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(observation) = decoded.take(row(line), |_| true) {
            decoded.newest = decoded.newest.max(Some(observation.period_end));
            decoded.observations.push(observation);
        }
    }
    Ok(decoded)
}

fn row(line: &[u8]) -> Result<Observation, Reject> {
    let line = std::str::from_utf8(line).map_err(|_| Reject::Utf8)?;
    let cells: Vec<&str> = line.split(',').collect();
    let [series, start, end, known, value] = cells[..] else { return Err(Reject::Columns) };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if series.is_empty() || series.len() > MAX_NAME || !series.chars().all(is_name) {
        return Err(Reject::Series);
    }
    let time = |text: &str| Timestamp::parse_rfc3339(text).map_err(|_| Reject::Date);
    let (period_start, period_end, known_at) = (time(start)?, time(end)?, time(known)?);
    if period_end <= period_start || known_at < period_start {
        return Err(Reject::Order);
    }
    let value: f64 = value.parse().map_err(|_| Reject::Number)?;
    if !value.is_finite() {
        return Err(Reject::Number);
    }
    Ok(Observation {
        series: series.to_owned(),
        entity: String::new(),
        period_start,
        period_end,
        value,
        known_at,
        ingested_at: known_at,
        revision: 0,
        quality: RECONSTRUCTED_QUALITY,
        feed: FeedId::new(FEED),
        raw: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_accepted_or_counted() {
        let file = format!(
            "{HEADER}\r\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n\n",
            "a.b,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z,1.5",
            "a.b,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z",
            "a.b,2020-01-02T00:00:00Z,2020-01-01T00:00:00Z,2020-01-03T00:00:00Z,1.5",
            "a.b,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2019-01-03T00:00:00Z,1.5",
            "a.b,2020-01-01,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z,1.5",
            "a.b,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z,NaN",
            "<b>,2020-01-01T00:00:00Z,2020-01-02T00:00:00Z,2020-01-03T00:00:00Z,1",
        );
        let decoded = decode(file.as_bytes()).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted), (7, 1));
        for (code, n) in [("columns", 1), ("order", 2), ("date", 1), ("number", 1), ("series", 1)] {
            let reason = Reject::from_key(code).unwrap();
            assert_eq!(decoded.rejected.get(&reason), Some(&n), "{code}");
        }
        assert!(decode(b"series,value\n").is_err());
        assert!(decode(b"").is_err());
    }
}
