//! Traces as a collector gets them: a tick with its stages, and requests that were slow.

mod demo;
mod receiver;

use receiver::{Behaviour, Received, Receiver};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const BEGINS: &str = "2026-11-14T12:00:00Z";
/// Of a tick that is not of history and that no language model words.
const STAGES: [&str; 6] = ["poll", "admit", "compute", "write", "commit", "publish"];

fn start(data: &Path, collector: &str, slow_milliseconds: &str) -> demo::Running {
    demo::start(
        Command::new(env!("CARGO_BIN_EXE_gsi"))
            .args([
                "demo",
                "--days",
                "1",
                "--at",
                BEGINS,
                "--time-scale",
                "900",
                "--listen",
                "127.0.0.1:0",
                "--data",
            ])
            .arg(data)
            .envs([("GSI_TRACES_ENDPOINT", collector), ("GSI_LOG_REQUESTS", "off")])
            .env("GSI_TRACES_SLOW_REQUEST_MILLISECONDS", slow_milliseconds),
    )
}

fn spans(got: &[Received]) -> Vec<Value> {
    let mut spans = Vec::new();
    for received in got {
        assert_eq!(received.headers["content-type"], "application/json");
        let told: Value = serde_json::from_str(&received.body).unwrap();
        let resource = &told["resourceSpans"][0];
        assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "gsi");
        spans.extend(resource["scopeSpans"][0]["spans"].as_array().unwrap().iter().cloned());
    }
    spans
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let found = span["attributes"].as_array().unwrap().iter().find(|a| a["key"] == key);
    &found.unwrap_or_else(|| panic!("no {key} in {span}"))["value"]
}

fn nanoseconds(span: &Value, end: &str) -> u64 {
    span[end].as_str().unwrap().parse().unwrap()
}

/// What has come once a tick with all its stages and a request are among it.
fn wait_for(receiver: &Receiver) -> (Vec<Value>, Value) {
    let begun = Instant::now();
    loop {
        let spans = spans(&receiver.got());
        let is_whole = |tick: &&Value| {
            STAGES
                .iter()
                .all(|stage| spans.iter().any(|s| s["parentSpanId"] == tick["spanId"] && s["name"] == *stage))
        };
        let tick = spans.iter().filter(|s| s["name"] == "tick").find(is_whole).cloned();
        if let Some(tick) = tick.filter(|_| spans.iter().any(|s| s["name"] == "request")) {
            return (spans, tick);
        }
        assert!(begun.elapsed() < demo::PATIENCE, "no whole tick among {spans:#?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_collector_gets_ticks_with_their_stages_and_slow_requests() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::start(&[Behaviour::Status(200)]);
    let running = start(folder.path(), &receiver.url, "0");
    assert_eq!(demo::get(&running.address, "/v1/summaries", Some(&running.key)).0, 200);
    let (spans, tick) = wait_for(&receiver);

    assert_eq!(tick["parentSpanId"], "");
    assert!(attribute(&tick, "tick")["stringValue"].as_str().unwrap().starts_with("2026-11-1"));
    let (from, to) = (nanoseconds(&tick, "startTimeUnixNano"), nanoseconds(&tick, "endTimeUnixNano"));
    let mut reached = from;
    for stage in STAGES {
        let of_tick = |s: &&Value| s["parentSpanId"] == tick["spanId"] && s["name"] == stage;
        let span = spans.iter().find(of_tick).unwrap();
        assert_eq!(span["traceId"], tick["traceId"], "{stage}");
        assert!(nanoseconds(span, "startTimeUnixNano") >= reached, "{stage} begins after the one before it");
        reached = nanoseconds(span, "endTimeUnixNano");
        assert!(reached <= to, "{stage} ends within the tick");
    }
    let request = spans.iter().find(|s| s["name"] == "request").unwrap();
    assert_eq!(attribute(request, "url.path")["stringValue"], "/v1/summaries");
    assert_eq!(attribute(request, "http.response.status_code")["intValue"], "200");
    assert_ne!(request["traceId"], tick["traceId"]);
    let log = running.stderr.lock().unwrap().clone();
    assert!(!log.contains("url.path") && !log.contains("microseconds"), "the log has no part in it: {log}");
}

#[test]
fn quick_requests_are_left_out_and_a_collector_that_is_away_is_told_of_once() {
    let folder = tempfile::tempdir().unwrap();
    // Away at first, for messages of ticks alone.
    let receiver = Receiver::start(&[Behaviour::Status(503), Behaviour::Status(503), Behaviour::Status(200)]);
    let running = start(folder.path(), &receiver.url, "60000");
    let begun = Instant::now();
    while !running.stderr.lock().unwrap().contains("takes spans again") {
        assert!(begun.elapsed() < demo::PATIENCE, "{}", running.stderr.lock().unwrap());
        assert_eq!(demo::get(&running.address, "/v1/summaries", Some(&running.key)).0, 200);
        std::thread::sleep(Duration::from_millis(100));
    }
    let log = running.stderr.lock().unwrap().clone();
    assert_eq!(log.matches("takes no spans").count(), 1, "{log}");
    // A tick is told when it is over, which may be a few messages after its first stage.
    let told = loop {
        let told = spans(&receiver.got());
        if told.iter().any(|s| s["name"] == "tick") {
            break told;
        }
        assert!(begun.elapsed() < demo::PATIENCE, "no tick was told");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(!told.iter().any(|s| s["name"] == "request"));
}
