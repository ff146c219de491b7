//! Free space on a disk. Below a floor the program writes nothing that it can do without, so that the database, which is usually on
//! the same disk, can still grow.

use rustix::fs::statvfs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const GIGABYTE: u64 = 1_000_000_000;
const MEGABYTE: u64 = 1_000_000;
/// On a disk of less than 20 GB the floor is this part of it.
const FLOOR_PART: u64 = 20;
/// A pause ends this part of the floor above it, because the writer itself uses up the space.
const MARGIN_PART: u64 = 10;

/// The space of a disk in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    pub total: u64,
    /// The part that a program without privileges can use.
    pub free: u64,
}

impl DiskSpace {
    /// Measures the disk of a file or folder. If it does not exist yet, that is the disk of its nearest existing parent.
    pub fn of(path: &Path) -> io::Result<Self> {
        let existing = path.ancestors().find(|part| part.exists()).unwrap_or(Path::new("."));
        let disk = statvfs(existing)?;
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Ok(DiskSpace { total: bytes(disk.f_blocks), free: bytes(disk.f_bavail) })
    }

    /// Returns the free bytes that are left to the database: 1 GB, or 5 % of a small disk.
    pub fn floor(&self) -> u64 {
        GIGABYTE.min(self.total / FLOOR_PART)
    }

    pub fn is_low(&self) -> bool {
        self.free < self.floor()
    }
}

/// Measures the disk of a path.
pub type MeasureDisk = fn(&Path) -> io::Result<DiskSpace>;

/// Pauses a writer while the disk has too little free space. Logs the beginning and the end of each pause.
#[derive(Debug)]
pub struct SpaceGuard {
    /// The writer's name in the log.
    what: &'static str,
    measure: MeasureDisk,
    is_paused: AtomicBool,
}

impl SpaceGuard {
    pub fn new(what: &'static str, measure: MeasureDisk) -> Self {
        SpaceGuard { what, measure, is_paused: AtomicBool::new(false) }
    }

    /// Tells whether the writer may write at `path`. A disk that cannot be measured does not pause it.
    pub fn has_space(&self, path: &Path) -> bool {
        let Ok(space) = (self.measure)(path) else { return true };
        let was_paused = self.is_paused.load(Ordering::Relaxed);
        let margin = if was_paused { space.floor() / MARGIN_PART } else { 0 };
        let needed = space.floor() + margin;
        let is_paused = space.free < needed;
        self.is_paused.store(is_paused, Ordering::Relaxed);
        let (free_mb, needed_mb) = (space.free / MEGABYTE, needed / MEGABYTE);
        match (was_paused, is_paused) {
            (false, true) => {
                tracing::warn!(free_mb, needed_mb, "the disk is nearly full: {} pauses", self.what)
            }
            (true, false) => {
                tracing::info!(free_mb, needed_mb, "the disk has space again: {} resumes", self.what)
            }
            _ => {}
        }
        !is_paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn the_floor_is_one_gigabyte_or_a_part_of_a_small_disk() {
        let is_low = |total, free| DiskSpace { total, free }.is_low();
        assert!(is_low(500 * GIGABYTE, GIGABYTE - 1) && !is_low(500 * GIGABYTE, GIGABYTE));
        assert!(is_low(2 * GIGABYTE, 99 * MEGABYTE) && !is_low(2 * GIGABYTE, 100 * MEGABYTE));
        assert!(!is_low(0, 0), "a file system that reports no sizes");
    }

    #[test]
    fn a_path_that_does_not_exist_has_the_disk_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let space = DiskSpace::of(&folder.path().join("not/yet")).unwrap();
        assert_eq!(space.total, DiskSpace::of(folder.path()).unwrap().total);
        assert!(DiskSpace::of(Path::new("not-yet")).is_ok());
    }

    #[test]
    fn a_pause_ends_above_the_floor() {
        static FREE: AtomicU64 = AtomicU64::new(0);
        let guard = SpaceGuard::new("a test", |_| {
            Ok(DiskSpace { total: 100 * GIGABYTE, free: FREE.load(Ordering::Relaxed) * MEGABYTE })
        });
        let allowed = [1_000, 999, 1_050, 1_099, 1_100, 1_000].map(|free| {
            FREE.store(free, Ordering::Relaxed);
            guard.has_space(Path::new("."))
        });
        assert_eq!(allowed, [true, false, false, false, true, true]);
        assert!(SpaceGuard::new("a test", |_| Err(io::ErrorKind::NotFound.into())).has_space(Path::new(".")));
    }
}
