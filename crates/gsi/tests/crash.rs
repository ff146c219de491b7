//! Kills the service with SIGKILL at random moments of ingest, again and again, and checks the store.
//!
//! The simulated world is deterministic, so the store of a service that was killed two hundred times must equal the store of one
//! that was never killed. `TEST_CRASH_KILLS` sets the number of kills, two hundred in each world.

use drills::store::{last_tick, open};
use drills::{DISABLED_FEEDS, SeededRandom, seed_from_time, wait_until};
use gsi_model::{TICK, Timestamp};
use gsi_store::{EventQuery, Store};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const KILLS_PER_WORLD: u32 = 200;
/// A service that runs for a moment leaves most of the machine idle.
const WORLDS_AT_ONCE: usize = 3;
/// Two hundred short runs do not reach the end of so long a history.
const DAYS: &str = "150";
const LIVE: &str = "2026-11-14T00:00:00Z";

/// A start and a tick take a quarter of it on an idle machine.
const SHORT_RUN_MS: u64 = 780;
const LONG_RUN_MS: u64 = 6_000;

fn start(data: &Path, world: u32) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args(["demo", "--listen", "127.0.0.1:0", "--days", DAYS, "--at", LIVE, "--log", "error"])
        .arg("--data")
        .arg(data)
        .env("GSI_DEMO_ROWS_PER_SLOT", "120")
        .env("GSI_DEMO_SEED", world.to_string())
        .env("GSI_LOG_REQUESTS", "off")
        .env("GSI_FEEDS_DISABLED", DISABLED_FEEDS)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("start the service")
}

/// Checks after a kill that the store is sound, and that its last snapshot is whole and belongs to the last tick. Returns that tick.
fn check_after_kill(data: &Path, before: Option<Timestamp>) -> Option<Timestamp> {
    let file = rusqlite::Connection::open(data.join("gsi.db")).expect("open the file");
    let verdict: String =
        file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("integrity check");
    assert_eq!(verdict, "ok");
    drop(file);
    let store = open(data);
    let frontier = store.frontier().expect("frontier").map(|f| f.tick);
    assert!(frontier >= before, "the frontier went back from {before:?} to {frontier:?}");
    if let Some(published) = store.published_at(Timestamp::MAX).expect("snapshot") {
        assert_eq!(Some(published.snapshot.tick), frontier, "the newest snapshot is not of the last tick");
        assert_eq!(published.summary.as_of, published.snapshot.tick);
        assert_eq!(published.snapshot.pillars.len(), 4);
    }
    frontier
}

#[test]
fn killed_and_undisturbed_services_store_the_same() {
    let seed = seed_from_time();
    println!("seed {seed}");
    let wanted = std::env::var("TEST_CRASH_KILLS").map_or(KILLS_PER_WORLD, |n| n.parse().expect("a number"));
    let worlds: Vec<u32> = (1..=wanted.div_ceil(KILLS_PER_WORLD)).collect();
    let kills = AtomicU32::new(0);
    for some in worlds.chunks(WORLDS_AT_ONCE) {
        std::thread::scope(|scope| {
            for world in some {
                let kills = &kills;
                scope.spawn(move || {
                    let (moved, end) = kill_repeatedly(*world, &mut SeededRandom::new(seed ^ u64::from(*world)));
                    let kills = kills.fetch_add(KILLS_PER_WORLD, Ordering::Relaxed) + KILLS_PER_WORLD;
                    println!(
                        "{kills} kills; in world {world} {moved} of {KILLS_PER_WORLD} after ticks were done, history reaches {end}"
                    );
                });
            }
        });
    }
}

/// Returns how many kills came after a tick was done, and the last tick.
fn kill_repeatedly(world: u32, random: &mut SeededRandom) -> (u32, Timestamp) {
    let folder = tempfile::tempdir().unwrap();
    let (killed, undisturbed) = (folder.path().join("killed"), folder.path().join("undisturbed"));

    // The first tick loads decades of history and takes longer than most runs, so the first run lasts until it is done.
    let mut child = start(&killed, world);
    wait_until("the first tick is done", Duration::from_secs(120), || last_tick(&killed).is_some());
    child.kill().unwrap();
    child.wait().unwrap();

    let (mut frontier, mut moved) = (None, 0u32);
    // Grows while runs end before a tick is done, as they always would on a busy machine.
    let mut longest_ms = SHORT_RUN_MS;
    for _ in 0..KILLS_PER_WORLD {
        let mut child = start(&killed, world);
        std::thread::sleep(Duration::from_millis(20 + random.below(longest_ms)));
        child.kill().expect("kill");
        child.wait().expect("wait");
        if killed.join("gsi.db").exists() {
            let now = check_after_kill(&killed, frontier);
            let has_moved = now > frontier;
            moved += u32::from(has_moved);
            longest_ms = if has_moved {
                SHORT_RUN_MS.max(longest_ms / 2)
            } else {
                (longest_ms + longest_ms / 16).min(LONG_RUN_MS)
            };
            frontier = now;
        }
    }
    let end = frontier.expect("at least one tick was done");
    assert!(moved >= KILLS_PER_WORLD / 40, "most runs ended before their first tick: only {moved} did one");

    let mut child = start(&undisturbed, world);
    wait_until("the undisturbed run reaches the same tick", Duration::from_secs(600), || {
        assert!(child.try_wait().unwrap().is_none(), "the undisturbed run ended early");
        last_tick(&undisturbed).is_some_and(|tick| tick >= end)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    compare(&*open(&killed), &*open(&undisturbed), end);
    (moved, end)
}

fn compare(killed: &dyn Store, undisturbed: &dyn Store, end: Timestamp) {
    let rows_of = |store: &dyn Store| {
        let mut all = Vec::new();
        store.observations(end, &mut |o| all.push(o)).unwrap();
        all
    };
    let (a, b) = (rows_of(killed), rows_of(undisturbed));
    assert_eq!(a.len(), b.len(), "observations");
    for (x, y) in a.iter().zip(&b) {
        assert_eq!(x, y);
    }
    let news_of = |store: &dyn Store| {
        let mut all = Vec::new();
        // A tick's news file is taken by the next tick, which the undisturbed run may have done already.
        store.rows(Timestamp::MIN, end.minus(TICK), &mut |r| all.push(r)).unwrap();
        all
    };
    assert_eq!(news_of(killed), news_of(undisturbed), "news rows");

    let ticks_of = |store: &dyn Store| {
        let history = store.history(None, Timestamp::MIN, end.plus(1)).unwrap();
        history.iter().map(|p| p.tick).collect::<Vec<_>>()
    };
    assert_eq!(ticks_of(killed), ticks_of(undisturbed), "a tick is missing");
    for tick in ticks_of(killed) {
        let (x, y) =
            (killed.published_at(tick).unwrap().unwrap(), undisturbed.published_at(tick).unwrap().unwrap());
        assert_eq!(x, y, "the snapshots of {tick} differ");
    }
    let everything = EventQuery::any(end, 1_000_000);
    assert_eq!(killed.events(&everything).unwrap(), undisturbed.events(&everything).unwrap(), "events");
}
