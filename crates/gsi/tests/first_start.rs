//! A first start takes the packed history into its store, once, and publishes nothing of it as if it were the present.

use gsi_store::{SqliteStore, Store};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// A service whose publishers cannot be reached.
fn serve(data: &Path, history: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .env("GSI_FEEDS_MIRROR", "http://127.0.0.1:9")
        .env("GSI_METHOD_PACKED_HISTORY", history)
        .env_remove("GSI_CONFIG")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn open(data: &Path) -> SqliteStore {
    SqliteStore::open(&data.join("gsi.db")).unwrap()
}

fn run_until(child: &mut Child, data: &Path, done: impl Fn(&SqliteStore) -> bool) {
    let begun = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none(), "the service ended");
        if data.join("gsi.db").exists() && done(&open(data)) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "not in time");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn rows(store: &SqliteStore) -> usize {
    let mut rows = 0;
    store.observations(gsi_model::Timestamp::MAX, &mut |_| rows += 1).unwrap();
    rows
}

#[test]
fn the_packed_history_is_taken_once_and_is_not_the_present() {
    let folder = tempfile::tempdir().unwrap();
    let taken = |store: &SqliteStore| {
        store.meta("packed_history").unwrap().is_some_and(|note| note.starts_with("taken"))
    };
    run_until(&mut serve(folder.path(), "true"), folder.path(), taken);
    let store = open(folder.path());
    let count = rows(&store);
    assert!(count > 90_000, "{count}");
    // Known at their own times: what was known by 2008 is there, and the year 2008 is not.
    let (mut newest, mut lehman) = (None, 0);
    let then = "2008-09-15T00:00:00Z".parse().unwrap();
    store
        .observations(then, &mut |o| {
            newest = newest.max(Some(o.known_at));
            lehman += usize::from(o.series == "ofr.fsi");
        })
        .unwrap();
    assert!(newest <= Some(then) && lehman > 2_000, "{newest:?} {lehman}");
    // Nobody could be reached, so nothing is published, whatever the store holds of the past.
    assert!(store.frontier().unwrap().is_none());
    drop(store);
    let note = open(folder.path()).meta("packed_history").unwrap();
    let mut again = serve(folder.path(), "true");
    std::thread::sleep(Duration::from_secs(3));
    again.kill().unwrap();
    again.wait().unwrap();
    assert_eq!(
        (rows(&open(folder.path())), open(folder.path()).meta("packed_history").unwrap()),
        (count, note)
    );
}

#[test]
fn a_store_that_was_there_before_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    run_until(&mut serve(folder.path(), "false"), folder.path(), |store| {
        store.meta("world").unwrap().is_some()
    });
    let mut again = serve(folder.path(), "true");
    std::thread::sleep(Duration::from_secs(3));
    again.kill().unwrap();
    again.wait().unwrap();
    let store = open(folder.path());
    assert_eq!((rows(&store), store.meta("packed_history").unwrap()), (0, None));
}
