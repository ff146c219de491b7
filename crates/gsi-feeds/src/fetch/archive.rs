//! An archive of every payload, compressed and addressed by its content, so that everything can be decoded again.
//!
//! `objects/ab/abcdef….zst` holds the bytes. `index/2026-11-14.jsonl` lists the time, address and hash of each payload. Both
//! are removed after the retention time. A publisher whose files change at every poll must not fill the disk, so each feed and the
//! whole archive also have a limit in bytes. Payloads that were removed early stay in the index.

use super::request::{Fetched, FetcherError, Request};
use crate::disk::{DiskSpace, SpaceGuard};
use data_encoding::HEXLOWER;
use gsi_model::{Day, PayloadRefusal, RefusalCode, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Level 3 compresses these tables about as well as the publishers' own archives, at little cost.
const LEVEL: i32 = 3;
/// An object younger than this may not be in the index yet. It is removed a day later if it never appears there.
const BEING_WRITTEN: Duration = Duration::from_secs(5);
/// One feed may use this part of the archive.
const FEED_PART: u64 = 4;

#[derive(Debug)]
pub struct Archive {
    dir: PathBuf,
    keep_days: u32,
    max_bytes: u64,
    space: SpaceGuard,
    state: Mutex<ArchiveState>,
}

#[derive(Debug, Default)]
struct ArchiveState {
    last_day: Option<Day>,
    /// The bytes of the stored payloads by feed. They are counted before the first payload of a day.
    bytes: Option<BTreeMap<String, u64>>,
}

/// A stored payload, with its newest line in the index.
#[derive(Debug)]
struct StoredPayload {
    /// `None` if the index does not list it.
    listed_at: Option<Timestamp>,
    feed: String,
    path: PathBuf,
    bytes: u64,
}

/// One line of the index.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct ArchiveEntry {
    pub feed: String,
    pub url: String,
    pub fetched_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<Timestamp>,
    /// The validators, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified_header: Option<String>,
    /// Empty if no bytes arrived: the previous payload is still current, or the request was refused.
    pub sha256: String,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<PayloadRefusal>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Returns the path of the bytes with this hash.
pub fn object(dir: &Path, sha256: &str) -> PathBuf {
    let subfolder = sha256.get(..2).unwrap_or("__");
    dir.join("objects").join(subfolder).join(format!("{sha256}.zst"))
}

impl Archive {
    pub fn open(dir: &Path, keep_days: u32, max_bytes: u64) -> Result<Self, FetcherError> {
        for part in ["objects", "index"] {
            let path = dir.join(part);
            fs::create_dir_all(&path)
                .map_err(|source| FetcherError::File { path: path.display().to_string(), source })?;
        }
        let space = SpaceGuard::new("the archive of raw payloads", DiskSpace::of);
        Ok(Archive { dir: dir.to_owned(), keep_days, max_bytes, space, state: Mutex::default() })
    }

    /// Records the result of a request: bytes, "not modified", or a refusal. Records nothing while the disk is nearly full.
    pub fn keep(&self, request: &Request, outcome: &Result<Fetched, PayloadRefusal>) -> io::Result<()> {
        self.begin_day(request.now.day())?;
        if !self.space.has_space(&self.dir) {
            return Ok(());
        }
        let mut entry = ArchiveEntry {
            feed: request.feed.to_owned(),
            url: request.url.clone(),
            fetched_at: request.now,
            last_modified: None,
            etag: None,
            last_modified_header: None,
            sha256: String::new(),
            bytes: 0,
            partial: false,
            refused: None,
        };
        let mut packed = None;
        match outcome {
            Ok(fetched) if fetched.not_modified => {}
            Ok(fetched) => {
                entry.sha256 = HEXLOWER.encode(&Sha256::digest(&fetched.bytes));
                if !object(&self.dir, &entry.sha256).exists() {
                    packed = Some(zstd::bulk::compress(&fetched.bytes, LEVEL)?);
                }
                entry.bytes = fetched.bytes.len() as u64;
                entry.partial = fetched.partial;
                entry.last_modified = fetched.modified_at;
                entry.etag.clone_from(&fetched.etag);
                entry.last_modified_header.clone_from(&fetched.last_modified);
            }
            // Without a network every file of every poll ends like this, and the feed's status shows it already.
            Err(refusal) if refusal.code == RefusalCode::Connect => return Ok(()),
            Err(refusal) => entry.refused = Some(refusal.clone()),
        }
        // Held until the object is listed, because counting attributes an object to a feed by the index.
        let mut state = self.state();
        if let Some(packed) = packed {
            self.put(&mut state, &entry, &packed)?;
        }
        self.note(&entry)
    }

    /// Removes old days at the first request of a day, also while the disk is nearly full.
    fn begin_day(&self, day: Day) -> io::Result<()> {
        let mut state = self.state();
        if state.last_day != Some(day) {
            *state = ArchiveState { last_day: Some(day), bytes: None };
            remove_before(&self.dir, first_kept(day, self.keep_days), false)?;
        }
        Ok(())
    }

    /// Stores compressed bytes within the limits. Bytes beyond the limit of their feed are not stored at all.
    fn put(&self, state: &mut ArchiveState, entry: &ArchiveEntry, packed: &[u8]) -> io::Result<()> {
        let added = packed.len() as u64;
        let feed_limit = self.max_bytes / FEED_PART;
        if added > feed_limit {
            return Ok(());
        }
        let mut bytes = match state.bytes.take() {
            Some(bytes) => bytes,
            None => bytes_by_feed(&stored_payloads(&self.dir)?),
        };
        let of_feed = bytes.get(&entry.feed).copied().unwrap_or(0);
        let of_all: u64 = bytes.values().sum();
        if of_feed + added > feed_limit || of_all + added > self.max_bytes {
            bytes = bytes_by_feed(&self.make_room(&entry.feed, added)?);
        }
        let object = object(&self.dir, &entry.sha256);
        let parent = object.parent().unwrap_or(&self.dir);
        fs::create_dir_all(parent)?;
        // Written under a temporary name and renamed, so that a crash leaves no partial object under the final name.
        let temporary = parent.join(format!("{}.part", entry.sha256));
        fs::write(&temporary, packed)?;
        fs::rename(&temporary, &object)?;
        *bytes.entry(entry.feed.clone()).or_default() += added;
        state.bytes = Some(bytes);
        Ok(())
    }

    /// Removes the oldest payloads until `added` bytes of `feed` fit into its limit and the whole archive's. Returns the others.
    fn make_room(&self, feed: &str, added: u64) -> io::Result<Vec<StoredPayload>> {
        let stored = stored_payloads(&self.dir)?;
        let of_feed: u64 =
            stored.iter().filter(|payload| payload.feed == feed).map(|payload| payload.bytes).sum();
        let excess_of_feed = excess(of_feed + added, self.max_bytes / FEED_PART);
        let stored = remove_oldest(stored, excess_of_feed, |payload| payload.feed == feed)?;
        let of_all: u64 = stored.iter().map(|payload| payload.bytes).sum();
        remove_oldest(stored, excess(of_all + added, self.max_bytes), |_| true)
    }

    fn note(&self, entry: &ArchiveEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let index = self.index(entry.fetched_at.day());
        fs::OpenOptions::new().create(true).append(true).open(index)?.write_all(&line)
    }

    fn state(&self) -> MutexGuard<'_, ArchiveState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn index(&self, day: Day) -> PathBuf {
        self.dir.join("index").join(format!("{day}.jsonl"))
    }
}

/// Returns all stored payloads, the least recently listed first.
fn stored_payloads(dir: &Path) -> io::Result<Vec<StoredPayload>> {
    let mut days = Vec::new();
    for file in fs::read_dir(dir.join("index"))? {
        days.push(file?.path());
    }
    days.sort();
    let mut newest_lines: HashMap<String, (Timestamp, String)> = HashMap::new();
    for path in days {
        for line in fs::read(path)?.split(|byte| *byte == b'\n') {
            // A line cut by a crash lists no object.
            if let Ok(entry) = serde_json::from_slice::<ArchiveEntry>(line) {
                newest_lines.insert(entry.sha256, (entry.fetched_at, entry.feed));
            }
        }
    }
    let mut stored = Vec::new();
    for subfolder in fs::read_dir(dir.join("objects"))? {
        for object in fs::read_dir(subfolder?.path())? {
            let object = object?;
            let path = object.path();
            let sha256 = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let (listed_at, feed) = match newest_lines.remove(sha256) {
                Some((listed_at, feed)) => (Some(listed_at), feed),
                None => (None, String::new()),
            };
            stored.push(StoredPayload { listed_at, feed, path, bytes: object.metadata()?.len() });
        }
    }
    stored.sort_by_key(|payload| payload.listed_at);
    Ok(stored)
}

fn bytes_by_feed(stored: &[StoredPayload]) -> BTreeMap<String, u64> {
    let mut bytes: BTreeMap<String, u64> = BTreeMap::new();
    for payload in stored {
        *bytes.entry(payload.feed.clone()).or_default() += payload.bytes;
    }
    bytes
}

/// Returns the bytes to remove if `bytes` exceed the limit. Removes a tenth of the limit more, because each removal reads the whole
/// index.
fn excess(bytes: u64, limit: u64) -> u64 {
    if bytes > limit { bytes - limit + limit / 10 } else { 0 }
}

/// Removes at least `excess` bytes of the payloads that match, the first ones first. Returns the others.
fn remove_oldest(
    stored: Vec<StoredPayload>,
    mut excess: u64,
    matches: impl Fn(&StoredPayload) -> bool,
) -> io::Result<Vec<StoredPayload>> {
    let mut kept = Vec::new();
    for payload in stored {
        if excess == 0 || !matches(&payload) {
            kept.push(payload);
            continue;
        }
        fs::remove_file(&payload.path)?;
        excess = excess.saturating_sub(payload.bytes);
    }
    Ok(kept)
}

/// The number of files and bytes in an archive, and how many were removed or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArchivePruned {
    pub files: u64,
    pub bytes: u64,
    pub removed_files: u64,
    pub removed_bytes: u64,
}

impl ArchivePruned {
    fn count(&mut self, bytes: u64, is_removed: bool) {
        self.files += 1;
        self.bytes += bytes;
        if is_removed {
            self.removed_files += 1;
            self.removed_bytes += bytes;
        }
    }
}

/// Removes payloads older than `keep_days` as of `today`, as the service does every day. With 0 it removes all of them. A
/// folder without an archive counts as empty.
pub fn prune_archive(dir: &Path, keep_days: u32, today: Day, dry_run: bool) -> io::Result<ArchivePruned> {
    if !dir.join("index").is_dir() {
        return Ok(ArchivePruned::default());
    }
    let first_kept = if keep_days == 0 { today.plus(1) } else { first_kept(today, keep_days) };
    remove_before(dir, first_kept, dry_run)
}

fn first_kept(today: Day, keep_days: u32) -> Day {
    today.plus(-i32::try_from(keep_days).unwrap_or(i32::MAX))
}

/// Removes the index of older days, then every object that no remaining day lists.
fn remove_before(dir: &Path, first_kept: Day, dry_run: bool) -> io::Result<ArchivePruned> {
    let mut report = ArchivePruned::default();
    let mut listed = BTreeSet::new();
    for file in fs::read_dir(dir.join("index"))? {
        let file = file?;
        let path = file.path();
        let Some(day) = path.file_stem().and_then(|s| s.to_str()).and_then(Day::parse_iso) else {
            continue;
        };
        let is_old = day < first_kept;
        report.count(file.metadata()?.len(), is_old);
        if is_old && !dry_run {
            fs::remove_file(&path)?;
        } else if !is_old {
            for line in fs::read_to_string(&path)?.lines() {
                // A line cut by a crash lists no object.
                if let Ok(entry) = serde_json::from_str::<ArchiveEntry>(line) {
                    listed.insert(entry.sha256);
                }
            }
        }
    }
    let nothing_old = report.removed_files == 0;
    for subfolder in fs::read_dir(dir.join("objects"))? {
        for object in fs::read_dir(subfolder?.path())? {
            let object = object?;
            let (path, known) = (object.path(), object.metadata()?);
            let is_listed = path.file_stem().and_then(|s| s.to_str()).is_some_and(|sha| listed.contains(sha));
            // An object that is being written appears in the index a moment later.
            let is_new = known.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age < BEING_WRITTEN));
            let is_kept = nothing_old || is_listed || is_new;
            report.count(known.len(), !is_kept);
            if !is_kept && !dry_run {
                fs::remove_file(path)?;
            }
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A payload arrives at a second of the simulated time.
    fn keep(archive: &Archive, feed: &'static str, body: &[u8], second: i64) {
        let at = Timestamp::from_unix(second);
        let request = Request::new(feed, "https://example.org/a.csv", &["example.org"], at);
        let fetched = Fetched {
            bytes: body.to_vec().into(),
            etag: None,
            last_modified: None,
            modified_at: None,
            fetched_at: at,
            not_modified: false,
            partial: false,
        };
        archive.keep(&request, &Ok(fetched)).unwrap();
    }

    /// Bytes that cannot be compressed, different for each number.
    fn noise(number: u16, kilobytes: u16) -> Vec<u8> {
        let block = |i: u16| Sha256::digest([number.to_le_bytes(), i.to_le_bytes()].concat()).to_vec();
        (0..kilobytes * 32).flat_map(block).collect()
    }

    fn is_stored(dir: &Path, body: &[u8]) -> bool {
        object(dir, &HEXLOWER.encode(&Sha256::digest(body))).exists()
    }

    fn stored_bytes(dir: &Path) -> u64 {
        stored_payloads(dir).unwrap().iter().map(|payload| payload.bytes).sum()
    }

    #[test]
    fn a_feed_that_changes_at_every_poll_keeps_to_its_part() {
        let dir = tempfile::tempdir().unwrap();
        let limit = 400 << 10;
        let archive = Archive::open(dir.path(), 30, limit).unwrap();
        let other = noise(0, 20);
        keep(&archive, "kev", &other, 0);
        let changing: Vec<_> = (1..40).map(|number| noise(number, 20)).collect();
        for (body, second) in changing.iter().zip(1..) {
            keep(&archive, "oil", body, second);
            let of_feed = bytes_by_feed(&stored_payloads(dir.path()).unwrap())["oil"];
            assert!(of_feed <= limit / 4, "{of_feed} bytes after {second} payloads");
        }
        assert!(is_stored(dir.path(), &other), "an older payload of another feed");
        assert!(is_stored(dir.path(), &changing[38]) && is_stored(dir.path(), &changing[37]));
        assert!(!is_stored(dir.path(), &changing[0]) && !is_stored(dir.path(), &changing[30]));

        // A program that starts later counts what is stored.
        let archive = Archive::open(dir.path(), 30, limit).unwrap();
        keep(&archive, "oil", &noise(100, 60), 100);
        assert!(bytes_by_feed(&stored_payloads(dir.path()).unwrap())["oil"] <= limit / 4);
        // A payload beyond the feed's part is listed and not stored, and nothing is removed for it.
        let (large, before) = (noise(101, 110), stored_bytes(dir.path()));
        keep(&archive, "oil", &large, 101);
        assert_eq!((is_stored(dir.path(), &large), stored_bytes(dir.path())), (false, before));
    }

    #[test]
    fn all_feeds_together_keep_to_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let limit = 400 << 10;
        let archive = Archive::open(dir.path(), 30, limit).unwrap();
        let feeds = ["epu", "gpr", "kev", "oil", "ofr", "vix"];
        for (number, feed) in (0..).zip(feeds) {
            keep(&archive, feed, &noise(number, 95), number.into());
            assert!(stored_bytes(dir.path()) <= limit, "{feed}");
        }
        let is_kept = [0, 1, 2, 3, 4, 5].map(|number| is_stored(dir.path(), &noise(number, 95)));
        assert_eq!(is_kept, [false, false, true, true, true, true], "the oldest are removed first");
    }

    #[test]
    fn nothing_is_archived_while_the_disk_is_nearly_full() {
        static FREE: AtomicU64 = AtomicU64::new(10);
        let dir = tempfile::tempdir().unwrap();
        let mut archive = Archive::open(dir.path(), 2, u64::MAX).unwrap();
        archive.space =
            SpaceGuard::new("a test", |_| Ok(DiskSpace { total: 100, free: FREE.load(Ordering::Relaxed) }));
        keep(&archive, "oil", b"first", 0);
        FREE.store(4, Ordering::Relaxed);
        keep(&archive, "oil", b"second", 1);
        assert!(is_stored(dir.path(), b"first") && !is_stored(dir.path(), b"second"));
        let index = fs::read_to_string(archive.index(Timestamp::from_unix(0).day())).unwrap();
        assert_eq!(index.lines().count(), 1);
        // Retention continues, because it frees space.
        keep(&archive, "oil", b"third", 10 * 86_400);
        assert_eq!(fs::read_dir(dir.path().join("index")).unwrap().count(), 0);
        FREE.store(10, Ordering::Relaxed);
        keep(&archive, "oil", b"fourth", 10 * 86_400);
        assert!(is_stored(dir.path(), b"fourth"));
    }

    #[test]
    fn payloads_are_stored_once_and_removed_after_retention() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path(), 2, u64::MAX).unwrap();
        let keep = |body: &str, day: i64| keep(&archive, "oil", body.as_bytes(), day * 86_400);
        let objects = || -> usize {
            let shelves = fs::read_dir(dir.path().join("objects")).unwrap();
            shelves.map(|s| fs::read_dir(s.unwrap().path()).unwrap().count()).sum()
        };
        keep("one", 100);
        keep("one", 101);
        keep("two", 101);
        assert_eq!(objects(), 2);
        let sha = HEXLOWER.encode(&Sha256::digest(b"one"));
        assert_eq!(
            zstd::bulk::decompress(&fs::read(object(dir.path(), &sha)).unwrap(), 100).unwrap(),
            b"one"
        );
        let age = || {
            for subfolder in fs::read_dir(dir.path().join("objects")).unwrap() {
                for object in fs::read_dir(subfolder.unwrap().path()).unwrap() {
                    let file = fs::File::options().write(true).open(object.unwrap().path()).unwrap();
                    file.set_modified(std::time::SystemTime::now() - 2 * BEING_WRITTEN).unwrap();
                }
            }
        };
        age();
        keep("three", 104);
        assert_eq!(objects(), 1);
        assert_eq!(fs::read_dir(dir.path().join("index")).unwrap().count(), 1);

        // By hand: first nothing is old enough, then everything is, except objects that may not be in the index yet.
        let today = Timestamp::from_unix(105 * 86_400).day();
        let prune = |keep_days, dry_run| prune_archive(dir.path(), keep_days, today, dry_run).unwrap();
        let kept = prune(2, false);
        assert_eq!((kept.files, kept.removed_files), (2, 0));
        assert_eq!(prune(0, true).removed_files, 1);
        age();
        let gone = prune(0, true);
        assert_eq!((gone.removed_files, gone.removed_bytes, objects()), (2, kept.bytes, 1));
        assert_eq!(prune(0, false), gone);
        assert_eq!((objects(), prune(0, false)), (0, ArchivePruned::default()));
        assert_eq!(
            prune_archive(&dir.path().join("none"), 1, today, false).unwrap(),
            ArchivePruned::default()
        );
    }
}
