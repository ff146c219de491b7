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
use std::future::Future;
use std::pin::Pin;

/// One file or response body, with what is known about its arrival.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// File name or last segment of the address; some publishers put the time only there.
    pub name: &'a str,
    pub bytes: &'a [u8],
    pub fetched_at: Timestamp,
    pub last_modified: Option<Timestamp>,
    /// Hash of the publisher's file, where it is known already or the bytes are only a part of that file.
    pub raw: Option<&'a str>,
}

impl<'a> Payload<'a> {
    pub fn new(name: &'a str, bytes: &'a [u8], fetched_at: Timestamp) -> Self {
        Payload { name, bytes, fetched_at, last_modified: None, raw: None }
    }

    /// When a reader could first have known the content: the publisher's own word unless it lies in the future.
    pub fn known_at(&self) -> Timestamp {
        self.last_modified.filter(|t| *t <= self.fetched_at).unwrap_or(self.fetched_at)
    }

    /// The day in a name such as `2026-11-14.json`.
    pub fn named_day(&self) -> Option<Day> {
        self.name.strip_suffix(".json").and_then(Day::parse_iso)
    }
}

/// What a consumer has to know about a series before it has seen a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesSpec {
    pub series: &'static str,
    pub unit: &'static str,
    /// Seconds from one period to the next.
    pub cadence: i64,
    /// Seconds from the end of a period until its value is usually public.
    pub publication_lag: i64,
    /// No values on weekends and holidays.
    pub business_days: bool,
    /// Values of the publisher's own, under a licence that does not let them be passed on: computed with, never shown.
    pub is_withheld: bool,
}

impl SeriesSpec {
    /// A value for every day of the calendar.
    pub const fn daily(series: &'static str, unit: &'static str, publication_lag: i64) -> Self {
        SeriesSpec { series, unit, cadence: DAY, publication_lag, business_days: false, is_withheld: false }
    }

    /// A value for every business day.
    pub const fn business_daily(series: &'static str, unit: &'static str, publication_lag: i64) -> Self {
        SeriesSpec { series, unit, cadence: DAY, publication_lag, business_days: true, is_withheld: false }
    }

    pub const fn withheld(self) -> Self {
        SeriesSpec { is_withheld: true, ..self }
    }
}

/// What one poll brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poll {
    pub decoded: Vec<Decoded>,
    /// To be stored with the data and handed back at the next poll.
    pub checkpoint: String,
    pub refusals: Vec<PayloadRefusal>,
    /// The publisher was reached and had nothing new.
    pub unchanged: bool,
}

pub type PollFuture<'a> = Pin<Box<dyn Future<Output = Poll> + Send + 'a>>;

pub trait Connector: Send + Sync + 'static {
    fn origin(&self) -> &'static Origin;

    fn series(&self) -> &'static [SeriesSpec];

    /// What it can show on a map, made of its series.
    fn layers(&self) -> &'static [MapLayer] {
        &[]
    }

    /// The keys that it takes from [`Fetcher::credentials`].
    fn keys(&self) -> &'static [FeedKey] {
        &[]
    }

    /// Pure: the same payload always decodes to the same result.
    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal>;

    /// Asks the publisher once. Trouble of any kind is a refusal in the result.
    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a>;

    /// The files that cover the days from `from` to `to`, both included, newest first. `None`: the ordinary files carry
    /// the history, and polling until nothing more comes is the backfill.
    fn history(&self, _from: Day, _to: Day) -> Option<Vec<FileSource>> {
        None
    }

    /// Years of its history are a matter of a few files, and not of a file for each day.
    fn has_compact_history(&self) -> bool {
        true
    }

    /// The series that has a value for each day of its history that is there already, from whatever source. Such a day is
    /// not asked for again. `None`: how far a back-fill came is counted in files.
    fn history_marker(&self) -> Option<&'static str> {
        None
    }

    /// Its files are coded news of a quarter of an hour each, of which events are made.
    fn is_coded_news(&self) -> bool {
        false
    }

    /// What had been made public before `moment`, asked later. `None` from a publisher whose files do not say since when
    /// they are public.
    fn poll_past<'a>(
        &'a self,
        _fetcher: &'a Fetcher,
        _moment: Timestamp,
        _checkpoint: &'a str,
    ) -> Option<PollFuture<'a>> {
        None
    }
}
