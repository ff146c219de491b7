//! GDELT 2.0 events: what the world's online news reports, coded, every quarter of an hour.

mod export;
mod fields;
mod ids;
mod keywords;
mod manifest;
mod memo;
mod memory;
mod mentions;
mod place;
mod poll;
#[cfg(test)]
mod reference;
mod rows;
mod separators;
mod slot;
mod span;
#[cfg(test)]
mod tests;
mod words;

pub use memory::Memory;
pub(crate) use poll::source;

use crate::refusal::{self, refuse};
use crate::{Connector, Fetcher, Payload, PollFuture, SeriesSpec, unpack};
use gsi_model::{Decoded, HOUR, Licence, MINUTE, Origin, Pillar, Refusal, TICK, Timestamp};

/// The connector. Live, it also works back through the last `backfill_days`, a few files a look, newest first.
#[derive(Clone, Copy, Debug)]
pub struct Gdelt {
    pub backfill_days: i64,
}

impl Default for Gdelt {
    fn default() -> Self {
        Gdelt { backfill_days: 30 }
    }
}

static ORIGIN: Origin = Origin {
    feed: "gdelt",
    title: "GDELT 2.0 Events",
    publisher: "The GDELT Project",
    homepage: "https://www.gdeltproject.org/",
    pillar: Some(Pillar::Conflict),
    licence: Licence {
        name: "Free for any use with citation",
        republish: true,
        note: "The linked articles belong to their publishers.",
    },
    attribution: "Data: The GDELT Project, https://www.gdeltproject.org/",
    poll_every: TICK,
    warn_after: 45 * MINUTE,
    stale_after: 3 * HOUR,
    default_on: true,
};

/// Unpacked event files are 0.3 to 1 MB, mentions up to 3 MB.
const MAX_UNPACKED: usize = 30 << 20;

/// Above this share of rejected rows the file was overwritten or garbled, and its good-looking rows prove nothing.
const MAX_BAD_SHARE: f64 = 0.05;
/// So few bad rows are judged one by one, whatever their share.
const FEW_BAD_ROWS: u64 = 8;

/// Decodes an event or mentions file, packed or not. The name gives stamp and kind; without one, the columns do.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_UNPACKED)?;
    let named = stamp_of(payload.name);
    if named.is_some_and(|stamp| stamp > payload.fetched_at.plus(CLOCK_GRACE)) {
        return refuse(refusal::CLOCK, "a file from the future");
    }
    if is_mentions(payload.name, &body) {
        mentions::decode(&body, named)
    } else {
        export::decode(&body, named)
    }
}

/// A file may carry the stamp of the quarter hour that is about to end.
const CLOCK_GRACE: i64 = TICK;

/// The stamp in a name such as `20250820154500.export.CSV.zip`.
fn stamp_of(name: &str) -> Option<Timestamp> {
    Timestamp::parse_compact(name.split('.').next()?.as_bytes())
}

fn is_mentions(name: &str, body: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    if lower.contains(".export.") || lower.contains("mentions") {
        return lower.contains("mentions");
    }
    let line = &body[..memchr::memchr(b'\n', body).unwrap_or(body.len())];
    memchr::memchr_iter(b'\t', line).count() + 1 == mentions::COLUMNS
}

/// Whether the rows as a whole can be trusted: a few bad ones are data, many are a broken file.
fn check_structure(decoded: &Decoded) -> Result<(), Refusal> {
    let (seen, bad) = (decoded.seen, decoded.rejected_total());
    let worst = decoded.rejected.iter().max_by_key(|(_, n)| **n);
    let worst = worst.map_or(String::new(), |(reason, n)| format!("; {n} rejected as {reason}"));
    let count = |reason: &str| decoded.rejected.get(reason).copied().unwrap_or(0);
    match () {
        () if decoded.accepted == 0 && count("columns") * 2 > bad => {
            refuse(refusal::SCHEMA, format!("{seen} rows, none with the columns of this file{worst}"))
        }
        () if decoded.accepted == 0 => {
            refuse(refusal::NO_VALID_ROWS, format!("{seen} rows, none valid{worst}"))
        }
        () if bad > FEW_BAD_ROWS && bad as f64 > seen as f64 * MAX_BAD_SHARE => {
            refuse(refusal::GARBAGE, format!("{bad} of {seen} rows are malformed{worst}"))
        }
        () if count("truncated") > 0 => refuse(refusal::TRUNCATED, format!("row {seen} has no end")),
        () => Ok(()),
    }
}

impl Connector for Gdelt {
    fn origin(&self) -> &'static Origin {
        &ORIGIN
    }

    /// News arrives as rows and slots, not as series.
    fn series(&self) -> &'static [SeriesSpec] {
        &[]
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, Refusal> {
        decode(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(poll::poll(self, fetcher, now, checkpoint))
    }
}
