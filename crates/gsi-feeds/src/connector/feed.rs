//! The ordinary connector, built from the parts that a feed's module defines.

use crate::connector::files::{Decode, FileCheckpoint, PollContext, poll_files, read_checkpoint};
use crate::{Connector, Credentials, FeedKey, Fetcher, FileSource, Payload, PollFuture, SeriesSpec};
use gsi_model::{Day, Decoded, MapLayer, Origin, PayloadRefusal, Timestamp};
use std::collections::BTreeSet;

/// A connector without state in memory between polls.
pub struct Feed {
    origin: &'static Origin,
    series: &'static [SeriesSpec],
    decode: Decode,
    polling: Polling,
    keys: &'static [FeedKey],
    layers: &'static [MapLayer],
    history: Option<HistoryFiles>,
    history_marker: Option<&'static str>,
}

#[derive(Clone, Copy)]
struct HistoryFiles {
    files: fn(Day, Day) -> Vec<FileSource>,
    is_compact: bool,
}

/// How a poll asks the publisher.
#[derive(Clone, Copy)]
enum Polling {
    /// Requests the files that this function returns.
    Files(fn(&PollContext<'_>) -> Vec<FileSource>),
    /// Runs the feed's own poll, which requests encrypted addresses of these hosts.
    Own { hosts: &'static [&'static str], poll: PollFeed },
}

/// See [`Connector::poll`].
pub type PollFeed = for<'a> fn(&'a Fetcher, Timestamp, &'a str) -> PollFuture<'a>;

impl Feed {
    /// Makes a connector that requests the files of `sources` at each poll.
    pub const fn of_files(
        origin: &'static Origin,
        series: &'static [SeriesSpec],
        decode: Decode,
        sources: fn(&PollContext<'_>) -> Vec<FileSource>,
    ) -> Self {
        Feed::new(origin, series, decode, Polling::Files(sources))
    }

    /// Makes a connector for a publisher whose answers determine the next request. All requests are to `hosts`.
    pub const fn polled(
        origin: &'static Origin,
        series: &'static [SeriesSpec],
        hosts: &'static [&'static str],
        decode: Decode,
        poll: PollFeed,
    ) -> Self {
        Feed::new(origin, series, decode, Polling::Own { hosts, poll })
    }

    const fn new(
        origin: &'static Origin,
        series: &'static [SeriesSpec],
        decode: Decode,
        polling: Polling,
    ) -> Self {
        Feed { origin, series, decode, polling, keys: &[], layers: &[], history: None, history_marker: None }
    }

    /// See [`Connector::keys`].
    pub const fn with_keys(self, keys: &'static [FeedKey]) -> Self {
        Feed { keys, ..self }
    }

    /// See [`Connector::layers`].
    pub const fn with_layers(self, layers: &'static [MapLayer]) -> Self {
        Feed { layers, ..self }
    }

    /// See [`Connector::history`]: a few files hold years of it.
    pub const fn with_history(self, files: fn(Day, Day) -> Vec<FileSource>) -> Self {
        Feed { history: Some(HistoryFiles { files, is_compact: true }), ..self }
    }

    /// See [`Connector::history`]: one file per day.
    pub const fn with_daily_history(self, files: fn(Day, Day) -> Vec<FileSource>) -> Self {
        Feed { history: Some(HistoryFiles { files, is_compact: false }), ..self }
    }

    /// See [`Connector::history_marker`].
    pub const fn with_history_marked_by(self, series: &'static str) -> Self {
        Feed { history_marker: Some(series), ..self }
    }
}

impl Connector for Feed {
    fn origin(&self) -> &'static Origin {
        self.origin
    }

    fn series(&self) -> &'static [SeriesSpec] {
        self.series
    }

    fn layers(&self) -> &'static [MapLayer] {
        self.layers
    }

    fn keys(&self) -> &'static [FeedKey] {
        self.keys
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
        (self.decode)(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        let sources = match self.polling {
            Polling::Files(sources) => sources,
            Polling::Own { poll, .. } => return poll(fetcher, now, checkpoint),
        };
        Box::pin(async move {
            let checkpoint = read_checkpoint(checkpoint);
            let credentials = fetcher.credentials();
            let sources = sources(&PollContext { now, checkpoint: &checkpoint, credentials });
            poll_files(self.origin.feed, &sources, self.decode, fetcher, now, checkpoint).await
        })
    }

    fn sites(&self, now: Timestamp) -> BTreeSet<String> {
        let sources = match self.polling {
            Polling::Files(sources) => sources,
            Polling::Own { hosts, .. } => {
                return hosts.iter().map(|host| format!("https://{host}")).collect();
            }
        };
        let (checkpoint, credentials) = (FileCheckpoint::default(), Credentials::default());
        let files = sources(&PollContext { now, checkpoint: &checkpoint, credentials: &credentials });
        files.iter().flat_map(FileSource::sites).collect()
    }

    fn history(&self, from: Day, to: Day) -> Option<Vec<FileSource>> {
        self.history.map(|history| (history.files)(from, to))
    }

    fn has_compact_history(&self) -> bool {
        self.history.is_none_or(|history| history.is_compact)
    }

    fn history_marker(&self) -> Option<&'static str> {
        self.history_marker
    }
}
