//! One round: faults one after another or together, then all checks.

use crate::faults::{ChaosFault, Served};
use crate::plan::{ChaosPlan, ChaosStep};
use crate::reader::ReadTimes;
use crate::scene::{ChaosScene, END_WITHIN, PATIENCE};
use drills::audit::StoreDigest;
use drills::wait_until;
use gsi_model::{TICK, Timestamp};
use gsi_pipeline::MAX_LATE_TICKS;
use gsi_store::Store;
use std::time::{Duration, Instant};

/// The documented limit for refusing a revoked key.
const REFUSED_WITHIN: Duration = Duration::from_secs(5);
/// The slowest hundredth of prepared reads takes less than this.
const SLOWEST_HUNDREDTH_MILLIS: f64 = 50.0;
const PAUSE: Duration = Duration::from_millis(20);

/// Sums over all rounds.
#[derive(Default)]
pub struct ChaosTotals {
    pub rounds: usize,
    pub times: ReadTimes,
    pub replayed: usize,
    /// Rounds in which the slowest hundredth of prepared reads took longer than [`SLOWEST_HUNDREDTH_MILLIS`].
    pub slow_rounds: usize,
    revoked: Vec<String>,
    /// The last tick that was replayed and found the same.
    verified: Option<Timestamp>,
}

pub fn run(scene: &mut ChaosScene, steps: &[ChaosStep], plan: &mut ChaosPlan, totals: &mut ChaosTotals) {
    let begun = Instant::now();
    totals.rounds += 1;
    let before_round = StoreDigest::now(&*scene.open_store());
    revoke_a_key(scene, plan.is_long(), totals);
    let (starts, kills, failed_ticks) =
        (scene.service.starts, scene.service.kills, scene.service.failed_ticks());
    scene.done.clear();
    for step in steps {
        let done = cause(scene, step, plan);
        scene.done.push(done);
    }

    let before = scene.shown();
    wait_until("ticks continue", PATIENCE, || scene.shown() > before);
    let store = scene.open_store();
    before_round.assert_unchanged(&*store);
    let (ticks, skipped) = count_ticks(&*store);
    let replayed = verify_replay(scene, &*store, plan.is_long(), totals);
    check_keys(scene, totals);
    drop(store);
    let times = scene.reader.take_times();
    let line = format!(
        "{:?} round {}: {}; {:.0} s, {} kills, {} starts, {} failed tries of ticks; {ticks} ticks ({skipped} left out), \
         {replayed} replayed exactly, {} revoked keys refused; {} prepared reads, p50 {:.1} p99 {:.1} worst {:.1} ms \
         ({} while down, load {})",
        scene.kind,
        totals.rounds,
        scene.done.join(", "),
        begun.elapsed().as_secs_f64(),
        scene.service.kills - kills,
        scene.service.starts - starts,
        scene.service.failed_ticks() - failed_ticks,
        totals.revoked.len(),
        times.count(),
        times.percentile(50),
        times.percentile(99),
        times.percentile(100),
        times.excused,
        load_of_the_machine(),
    );
    let ended = end_and_start_again(scene);
    println!("{line}; ended on SIGTERM after {:.1} s", ended.as_secs_f64());
    check_keys(scene, totals);
    assert_eq!(scene.reader.complaints(), Vec::<String>::new());
    assert_eq!(scene.service.panics(), 0, "{}", scene.service.last_lines());
    totals.slow_rounds += usize::from(times.percentile(99) >= SLOWEST_HUNDREDTH_MILLIS);
    totals.replayed += replayed;
    totals.times.add(times);
}

/// Causes the faults of a step, holds them and undoes them in reverse order. Returns what was done and how long the recovery took.
fn cause(scene: &mut ChaosScene, step: &ChaosStep, plan: &mut ChaosPlan) -> String {
    let served = |wanted: &[Served]| step.faults.iter().all(|fault| wanted.contains(&fault.served));
    scene.reader.expect_answers(served(&[Served::Throughout, Served::UntilMended]));
    let mut caused: Vec<&ChaosFault> = Vec::new();
    for fault in &step.faults {
        match (fault.inflict)(scene, &mut plan.random) {
            Ok(()) => caused.push(fault),
            Err(reason) => {
                scene.counts.skipped += 1;
                println!("skipped: chaos without {}, because {reason}", fault.name);
            }
        }
    }
    let begun = Instant::now();
    while begun.elapsed() < step.hold {
        scene.service.keep_running(true);
        std::thread::sleep(PAUSE);
    }
    scene.reader.expect_answers(served(&[Served::Throughout]));
    for fault in caused.iter().rev() {
        (fault.undo)(scene);
    }
    scene.counts.faults += caused.len();
    let mended = Instant::now();
    scene.wait_until_well();
    let names: Vec<&str> = caused.iter().map(|fault| fault.name).collect();
    let (held, back) = (step.hold.as_secs_f64(), mended.elapsed().as_secs_f64());
    format!("{} {held:.1} s (back after {back:.1})", names.join(" + "))
}

/// The machine's load of the last minute, by which the times are judged.
fn load_of_the_machine() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

fn revoke_a_key(scene: &ChaosScene, is_long: bool, totals: &mut ChaosTotals) {
    let key = scene.gsi(&["key", "create", "--name", "leaver", "--rate", "none"]);
    let status = || scene.status("/v1/keys/self", &key);
    wait_until("a new key works", PATIENCE, || status() == Some(200));
    scene.gsi(&["key", "revoke", &key[4..14]]);
    let took = wait_until("a revoked key is refused", PATIENCE, || status() == Some(401));
    assert!(!is_long || took <= REFUSED_WITHIN, "a revoked key was served for {took:?}");
    totals.revoked.push(key);
}

fn check_keys(scene: &ChaosScene, totals: &ChaosTotals) {
    for key in &totals.revoked {
        assert_eq!(scene.status("/v1/keys/self", key), Some(401), "a revoked key");
    }
    assert_eq!(scene.status("/v1/keys/self", &scene.key), Some(200), "a valid key");
}

/// Returns how many ticks there are, and how many were left out. Ticks are left out only if more than [`MAX_LATE_TICKS`] are due.
pub fn count_ticks(store: &dyn Store) -> (usize, i64) {
    let history = store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap();
    let mut left_out = 0;
    for pair in history.windows(2) {
        let steps = pair[1].tick.since(pair[0].tick) / TICK;
        let allowed = steps == 1 || steps > MAX_LATE_TICKS;
        assert!(allowed, "{} ticks from {} to {}", steps, pair[0].tick, pair[1].tick);
        left_out += steps - 1;
    }
    (history.len(), left_out)
}

/// Replays all ticks, or in the long form those that were not replayed before. Returns their number.
fn verify_replay(scene: &ChaosScene, store: &dyn Store, is_long: bool, totals: &mut ChaosTotals) -> usize {
    let history = store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap();
    let last = history.last().expect("ticks").tick;
    let from = totals.verified.filter(|_| is_long).unwrap_or(history[0].tick);
    totals.verified = Some(last);
    let printed = scene.gsi(&["replay", "--verify", "--from", &from.to_string(), "--to", &last.to_string()]);
    assert!(printed.contains("the same byte for byte"), "{printed}");
    printed.split(' ').next().and_then(|ticks| ticks.parse().ok()).expect("a number of ticks")
}

fn end_and_start_again(scene: &mut ChaosScene) -> Duration {
    scene.reader.expect_answers(false);
    let (status, took) = scene.service.terminate(END_WITHIN);
    assert!(status.success(), "SIGTERM ended it with {status}\n{}", scene.service.last_lines());
    scene.wait_until_well();
    took
}
