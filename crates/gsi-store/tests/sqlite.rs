//! The SQLite backend against the conformance suite, and tests of files, formats and kills.

use gsi_store::conformance::{self, Backend, sample};
use gsi_store::{KeyStore, LedStore, ReadStore, SqliteStore, Store, StoreError, TickCommit, TickStore};
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::Duration;
use tempfile::TempDir;

struct Files {
    folder: TempDir,
    made: usize,
}

impl Files {
    fn path(&self) -> PathBuf {
        self.folder.path().join(format!("{}.db", self.made))
    }
}

impl Backend for Files {
    fn fresh(&mut self) -> Box<dyn LedStore> {
        self.made += 1;
        self.reopen()
    }

    fn reopen(&mut self) -> Box<dyn LedStore> {
        Box::new(SqliteStore::open(&self.path()).unwrap())
    }
}

#[test]
fn a_file_conforms() {
    conformance::run(&mut Files { folder: TempDir::new().unwrap(), made: 0 });
}

#[test]
fn memory_is_private_and_can_be_read_while_reading() {
    let (store, other) = (SqliteStore::in_memory().unwrap(), SqliteStore::in_memory().unwrap());
    store.commit_tick(&a_bit_of_everything(0)).unwrap();
    assert_eq!(other.frontier().unwrap(), None);
    let mut rows = 0;
    store
        .rows(sample::tick(-1), sample::tick(0), &mut |r| {
            rows += usize::from(store.row(r.id).unwrap() == Some(r))
        })
        .unwrap();
    assert_eq!(rows, 1);
}

fn a_bit_of_everything(n: i64) -> TickCommit {
    let at = sample::tick(n);
    TickCommit {
        observations: vec![sample::observation("s", "", n, n as f64)],
        slots: vec![sample::slot(at)],
        rows: vec![sample::row(n as u64 + 1, at)],
        events: vec![sample::put(sample::event(n as u64 + 1, at))],
        briefings: vec![sample::briefing("global", at, &["global"])],
        feeds: vec![sample::feed("s", n as u64)],
        ..sample::publishing(at, n as f64)
    }
}

/// A store of format 1.
fn make_format_1(path: &Path) {
    let store = rusqlite::Connection::open(path).unwrap();
    store.execute_batch(include_str!("fixtures/format1.sql")).unwrap();
}

/// Names and bytes of everything in a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn an_earlier_format_is_upgraded_only_when_asked() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("old.db");
    make_format_1(&path);
    let before = files(folder.path());
    let refusal = SqliteStore::open(&path).err().expect("an earlier format").to_string();
    assert!(refusal.contains("has format 1,"), "{refusal}");
    assert!(refusal.contains("`gsi store upgrade`"), "{refusal}");
    let format = SqliteStore::format_of(&path).unwrap();
    assert_eq!((format.found, format.newest, format.steps.as_slice()), (1, 2, &["0002_hooks"][..]));
    assert_eq!(files(folder.path()), before, "reading the format has changed the file");
    holds_the_rows_of_format_1(&SqliteStore::open_and_upgrade(&path).unwrap());
    let format = SqliteStore::format_of(&path).unwrap();
    assert_eq!((format.found, format.steps.len()), (2, 0));
}

#[test]
fn a_store_is_not_upgraded_under_a_leader() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("old.db");
    make_format_1(&path);
    let lock = std::fs::File::create(folder.path().join("old.db.leader")).unwrap();
    lock.lock().unwrap();
    let refusal = SqliteStore::open_and_upgrade(&path).err().expect("another process leads").to_string();
    assert!(refusal.contains("stop it before"), "{refusal}");
    assert_eq!(SqliteStore::format_of(&path).unwrap().found, 1);
    drop(lock);
    SqliteStore::open_and_upgrade(&path).unwrap();
}

#[test]
fn reading_a_backup_does_not_change_it() {
    use gsi_store::bulk;
    for format in [1, 2] {
        let (folder, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let path = folder.path().join("a backup? of 100%.db");
        make_format_1(&path);
        if format == 2 {
            drop(SqliteStore::open_and_upgrade_alone(&path).unwrap());
        }
        let before = files(folder.path());
        let restored = SqliteStore::open(&target.path().join("restored.db")).unwrap();
        {
            let backup = bulk::open_backup(&path, target.path()).unwrap();
            bulk::copy(&backup.store, &restored, &mut |_, _, _| ()).unwrap();
        }
        holds_the_rows_of_format_1(&restored);
        assert_eq!(files(folder.path()), before, "format {format}");
        let left: Vec<_> = files(target.path()).into_iter().map(|(path, _)| path).collect();
        assert!(left.iter().all(|p| p.to_string_lossy().contains("restored.db")), "{left:?}");
    }
    // A plain copy of a file in use: the rows in its log count.
    let (folder, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let live = SqliteStore::open(&folder.path().join("live.db")).unwrap();
    live.commit_tick(&a_bit_of_everything(0)).unwrap();
    for name in ["live.db", "live.db-wal"] {
        std::fs::copy(folder.path().join(name), target.path().join(name)).unwrap();
    }
    let backup = bulk::open_backup(&target.path().join("live.db"), target.path()).unwrap();
    assert_eq!(backup.store.frontier().unwrap().map(|f| f.tick), Some(sample::tick(0)));
}

fn holds_the_rows_of_format_1(store: &SqliteStore) {
    let then = a_bit_of_everything(0);
    let at = sample::tick(0);
    assert_eq!(store.frontier().unwrap().map(|f| f.state), Some(then.state));
    let published = store.published_at(at).unwrap().unwrap();
    assert_eq!((published.snapshot.score, Some(published.summary)), (0.0, then.summary));
    assert_eq!(store.row(1).unwrap().as_ref(), then.rows.first());
    // The fixture's events have no probability.
    let event = gsi_model::Event { probability: None, ..sample::event(1, at) };
    assert_eq!(store.event(&sample::event_id(1), at).unwrap().unwrap().event, event);
    assert_eq!(store.briefing(&then.briefings[0].id, at).unwrap().as_ref(), then.briefings.first());
    assert_eq!(store.feed_states().unwrap(), then.feeds);
    assert_eq!(store.keys().unwrap(), [sample::key("AAAAAAAAAA")]);
    assert_eq!(store.meta("mode").unwrap().as_deref(), Some("demo"));
    let mut observations = vec![];
    store.observations(sample::tick(96), &mut |o| observations.push(o)).unwrap();
    assert_eq!(observations, then.observations);
    let mut slots = vec![];
    store.slots(sample::tick(-1), at, at, &mut |s| slots.push(s)).unwrap();
    assert_eq!(slots, then.slots);
    // The next tick follows.
    store.commit_tick(&a_bit_of_everything(1)).unwrap();
}

#[test]
fn other_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let newer = rusqlite::Connection::open(path("newer.db")).unwrap();
    newer.pragma_update(None, "application_id", 0x4753_4931).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    let foreign = rusqlite::Connection::open(path("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE meta (name TEXT); PRAGMA user_version = 1").unwrap();
    std::fs::write(path("text.db"), "this is a letter, not a database. ".repeat(99)).unwrap();
    for (name, want) in [
        ("newer.db", "the store refused: the database has format 999"),
        ("foreign.db", "the store refused: the file holds tables of another program"),
        ("text.db", "stored data cannot be read"),
        ("no/such/folder.db", "the store cannot be reached"),
    ] {
        let error = SqliteStore::open(&path(name)).err().expect(name).to_string();
        assert!(error.starts_with(want), "{name}: {error}");
        assert!(!error.contains("SELECT") && !error.contains("PRAGMA"), "{error}");
    }
}

/// A server and key commands that start at the same time without a file. They collide only sometimes, hence the rounds.
#[test]
fn many_can_open_a_new_file_at_once() {
    const OPENERS: usize = 8;
    let folder = TempDir::new().unwrap();
    for round in 0..12 {
        let path = folder.path().join(format!("{round}.db"));
        let together = Barrier::new(OPENERS);
        let open = || {
            together.wait();
            SqliteStore::open(&path).unwrap().secret("cursor").unwrap()
        };
        let secrets: Vec<_> = std::thread::scope(|scope| {
            let openers = [(); OPENERS].map(|()| scope.spawn(open));
            openers.map(|opener| opener.join().unwrap()).to_vec()
        });
        assert!(secrets.iter().all(|s| *s == secrets[0]));
    }
}

#[test]
#[cfg(unix)]
fn a_new_file_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&folder.path().join("a.db")).unwrap();
    store.commit_tick(&a_bit_of_everything(0)).unwrap();
    let mut seen = 0;
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        seen += 1;
    }
    assert!(seen >= 2, "the file and its log");
}

const KILLED: &str = "TEST_STORE_TO_BE_KILLED";
const ROUNDS: u64 = 12;

/// The process that the next test starts and kills. Without the variable it does nothing.
#[test]
fn writes_until_killed() {
    let Ok(path) = env::var(KILLED) else { return };
    let store = SqliteStore::open(Path::new(&path)).unwrap();
    let next = store.frontier().unwrap().map_or(0, |f| (f.tick.since(sample::tick(0))) / gsi_model::TICK + 1);
    let mut out = std::io::stdout();
    for n in next.. {
        store.commit_tick(&a_bit_of_everything(n)).unwrap();
        writeln!(out, "\ncommitted {n}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_kill_loses_nothing_and_doubles_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("killed.db");
    for round in 0..ROUNDS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "writes_until_killed", "--nocapture"])
            .env(KILLED, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen =
            lines.map_while(Result::ok).filter_map(|l| l.strip_prefix("committed ")?.parse::<i64>().ok());
        let first = seen.next().expect("the child commits");
        // From the middle of the first commits until the log is moved into the file.
        std::thread::sleep(Duration::from_millis(round * round * 3));
        child.kill().unwrap();
        child.wait().unwrap();
        let reported = seen.last().unwrap_or(first);

        let store = SqliteStore::open(&path).unwrap();
        let kept =
            store.frontier().unwrap().map(|f| f.tick.since(sample::tick(0)) / gsi_model::TICK).unwrap();
        assert!(kept == reported || kept == reported + 1, "reported {reported}, kept {kept}");
        check_whole(&store, kept);
    }
    let file = rusqlite::Connection::open(&path).unwrap();
    let verdict: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

fn check_whole(store: &SqliteStore, newest: i64) {
    let (from, to) = (sample::tick(-1), sample::tick(newest));
    let (mut observations, mut rows, mut slots) = (0, 0, 0);
    store.observations(gsi_model::Timestamp::MAX, &mut |_| observations += 1).unwrap();
    store.rows(from, to, &mut |_| rows += 1).unwrap();
    store.slots(from, to, to, &mut |_| slots += 1).unwrap();
    let events = store.events_active(to, from).unwrap().len() as i64;
    let snapshots = store.history(None, from, to.plus(1)).unwrap().len() as i64;
    assert_eq!([observations, rows, slots, events, snapshots], [newest + 1; 5]);
    assert_eq!(store.published_at(to).unwrap().unwrap().snapshot.score, newest as f64);
    assert_eq!(store.feed_states().unwrap(), [sample::feed("s", newest as u64)]);
    let again = store.commit_tick(&a_bit_of_everything(newest));
    assert!(matches!(again, Err(StoreError::TickDone(_))), "{again:?}");
}
