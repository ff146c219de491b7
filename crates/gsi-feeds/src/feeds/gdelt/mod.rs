//! GDELT 2.0 events: the world's online news, coded every quarter of an hour.

mod checkpoint;
mod event_file;
mod manifest;
mod poll;
#[cfg(test)]
mod tests;

pub use checkpoint::GdeltCheckpoint;

use crate::formats::series;
use crate::refusal::refuse;
use crate::{Connector, Fetcher, FileSource, Payload, PollFuture, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, MINUTE, Origin, PayloadRefusal, Pillar, RefusalCode, TICK, Timestamp,
};
use std::collections::BTreeSet;

/// The connector. It also reads the last `backfill_days`, a few files per poll, newest first.
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
    poll_every_seconds: TICK,
    warn_after_seconds: 45 * MINUTE,
    stale_after_seconds: 3 * HOUR,
    default_on: true,
};

/// Unpacked event files are 0.3 to 1 MB.
const MAX_UNPACKED: usize = 30 << 20;

/// Decodes an event file, packed or not. Its name has the stamp of its quarter hour.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_UNPACKED)?;
    let stamp = stamp_of(payload.name);
    if stamp.is_some_and(|stamp| stamp > payload.fetched_at.plus(CLOCK_GRACE_SECONDS)) {
        return refuse(RefusalCode::Clock, "a file from the future");
    }
    event_file::decode(&body, stamp)
}

/// A file may carry the stamp of the quarter hour that is about to end.
const CLOCK_GRACE_SECONDS: i64 = TICK;

/// Returns the stamp in a name such as `20250820154500.export.CSV.zip`.
fn stamp_of(name: &str) -> Option<Timestamp> {
    Timestamp::parse_compact(name.split('.').next()?.as_bytes())
}

impl Connector for Gdelt {
    fn origin(&self) -> &'static Origin {
        &ORIGIN
    }

    /// Returns none, because news arrives as rows and slots.
    fn series(&self) -> &'static [SeriesSpec] {
        &[]
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
        decode(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(poll::poll(self, fetcher, now, false, checkpoint))
    }

    fn sites(&self, now: Timestamp) -> BTreeSet<String> {
        poll::source(now).sites().collect()
    }

    fn poll_past<'a>(
        &'a self,
        fetcher: &'a Fetcher,
        moment: Timestamp,
        checkpoint: &'a str,
    ) -> Option<PollFuture<'a>> {
        Some(Box::pin(poll::poll(self, fetcher, moment, true, checkpoint)))
    }

    fn history(&self, from: Day, to: Day) -> Option<Vec<FileSource>> {
        let of_day = |day: Day| (0..DAY / TICK).rev().map(move |k| poll::source(day.start().plus(k * TICK)));
        Some(series::days(from, to).rev().flat_map(of_day).collect())
    }

    fn has_compact_history(&self) -> bool {
        false
    }

    fn is_coded_news(&self) -> bool {
        true
    }
}
