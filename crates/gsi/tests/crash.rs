//! Kills the service with SIGKILL at random moments of ingest, again and again, and looks at what is left.
//!
//! The simulated world is deterministic, so the store of a service that was killed two hundred times must hold exactly
//! what one that was never disturbed holds: nothing lost, nothing doubled, nothing different. `GSI_CRASH_KILLS` asks for
//! more of them, two hundred in each of as many worlds as it takes.

use gsi_model::{TICK, Timestamp};
use gsi_store::{EventQuery, Store};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const KILLS_PER_WORLD: u32 = 200;
/// A service that lives for a moment leaves most of the machine idle.
const WORLDS_AT_ONCE: usize = 3;
/// Long enough that two hundred short lives hardly reach its end.
const DAYS: &str = "150";
const LIVE: &str = "2026-11-14T00:00:00Z";
/// One feed per pillar is enough to be killed over, and a life is short.
const LEFT_OUT: &str = "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";

/// A start and a tick take a quarter of this on a quiet machine.
const SHORT_LIFE_MS: u64 = 780;
const LONG_LIFE_MS: u64 = 6_000;

fn start(data: &Path, world: u32) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gsi"))
        .args(["demo", "--listen", "127.0.0.1:0", "--days", DAYS, "--at", LIVE, "--log", "error"])
        .arg("--data")
        .arg(data)
        .env("GSI_DEMO_ROWS_PER_SLOT", "120")
        .env("GSI_DEMO_SEED", world.to_string())
        .env("GSI_LOG_REQUESTS", "off")
        .env("GSI_FEEDS_DISABLED", LEFT_OUT)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("start the service")
}

fn open(data: &Path) -> Arc<dyn Store> {
    gsi_store::open(&format!("sqlite:{}", data.join("gsi.db").display())).expect("the store opens")
}

/// A small reproducible source of chance; the seed is printed so that a failure can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// After every kill: the store is sound and its last snapshot is whole and belongs to the last tick.
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
fn kills_leave_no_trace() {
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {seed}");
    let wanted = std::env::var("GSI_CRASH_KILLS").map_or(KILLS_PER_WORLD, |n| n.parse().expect("a number"));
    let worlds: Vec<u32> = (1..=wanted.div_ceil(KILLS_PER_WORLD)).collect();
    let kills = AtomicU32::new(0);
    for some in worlds.chunks(WORLDS_AT_ONCE) {
        std::thread::scope(|scope| {
            for world in some {
                let kills = &kills;
                scope.spawn(move || {
                    let (moved, end) = kill_again_and_again(*world, &mut Chance(seed ^ u64::from(*world)));
                    let kills = kills.fetch_add(KILLS_PER_WORLD, Ordering::Relaxed) + KILLS_PER_WORLD;
                    println!(
                        "{kills} kills; in world {world} {moved} of {KILLS_PER_WORLD} after ticks were done, history reaches {end}"
                    );
                });
            }
        });
    }
}

/// How many kills came after ticks were done, and the last tick.
fn kill_again_and_again(world: u32, chance: &mut Chance) -> (u32, Timestamp) {
    let folder = tempfile::tempdir().unwrap();
    let (killed, undisturbed) = (folder.path().join("killed"), folder.path().join("undisturbed"));

    // The first tick loads decades of history and takes longer than most lives; the first life is allowed to do it.
    let mut child = start(&killed, world);
    let patience = Instant::now();
    while !killed.join("gsi.db").exists() || open(&killed).frontier().unwrap().is_none() {
        assert!(patience.elapsed() < Duration::from_secs(120), "the first tick is never done");
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let (mut frontier, mut moved) = (None, 0u32);
    // How long lives last at most: longer while they end before a tick is done, as on a busy machine they would for ever.
    let mut longest_ms = SHORT_LIFE_MS;
    for _ in 0..KILLS_PER_WORLD {
        let mut child = start(&killed, world);
        std::thread::sleep(Duration::from_millis(20 + chance.below(longest_ms)));
        child.kill().expect("kill");
        child.wait().expect("wait");
        if killed.join("gsi.db").exists() {
            let now = check_after_kill(&killed, frontier);
            let has_moved = now > frontier;
            moved += u32::from(has_moved);
            longest_ms = if has_moved {
                SHORT_LIFE_MS.max(longest_ms / 2)
            } else {
                (longest_ms + longest_ms / 16).min(LONG_LIFE_MS)
            };
            frontier = now;
        }
    }
    let end = frontier.expect("two hundred lives did at least one tick");
    assert!(
        moved >= KILLS_PER_WORLD / 40,
        "most lives ended before their first tick: only {moved} moved the frontier"
    );

    let mut child = start(&undisturbed, world);
    let patience = Instant::now();
    while !undisturbed.join("gsi.db").exists()
        || open(&undisturbed).frontier().unwrap().is_none_or(|f| f.tick < end)
    {
        assert!(patience.elapsed() < Duration::from_secs(600), "the undisturbed run does not get there");
        assert!(child.try_wait().unwrap().is_none(), "the undisturbed run ended early");
        std::thread::sleep(Duration::from_millis(100));
    }
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
        // The file stamped with a tick is taken by the next one, which the undisturbed run may have done already.
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
