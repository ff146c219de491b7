//! Backfills and imports while the service runs: they stop no tick, and the store still replays exactly.

use crate::GSI;
use drills::publishers::{BEGINS, Publishers};
use drills::{DISABLED_FEEDS, store, text_of, wait_until};
use gsi_model::{DAY, Timestamp};
use gsi_sim::WorldSettings;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A tick every two seconds.
const SCALE: f64 = 450.0;
/// A first tick on a busy machine takes a quarter of it.
const PATIENCE: Duration = Duration::from_secs(240);

#[test]
fn backfills_and_imports_while_the_service_runs_replay_exactly() {
    let begins: Timestamp = BEGINS.parse().unwrap();
    let world = WorldSettings { rows_per_slot: 30.0, ..WorldSettings::new(3, begins.minus(8 * DAY)) };
    let publishers = Publishers::start_world(SCALE, world);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let gsi = || {
        let mut command = Command::new(GSI);
        publishers.apply_to(&mut command);
        command
            .arg("--data")
            .arg(&data)
            .args(["--log", "warn"])
            .env("GSI_FEEDS_MIRROR", publishers.server.base_url())
            .env("GSI_FEEDS_DISABLED", DISABLED_FEEDS)
            .env("GSI_LOG_REQUESTS", "off")
            .stdin(Stdio::null());
        command
    };
    let csv = folder.path().join("csv");
    std::fs::create_dir(&csv).unwrap();

    let mut service = gsi().args(["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the first tick is done", PATIENCE, || store::last_tick(&data).is_some());
    let opened = store::open(&data);
    for n in 0..4 {
        let day = begins.minus((7 - n) * DAY).day().to_string();
        for feed in ["gdelt", "ofr"] {
            let done = gsi().args(["backfill", feed, "--from", &day, "--to", &day]).output().unwrap();
            assert!(done.status.success(), "{}", text_of(&done));
        }
        let rows: String = (0..50)
            .map(|k| {
                let end = begins.minus(k * DAY);
                format!("eia.brent,{},{end},{end},{}\n", end.minus(DAY), 60 + n * k)
            })
            .collect();
        std::fs::write(
            csv.join("brent.csv"),
            format!("series,period_start,period_end,known_at,value\n{rows}"),
        )
        .unwrap();
        let done = gsi().arg("import").arg(&csv).output().unwrap();
        assert!(
            done.status.success() && text_of(&done).contains(" 50 wait for the next ticks"),
            "{}",
            text_of(&done)
        );
        let before = store::last_tick(&data);
        wait_until("another tick takes what waits", PATIENCE, || {
            store::last_tick(&data) > before && opened.pending(1).unwrap().is_empty()
        });
    }
    drop(opened);
    Command::new("kill").arg(service.id().to_string()).status().unwrap();
    assert!(service.wait().unwrap().success());
    let done = gsi().args(["replay", "--verify"]).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text_of(&done));
    let done = gsi().args(["store", "check"]).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text_of(&done));
}
