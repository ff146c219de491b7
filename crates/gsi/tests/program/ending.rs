//! How the service ends: not when the reader of its log ends, but at SIGTERM.

use crate::gsi;
use drills::store::last_tick;
use drills::wait_until;
use gsi_model::{TICK, Timestamp};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

const DISABLED: &str = "epss,poc,portwatch,ports,gscpi,usgs,ecb,epu,ucdp,gpr,ioda,treasury";
const LIVE: &str = "2026-11-14T03:00:00Z";
/// The documented limit, and more for a busy machine.
const GRACE: Duration = Duration::from_secs(90);

/// `gsi … 2>&1 | head -2`: after two lines the log has no reader.
#[test]
fn a_log_without_a_reader_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = gsi(folder.path())
        .args(["demo", "--listen", "127.0.0.1:0", "--days", "1", "--at", LIVE, "--time-scale", "900"])
        .args(["--log", "debug"])
        .env("GSI_DEMO_ROWS_PER_SLOT", "20")
        .env("GSI_FEEDS_DISABLED", DISABLED)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    for _ in 0..2 {
        lines.next().unwrap().unwrap();
    }
    drop(lines);
    // Ticks continue into the live part.
    let beyond = LIVE.parse::<Timestamp>().unwrap().plus(4 * TICK);
    wait_until("live ticks are done", Duration::from_secs(240), || {
        assert_eq!(child.try_wait().unwrap(), None, "the service ended");
        last_tick(folder.path()).is_some_and(|tick| tick >= beyond)
    });
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    wait_until("SIGTERM ends it", GRACE, || child.try_wait().unwrap().is_some());
    assert!(child.wait().unwrap().success());
}
