//! How the service ends: when whoever reads its log has gone it goes on, and when it is told to stop it stops.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LEFT_OUT: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb,epu,ucdp,gpr,ioda,treasury";
const LIVE: &str = "2026-11-14T03:00:00Z";
/// The stated grace, and some for a busy machine.
const GRACE: Duration = Duration::from_secs(90);

fn wait(child: &mut Child, within: Duration) -> Option<std::process::ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < within {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    None
}

/// `gsi … 2>&1 | head -2`: after two lines nobody reads any more.
#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gsi"))
        .arg("--data")
        .arg(folder.path())
        .args([
            "demo",
            "--listen",
            "127.0.0.1:0",
            "--days",
            "1",
            "--at",
            LIVE,
            "--time-scale",
            "900",
            "--log",
            "debug",
        ])
        .env("GSI_DEMO_ROWS_PER_SLOT", "20")
        .env("GSI_FEEDS_DISABLED", LEFT_OUT)
        .env("GSI_LOG_REQUESTS", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    for _ in 0..2 {
        lines.next().unwrap().unwrap();
    }
    drop(lines);
    // It ticks on, well into the live part.
    let beyond: gsi_model::Timestamp =
        LIVE.parse::<gsi_model::Timestamp>().unwrap().plus(4 * gsi_model::TICK);
    let begun = Instant::now();
    loop {
        assert_eq!(child.try_wait().unwrap(), None, "the service ended");
        assert!(begun.elapsed() < Duration::from_secs(240), "ticks stopped");
        let path = folder.path().join("gsi.db");
        if path.exists()
            && gsi_store::open(&format!("sqlite:{}", path.display()))
                .unwrap()
                .frontier()
                .unwrap()
                .is_some_and(|f| f.tick >= beyond)
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let ended = wait(&mut child, GRACE);
    if ended.is_none() {
        child.kill().unwrap();
    }
    assert!(ended.expect("SIGTERM ends it").success());
}
