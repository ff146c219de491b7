//! `gsi-lab reprocess` and `gsi-lab compare`, and the service on what they compute.

use crate::{gsi, lab};
use drills::http::get_from;
use gsi_model::{Clock, DAY, SystemClock, TICK, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

const KEY: &str = "an-operators-own-key";

/// Simulated publishers that live in the present, as the commands do.
fn publishers() -> SimServer {
    let now = SystemClock.now();
    let settings = WorldSettings {
        rows_per_slot: 12.0,
        mentions_per_row: 0.0,
        missing_slots: false,
        ..WorldSettings::new(9, now.day().start().minus(2 * DAY))
    };
    SimServer::start(Arc::new(World::new(settings)), Arc::new(SystemClock)).unwrap()
}

fn run(command: &mut Command) -> (Output, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output, out, err)
}

/// A service that is killed when the value is dropped.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    /// Starts the service and waits for the line with its address.
    fn start(command: &mut Command) -> Running {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| Some(line.split_once("answering on http://")?.1.trim().to_owned()));
        // Reads the rest as well, so that the service never waits for a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Running { child, address: address.expect("the service prints its address") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A reconstruction is served, replays exactly, continues where it ended, and is equal to itself.
#[test]
fn the_past_is_computed_from_an_archive() {
    let sim = publishers();
    let folder = tempfile::tempdir().unwrap();
    let yesterday = SystemClock.now().day().plus(-1).start();
    let with_feeds = |mut command: Command, arguments: &[&str]| {
        command.env("GSI_FEEDS_DISABLED", "epss,poc,portwatch,ports,gscpi,usgs,gdacs,ecb,epu,ransomware");
        command.args(arguments).args(["--log", "error"]);
        command
    };
    let lab = |arguments: &[&str]| with_feeds(lab(folder.path()), arguments);
    let gsi = |arguments: &[&str]| with_feeds(gsi(folder.path()), arguments);
    let reprocess = |to: Timestamp| {
        let (from, to) = (yesterday.to_string(), to.to_string());
        let mirror = sim.base_url();
        let arguments = ["reprocess", "--json", "--from", &from, "--to", &to, "--mirror", &mirror];
        let (output, out, err) = run(lab(&arguments).args(["--warm-up-days", "2"]));
        assert!(output.status.success(), "{err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let report = reprocess(yesterday.plus(4 * TICK));
    assert_eq!(
        (&report["ticks"], &report["already_done"], &report["published"]),
        (&5.into(), &0.into(), &5.into())
    );
    let report = reprocess(yesterday.plus(6 * TICK));
    assert_eq!((&report["ticks"], &report["already_done"]), (&2.into(), &5.into()), "{report}");

    let (output, out, stderr) = run(&mut gsi(&["replay", "--verify"]));
    assert!(output.status.success() && out.starts_with("7 ticks"), "{out} {stderr}");
    let store = format!("sqlite:{}", folder.path().join("gsi.db").display());
    let (output, out, stderr) = run(&mut lab(&["compare", &store, &store, "--json"]));
    assert!(output.status.success(), "{stderr}");
    let compared: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&compared["ticks"], &compared["same_score"]), (&7.into(), &7.into()), "{compared}");

    let mut serve = gsi(&["serve", "--role", "serve", "--listen", "127.0.0.1:0"]);
    let running = Running::start(serve.env("GSI_API_KEY", KEY));
    let answer = get_from(&running.address, "/v1/global-stability", Some(KEY));
    assert!(answer.status == 200 && !answer.head.to_lowercase().contains("gsi-simulated"), "{}", answer.body);
    drop(running);

    // A live service refuses the store of a reconstruction.
    let (output, _, stderr) = run(&mut gsi(&["serve", "--listen", "127.0.0.1:0"]));
    assert!(!output.status.success() && stderr.contains("a reconstruction of the past"), "{stderr}");
    for (arguments, reason) in [
        (
            &["reprocess", "--from", "2026-10-01T00:01:00Z", "--to", "2026-10-02T00:00:00Z"][..],
            "quarter hours",
        ),
        (
            &["reprocess", "--from", "2026-10-01T00:00:00Z", "--to", "2026-10-02T00:00:00Z", "--mirror", "x"],
            "neither",
        ),
        (&["compare", "sqlite:nowhere.db", "sqlite:nowhere.db"], "there is no store"),
    ] {
        let (output, _, stderr) = run(&mut lab(arguments));
        assert!(output.status.code() == Some(2) && stderr.contains(reason), "{stderr}");
    }
}
