//! A seeded random mix of all injected faults: kills, halts, jumps of the clock, full, slow and failing disks, a closed stderr, a
//! dead database, readers that hang up or stay silent, hostile publishers. After every round no tick is lost or doubled, what was
//! published is unchanged and replays exactly, revoked keys are refused, a well-behaved client was served, and SIGTERM ends the
//! service.
//!
//! The short form, part of `make test`, causes every fault once on each store. `TEST_CHAOS_MINUTES` makes it longer (`make chaos`)
//! and adds the limits for revoked keys and prepared reads. `TEST_CHAOS_SEED` selects another plan. A tick comes every three seconds.

mod crowd;
mod disk;
mod faults;
mod plan;
mod reader;
mod round;
mod scene;
mod service;

use drills::{audit, wait_until};
use plan::ChaosPlan;
use round::ChaosTotals;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use scene::{ChaosScene, PATIENCE, StoreKind};

const SILENT_IN_SHORT: usize = 500;
const SILENT: usize = 5_000;
/// Files that this process opens in addition to silent connections. Two scenes may run at once.
const OTHER_FILES: u64 = 500;

#[test]
fn a_service_on_sqlite_survives() {
    survive(StoreKind::Sqlite);
}

#[test]
fn a_service_on_postgresql_survives() {
    survive(StoreKind::Postgres);
}

fn survive(kind: StoreKind) {
    let mut plan = ChaosPlan::from_environment(kind);
    println!("{kind:?}: seed {}", plan.seed);
    let wanted = if plan.is_long() { SILENT } else { SILENT_IN_SHORT };
    let Some(mut scene) = ChaosScene::start(kind, silent_connections(wanted)) else { return };
    let mut totals = ChaosTotals::default();
    while let Some(steps) = plan.next_round() {
        round::run(&mut scene, &steps, &mut plan, &mut totals);
    }
    let store = scene.open_store();
    // Files that hostile publishers withheld are requested again, so every file comes in the end.
    wait_until("no news file is missing", PATIENCE, || {
        scene.service.keep_running(false);
        missing_files(&*store) == 0
    });
    let files = audit::assert_no_file_missing(&*store);
    let (ticks, left_out) = round::count_ticks(&*store);
    println!(
        "{kind:?}, seed {}: {} rounds, {} faults ({} skipped), {} kills, {} starts, {} hang-ups, {} silent connections at once; \
         {ticks} ticks, none doubled, {left_out} left out, {} replayed exactly, {} seen by the reader in one version each; \
         {files} news files, none missing; {} prepared reads, p50 {:.1} p99 {:.1} worst {:.1} ms, p99 of {} rounds beyond 50",
        plan.seed,
        totals.rounds,
        scene.counts.faults,
        scene.counts.skipped,
        scene.service.kills,
        scene.service.starts,
        scene.counts.hang_ups,
        scene.counts.most_silent,
        totals.replayed,
        scene.reader.ticks_seen(),
        totals.times.count(),
        totals.times.percentile(50),
        totals.times.percentile(99),
        totals.times.percentile(100),
        totals.slow_rounds,
    );
    assert!(!plan.is_long() || totals.slow_rounds == 0, "{} rounds were slow", totals.slow_rounds);
}

/// Raises the limit on open files as far as possible, and returns how many connections it allows.
fn silent_connections(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let files = if raised.is_ok() { limit.maximum } else { limit.current };
    let room = files.map_or(usize::MAX, |files| (files.saturating_sub(OTHER_FILES) / 2) as usize);
    if room < wanted {
        println!(
            "{room} silent connections instead of {wanted}: the limit on open files has no room for more"
        );
    }
    wanted.min(room)
}

fn missing_files(store: &dyn gsi_store::Store) -> i64 {
    use gsi_model::{TICK, Timestamp};
    let mut stamps = Vec::new();
    store.slots(Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |slot| stamps.push(slot.stamp)).unwrap();
    stamps.windows(2).map(|pair| pair[1].since(pair[0]) / TICK - 1).sum()
}
