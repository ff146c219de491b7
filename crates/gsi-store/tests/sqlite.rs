//! The embedded backend against the suite, and what only it can show: files, formats and kills.

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

/// A database that was made in the first format and has come as far as this one with the programs since.
fn of_format(format: usize, path: &Path) {
    let old = rusqlite::Connection::open(path).unwrap();
    old.execute_batch(include_str!("fixtures/sqlite_v1.sql")).unwrap();
    drop(old);
    SqliteStore::make_as_older(path, format).unwrap();
}

fn newest_format() -> usize {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("new.db");
    drop(SqliteStore::open(&path).unwrap());
    SqliteStore::format_of(&path).unwrap().newest
}

/// Names and bytes of everything in a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn databases_of_every_earlier_format_are_upgraded_only_when_asked() {
    let newest = newest_format();
    assert!(newest >= 8, "{newest}");
    for format in 1..newest {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("old.db");
        of_format(format, &path);
        let before = files(folder.path());
        let refusal = SqliteStore::open(&path).err().expect("an earlier format").to_string();
        assert!(refusal.contains(&format!("has format {format},")), "{refusal}");
        assert!(refusal.contains("`gsi store upgrade`"), "{refusal}");
        let told = SqliteStore::format_of(&path).unwrap();
        assert_eq!((told.found, told.newest, told.steps.len()), (format, newest, newest - format));
        assert_eq!(files(folder.path()), before, "whoever only looks changes nothing");
        holds_what_the_first_format_wrote(&SqliteStore::open_and_upgrade(&path).unwrap());
        assert_eq!(SqliteStore::format_of(&path).unwrap().steps, [""; 0]);
    }
}

#[test]
fn nobody_upgrades_under_a_leader() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("old.db");
    of_format(2, &path);
    let lock = std::fs::File::create(folder.path().join("old.db.leader")).unwrap();
    lock.lock().unwrap();
    let refusal = SqliteStore::open_and_upgrade(&path).err().expect("somebody leads").to_string();
    assert!(refusal.contains("stop it before"), "{refusal}");
    assert_eq!(SqliteStore::format_of(&path).unwrap().found, 2);
    drop(lock);
    SqliteStore::open_and_upgrade(&path).unwrap();
}

#[test]
fn a_backup_is_read_and_stays_as_it_is() {
    use gsi_store::bulk;
    let newest = newest_format();
    for format in [1, newest - 1, newest] {
        let (folder, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let path = folder.path().join("a backup? of 100%.db");
        of_format(format, &path);
        let before = files(folder.path());
        let restored = SqliteStore::open(&target.path().join("restored.db")).unwrap();
        {
            let backup = bulk::open_backup(&path, target.path()).unwrap();
            bulk::copy(&backup.store, &restored, &mut |_, _, _| ()).unwrap();
        }
        holds_what_the_first_format_wrote(&restored);
        assert_eq!(files(folder.path()), before, "format {format}");
        let left: Vec<_> = files(target.path()).into_iter().map(|(path, _)| path).collect();
        assert!(left.iter().all(|p| p.to_string_lossy().contains("restored.db")), "{left:?}");
    }
    // A plain copy of a file in use: what is in its log counts.
    let (folder, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let live = SqliteStore::open(&folder.path().join("live.db")).unwrap();
    live.commit_tick(&a_bit_of_everything(0)).unwrap();
    for name in ["live.db", "live.db-wal"] {
        std::fs::copy(folder.path().join(name), target.path().join(name)).unwrap();
    }
    let backup = bulk::open_backup(&target.path().join("live.db"), target.path()).unwrap();
    assert_eq!(backup.store.frontier().unwrap().map(|f| f.tick), Some(sample::tick(0)));
}

fn holds_what_the_first_format_wrote(store: &SqliteStore) {
    let then = a_bit_of_everything(0);
    let at = sample::tick(0);
    assert_eq!(store.frontier().unwrap().map(|f| f.state), Some(then.state));
    let published = store.published_at(at).unwrap().unwrap();
    assert_eq!((published.snapshot.score, Some(published.summary)), (0.0, then.summary));
    assert_eq!(store.row(1).unwrap().as_ref(), then.rows.first());
    // Its events are older than the filter that gives a probability.
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
    // And it goes on from there.
    store.commit_tick(&a_bit_of_everything(1)).unwrap();
}

#[test]
fn what_is_no_database_of_ours_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let newer = rusqlite::Connection::open(path("newer.db")).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    std::fs::write(path("text.db"), "this is a letter, not a database. ".repeat(99)).unwrap();
    for (name, want) in [
        ("newer.db", "the store refused: the database has format 999"),
        ("text.db", "stored data cannot be read"),
        ("no/such/folder.db", "the store cannot be reached"),
    ] {
        let error = SqliteStore::open(&path(name)).err().expect(name).to_string();
        assert!(error.starts_with(want), "{name}: {error}");
        assert!(!error.contains("SELECT") && !error.contains("PRAGMA"), "{error}");
    }
}

/// A server and key commands that start together on nothing. They get in each other's way only now and then, hence the rounds.
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

/// Not a test of its own: the process that the next test starts and kills.
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
        // From the middle of the first commits to well into the folding back of the log.
        std::thread::sleep(Duration::from_millis(round * round * 3));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = seen.last().unwrap_or(first);

        let store = SqliteStore::open(&path).unwrap();
        let kept =
            store.frontier().unwrap().map(|f| f.tick.since(sample::tick(0)) / gsi_model::TICK).unwrap();
        assert!(kept == told || kept == told + 1, "told {told}, kept {kept}");
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
