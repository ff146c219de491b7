//! What every feed has to offer, and nothing more.

use crate::Fetcher;
use gsi_model::{Decoded, Origin, Refusal, Timestamp};
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
}

impl Payload<'_> {
    /// When a reader could first have known the content: the publisher's own word unless it lies in the future.
    pub fn known_at(&self) -> Timestamp {
        self.last_modified.filter(|t| *t <= self.fetched_at).unwrap_or(self.fetched_at)
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
}

/// What one look brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poll {
    pub decoded: Vec<Decoded>,
    /// To be stored with the data and handed back at the next look.
    pub checkpoint: String,
    pub refusals: Vec<Refusal>,
    /// The publisher was reached and had nothing new.
    pub unchanged: bool,
}

pub type PollFuture<'a> = Pin<Box<dyn Future<Output = Poll> + Send + 'a>>;

pub trait Connector: Send + Sync + 'static {
    fn origin(&self) -> &'static Origin;

    fn series(&self) -> &'static [SeriesSpec];

    /// The setting that the operator has to give before anything can be asked.
    fn missing_setting(&self) -> Option<&'static str> {
        None
    }

    /// Pure: the same payload always decodes to the same result.
    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, Refusal>;

    /// One look at the publisher. Trouble of any kind is a refusal in the result.
    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a>;
}
