//! Alerts over the demo's scenarios from before they begin until they are over: what should fire fires once and ends once, and
//! a rule that an operator tries over stored history gives the same alerts as the messages to hooks.
//!
//! It takes its time and runs with `make chaos`.

use gsi_model::{AlertRuleKind, DAY, Timestamp};
use gsi_store::AlertQuery;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const GSI: &str = env!("CARGO_BIN_EXE_gsi");
/// The moment at which the scenarios begin.
const LIVE: &str = "2026-11-14T00:00:00Z";
/// The first moment that the hooks see.
const HOOKED: &str = "2026-11-14T00:00:01Z";
/// By then every effect has ended.
const OVER: &str = "2026-12-29T00:00:00Z";
/// Ten ticks a second.
const TIME_SCALE: &str = "9000";
/// Rules as operators write them, of every kind.
const RULES: [&str; 4] =
    ["score > 47", "score rises 3 in 24h", "pillar.conflict > 55", "pillar.macro rises 4 in 3d"];

fn gsi(data: &Path, arguments: &[&str]) -> String {
    let done = Command::new(GSI)
        .args(arguments)
        .arg("--data")
        .arg(data)
        .envs([("GSI_HOOKS_ALLOW_PRIVATE", "true"), ("GSI_LOG_REQUESTS", "off"), ("GSI_LOG_LEVEL", "error")])
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Runs the scenario's world from this moment to another. Hooks get messages about live ticks, not about the
/// simulated history before.
fn live_through(data: &Path, scenario: &str, from: &str, until: &str) {
    let world = ["demo", "--days", "30", "--scenario", scenario, "--listen", "127.0.0.1:0"];
    let time = ["--at", from, "--until", until, "--time-scale", TIME_SCALE];
    gsi(data, &[&world[..], &time[..]].concat());
}

/// Begins and ends, each with its tick.
type Changes = Vec<(String, String)>;

/// Begins and ends of a rule, from the messages to hooks and from a try over stored history.
fn sent_and_tried(data: &Path, name: &str, rule: &str) -> (Changes, Changes) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let deliveries = gsi(data, &["hook", "deliveries", name, "--limit", "1000", "--json"]);
    let deliveries: Vec<Value> = serde_json::from_str(&deliveries).unwrap();
    let sent = deliveries.iter().rev().map(|d| (text(&d["type"]), text(&d["tick"]))).collect();
    let tried = gsi(data, &["hook", "try", "--when", rule, "--from", HOOKED, "--to", OVER, "--json"]);
    let tried: Value = serde_json::from_str(&tried).unwrap();
    let mut changes = Vec::new();
    for alert in tried["alerts"].as_array().unwrap() {
        changes.push(("alert.began".to_owned(), text(&alert["began_at"])));
        if !alert["ended_at"].is_null() {
            changes.push(("alert.ended".to_owned(), text(&alert["ended_at"])));
        }
    }
    (sent, changes)
}

/// Runs a scenario from calm to calm. `subject` is what it affects.
fn scenario_fires_once(scenario: &str, subject: &str) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    live_through(data, scenario, LIVE, LIVE);
    for (n, rule) in RULES.iter().enumerate() {
        // No receiver listens there, so the messages stay in the outbox.
        let name = format!("rule-{n}");
        gsi(data, &["hook", "create", "--name", &name, "--url", "http://127.0.0.1:9/", "--when", rule]);
    }
    live_through(data, scenario, LIVE, OVER);

    let mut fired = 0;
    for (n, rule) in RULES.iter().enumerate() {
        let (sent, tried) = sent_and_tried(data, &format!("rule-{n}"), rule);
        assert_eq!(sent, tried, "{scenario}: {rule}");
        fired += tried.len();
    }
    assert!(fired >= 2, "{scenario}: none of the rules fired and ended");

    let store = gsi_store::open(&format!("sqlite:{}", data.join("gsi.db").display())).unwrap();
    let (live, over): (Timestamp, Timestamp) = (LIVE.parse().unwrap(), OVER.parse().unwrap());
    let scores = AlertQuery { rule: Some(AlertRuleKind::Score), limit: 10_000, ..AlertQuery::any(over) };
    let alerts = store.alerts(&scores).unwrap();
    let score: Vec<_> = alerts.iter().filter(|alert| alert.subject == subject).collect();
    assert_eq!(score.len(), 1, "{scenario} should have one alert: {score:#?}");
    let began = score[0].began_at;
    assert!((live.minus(7 * DAY)..live.plus(10 * DAY)).contains(&began), "{scenario} began at {began}");
    assert!(score[0].ended_at.is_some(), "{scenario} is over and its alert is not");
}

#[test]
#[ignore = "minutes: make chaos"]
fn a_border_war_gives_one_alert() {
    scenario_fires_once("border_war", "conflict");
}

#[test]
#[ignore = "minutes: make chaos"]
fn a_market_crash_gives_one_alert() {
    scenario_fires_once("market_crash", "macro");
}

#[test]
#[ignore = "minutes: make chaos"]
fn a_closed_chokepoint_gives_one_alert() {
    scenario_fires_once("chokepoint_closure", "supply_chain");
}
