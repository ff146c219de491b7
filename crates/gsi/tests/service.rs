//! The binary as its user meets it: started, asked, given keys, stopped and started again.

mod demo;

use demo::{Running, answer as get};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn gsi(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsi"));
    command.arg("--data").arg(data).env("GSI_DEMO_ROWS_PER_SLOT", "60").stdin(Stdio::null());
    command
}

/// Starts the demo and waits until it has said that it is ready.
fn start(data: &Path) -> Running {
    start_with(gsi(data), "1")
}

fn start_with(mut command: Command, days: &str) -> Running {
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--days", days, "--at", "2026-11-14T00:00:00Z"];
    demo::start(command.args(arguments))
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Asks until a change of keys shows. How soon that is by contract, the drills with replicas measure.
fn wait_for_status(running: &Running, key: &str, want: u16) {
    let begun = Instant::now();
    loop {
        let (status, _) = get(&running.address, "/v1/global-stability", Some(key));
        if status == want {
            return;
        }
        assert!(begun.elapsed() < demo::PATIENCE, "still {status}, not {want}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn keys_come_and_go_while_the_service_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let running = start(data);
    let (status, body) = get(&running.address, "/v1/global-stability", Some(&running.key));
    assert_eq!(status, 200, "{body}");
    assert!(body.to_lowercase().contains("gsi-simulated: true"));

    let made = output(gsi(data).args(["key", "create", "--name", "desk", "--scope", "scores:read"]));
    assert!(
        made.starts_with("gsi_") && !made.contains(char::is_whitespace),
        "the key stands alone on stdout"
    );
    wait_for_status(&running, &made, 200);
    assert_eq!(get(&running.address, "/v1/conflict", Some(&made)).0, 403, "the scope holds");

    let id = &made[4..14];
    let listed = output(gsi(data).args(["key", "list", "--json"]));
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert!(listed.as_array().unwrap().iter().any(|k| k["id"] == id && k["state"] == "active"));

    let rotated = output(gsi(data).args(["key", "rotate", id]));
    wait_for_status(&running, &rotated, 200);
    wait_for_status(&running, &made, 401);
    output(gsi(data).args(["key", "revoke", &rotated[4..14]]));
    wait_for_status(&running, &rotated, 401);

    let soon = output(gsi(data).args(["key", "create", "--name", "brief", "--expires", "1h"]));
    wait_for_status(&running, &soon, 200);
    let refused = gsi(data).args(["key", "revoke", "nobody1234"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));

    // No secret in the database, its log, or anything that was said; the printed greeting aside.
    let secrets: Vec<String> = [&made, &rotated, &soon].iter().map(|k| k[15..].to_owned()).collect();
    assert!(data.join("gsi.db").is_file(), "what is looked through is there");
    for entry in std::fs::read_dir(data).unwrap().flatten().filter(|e| e.file_name() != "demo.key") {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        for secret in secrets.iter().chain([&running.key[15..].to_owned()]) {
            let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
            assert!(!found, "a secret lies in {}", entry.path().display());
        }
    }
    let said = running.stderr.lock().unwrap().clone();
    assert!(said.contains(&format!("\"key\":\"{id}\"")), "requests are logged with the key's public id");
    assert!(secrets.iter().all(|s| !said.contains(s.as_str())), "a secret was logged");
}

/// What operators are given to watch with must name what there is.
#[test]
fn alerts_and_dashboard_name_metrics_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path());
    // What is counted by endpoint is there once one was asked.
    assert_eq!(get(&running.address, "/v1/global-stability", Some(&running.key)).0, 200);
    let (status, text) = get(&running.address, "/metrics", None);
    assert_eq!(status, 200);
    let described: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    for file in ["prometheus/alerts.yml", "grafana/dashboard.json"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
        let written = std::fs::read_to_string(path).unwrap();
        let named = written
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.starts_with("gsi_"))
            .map(|word| word.strip_suffix("_bucket").unwrap_or(word));
        let mut count = 0;
        // These are there only where a standby is.
        let with_standby = ["gsi_standby_up", "gsi_standby_lag_seconds", "gsi_standby_ticks_behind"];
        for name in named.filter(|name| !with_standby.contains(name)) {
            assert!(described.contains(&name), "{file} names {name}; there are {described:?}");
            count += 1;
        }
        assert!(count > 10, "{file} names only {count} metrics");
    }
    let dashboard = include_str!("../../../deploy/grafana/dashboard.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    assert!(dashboard["panels"].as_array().unwrap().len() >= 10);
}

/// The files under deploy/ are configurations that the program accepts.
#[test]
fn example_configurations_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["one-machine.toml", "replica.toml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config").join(file);
        output(gsi(folder.path()).arg("--config").arg(path).args(["feeds", "list"]));
    }
    let unit = include_str!("../../../deploy/systemd/gsi.service");
    let line = unit.lines().find_map(|l| l.strip_prefix("ExecStart=/usr/local/bin/gsi ")).unwrap();
    let help = gsi(folder.path()).args(line.split(' ')).arg("--help").output().unwrap();
    assert!(help.status.success(), "the unit starts what does not exist");
}

#[test]
fn a_second_start_serves_the_last_snapshot_and_prints_the_same_key() {
    let folder = tempfile::tempdir().unwrap();
    let first = start(folder.path());
    let as_of = |r: &Running| {
        let (status, answer) = get(&r.address, "/v1/summaries", Some(&r.key));
        assert_eq!(status, 200);
        let body: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        body["as_of"].as_str().unwrap().to_owned()
    };
    let (before, key) = (as_of(&first), first.key.clone());
    let pid = first.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let mut first = first;
    assert!(first.child.wait().unwrap().success(), "a polite stop is a success");

    let second = start(folder.path());
    assert_eq!((as_of(&second), second.key.clone()), (before, key));
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], variables: &[(&str, &str)], code: i32, says: &str| {
        let mut command = gsi(folder.path());
        let done = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(says), "{arguments:?}: {said}");
    };
    check(&["feeds", "list"], &[("GSI_LISTN", "x")], 2, "GSI_LISTEN");
    check(&["feeds", "decode", "gdlt", "/dev/null"], &[], 1, "gdelt");
    check(&["feeds", "decode", "gdelt", "/does/not/exist"], &[], 1, "cannot read");
    check(&["serve", "--listen", "nowhere"], &[], 1, "cannot listen");
    check(&["demo", "--scenario", "utopia", "--listen", "127.0.0.1:0"], &[], 1, "utopia");
    check(&["key", "create", "--name", "x", "--scope", "all"], &[], 1, "scores:read");
    check(&["--store", "mysql://x", "key", "list"], &[], 1, "store");
}

#[test]
fn a_data_folder_belongs_to_one_world() {
    let folder = tempfile::tempdir().unwrap();
    drop(start(folder.path()));
    let done = gsi(folder.path()).args(["serve", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("simulated world"));
}

#[test]
fn decoding_counts_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("brent-daily.csv");
    std::fs::write(&file, "Date,Price\n2026-11-10,71.5\n2026-11-11,oops\n2026-11-12,72.25\n").unwrap();
    let told = output(gsi(folder.path()).args(["feeds", "decode", "oil", "--json"]).arg(&file));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let row = &told["files"][0];
    assert_eq!((&told["feed"], &row["seen"], &row["accepted"]), (&"oil".into(), &3.into(), &2.into()));
    assert_eq!(row["rejected"]["number"], 1);
    std::fs::write(&file, "<html>no</html>").unwrap();
    let done = gsi(folder.path()).args(["feeds", "decode", "oil", "--json"]).arg(&file).output().unwrap();
    assert_ne!(done.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&done.stdout).contains("\"refused\""));
}

/// Two days of history are long enough for the process to start itself afresh after it.
#[test]
fn a_fresh_start_after_a_long_history_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut command = gsi(folder.path());
    command.env("GSI_METRICS_LISTEN", &free);
    let running = start_with(command, "2");
    let (status, body) = get(&running.address, "/v1/global-stability", Some(&running.key));
    assert!(status == 200 && body.contains("2026-11-14T00:00:00Z"), "{body}");
    let path = "/v1/global-stability/history?from=2026-11-12T00:00:00Z&step=15m";
    let (status, history) = get(&running.address, path, Some(&running.key));
    assert_eq!(status, 200, "{history}");
    let ticks = history.matches("\"at\"").count();
    // Thirty hours of them by the quarter, those before by the hour.
    assert!(ticks > 130, "{ticks} ticks in {history}");

    let (status, metrics) = get(&free, "/metrics", None);
    assert!(status == 200 && metrics.contains("gsi_snapshot_age_seconds"), "{metrics}");
    assert_eq!(get(&free, "/readyz", None).0, 200);
    assert_eq!(get(&free, "/v1/global-stability", Some(&running.key)).0, 404);
    assert_eq!(get(&running.address, "/metrics", None).0, 404, "metrics have left the main listener");
}
