//! The ordinary feed: a few files at known addresses, asked for conditionally, decoded when they changed.

use crate::refusal::{self, refuse};
use crate::series::raw_hash;
use crate::{Connector, Fetched, Fetcher, Payload, Poll, PollFuture, Request, SeriesSpec};
use gsi_model::{Decoded, Origin, Refusal, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

pub type Decode = fn(&Payload<'_>) -> Result<Decoded, Refusal>;

/// A connector that needs no more than this.
pub struct FileFeed {
    pub origin: &'static Origin,
    pub series: &'static [SeriesSpec],
    pub decode: Decode,
    /// What to ask for now, given what has been read before.
    pub sources: fn(Timestamp, &FileMemory) -> Vec<Source>,
}

/// A file of a feed, and where else it can be had.
pub struct Source {
    /// The payload's name for the decoder, and the key under which the file is remembered.
    pub name: String,
    /// Tried in order: a mirror is asked only when the ones before it refuse.
    pub urls: Vec<String>,
    pub hosts: &'static [&'static str],
    pub max_bytes: usize,
    pub accept: &'static str,
    /// Refuse content with less than this share of the rows seen last time. Zero switches the check off.
    pub keeps: f64,
    /// A table in order of time under one header line: what was read before need not be read again.
    pub grows: bool,
    /// See [`Request::time_limit_factor`].
    pub time_limit_factor: f32,
    /// See [`Request::least_interval`].
    pub least_interval: Duration,
    /// Further headers, for example the operator's key.
    pub headers: Vec<(&'static str, String)>,
    /// Parameters that are sent and never written down.
    pub secret_query: Vec<(&'static str, String)>,
}

impl Source {
    pub fn new(
        name: impl Into<String>,
        url: impl Into<String>,
        hosts: &'static [&'static str],
        max_bytes: usize,
    ) -> Self {
        Source {
            name: name.into(),
            urls: vec![url.into()],
            hosts,
            max_bytes,
            accept: "*/*",
            keeps: 0.0,
            grows: false,
            time_limit_factor: 1.0,
            least_interval: Duration::ZERO,
            headers: Vec::new(),
            secret_query: Vec::new(),
        }
    }

    /// The request for this file at one of its addresses.
    pub fn request(&self, feed: &'static str, url: &str, now: Timestamp) -> Request {
        let mut request = Request::new(feed, url, self.hosts, now).max_bytes(self.max_bytes);
        request.accept = self.accept;
        request.time_limit_factor = self.time_limit_factor;
        request.least_interval = self.least_interval;
        request.headers.clone_from(&self.headers);
        request.secret_query.clone_from(&self.secret_query);
        request
    }
}

/// What is remembered of a file between looks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Hash of the body, for publishers without validators.
    #[serde(default)]
    pub hash: String,
    /// Accepted rows last time: history does not shrink by itself.
    #[serde(default)]
    pub accepted: u64,
    /// The part of a growing table that is settled: its length, hash and accepted rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    pub bytes: usize,
    pub hash: String,
    pub rows: u64,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileMemory {
    #[serde(default)]
    pub files: BTreeMap<String, Seen>,
}

impl FileMemory {
    /// An unreadable checkpoint is the same as none: everything is asked for again.
    pub fn read(checkpoint: &str) -> Self {
        serde_json::from_str(checkpoint).unwrap_or_default()
    }

    pub fn write(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }
}

impl Connector for FileFeed {
    fn origin(&self) -> &'static Origin {
        self.origin
    }

    fn series(&self) -> &'static [SeriesSpec] {
        self.series
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, Refusal> {
        (self.decode)(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(async move {
            let memory = FileMemory::read(checkpoint);
            let sources = (self.sources)(now, &memory);
            poll(self.origin.feed, &sources, self.decode, fetcher, now, memory).await
        })
    }
}

/// After so many refusals in a row the publisher is down, and the remaining files wait for the next look.
const REFUSALS_PER_LOOK: usize = 3;

/// Looks at every source; one failing source does not keep the others from being read.
pub async fn poll(
    feed: &'static str,
    sources: &[Source],
    decode: Decode,
    fetcher: &Fetcher,
    now: Timestamp,
    mut memory: FileMemory,
) -> Poll {
    let mut poll = Poll::default();
    let (mut reached, mut refused) = (0, 0);
    for source in sources {
        if refused == REFUSALS_PER_LOOK {
            break;
        }
        let before = memory.files.get(&source.name).cloned().unwrap_or_default();
        match look(feed, source, decode, fetcher, now, &before).await {
            Ok(None) => (reached, refused) = (reached + 1, 0),
            Ok(Some((decoded, seen))) => {
                (reached, refused) = (reached + 1, 0);
                memory.files.insert(source.name.clone(), seen);
                poll.decoded.push(decoded);
            }
            Err(refusal) => {
                refused += 1;
                // Whoever asks for fewer requests gets none until the next look.
                let is_throttled = refusal.code == refusal::STATUS_429;
                poll.refusals.push(refusal);
                if is_throttled {
                    break;
                }
            }
        }
    }
    poll.unchanged = reached > 0 && poll.decoded.is_empty();
    poll.checkpoint = memory.write();
    poll
}

async fn look(
    feed: &'static str,
    source: &Source,
    decode: Decode,
    fetcher: &Fetcher,
    now: Timestamp,
    before: &Seen,
) -> Result<Option<(Decoded, Seen)>, Refusal> {
    let mut first_refusal = None;
    for (i, url) in source.urls.iter().enumerate() {
        let mut request = source.request(feed, url, now);
        // Validators belong to the address they came from; only the first address is asked conditionally.
        if i == 0 {
            request.etag.clone_from(&before.etag);
            request.last_modified.clone_from(&before.last_modified);
        }
        let outcome = async {
            let fetched = fetcher.get(&request).await?;
            take(source, decode, fetched, before, i == 0).await
        };
        match outcome.await {
            Ok(found) => return Ok(found),
            Err(refusal) => {
                first_refusal.get_or_insert(refusal);
            }
        }
    }
    Err(first_refusal.unwrap_or_else(|| Refusal::new(refusal::MANIFEST, "no address to ask")))
}

async fn take(
    source: &Source,
    decode: Decode,
    mut fetched: Fetched,
    before: &Seen,
    primary: bool,
) -> Result<Option<(Decoded, Seen)>, Refusal> {
    if fetched.not_modified {
        return Ok(None);
    }
    let hash = raw_hash(&fetched.bytes);
    if hash == before.hash {
        return Ok(None);
    }
    let mut seen = Seen { hash: hash.clone(), ..Seen::default() };
    if primary {
        (seen.etag, seen.last_modified) = (fetched.etag.clone(), fetched.last_modified.clone());
    }
    let whole = fetched.bytes.clone();
    let known = before.settled.as_ref().filter(|s| source.grows && is_settled(&whole, s));
    if let Some(known) = known {
        fetched.bytes = with_header(&whole, known.bytes).into();
    }
    let mut decoded = decode_aside(source.name.clone(), fetched, decode).await?;
    if known.is_some() {
        // The record points to the publisher's file, not to the cut of it.
        decoded.observations.iter_mut().for_each(|o| o.raw.clone_from(&hash));
    }
    seen.accepted = decoded.accepted + known.map_or(0, |k| k.rows);
    if (seen.accepted as f64) < before.accepted as f64 * source.keeps {
        return refuse(
            refusal::SHRINK,
            format!("{} rows where there were {}", seen.accepted, before.accepted),
        );
    }
    if source.grows && decoded.rejected.is_empty() {
        seen.settled = settle(&whole, seen.accepted);
    }
    Ok(Some((decoded, seen)))
}

/// The last rows of a table are the ones that get revised; so many bytes are always read again.
const UNSETTLED: usize = 8 << 10;

fn is_settled(whole: &[u8], known: &Settled) -> bool {
    whole.get(..known.bytes).is_some_and(|head| raw_hash(head) == known.hash)
}

fn settle(whole: &[u8], rows: u64) -> Option<Settled> {
    let bytes = memchr::memrchr(b'\n', whole.get(..whole.len().checked_sub(UNSETTLED)?)?)? + 1;
    let after = memchr::memchr_iter(b'\n', &whole[bytes..]).count() as u64;
    let after = after + u64::from(whole.last() != Some(&b'\n'));
    Some(Settled { bytes, hash: raw_hash(&whole[..bytes]), rows: rows.checked_sub(after)? })
}

/// The table's header line and what follows its settled part.
fn with_header(whole: &[u8], settled: usize) -> Vec<u8> {
    let header = memchr::memchr(b'\n', whole).map_or(0, |end| end + 1);
    [&whole[..header], &whole[settled.max(header)..]].concat()
}

/// Decodes away from the threads that serve requests when the payload is large enough to be felt.
pub async fn decode_aside(name: String, fetched: Fetched, decode: Decode) -> Result<Decoded, Refusal> {
    /// Decoding this much takes about a millisecond.
    const WORTH_A_THREAD: usize = 128 << 10;
    let large = fetched.bytes.len() >= WORTH_A_THREAD;
    let run = move || {
        decode(&Payload {
            name: &name,
            bytes: &fetched.bytes,
            fetched_at: fetched.fetched_at,
            last_modified: fetched.modified_at,
        })
    };
    if !large {
        return run();
    }
    match tokio::task::spawn_blocking(run).await {
        Ok(outcome) => outcome,
        Err(_) => refuse(refusal::GARBAGE, "the decoder gave up on this payload"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn table(days: usize, last: &str) -> String {
        let mut text = "Date,Price\n".to_owned();
        for i in 0..days {
            let day = gsi_model::Day(10_000 + i as i32);
            text.push_str(&format!("{day},{}\n", i % 500));
        }
        text + last
    }

    async fn look_at(body: String, before: &Seen) -> Result<Option<(Decoded, Seen)>, Refusal> {
        let mut source = Source::new("brent-daily.csv", "", &[], 1 << 20);
        (source.grows, source.keeps) = (true, 0.98);
        let fetched = Fetched {
            bytes: Bytes::from(body),
            etag: Some("\"1\"".to_owned()),
            last_modified: None,
            modified_at: None,
            fetched_at: "2026-11-15T00:00:00Z".parse().unwrap(),
            not_modified: false,
            partial: false,
        };
        take(&source, crate::oil::decode, fetched, before, true).await
    }

    #[tokio::test]
    async fn a_growing_table_is_read_from_where_it_changed() {
        let (first, seen) = look_at(table(2_000, ""), &Seen::default()).await.unwrap().unwrap();
        assert_eq!((first.accepted, seen.accepted), (2_000, 2_000));
        assert_eq!(look_at(table(2_000, ""), &seen).await, Ok(None));

        let grown = table(2_000, "2026-11-14,70\n");
        let (tail, after) = look_at(grown.clone(), &seen).await.unwrap().unwrap();
        assert!(tail.accepted < 700 && tail.accepted > 400, "{}", tail.accepted);
        assert_eq!(after.accepted, 2_001);
        let newest = tail.observations.last().unwrap();
        assert_eq!((newest.value, &newest.raw), (70.0, &raw_hash(grown.as_bytes())));

        let revised = grown.replace("1997-05-19,0\n", "1997-05-19,1\n");
        let (whole, _) = look_at(revised, &after).await.unwrap().unwrap();
        assert_eq!(whole.accepted, 2_001, "a change far back means reading everything");

        let shrunk = look_at(table(1_000, ""), &after).await.unwrap_err();
        assert_eq!(shrunk.code, "shrink");
    }
}
