//! The ordinary look: a few files at fixed addresses, asked for conditionally, decoded when they changed.

use crate::refusal::{self, refuse};
use crate::series::raw_hash;
use crate::{Fetched, Fetcher, Payload, Poll, Request};
use gsi_model::{Decoded, Refusal, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
}

/// A file of a feed, and where else it can be had.
pub struct Source {
    pub name: &'static str,
    /// Tried in order: a mirror is asked only when the ones before it refuse.
    pub urls: Vec<String>,
    pub hosts: &'static [&'static str],
    pub max_bytes: usize,
    pub accept: &'static str,
    /// Refuse content with fewer than this share of the rows seen last time. Zero switches the check off.
    pub keeps: f64,
}

pub type Decode = fn(&Payload<'_>) -> Result<Decoded, Refusal>;

/// Looks at every source; one failing source does not keep the others from being read.
pub async fn poll(
    feed: &'static str,
    sources: &[Source],
    decode: Decode,
    fetcher: &Fetcher,
    now: Timestamp,
    checkpoint: &str,
) -> Poll {
    let mut memory = FileMemory::read(checkpoint);
    let mut poll = Poll::default();
    let mut reached = 0;
    for source in sources {
        let before = memory.files.get(source.name).cloned().unwrap_or_default();
        match look(feed, source, decode, fetcher, now, &before).await {
            Ok(None) => reached += 1,
            Ok(Some((decoded, seen))) => {
                reached += 1;
                memory.files.insert(source.name.to_owned(), seen);
                poll.decoded.push(decoded);
            }
            Err(refusal) => poll.refusals.push(refusal),
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
        let mut request = Request::new(feed, url.clone(), source.hosts, now).max_bytes(source.max_bytes);
        request.accept = source.accept;
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
    fetched: Fetched,
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
    let (etag, last_modified) = (fetched.etag.clone(), fetched.last_modified.clone());
    let decoded = decode_aside(source.name.to_owned(), fetched, decode).await?;
    if (decoded.accepted as f64) < before.accepted as f64 * source.keeps {
        let detail = format!("{} rows where there were {}", decoded.accepted, before.accepted);
        return Err(Refusal::new(refusal::SHRINK, detail));
    }
    let accepted = decoded.accepted;
    let seen = if primary {
        Seen { etag, last_modified, hash, accepted }
    } else {
        Seen { hash, accepted, ..Seen::default() }
    };
    Ok(Some((decoded, seen)))
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
