//! The poll of most feeds: a few files at known addresses, requested conditionally and decoded when they changed.

use crate::connector::file_source::{FileSource, no_address};
use crate::formats::series::raw_hash;
use crate::refusal::refuse;
use crate::{Credentials, Fetched, Fetcher, Payload, Poll};
use gsi_model::{Decoded, PayloadRefusal, RefusalCode, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub type Decode = fn(&Payload<'_>) -> Result<Decoded, PayloadRefusal>;

/// The inputs for choosing the files of a poll.
pub struct PollContext<'a> {
    pub now: Timestamp,
    /// The files read by earlier polls.
    pub checkpoint: &'a FileCheckpoint,
    pub credentials: &'a Credentials,
}

/// The state of a file between polls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Hash of the body, for publishers that send no validators.
    #[serde(default)]
    pub hash: String,
    /// Rows accepted at the last poll. A history that shrinks is suspicious.
    #[serde(default)]
    pub accepted: u64,
    /// The part of a growing table that no longer changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<SettledPart>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SettledPart {
    pub bytes: usize,
    pub hash: String,
    pub rows: u64,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileCheckpoint {
    #[serde(default)]
    pub files: BTreeMap<String, KnownFile>,
}

impl FileCheckpoint {
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }
}

/// Reads a checkpoint. An unreadable one counts as none, so everything is requested again.
pub fn read_checkpoint<T: Default + for<'de> Deserialize<'de>>(checkpoint: &str) -> T {
    serde_json::from_str(checkpoint).unwrap_or_default()
}

pub fn write_checkpoint(checkpoint: &impl Serialize) -> String {
    serde_json::to_string(checkpoint).unwrap_or_default()
}

/// After this number of refusals in a row the publisher is down, and the remaining files wait for the next poll.
const REFUSALS_PER_POLL: usize = 3;

/// Requests every source. A failing source does not affect the others.
pub async fn poll_files(
    feed: &'static str,
    sources: &[FileSource],
    decode: Decode,
    fetcher: &Fetcher,
    now: Timestamp,
    mut checkpoint: FileCheckpoint,
) -> Poll {
    let mut poll = Poll::default();
    let (mut reached, mut refused) = (0, 0);
    for source in sources {
        if refused == REFUSALS_PER_POLL {
            break;
        }
        let before = checkpoint.files.get(&source.name).cloned().unwrap_or_default();
        match fetch_if_changed(feed, source, decode, fetcher, now, &before).await {
            Ok(None) => (reached, refused) = (reached + 1, 0),
            Ok(Some((decoded, seen))) => {
                (reached, refused) = (reached + 1, 0);
                checkpoint.files.insert(source.name.clone(), seen);
                poll.decoded.push(decoded);
            }
            Err(refusal) => {
                refused += 1;
                // A publisher that asks for fewer requests gets none until the next poll.
                let is_throttled = refusal.code == RefusalCode::Status429;
                poll.refusals.push(refusal);
                if is_throttled {
                    break;
                }
            }
        }
    }
    poll.unchanged = reached > 0 && poll.decoded.is_empty();
    poll.checkpoint = write_checkpoint(&checkpoint);
    poll
}

async fn fetch_if_changed(
    feed: &'static str,
    source: &FileSource,
    decode: Decode,
    fetcher: &Fetcher,
    now: Timestamp,
    before: &KnownFile,
) -> Result<Option<(Decoded, KnownFile)>, PayloadRefusal> {
    let mut first_refusal = None;
    for (i, url) in source.urls.iter().enumerate() {
        let mut request = source.request(feed, url, now);
        // Validators are valid only for the address that sent them, so only the first address gets a conditional request.
        if i == 0 {
            request.etag.clone_from(&before.etag);
            request.last_modified.clone_from(&before.last_modified);
        }
        let outcome = async {
            let fetched = fetcher.get(&request).await?;
            decode_if_changed(source, decode, fetched, before, i == 0).await
        };
        match outcome.await {
            Ok(found) => return Ok(found),
            Err(refusal) => {
                first_refusal.get_or_insert(refusal);
            }
        }
    }
    Err(first_refusal.unwrap_or_else(no_address))
}

async fn decode_if_changed(
    source: &FileSource,
    decode: Decode,
    mut fetched: Fetched,
    before: &KnownFile,
    primary: bool,
) -> Result<Option<(Decoded, KnownFile)>, PayloadRefusal> {
    if fetched.not_modified {
        return Ok(None);
    }
    let hash = raw_hash(&fetched.bytes);
    if hash == before.hash {
        return Ok(None);
    }
    let mut seen = KnownFile { hash: hash.clone(), ..KnownFile::default() };
    if primary {
        (seen.etag, seen.last_modified) = (fetched.etag.clone(), fetched.last_modified.clone());
    }
    let whole = fetched.bytes.clone();
    let known = before.settled.as_ref().filter(|s| source.grows && is_settled(&whole, s));
    if let Some(known) = known {
        fetched.bytes = with_header(&whole, known.bytes).into();
    }
    let decoded = decode_fetched(source.name.clone(), fetched, Some(hash), decode).await?;
    seen.accepted = decoded.accepted + known.map_or(0, |k| k.rows);
    if (seen.accepted as f64) < before.accepted as f64 * source.keeps {
        return refuse(
            RefusalCode::Shrink,
            format!("{} rows where there were {}", seen.accepted, before.accepted),
        );
    }
    if source.grows && decoded.rejected.is_empty() {
        seen.settled = settled_part(&whole, seen.accepted);
    }
    Ok(Some((decoded, seen)))
}

/// The last rows of a table are the ones that get revised, so at least this part is always decoded again.
const UNSETTLED_BYTES: usize = 8 << 10;

fn is_settled(whole: &[u8], known: &SettledPart) -> bool {
    whole.get(..known.bytes).is_some_and(|head| raw_hash(head) == known.hash)
}

fn settled_part(whole: &[u8], rows: u64) -> Option<SettledPart> {
    let bytes = memchr::memrchr(b'\n', whole.get(..whole.len().checked_sub(UNSETTLED_BYTES)?)?)? + 1;
    let after = memchr::memchr_iter(b'\n', &whole[bytes..]).count() as u64;
    let after = after + u64::from(whole.last() != Some(&b'\n'));
    Some(SettledPart { bytes, hash: raw_hash(&whole[..bytes]), rows: rows.checked_sub(after)? })
}

/// Returns the table's header line followed by its rows after the settled part.
fn with_header(whole: &[u8], settled: usize) -> Vec<u8> {
    let header = memchr::memchr(b'\n', whole).map_or(0, |end| end + 1);
    [&whole[..header], &whole[settled.max(header)..]].concat()
}

/// Decodes a payload, on a blocking thread if it is large enough to delay other requests. `raw` is the hash of the publisher's
/// file, if it has been computed.
pub async fn decode_fetched(
    name: String,
    fetched: Fetched,
    raw: Option<String>,
    decode: Decode,
) -> Result<Decoded, PayloadRefusal> {
    /// Decoding this number of bytes takes about a millisecond.
    const WORTH_A_THREAD: usize = 128 << 10;
    let large = fetched.bytes.len() >= WORTH_A_THREAD;
    let run = move || {
        decode(&Payload {
            name: &name,
            bytes: &fetched.bytes,
            fetched_at: fetched.fetched_at,
            last_modified: fetched.modified_at,
            raw: raw.as_deref(),
        })
    };
    if !large {
        return run();
    }
    match tokio::task::spawn_blocking(run).await {
        Ok(outcome) => outcome,
        Err(_) => refuse(RefusalCode::Garbage, "the decoder gave up on this payload"),
    }
}

/// Returns the names of the files that a feed requests.
#[cfg(test)]
pub fn requested_names(
    sources: fn(&PollContext<'_>) -> Vec<FileSource>,
    now: &str,
    checkpoint: &FileCheckpoint,
) -> Vec<String> {
    let (now, credentials) = (now.parse().unwrap(), &Credentials::default());
    sources(&PollContext { now, checkpoint, credentials }).into_iter().map(|source| source.name).collect()
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

    async fn fetch_again(
        body: String,
        before: &KnownFile,
    ) -> Result<Option<(Decoded, KnownFile)>, PayloadRefusal> {
        let mut source = FileSource::new("brent-daily.csv", "", &[], 1 << 20);
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
        decode_if_changed(&source, crate::oil::decode, fetched, before, true).await
    }

    #[tokio::test]
    async fn a_growing_table_is_read_from_where_it_changed() {
        let (first, seen) = fetch_again(table(2_000, ""), &KnownFile::default()).await.unwrap().unwrap();
        assert_eq!((first.accepted, seen.accepted), (2_000, 2_000));
        assert_eq!(fetch_again(table(2_000, ""), &seen).await, Ok(None));

        let grown = table(2_000, "2026-11-14,70\n");
        let (tail, after) = fetch_again(grown.clone(), &seen).await.unwrap().unwrap();
        assert!(tail.accepted < 700 && tail.accepted > 400, "{}", tail.accepted);
        assert_eq!(after.accepted, 2_001);
        let newest = tail.observations.last().unwrap();
        assert_eq!((newest.value, &newest.raw), (70.0, &raw_hash(grown.as_bytes())));

        let revised = grown.replace("1997-05-19,0\n", "1997-05-19,1\n");
        let (whole, _) = fetch_again(revised, &after).await.unwrap().unwrap();
        assert_eq!(whole.accepted, 2_001, "a change far back means reading everything");

        let shrunk = fetch_again(table(1_000, ""), &after).await.unwrap_err();
        assert_eq!(shrunk.code, RefusalCode::Shrink);
    }
}
