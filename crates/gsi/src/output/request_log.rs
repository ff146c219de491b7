//! The file of the request log. It is rotated by size and age, and a few old files are kept. While the disk is nearly full its lines
//! are counted and not written. SIGHUP reopens it, so that other programs can rotate it.

use crate::config::LogConfig;
use anyhow::Context;
use gsi_feeds::{DiskSpace, SpaceGuard};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

const MIB: u64 = 1024 * 1024;
const DAY: Duration = Duration::from_secs(86_400);

/// Set when a SIGHUP reports that the file was moved.
pub type ReopenFlag = Arc<AtomicBool>;

pub struct LogFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    begun: SystemTime,
    max_bytes: u64,
    max_age: Duration,
    keep: u32,
    reopen: ReopenFlag,
    space: SpaceGuard,
    /// Lines that were not written since the disk was nearly full.
    unwritten: u64,
}

impl LogFile {
    pub fn open(path: &Path, settings: &LogConfig, reopen: ReopenFlag) -> anyhow::Result<Self> {
        let (file, bytes, begun) =
            open(path).with_context(|| format!("cannot open the request log {}", path.display()))?;
        Ok(LogFile {
            path: path.to_owned(),
            file,
            bytes,
            begun,
            max_bytes: settings.requests_max_mb * MIB,
            max_age: settings.requests_max_days * DAY,
            keep: settings.requests_keep,
            reopen,
            space: SpaceGuard::new("the request log", DiskSpace::of),
            unwritten: 0,
        })
    }

    fn old(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }

    /// Renames `requests.log` to `requests.log.1`, that one to `.2`, and so on. The oldest is removed. If another program has
    /// moved or removed `requests.log`, there is nothing to rotate: the old files stay, and a new file begins.
    fn rotate(&mut self) -> io::Result<()> {
        if !self.path.try_exists()? {
            return self.reopen();
        }
        if self.keep == 0 {
            std::fs::remove_file(&self.path)?;
        }
        for number in (1..self.keep).rev() {
            match std::fs::rename(self.old(number), self.old(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        if self.keep > 0 {
            std::fs::rename(&self.path, self.old(1))?;
        }
        self.reopen()
    }

    fn reopen(&mut self) -> io::Result<()> {
        (self.file, self.bytes, self.begun) = open(&self.path)?;
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<(File, u64, SystemTime)> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let known = file.metadata()?;
    let begun = if known.len() == 0 { SystemTime::now() } else { known.created().or(known.modified())? };
    Ok((file, known.len(), begun))
}

/// Buffers hold whole lines. A buffer that does not fit begins a new file.
impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.reopen.swap(false, Ordering::Relaxed) {
            self.reopen()?;
        }
        if !self.space.has_space(&self.path) {
            self.unwritten += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            return Ok(bytes.len());
        }
        if self.unwritten > 0 {
            tracing::warn!(
                lines = self.unwritten,
                "the request log lacks lines, because the disk was nearly full"
            );
            self.unwritten = 0;
        }
        let is_old = self.begun.elapsed().is_ok_and(|age| age > self.max_age);
        if self.bytes > 0 && (is_old || self.bytes + bytes.len() as u64 > self.max_bytes) {
            self.rotate()?;
        }
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LogFormat;
    use std::sync::atomic::AtomicU64;

    fn settings(max_mb: u64, keep: u32) -> LogConfig {
        LogConfig {
            level: "info".to_owned(),
            format: LogFormat::Text,
            requests: String::new(),
            requests_max_mb: max_mb,
            requests_max_days: 30,
            requests_keep: keep,
        }
    }

    #[test]
    fn it_rotates_by_size_and_keeps_a_few_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.log");
        let mut log = LogFile::open(&path, &settings(1, 2), ReopenFlag::default()).unwrap();
        for part in 0..5u8 {
            log.write_all(&vec![b'0' + part; 700_000]).unwrap();
        }
        let first = |name: &str| std::fs::read(folder.path().join(name)).ok().map(|b| (b[0], b.len()));
        assert_eq!(first("requests.log"), Some((b'4', 700_000)));
        assert_eq!(first("requests.log.1"), Some((b'3', 700_000)));
        assert_eq!(first("requests.log.2"), Some((b'2', 700_000)));
        assert_eq!(first("requests.log.3"), None);
    }

    #[test]
    fn a_removed_file_is_replaced_and_the_old_files_stay() {
        for keep in [0, 2] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("requests.log");
            let old = folder.path().join("requests.log.1");
            std::fs::write(&old, "old").unwrap();
            let mut log = LogFile::open(&path, &settings(1, keep), ReopenFlag::default()).unwrap();
            log.write_all(&vec![b'a'; 700_000]).unwrap();
            std::fs::remove_file(&path).unwrap();
            log.write_all(&vec![b'b'; 700_000]).unwrap();
            log.write_all(b"c").unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().len(), 700_001, "keep {keep}");
            assert_eq!(std::fs::read_to_string(&old).unwrap(), "old", "keep {keep}");
            assert!(!folder.path().join("requests.log.2").exists(), "keep {keep}");
        }
    }

    #[test]
    fn it_counts_lines_while_the_disk_is_nearly_full() {
        static FREE: AtomicU64 = AtomicU64::new(4);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.log");
        let mut log = LogFile::open(&path, &settings(64, 2), ReopenFlag::default()).unwrap();
        log.space =
            SpaceGuard::new("a test", |_| Ok(DiskSpace { total: 100, free: FREE.load(Ordering::Relaxed) }));
        log.write_all(b"one\ntwo\n").unwrap();
        assert_eq!((log.unwritten, std::fs::read_to_string(&path).unwrap().as_str()), (2, ""));
        FREE.store(10, Ordering::Relaxed);
        log.write_all(b"three\n").unwrap();
        assert_eq!((log.unwritten, std::fs::read_to_string(&path).unwrap().as_str()), (0, "three\n"));
    }

    #[test]
    fn it_reopens_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.log");
        let reopen = ReopenFlag::default();
        let mut log = LogFile::open(&path, &settings(64, 2), reopen.clone()).unwrap();
        log.write_all(b"one\n").unwrap();
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        log.write_all(b"two\n").unwrap();
        assert!(!path.exists());
        reopen.store(true, Ordering::Relaxed);
        log.write_all(b"three\n").unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("moved")).unwrap(), "one\ntwo\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three\n");
    }
}
