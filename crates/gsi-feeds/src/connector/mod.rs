//! The interface of a feed, and the ordinary connector that most feeds use.

mod credentials;
mod feed;
mod file_source;
pub mod files;

pub use credentials::{Credentials, FeedKey};
pub use feed::Feed;
pub use file_source::FileSource;

use crate::Fetcher;
use gsi_model::{DAY, Day, Decoded, MapLayer, Origin, PayloadRefusal, Timestamp};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

/// One file or response body, with its name and the time it arrived.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// File name or last segment of the address; some publishers put the time only there.
    pub name: &'a str,
    pub bytes: &'a [u8],
    pub fetched_at: Timestamp,
    pub last_modified: Option<Timestamp>,
    /// Hash of the publisher's file, if it is known already or the bytes are only a part of that file.
    pub raw: Option<&'a str>,
}

impl<'a> Payload<'a> {
    pub fn new(name: &'a str, bytes: &'a [u8], fetched_at: Timestamp) -> Self {
        Payload { name, bytes, fetched_at, last_modified: None, raw: None }
    }

    /// Returns when a reader could first have known the content: the publisher's own time, unless it is in the future.
    pub fn known_at(&self) -> Timestamp {
        self.last_modified.filter(|t| *t <= self.fetched_at).unwrap_or(self.fetched_at)
    }

    /// Returns the day in a name such as `2026-11-14.json`.
    pub fn named_day(&self) -> Option<Day> {
        self.name.strip_suffix(".json").and_then(Day::parse_iso)
    }
}

/// The properties of a series that do not depend on its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesSpec {
    pub series: &'static str,
    pub unit: &'static str,
    /// Seconds from one period to the next.
    pub cadence: i64,
    /// Seconds from the end of a period until its value is usually public.
    pub publication_lag: i64,
    /// The series has no values on weekends and holidays.
    pub business_days: bool,
    /// The licence forbids passing the publisher's values on, so they are computed with and never shown.
    pub is_withheld: bool,
}

impl SeriesSpec {
    /// Makes a series with a value for every calendar day.
    pub const fn daily(series: &'static str, unit: &'static str, publication_lag: i64) -> Self {
        SeriesSpec { series, unit, cadence: DAY, publication_lag, business_days: false, is_withheld: false }
    }

    /// Makes a series with a value for every business day.
    pub const fn business_daily(series: &'static str, unit: &'static str, publication_lag: i64) -> Self {
        SeriesSpec { series, unit, cadence: DAY, publication_lag, business_days: true, is_withheld: false }
    }

    pub const fn withheld(self) -> Self {
        SeriesSpec { is_withheld: true, ..self }
    }
}

/// The result of one poll.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poll {
    pub decoded: Vec<Decoded>,
    /// Stored with the data and passed to the next poll.
    pub checkpoint: String,
    pub refusals: Vec<PayloadRefusal>,
    /// The publisher answered and had nothing new.
    pub unchanged: bool,
}

pub type PollFuture<'a> = Pin<Box<dyn Future<Output = Poll> + Send + 'a>>;

pub trait Connector: Send + Sync + 'static {
    fn origin(&self) -> &'static Origin;

    fn series(&self) -> &'static [SeriesSpec];

    /// Returns its map layers, which are made of its series.
    fn layers(&self) -> &'static [MapLayer] {
        &[]
    }

    /// Returns the keys that it reads from [`Fetcher::credentials`].
    fn keys(&self) -> &'static [FeedKey] {
        &[]
    }

    /// Decodes a payload. This is pure: the same payload always gives the same result.
    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal>;

    /// Polls the publisher once. Every failure is a refusal in the result.
    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a>;

    /// Returns scheme and host of every address that a poll at `now` may request, such as `https://example.org`. A connector that
    /// does not use the network has none.
    fn sites(&self, _now: Timestamp) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// Returns the files of the days from `from` to `to`, both included, newest first. `None` means that the ordinary files
    /// contain the history, and a backfill polls until nothing new arrives.
    fn history(&self, _from: Day, _to: Day) -> Option<Vec<FileSource>> {
        None
    }

    /// Tells whether a few files hold years of its history, rather than one file per day.
    fn has_compact_history(&self) -> bool {
        true
    }

    /// Returns the series that marks loaded history: a backfill skips each day on which this series has a value from any
    /// source. `None` means that a backfill counts its progress in files.
    fn history_marker(&self) -> Option<&'static str> {
        None
    }

    /// Tells whether its files are quarter-hourly coded news, from which events are made.
    fn is_coded_news(&self) -> bool {
        false
    }

    /// Polls for the data that was public before `moment`, at a later time. `None` means that the publisher's files carry no
    /// publication time.
    fn poll_past<'a>(
        &'a self,
        _fetcher: &'a Fetcher,
        _moment: Timestamp,
        _checkpoint: &'a str,
    ) -> Option<PollFuture<'a>> {
        None
    }
}
