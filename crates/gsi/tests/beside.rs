//! An operator's ordinary commands beside a running service: they stop no tick and leave a store that replays exactly.

use gsi_model::{DAY, SimulatedPace, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use gsi_store::Store;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const BEGINS: &str = "2026-11-10T06:00:00Z";
/// A tick every two seconds.
const SCALE: f64 = 450.0;
const LEFT_OUT: &str = "ucdp,gpr,epss,ioda,poc,ransomware,portwatch,ports,gscpi,usgs,gdacs,treasury,ecb,epu";
const PATIENCE: Duration = Duration::from_secs(240);

fn gsi(data: &Path, publishers: &str, since: Timestamp) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command
        .arg("--data")
        .arg(data)
        .args(["--log", "warn"])
        .env("GSI_REHEARSAL_PUBLISHERS", publishers)
        .env("GSI_REHEARSAL_BEGINS", BEGINS)
        .env("GSI_REHEARSAL_SINCE", since.to_string())
        .env("GSI_REHEARSAL_SCALE", SCALE.to_string())
        .env("GSI_FEEDS_MIRROR", publishers)
        .env("GSI_FEEDS_DISABLED", LEFT_OUT)
        .env("GSI_LOG_REQUESTS", "off")
        .stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn backfills_and_imports_beside_a_service_replay_exactly() {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let begins: Timestamp = BEGINS.parse().unwrap();
    let clock = SimulatedPace { begins, since: UNIX_EPOCH + Duration::from_secs(since), scale: SCALE };
    let since = Timestamp::from_unix(since as i64);
    let world = World::new(WorldSettings {
        rows_per_slot: 30.0,
        missing_slots: false,
        live: begins,
        ..WorldSettings::new(3, begins.minus(8 * DAY))
    });
    let sim = SimServer::start(Arc::new(world), Arc::new(clock)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let gsi = || gsi(&data, &sim.base_url(), since);
    let csv = folder.path().join("csv");
    std::fs::create_dir(&csv).unwrap();

    let mut service = gsi().args(["serve", "--listen", "127.0.0.1:0"]).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let open = || gsi_store::open(&format!("sqlite:{}", data.join("gsi.db").display())).unwrap();
    let frontier = |store: &dyn Store| store.frontier().unwrap().map(|f| f.tick);
    while !data.join("gsi.db").exists() || frontier(&*open()).is_none() {
        assert!(begun.elapsed() < PATIENCE, "the first tick is never done");
        std::thread::sleep(Duration::from_millis(100));
    }
    let store = open();
    for n in 0..4 {
        let day = begins.minus((7 - n) * DAY).day().to_string();
        for feed in ["gdelt", "ofr"] {
            let done = gsi().args(["backfill", feed, "--from", &day, "--to", &day]).output().unwrap();
            assert!(done.status.success(), "{}", text(&done));
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
            done.status.success() && text(&done).contains(" 50 wait for the next ticks"),
            "{}",
            text(&done)
        );
        let before = frontier(&*store);
        while frontier(&*store) == before || !store.pending(1).unwrap().is_empty() {
            assert!(begun.elapsed() < PATIENCE, "ticks stopped at {before:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    drop(store);
    Command::new("kill").arg(service.id().to_string()).status().unwrap();
    assert!(service.wait().unwrap().success());
    let done = gsi().args(["replay", "--verify"]).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done));
    let done = gsi().args(["store", "check"]).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done));
}
