//! Feeds at a past moment: values that are in the store, and news files from an archive.

use gsi_feeds::{Connector, Fetcher, FileSource, Payload, Poll, PollFuture, SeriesSpec};
use gsi_model::{Decoded, Origin, PayloadRefusal, RefusalCode, TICK, Timestamp};
use gsi_store::{Store, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A feed whose values are in the store and count from their own `known_at`. A poll reports only the feed's newest content at that time.
pub struct StoredFeed {
    feed: Arc<dyn Connector>,
    /// (known at, newest content by then), in chronological order.
    contents: Vec<(Timestamp, Timestamp)>,
}

impl StoredFeed {
    /// Returns one feed for each connector, over the values that were known by `to`.
    pub fn all(
        store: &dyn Store,
        connectors: Vec<Arc<dyn Connector>>,
        to: Timestamp,
    ) -> Result<Vec<Arc<dyn Connector>>, StoreError> {
        let mut newest: BTreeMap<String, Vec<(Timestamp, Timestamp)>> = BTreeMap::new();
        store.observations(to, &mut |o| {
            newest.entry(o.series).or_default().push((o.known_at, o.period_end))
        })?;
        let stored = connectors.into_iter().map(|feed| {
            let mut contents: Vec<_> =
                feed.series().iter().filter_map(|s| newest.get(s.series)).flatten().copied().collect();
            contents.sort_unstable();
            // For each moment, the newest content that was known by then.
            let mut best = Timestamp::MIN;
            for (_, content) in &mut contents {
                best = best.max(*content);
                *content = best;
            }
            contents.dedup_by_key(|(_, content)| *content);
            Arc::new(StoredFeed { feed, contents }) as Arc<dyn Connector>
        });
        Ok(stored.collect())
    }

    fn newest_content(&self, now: Timestamp) -> Option<Timestamp> {
        let known = self.contents.partition_point(|(known_at, _)| *known_at <= now);
        self.contents[..known].last().map(|(_, content)| *content)
    }
}

impl Connector for StoredFeed {
    fn origin(&self) -> &'static Origin {
        self.feed.origin()
    }

    fn series(&self) -> &'static [SeriesSpec] {
        self.feed.series()
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
        self.feed.decode(payload)
    }

    /// The checkpoint is the newest content that was reported.
    fn poll<'a>(&'a self, _: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(async move {
            let mut poll = Poll { checkpoint: checkpoint.to_owned(), ..Poll::default() };
            match self.newest_content(now).map(|newest| (newest, newest.to_string())) {
                Some((_, seen)) if seen == checkpoint => poll.unchanged = true,
                Some((newest, seen)) => {
                    poll.checkpoint = seen;
                    poll.decoded.push(Decoded { newest: Some(newest), ..Decoded::default() });
                }
                None => {
                    let why = "the store has no value of this feed by then";
                    poll.refusals.push(PayloadRefusal::new(RefusalCode::Empty, why));
                }
            }
            poll
        })
    }
}

/// A news feed at a past moment. Each quarter-hourly file arrives at the tick of its stamp.
pub struct ArchivedNews {
    pub feed: Arc<dyn Connector>,
    /// Seconds of files to read before the first tick.
    pub warm_up: i64,
}

impl ArchivedNews {
    /// Returns the quarter-hourly file of this stamp.
    fn file(&self, stamp: Timestamp) -> Option<FileSource> {
        let files = self.feed.history(stamp.day(), stamp.day())?;
        files.into_iter().find(|file| file.name.starts_with(&stamp.to_compact()))
    }
}

impl Connector for ArchivedNews {
    fn origin(&self) -> &'static Origin {
        self.feed.origin()
    }

    fn series(&self) -> &'static [SeriesSpec] {
        self.feed.series()
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
        self.feed.decode(payload)
    }

    /// The checkpoint is the stamp of the last requested file. A file that is not in the archive is skipped, as in the service. Any other
    /// refusal is reported, and the file is requested again.
    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(async move {
            let mut poll = Poll { checkpoint: checkpoint.to_owned(), ..Poll::default() };
            let mut stamp = checkpoint.parse().unwrap_or(now.minus(self.warm_up).floor_tick()).plus(TICK);
            while stamp <= now {
                let fetched = match self.file(stamp) {
                    Some(file) => file.fetch(&*self.feed, fetcher, now).await,
                    None => Err(PayloadRefusal::new(
                        RefusalCode::Manifest,
                        "this feed has no file for this moment",
                    )),
                };
                match fetched {
                    Ok(decoded) => poll.decoded.push(decoded),
                    Err(refusal) if refusal.code == RefusalCode::Status404 => {}
                    Err(refusal) => {
                        poll.refusals.push(refusal);
                        return poll;
                    }
                }
                poll.checkpoint = stamp.to_string();
                stamp = stamp.plus(TICK);
            }
            poll.unchanged = poll.decoded.is_empty();
            poll
        })
    }
}
