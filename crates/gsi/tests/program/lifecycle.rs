//! The program from its first start to a second one: keys, metrics, example configurations, mistakes.

use crate::{GSI, repository};
use drills::demo::{PATIENCE, RunningDemo};
use drills::http::get_from;
use drills::{succeed, wait_until};
use std::path::Path;
use std::process::{Command, Stdio};

/// The program with its defaults, which log requests.
fn gsi(data: &Path) -> Command {
    let mut command = Command::new(GSI);
    command.arg("--data").arg(data).env("GSI_DEMO_ROWS_PER_SLOT", "60").stdin(Stdio::null());
    command
}

fn start(data: &Path) -> RunningDemo {
    start_with(gsi(data), "1")
}

fn start_with(mut command: Command, days: &str) -> RunningDemo {
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--days", days, "--at", "2026-11-14T00:00:00Z"];
    RunningDemo::start(command.args(arguments))
}

fn status(running: &RunningDemo, key: &str) -> u16 {
    running.get_as(Some(key), "/v1/global-stability").status
}

/// Waits until a change of keys takes effect. The drills with replicas hold the limit of how long that takes.
fn wait_for_status(running: &RunningDemo, key: &str, expected: u16) {
    wait_until("a change of keys takes effect", PATIENCE, || status(running, key) == expected);
}

#[test]
fn keys_come_and_go_while_the_service_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let running = start(data);
    let answer = running.get("/v1/global-stability");
    assert_eq!((answer.status, answer.header("gsi-simulated")), (200, Some("true")), "{}", answer.body);

    let made = succeed(gsi(data).args(["key", "create", "--name", "desk", "--scope", "scores:read"]));
    assert!(
        made.starts_with("gsi_") && !made.contains(char::is_whitespace),
        "stdout has the key and nothing else"
    );
    wait_for_status(&running, &made, 200);
    assert_eq!(running.get_as(Some(&made), "/v1/conflict").status, 403, "the scope is checked");

    let id = &made[4..14];
    let listed = succeed(gsi(data).args(["key", "list", "--json"]));
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert!(listed.as_array().unwrap().iter().any(|k| k["id"] == id && k["state"] == "active"));

    let rotated = succeed(gsi(data).args(["key", "rotate", id]));
    wait_for_status(&running, &rotated, 200);
    wait_for_status(&running, &made, 401);
    succeed(gsi(data).args(["key", "revoke", &rotated[4..14]]));
    wait_for_status(&running, &rotated, 401);

    let soon = succeed(gsi(data).args(["key", "create", "--name", "brief", "--expires", "1h"]));
    wait_for_status(&running, &soon, 200);
    let refused = gsi(data).args(["key", "revoke", "nobody1234"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));

    // No secret is in the database, its log, or the service's log, except in the printed greeting.
    let secrets: Vec<String> = [&made, &rotated, &soon].iter().map(|k| k[15..].to_owned()).collect();
    assert!(data.join("gsi.db").is_file(), "there is a database to search");
    for entry in std::fs::read_dir(data).unwrap().flatten().filter(|e| e.file_name() != "demo.key") {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        for secret in secrets.iter().chain([&running.key[15..].to_owned()]) {
            let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
            assert!(!found, "a secret is in {}", entry.path().display());
        }
    }
    let log = running.log();
    assert!(log.contains(&format!("\"key\":\"{id}\"")), "requests are logged with the key's public id");
    assert!(secrets.iter().all(|s| !log.contains(s.as_str())), "a secret was logged");
}

#[test]
fn alerts_and_dashboard_name_metrics_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path());
    // Metrics of an endpoint exist after its first request.
    assert_eq!(status(&running, &running.key), 200);
    let text = running.metrics();
    let described: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    for file in ["prometheus/alerts.yml", "grafana/dashboard.json"] {
        let written = std::fs::read_to_string(repository("deploy").join(file)).unwrap();
        let named = written
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.starts_with("gsi_"))
            .map(|word| word.strip_suffix("_bucket").unwrap_or(word));
        let mut count = 0;
        // These exist only with a standby.
        let with_standby = ["gsi_standby_up", "gsi_standby_lag_seconds", "gsi_standby_ticks_behind"];
        for name in named.filter(|name| !with_standby.contains(name)) {
            assert!(described.contains(&name), "{file} names {name}; there are {described:?}");
            count += 1;
        }
        assert!(count > 10, "{file} names only {count} metrics");
    }
    let dashboard = include_str!("../../../../deploy/grafana/dashboard.json");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    assert!(dashboard["panels"].as_array().unwrap().len() >= 10);
}

/// The files under deploy/ are configurations that the program accepts.
#[test]
fn example_configurations_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["one-machine.toml", "replica.toml"] {
        let path = repository("deploy/config").join(file);
        succeed(gsi(folder.path()).arg("--config").arg(path).args(["feeds", "list"]));
    }
    let unit = include_str!("../../../../deploy/systemd/gsi.service");
    let line = unit.lines().find_map(|l| l.strip_prefix("ExecStart=/usr/local/bin/gsi ")).unwrap();
    let help = gsi(folder.path()).args(line.split(' ')).arg("--help").output().unwrap();
    assert!(help.status.success(), "the unit starts a command that does not exist");
}

#[test]
fn a_second_start_serves_the_last_snapshot_and_prints_the_same_key() {
    let folder = tempfile::tempdir().unwrap();
    let first = start(folder.path());
    let as_of = |demo: &RunningDemo| demo.json("/v1/summaries")["as_of"].as_str().unwrap().to_owned();
    let (before, key) = (as_of(&first), first.key.clone());
    let pid = first.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let mut first = first;
    assert!(first.child.wait().unwrap().success(), "SIGTERM ends it with success");

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
    let counts = succeed(gsi(folder.path()).args(["feeds", "decode", "oil", "--json"]).arg(&file));
    let counts: serde_json::Value = serde_json::from_str(&counts).unwrap();
    let row = &counts["files"][0];
    assert_eq!((&counts["feed"], &row["seen"], &row["accepted"]), (&"oil".into(), &3.into(), &2.into()));
    assert_eq!(row["rejected"]["number"], 1);
    std::fs::write(&file, "<html>no</html>").unwrap();
    let done = gsi(folder.path()).args(["feeds", "decode", "oil", "--json"]).arg(&file).output().unwrap();
    assert_ne!(done.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&done.stdout).contains("\"refused\""));
}

/// After two days of history the demo executes itself again, to release memory.
#[test]
fn the_demo_continues_after_executing_itself_again() {
    let folder = tempfile::tempdir().unwrap();
    let running = start_with(gsi(folder.path()), "2");
    assert_eq!(running.json("/v1/global-stability")["as_of"], "2026-11-14T00:00:00Z");
    let path = "/v1/global-stability/history?from=2026-11-12T00:00:00Z&step=15m";
    let history = running.get(path).body;
    let ticks = history.matches("\"at\"").count();
    // The last thirty hours have a tick every quarter of an hour, those before every hour.
    assert!(ticks > 130, "{ticks} ticks in {history}");

    let metrics = running.metrics();
    assert!(metrics.contains("gsi_snapshot_age_seconds"), "{metrics}");
    let operating = &running.metrics_address;
    assert_eq!(get_from(operating, "/readyz", None).status, 200);
    assert_eq!(get_from(operating, "/v1/global-stability", Some(&running.key)).status, 404);
    assert_eq!(running.get_as(None, "/metrics").status, 404, "the main listener has no metrics");
}
