//! The first start reads the packed history into its store, once, and publishes none of it as the present.

use crate::GSI;
use drills::wait_until;
use gsi_store::{ReadStore, SqliteStore, Store, TickStore};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// A service that reaches no publisher.
fn serve(data: &Path, history: &str) -> Child {
    Command::new(GSI)
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
    wait_until("the start is done", PATIENCE, || {
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none(), "the service ended");
        data.join("gsi.db").exists() && done(&open(data))
    });
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
    // Values are known at their own times: as of 2008 there is nothing newer.
    let (mut newest, mut lehman) = (None, 0);
    let then = "2008-09-15T00:00:00Z".parse().unwrap();
    store
        .observations(then, &mut |o| {
            newest = newest.max(Some(o.known_at));
            lehman += usize::from(o.series == "ofr.fsi");
        })
        .unwrap();
    assert!(newest <= Some(then) && lehman > 2_000, "{newest:?} {lehman}");
    // No publisher could be reached, so nothing is published.
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

/// The process that computes the past for the service on this folder, while it runs.
#[cfg(target_os = "linux")]
fn past_of(data: &Path) -> Option<u32> {
    let kept = data.join("reconstruction.json").display().to_string();
    let mut processes = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    processes.find(|process| {
        let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == kept.as_bytes())
    })
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_that_computes_the_past_ends_with_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = serve(folder.path(), "false");
    wait_until("the past is being computed", PATIENCE, || past_of(folder.path()).is_some());
    service.kill().unwrap();
    service.wait().unwrap();
    wait_until("it ends with the service", PATIENCE, || past_of(folder.path()).is_none());
    // The computation takes seconds. If it had finished, this file would exist.
    assert!(!folder.path().join("reconstruction.json").exists());
}

/// Makes a day of the simulated world.
fn demo(data: &Path, more: &[&str]) -> std::process::Output {
    Command::new(GSI)
        .args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", "2026-11-14T10:00:00Z"])
        .args(["--until", "2026-11-14T10:00:01Z", "--data"])
        .arg(data)
        .args(more)
        .env("GSI_DEMO_ROWS_PER_SLOT", "60")
        .env("GSI_LOG_REQUESTS", "off")
        .env_remove("GSI_CONFIG")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_simulated_world_is_compared_with_the_real_past_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let (with, without) = (folder.path().join("with"), folder.path().join("without"));
    for (data, more) in [(&with, &["--with-history"][..]), (&without, &[])] {
        let done = demo(data, more);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let last = |data: &Path| open(data).published_at(gsi_model::Timestamp::MAX).unwrap().unwrap().snapshot;
    let (given, own) = (last(&with), last(&without));
    assert!(given.simulated && own.simulated);
    let note = open(&with).meta("packed_history").unwrap().unwrap();
    assert!(note.starts_with("taken") && rows(&open(&with)) > 90_000, "{note}");
    assert_eq!(open(&without).meta("packed_history").unwrap(), None);
    let context = given.context.unwrap();
    let past = context.reconstructed.unwrap();
    assert_eq!((past.from.to_string(), past.to.to_string()), ("2000-01-06".into(), "2024-12-31".into()));
    assert!(past.days > 9_000 && past.run == 0, "{past:?}");
    // The other has only its own day of history.
    let context = own.context.unwrap();
    assert_eq!((context.reconstructed, context.line), (None, None));
    assert_eq!(context.published.map(|p| p.days), Some(1));
    // Only the first start can add the history.
    let late = demo(&without, &["--with-history"]);
    assert!(!late.status.success());
    assert!(String::from_utf8_lossy(&late.stderr).contains("for the first start"));
}
