//! Feeds that ask their readers for a key, a token or a name: off by default, and working once the operator has given it.

use crate::files::{self, Decode, FileMemory, Source};
use crate::{Connector, Fetcher, Payload, PollFuture, SeriesSpec};
use gsi_model::{Decoded, Origin, Refusal, Timestamp};
use std::fmt;

/// What the operator has given, by the name of the setting. An empty text means nothing was given.
#[derive(Clone, Default)]
pub struct Credentials {
    pub nvd: String,
    pub fred: String,
    pub ucdp: String,
    pub acled_email: String,
    pub acled_password: String,
    pub cloudflare: String,
    pub reliefweb: String,
}

/// Secrets are not printed, not even by accident.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

/// A feed of files whose addresses or headers need the operator's key.
pub struct KeyedFeed {
    pub origin: &'static Origin,
    pub series: &'static [SeriesSpec],
    pub decode: Decode,
    pub key: String,
    /// The setting without which nothing can be asked; `None` where a key only raises the publisher's limits.
    pub setting: Option<&'static str>,
    pub sources: fn(Timestamp, &FileMemory, &str) -> Vec<Source>,
}

impl Connector for KeyedFeed {
    fn origin(&self) -> &'static Origin {
        self.origin
    }

    fn series(&self) -> &'static [SeriesSpec] {
        self.series
    }

    fn missing_setting(&self) -> Option<&'static str> {
        self.setting.filter(|_| self.key.is_empty())
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, Refusal> {
        (self.decode)(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(async move {
            let memory = FileMemory::read(checkpoint);
            let sources = (self.sources)(now, &memory, &self.key);
            files::poll(self.origin.feed, &sources, self.decode, fetcher, now, memory).await
        })
    }
}
