//! A real Prometheus that watches a running demo evaluates every expression of the alert rules and of the dashboard: each must
//! parse, and the metrics it reads must exist.

use crate::{gsi, repository};
use drills::demo::RunningDemo;
use drills::{DISABLED_FEEDS, wait_until};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Prometheus scrapes every second.
const PATIENCE: Duration = Duration::from_secs(30);
/// These metrics exist only with a standby, which the demo does not have.
const WITH_STANDBY: &str = "gsi_standby_";

/// Returns status and body. HTTP/1.0 has no chunks.
fn ask_plainly(address: &str, path: &str) -> (u16, String) {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: test\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
}

fn deployed(file: &str) -> String {
    std::fs::read_to_string(repository("deploy").join(file)).unwrap()
}

/// The expressions of the rules: after `expr:` on its line, or indented below it.
fn rules() -> Vec<String> {
    let text = deployed("prometheus/alerts.yml");
    let mut found: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.trim_start().strip_prefix("expr:") else { continue };
        let depth = line.len() - line.trim_start().len();
        let mut whole = first.trim().trim_start_matches('|').to_owned();
        while let Some(more) = lines.next_if(|l| l.len() - l.trim_start().len() > depth) {
            whole = format!("{whole} {}", more.trim());
        }
        found.push(whole.trim().to_owned());
    }
    assert_eq!(found.len(), text.matches("- alert:").count());
    found
}

fn panels() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&deployed("grafana/dashboard.json")).unwrap();
    let targets =
        dashboard["panels"].as_array().unwrap().iter().flat_map(|p| p["targets"].as_array().unwrap());
    targets.map(|t| t["expr"].as_str().unwrap().replace("$job", "gsi")).collect()
}

/// The sides of every comparison outside of brackets, without plain numbers. An alert that is not firing yields nothing, so a test
/// evaluates what the alert compares.
fn sides(expression: &str) -> Vec<String> {
    let (mut depth, mut sides, mut side) = (0, Vec::new(), String::new());
    for word in expression.split_inclusive([' ', '(', ')', '{', '}', '[', ']']) {
        let is_between =
            depth == 0 && matches!(word.trim(), ">" | "<" | ">=" | "<=" | "==" | "!=" | "or" | "and");
        if is_between {
            sides.push(std::mem::take(&mut side));
            continue;
        }
        depth += word.matches(['(', '{', '[']).count();
        depth -= word.matches([')', '}', ']']).count();
        side.push_str(word);
    }
    sides.push(side);
    let is_number = |side: &String| side.trim().parse::<f64>().is_ok();
    sides.retain(|side| !is_number(side));
    sides.iter().map(|side| side.trim().to_owned()).collect()
}

struct Prometheus {
    child: Child,
    address: String,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Prometheus {
    fn start(folder: &Path, target: &str) -> Prometheus {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let rules = folder.join("alerts.yml");
        std::fs::write(&rules, deployed("prometheus/alerts.yml")).unwrap();
        let config = folder.join("prometheus.yml");
        std::fs::write(
            &config,
            format!(
                "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: [{}]\n\
                 scrape_configs: [{{ job_name: gsi, static_configs: [{{ targets: ['{target}'] }}] }}]\n",
                rules.display()
            ),
        )
        .unwrap();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("said")).unwrap())
            .spawn()
            .unwrap();
        Prometheus { child, address }
    }

    fn is_up(&self) -> bool {
        std::net::TcpStream::connect(&self.address).is_ok() && ask_plainly(&self.address, "/-/ready").0 == 200
    }

    /// Returns the number of samples of an instant query, or the body of a refusal.
    fn ask(&self, expression: &str) -> Result<usize, String> {
        let escaped: String = expression
            .bytes()
            .map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") })
            .collect();
        let (status, body) = ask_plainly(&self.address, &format!("/api/v1/query?query={escaped}"));
        let answer: Value = serde_json::from_str(&body).unwrap_or_default();
        match (status, answer["data"]["result"].as_array()) {
            (200, Some(samples)) => Ok(samples.len()),
            _ => Err(body),
        }
    }
}

#[test]
fn every_rule_and_panel_reads_metrics_that_exist() {
    if Command::new("prometheus").arg("--version").output().is_err() {
        eprintln!("skipped: no prometheus");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut demo = gsi(&folder.path().join("data"));
    demo.env("GSI_FEEDS_DISABLED", DISABLED_FEEDS).env("GSI_DEMO_ROWS_PER_SLOT", "10");
    demo.args(["demo", "--listen", "127.0.0.1:0", "--at", "2026-11-14T10:00:00Z", "--log", "error"]);
    // Countries have scores after three days. At this pace a tick comes every two seconds.
    demo.args(["--days", "4", "--time-scale", "450"]);
    let service = RunningDemo::start(&mut demo);
    let watching = Prometheus::start(folder.path(), &service.metrics_address);
    wait_until("Prometheus starts", PATIENCE, || watching.is_up());
    wait_until("the service is scraped", PATIENCE, || watching.ask("gsi_score").is_ok_and(|n| n > 0));
    // The expressions need a success, a refusal, and a fault (too many concurrent requests for inputs). Rates need each twice.
    let ask = |path: &str, key: Option<&str>| service.get_as(key, path).status;
    let snapshot = service.json("/v1/global-stability/explain");
    let inputs = format!("/v1/snapshots/{}/inputs", snapshot["snapshot"].as_str().unwrap());
    wait_until("a request is refused because another has the same limit", PATIENCE, || {
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| ask(&inputs, Some(&service.key)))).collect();
            asked.into_iter().map(|a| a.join().unwrap()).any(|status| status == 503)
        })
    });
    assert_eq!(ask("/v1/global-stability", None), 401);
    assert_eq!(ask("/v1/global-stability", Some(&service.key)), 200);
    wait_until("rates are known", PATIENCE, || {
        watching.ask("rate(gsi_http_requests_total{status=\"503\"}[1m])").is_ok_and(|n| n > 0)
    });

    let (rules, panels) = (rules(), panels());
    assert!(rules.len() > 10 && panels.len() > 20);
    for expression in rules.iter().chain(&panels) {
        // The whole expression.
        watching.ask(expression).unwrap_or_else(|said| panic!("{expression} is not understood: {said}"));
        for side in sides(expression) {
            if side.contains(WITH_STANDBY) {
                continue;
            }
            // The series are only seconds old, so there is no value of the day before.
            let side = side.replace(" offset 1d", "");
            wait_until(&format!("{side} (of {expression}) has samples"), PATIENCE, || {
                watching.ask(&side).unwrap_or_else(|said| panic!("{side} is not understood: {said}")) > 0
            });
        }
    }
    // Prometheus has loaded the file of rules.
    let (_, loaded) = ask_plainly(&watching.address, "/api/v1/rules");
    let loaded: Value = serde_json::from_str(&loaded).unwrap();
    let groups = loaded["data"]["groups"].as_array().unwrap();
    assert_eq!(groups.iter().map(|g| g["rules"].as_array().unwrap().len()).sum::<usize>(), rules.len());
    // The check itself can fail.
    assert_eq!(watching.ask("gsi_no_such_metric"), Ok(0));
    assert!(watching.ask("sum by (").is_err());
}

#[test]
fn sides_of_comparisons_are_found() {
    for (expression, want) in [
        ("gsi_store_up == 0", vec!["gsi_store_up"]),
        ("a > 30 or b > 0", vec!["a", "b"]),
        (
            "sum(a == 1) > 0.5 * sum by (x, y) (rate(b[5m]))",
            vec!["sum(a == 1)", "0.5 * sum by (x, y) (rate(b[5m]))"],
        ),
        ("max by (j) (a) - min by (j) (a) > 0", vec!["max by (j) (a) - min by (j) (a)"]),
        ("abs(a{s=~\"5..\"}) > 5", vec!["abs(a{s=~\"5..\"})"]),
    ] {
        assert_eq!(sides(expression), want);
    }
}
