//! The embedded backend: one file, one writer, and a few readers that never wait for the writer.
//!
//! Write-ahead logging makes a commit one append. After SIGKILL a commit is complete or absent in every mode of SQLite,
//! because the operating system has the log by then. For power loss see [`Writer::choose_durability`].

mod connection;
mod tables;
mod upkeep;

use crate::format::{OlderFormat, StoreFormat};
use crate::interface::leadership::{Leadership, Lease};
use crate::interface::pulse::Pulse;
use crate::rows::body::Packer;
use crate::{
    Frontier, Ingest, IngestReport, ObservationScope, PendingBatch, ReadLimit, Result, Store, StoreError,
    TickCommit, TickStore,
};
use connection::lead;
use connection::readers::Readers;
use gsi_model::{
    BriefingId, Correction, CorrectionReason, EventVersion, NewsRow, NewsSlot, Observation, Timestamp,
};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tables::{access, corrections, data, events, ticks};
use upkeep::{copy, migrate, prune};

/// How long a writer waits for another. Commands write for milliseconds; a tick may take this long in the worst case.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two tries to switch a new file to write-ahead logging; the switch takes a few milliseconds.
const SWITCH_PAUSE: Duration = Duration::from_millis(5);
/// The log is moved into the file at this size (8 MiB): large enough to be rare, small enough to read fast.
const CHECKPOINT_PAGES: i64 = 2_000;
/// The size to which the log file is truncated after it was moved into the file.
const KEPT_LOG_BYTES: i64 = 16 << 20;
/// Page caches in KiB: the store's part of the process's memory. The kernel caches the file as well.
const WRITER_CACHE_KIB: i64 = 4_096;
const READER_CACHE_KIB: i64 = 1_024;
/// More than there are statements, so that none is prepared twice.
const CACHED_STATEMENTS: usize = 64;
/// Commits within this time share one forced write to the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// One SQLite database. Clones share its connections.
#[derive(Clone)]
pub struct SqliteStore {
    writer: Arc<Mutex<Writer>>,
    readers: Readers,
    place: DatabasePlace,
    lead: Arc<Mutex<lead::SqliteLead>>,
}

#[derive(Debug, Clone)]
enum DatabasePlace {
    File(PathBuf),
    /// A file that no process writes.
    Untouched(PathBuf),
    /// A name in SQLite's in-memory file system, which several connections of this process can share.
    Memory(String),
}

struct Writer {
    conn: Connection,
    packer: Packer,
    synced: Option<Instant>,
    /// The fencing number of this process's last lead.
    fence: Option<i64>,
}

impl SqliteStore {
    /// Opens or creates the file. An earlier format is refused and the file not changed.
    pub fn open(path: &Path) -> Result<Self> {
        Self::at(DatabasePlace::File(path.to_owned()), OlderFormat::Refuse)
    }

    /// Opens or creates the file. An earlier format is upgraded to the newest, after a copy was made in the same folder.
    pub fn open_and_upgrade(path: &Path) -> Result<Self> {
        Self::at(DatabasePlace::File(path.to_owned()), OlderFormat::CopyAndUpgrade)
    }

    /// Opens, creates or upgrades the file without a copy.
    pub fn open_and_upgrade_alone(path: &Path) -> Result<Self> {
        Self::at(DatabasePlace::File(path.to_owned()), OlderFormat::Upgrade)
    }

    /// Opens a file for reading only and leaves every byte unchanged. It must have the newest format and no log next to it.
    pub fn open_untouched(path: &Path) -> Result<Self> {
        let place = DatabasePlace::Untouched(path.to_owned());
        let conn = place.connect()?;
        let format = migrate::format(&conn)?;
        if format.found != format.newest {
            return Err(StoreError::Refused(format!(
                "{} has format {}; only format {} can be read",
                path.display(),
                format.found,
                format.newest
            )));
        }
        Self::over(conn, place)
    }

    /// Returns the format of an existing file without changing it.
    pub fn format_of(path: &Path) -> Result<StoreFormat> {
        if !path.exists() {
            return Err(StoreError::Unavailable(format!("there is no {}", path.display())));
        }
        migrate::format(&DatabasePlace::File(path.to_owned()).connect()?)
    }

    /// Returns the format of a file without creating a log next to it.
    pub(crate) fn format_of_untouched(path: &Path) -> Result<StoreFormat> {
        migrate::format(&DatabasePlace::Untouched(path.to_owned()).connect()?)
    }

    /// A database that lives as long as this value. For tests.
    pub fn in_memory() -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("file:/gsi-{}?vfs=memdb", COUNT.fetch_add(1, Ordering::Relaxed));
        Self::at(DatabasePlace::Memory(name), OlderFormat::Refuse)
    }

    fn at(place: DatabasePlace, older: OlderFormat) -> Result<Self> {
        place.create_private()?;
        let mut conn = place.connect()?;
        let format = migrate::format(&conn)?;
        // Held until the upgrade is done, because a leader of the earlier format does not know the new tables.
        let alone = match format.refuse_older() {
            Ok(()) => None,
            Err(refusal) if older == OlderFormat::Refuse => return Err(refusal),
            Err(_) => Some(lead::lock_out_leaders(&place)?),
        };
        if let (Some(_), OlderFormat::CopyAndUpgrade, DatabasePlace::File(path)) = (&alone, older, &place) {
            copy::keep(&conn, path, format.found)?;
        }
        place.set_up_file(&conn)?;
        conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
        migrate::to_newest(&mut conn)?;
        drop(alone);
        Self::over(conn, place)
    }

    fn over(conn: Connection, place: DatabasePlace) -> Result<Self> {
        let writer = Writer { conn, packer: Packer::new()?, synced: None, fence: None };
        let writer = Arc::new(Mutex::new(writer));
        Ok(SqliteStore { writer, readers: Readers::new(place.clone()), place, lead: Arc::default() })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // A panic while writing rolled its transaction back, so the state behind the lock is sound.
        self.writer.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl DatabasePlace {
    /// A new file is readable by its owner only: it holds the hashes of keys and the secret that signs cursors. SQLite
    /// gives its log the same permissions.
    fn create_private(&self) -> Result<()> {
        match self {
            DatabasePlace::File(path) => copy::create_private(path),
            _ => Ok(()),
        }
    }

    fn connect(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = match self {
            DatabasePlace::File(path) => Connection::open_with_flags(path, flags)?,
            DatabasePlace::Untouched(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                    | OpenFlags::SQLITE_OPEN_URI
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                Connection::open_with_flags(immutable_uri(path), flags)?
            }
            DatabasePlace::Memory(uri) => {
                Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
            }
        };
        conn.busy_timeout(BUSY_TIMEOUT)?;
        conn.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        // Mapped pages would count as this process's memory.
        conn.pragma_update(None, "mmap_size", 0)?;
        conn.pragma_update(None, "temp_store", "memory")?;
        // Referenced rows are never deleted, and every reference is looked up when it is written. A second lookup for each
        // would cost a tenth of the tick.
        conn.pragma_update(None, "foreign_keys", false)?;
        Ok(conn)
    }

    fn set_up_file(&self, conn: &Connection) -> Result<()> {
        let mode = switch_to_log(conn)?;
        if matches!(self, DatabasePlace::File(_)) && mode != "wal" {
            return Err(StoreError::Refused(
                "the file system cannot hold a write-ahead log; keep the database on a local disk".to_owned(),
            ));
        }
        conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        conn.pragma_update(None, "journal_size_limit", KEPT_LOG_BYTES)?;
        Ok(())
    }
}

/// The address of a file that SQLite treats as immutable: it creates no log and no lock.
fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// Switches to write-ahead logging and returns the journal mode in use.
///
/// Two processes that switch a new file at the same time block each other. SQLite then fails at once, without the busy
/// timeout. At the next try the other process is done.
fn switch_to_log(conn: &Connection) -> rusqlite::Result<String> {
    let begun = Instant::now();
    loop {
        let mode = conn.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
        let busy = mode.as_ref().is_err_and(|e| e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy));
        if !busy || begun.elapsed() >= BUSY_TIMEOUT {
            return mode;
        }
        std::thread::sleep(SWITCH_PAUSE);
    }
}

impl Writer {
    /// Chooses whether the next commit waits for the disk.
    ///
    /// `NORMAL` passes the log to the operating system: a killed process loses nothing, and a power cut may lose the newest
    /// commits, but never a part of one. `FULL` also forces the log to the disk, with all earlier commits. Shown ticks, keys
    /// and secrets wait for that. Thousands of ticks of a simulated history share one forced write a second, and the shown
    /// tick at its end forces the last of them.
    fn choose_durability(&mut self) -> Result<()> {
        let due = self.synced.is_none_or(|at| at.elapsed() >= SYNC_EVERY);
        self.conn.pragma_update(None, "synchronous", if due { "FULL" } else { "NORMAL" })?;
        if due {
            self.synced = Some(Instant::now());
        }
        Ok(())
    }
}

impl Leadership for SqliteStore {
    fn lead(&self) -> Result<Option<Lease>> {
        let mut lead = self.lead.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        lead.take_or_keep(&self.place, &mut self.writer())
    }

    fn resign(&self) {
        self.lead.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).resign();
    }
}

impl TickStore for SqliteStore {
    fn commit_tick(&self, commit: &TickCommit) -> Result<()> {
        ticks::commit(&mut self.writer(), commit)
    }

    fn ingest(&self, ingest: &Ingest) -> Result<IngestReport> {
        data::ingest(&mut self.writer(), ingest)
    }

    fn begin_ticks(&self) -> Result<()> {
        data::begin_ticks(&mut self.writer())
    }

    fn pending(&self, most_rows: u64) -> Result<Vec<PendingBatch>> {
        self.readers.with(|conn| data::pending(conn, most_rows))
    }

    fn frontier(&self) -> Result<Option<Frontier>> {
        self.state_at(Timestamp::MAX)
    }

    fn state_at(&self, tick: Timestamp) -> Result<Option<Frontier>> {
        self.readers.with(|conn| ticks::state_at(conn, tick))
    }

    fn observations_in(&self, scope: &ObservationScope<'_>, each: &mut dyn FnMut(Observation)) -> Result<()> {
        self.readers.with(|conn| data::observations(conn, scope, each))
    }

    fn slots(
        &self,
        from: Timestamp,
        to: Timestamp,
        known_until: Timestamp,
        each: &mut dyn FnMut(NewsSlot),
    ) -> Result<()> {
        self.readers.with(|conn| data::slots(conn, from, to, known_until, each))
    }

    fn rows(&self, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(NewsRow)) -> Result<()> {
        self.readers.with(|conn| data::rows(conn, from, to, each))
    }

    fn row(&self, id: u64) -> Result<Option<NewsRow>> {
        self.readers.with(|conn| data::row(conn, id))
    }

    fn event_versions_active(&self, as_of: Timestamp, active_since: Timestamp) -> Result<Vec<EventVersion>> {
        self.readers.with(|conn| prune::unpruned(conn, as_of, events::active(conn, as_of, active_since)?))
    }

    fn corrections(&self, tick: Option<Timestamp>) -> Result<Vec<Correction>> {
        self.readers.with(|conn| corrections::of_tick(conn, tick))
    }
}

impl Store for SqliteStore {
    fn limited(&self, limit: &ReadLimit) -> Arc<dyn Store> {
        Arc::new(SqliteStore { readers: self.readers.limited(limit), ..self.clone() })
    }

    fn ask_correction(
        &self,
        of: &BriefingId,
        because: CorrectionReason,
        asked_at: Timestamp,
    ) -> Result<bool> {
        corrections::ask(&mut self.writer(), of, because, asked_at)
    }

    fn meta(&self, name: &str) -> Result<Option<String>> {
        self.readers.with(|conn| access::meta(conn, name))
    }

    fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        access::set_meta(&mut self.writer(), name, value)
    }

    fn pulse(&self) -> Result<Pulse> {
        self.readers.with(access::pulse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::sample;

    /// SQLite reports its page limit in the same way as a full disk.
    #[test]
    fn a_full_disk_loses_nothing() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = SqliteStore::open(&folder.path().join("full.db")).unwrap();
        store.commit_tick(&sample::publishing(sample::tick(0), 40.0)).unwrap();
        let limit = |pages: i64| {
            store.writer().conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
        };
        let pages: i64 =
            store.writer().conn.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        limit(pages + 3);

        let rows = (0..500).map(|id| sample::row(id, sample::tick(1))).collect();
        let large = TickCommit { rows, ..sample::publishing(sample::tick(1), 41.0) };
        let refused = store.commit_tick(&large);
        assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
        assert_eq!(store.frontier().unwrap().map(|f| f.tick), Some(sample::tick(0)));
        assert_eq!(store.row(1).unwrap(), None);

        limit(i64::from(u32::MAX - 1));
        store.commit_tick(&large).unwrap();
        assert_eq!(store.row(1).unwrap().as_ref(), Some(&large.rows[1]));
    }

    /// A service was started on a full disk, and now there is room again.
    #[test]
    fn the_lead_can_be_asked_for_again_after_it_could_not_be_written() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = SqliteStore::open(&folder.path().join("full.db")).unwrap();
        let write = |on: bool| store.writer().conn.pragma_update(None, "query_only", !on).unwrap();
        write(false);
        assert!(store.lead().is_err());
        write(true);
        assert!(store.lead().unwrap().is_some());
    }

    #[test]
    fn commits_in_a_row_share_a_forced_write() {
        let store = SqliteStore::in_memory().unwrap();
        let mut writer = store.writer();
        let mode = |writer: &mut Writer| -> i64 {
            writer.choose_durability().unwrap();
            writer.conn.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap()
        };
        const NORMAL: i64 = 1;
        const FULL: i64 = 2;
        assert_eq!(mode(&mut writer), FULL);
        assert_eq!(mode(&mut writer), NORMAL);
        writer.synced = Instant::now().checked_sub(SYNC_EVERY);
        assert_eq!(mode(&mut writer), FULL);
    }
}
