//! Answers from recorded payloads: each moment gets the result recorded for it, without a network.

use super::archive::{ArchiveEntry, object};
use super::request::{Fetched, FetcherError, Request};
use crate::refusal::refuse;
use gsi_model::{PayloadRefusal, RefusalCode, Timestamp};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Above every feed's cap. A larger recorded size means damage.
const MAX_BYTES: u64 = 256 << 20;

#[derive(Debug)]
pub struct Recording {
    dir: PathBuf,
    /// By address and part, in order of time.
    entries: HashMap<(String, bool), Vec<ArchiveEntry>>,
    span: Option<(Timestamp, Timestamp)>,
}

impl Recording {
    pub fn open(dir: &Path) -> Result<Self, FetcherError> {
        let index = dir.join("index");
        let fail = |path: &Path, source| FetcherError::File { path: path.display().to_string(), source };
        let mut days = Vec::new();
        for file in fs::read_dir(&index).map_err(|e| fail(&index, e))? {
            days.push(file.map_err(|e| fail(&index, e))?.path());
        }
        days.sort();
        let mut recording = Recording { dir: dir.to_owned(), entries: HashMap::new(), span: None };
        for path in days {
            let text = fs::read_to_string(&path).map_err(|e| fail(&path, e))?;
            // A line cut by a crash is skipped.
            for entry in text.lines().filter_map(|line| serde_json::from_str::<ArchiveEntry>(line).ok()) {
                recording.take(entry);
            }
        }
        for list in recording.entries.values_mut() {
            // The sort is stable, so of two answers at one moment the later one wins.
            list.sort_by_key(|e| e.fetched_at);
        }
        Ok(recording)
    }

    fn take(&mut self, entry: ArchiveEntry) {
        let at = entry.fetched_at;
        self.span = Some(self.span.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        self.entries.entry((entry.url.clone(), entry.partial)).or_default().push(entry);
    }

    /// Returns the first and the last recorded moment.
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        self.span
    }

    pub fn answer(&self, request: &Request) -> Result<Fetched, PayloadRefusal> {
        let key = |part: bool| (request.url.clone(), part);
        let list = self.entries.get(&key(request.tail.is_some())).or_else(|| self.entries.get(&key(false)));
        let list = list.map_or(&[][..], Vec::as_slice);
        let known = &list[..list.partition_point(|e| e.fetched_at <= request.now)];
        let Some(newest) = known.last() else {
            return refuse(RefusalCode::Status404, "nothing is recorded of this address yet");
        };
        if let Some(refusal) = &newest.refused {
            return Err(refusal.clone());
        }
        let Some(entry) = known.iter().rev().find(|e| !e.sha256.is_empty()) else {
            return refuse(RefusalCode::Archive, "unchanged, but what it was is not recorded");
        };
        let same = request.etag.is_some() && request.etag == entry.etag;
        let bytes = if same { Vec::new() } else { self.read(entry)? };
        if bytes.len() > request.max_bytes {
            return refuse(RefusalCode::TooLarge, format!("more than {} bytes", request.max_bytes));
        }
        Ok(Fetched {
            bytes: bytes.into(),
            etag: entry.etag.clone(),
            last_modified: entry.last_modified_header.clone(),
            modified_at: entry.last_modified,
            fetched_at: request.now,
            not_modified: same,
            partial: entry.partial,
        })
    }

    fn read(&self, entry: &ArchiveEntry) -> Result<Vec<u8>, PayloadRefusal> {
        let damaged = |why: String| PayloadRefusal::new(RefusalCode::Archive, why);
        let plain = entry.sha256.len() == 64 && entry.sha256.bytes().all(|b| b.is_ascii_hexdigit());
        if !plain || entry.bytes > MAX_BYTES {
            return Err(damaged("the index entry is damaged".to_owned()));
        }
        let packed = fs::read(object(&self.dir, &entry.sha256)).map_err(|e| damaged(e.to_string()))?;
        let bytes =
            zstd::bulk::decompress(&packed, entry.bytes as usize).map_err(|e| damaged(e.to_string()))?;
        if bytes.len() as u64 != entry.bytes {
            return Err(damaged("shorter than it was".to_owned()));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::archive::Archive;
    use super::*;
    use bytes::Bytes;

    const HOSTS: &[&str] = &["example.org"];

    fn request(minute: i64) -> Request {
        Request::new("oil", "https://example.org/a.csv", HOSTS, Timestamp::from_unix(minute * 60))
    }

    fn came(minute: i64, body: &'static str) -> Result<Fetched, PayloadRefusal> {
        Ok(Fetched {
            bytes: Bytes::from_static(body.as_bytes()),
            etag: Some(format!("\"{body}\"")),
            last_modified: None,
            modified_at: None,
            fetched_at: Timestamp::from_unix(minute * 60),
            not_modified: body.is_empty(),
            partial: false,
        })
    }

    #[test]
    fn every_moment_gets_its_recorded_answer() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path(), 9, u64::MAX).unwrap();
        for (minute, outcome) in [
            (10, came(10, "one")),
            (20, came(20, "")),
            (30, Err(PayloadRefusal::new(RefusalCode::Status5xx, "the publisher answered 500"))),
            (40, came(40, "")),
            (50, came(50, "two")),
        ] {
            archive.keep(&request(minute), &outcome).unwrap();
        }
        let recording = Recording::open(dir.path()).unwrap();
        assert_eq!(recording.span().map(|(a, b)| (a.unix(), b.unix())), Some((600, 3_000)));
        let answer = |minute: i64| match recording.answer(&request(minute)) {
            Ok(fetched) => String::from_utf8(fetched.bytes.to_vec()).unwrap(),
            Err(refusal) => refusal.code.to_string(),
        };
        for (minute, want) in [
            (9, "status_404"),
            (10, "one"),
            (25, "one"),
            (31, "status_5xx"),
            (49, "one"),
            (50, "two"),
            (999, "two"),
        ] {
            assert_eq!(answer(minute), want, "{minute}");
        }
        let mut again = request(60);
        again.etag = Some("\"two\"".to_owned());
        assert!(recording.answer(&again).unwrap().not_modified);
    }

    #[test]
    fn damage_is_a_refusal() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path(), 9, u64::MAX).unwrap();
        archive.keep(&request(10), &came(10, "one")).unwrap();
        for subfolder in fs::read_dir(dir.path().join("objects")).unwrap() {
            for object in fs::read_dir(subfolder.unwrap().path()).unwrap() {
                fs::write(object.unwrap().path(), b"nonsense").unwrap();
            }
        }
        let recording = Recording::open(dir.path()).unwrap();
        assert_eq!(recording.answer(&request(10)).unwrap_err().code.key(), "archive");
        assert!(Recording::open(&dir.path().join("nowhere")).is_err());
    }
}
