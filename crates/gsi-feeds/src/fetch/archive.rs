//! An archive of every payload, compressed and addressed by its content, so that everything can be decoded again.
//!
//! `objects/ab/abcdef….zst` holds the bytes. `index/2026-11-14.jsonl` lists the time, address and hash of each payload. Both
//! are removed after the retention time.

use super::request::{Fetched, FetcherError, Request};
use data_encoding::HEXLOWER;
use gsi_model::{Day, PayloadRefusal, RefusalCode, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// Level 3 compresses these tables about as well as the publishers' own archives, at little cost.
const LEVEL: i32 = 3;
/// An object younger than this may not be in the index yet. It is removed a day later if it never appears there.
const BEING_WRITTEN: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Archive {
    dir: PathBuf,
    keep_days: u32,
    last_day: Mutex<Option<Day>>,
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
    pub fn open(dir: &Path, keep_days: u32) -> Result<Self, FetcherError> {
        for part in ["objects", "index"] {
            let path = dir.join(part);
            fs::create_dir_all(&path)
                .map_err(|source| FetcherError::File { path: path.display().to_string(), source })?;
        }
        Ok(Archive { dir: dir.to_owned(), keep_days, last_day: Mutex::new(None) })
    }

    /// Records the result of a request: bytes, "not modified", or a refusal.
    pub fn keep(&self, request: &Request, outcome: &Result<Fetched, PayloadRefusal>) -> io::Result<()> {
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
        match outcome {
            Ok(fetched) if fetched.not_modified => {}
            Ok(fetched) => {
                entry.sha256 = self.put(&fetched.bytes)?;
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
        self.note(&entry)
    }

    fn put(&self, bytes: &[u8]) -> io::Result<String> {
        let sha256 = HEXLOWER.encode(&Sha256::digest(bytes));
        let object = object(&self.dir, &sha256);
        if !object.exists() {
            let parent = object.parent().unwrap_or(&self.dir);
            fs::create_dir_all(parent)?;
            // Written under a temporary name and renamed, so that a crash leaves no partial object under the final name.
            let temporary = parent.join(format!("{sha256}.part"));
            fs::write(&temporary, zstd::bulk::compress(bytes, LEVEL)?)?;
            fs::rename(&temporary, &object)?;
        }
        Ok(sha256)
    }

    fn note(&self, entry: &ArchiveEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let day = entry.fetched_at.day();
        let mut last_day = self.last_day.lock().unwrap_or_else(|p| p.into_inner());
        fs::OpenOptions::new().create(true).append(true).open(self.index(day))?.write_all(&line)?;
        if *last_day != Some(day) {
            *last_day = Some(day);
            remove_before(&self.dir, first_kept(day, self.keep_days), false)?;
        }
        Ok(())
    }

    fn index(&self, day: Day) -> PathBuf {
        self.dir.join("index").join(format!("{day}.jsonl"))
    }
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
    use bytes::Bytes;

    #[test]
    fn payloads_are_stored_once_and_removed_after_retention() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path(), 2).unwrap();
        let keep = |body: &'static str, day: i64| {
            let at = Timestamp::from_unix(day * 86_400);
            let request = Request::new("oil", "https://example.org/a.csv", &["example.org"], at);
            let fetched = Fetched {
                bytes: Bytes::from_static(body.as_bytes()),
                etag: None,
                last_modified: None,
                modified_at: None,
                fetched_at: at,
                not_modified: false,
                partial: false,
            };
            archive.keep(&request, &Ok(fetched)).unwrap();
        };
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
