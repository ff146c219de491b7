//! Traces as a collector gets them: a tick with its stages, and requests that were slow.

use crate::gsi;
use drills::demo::{PATIENCE, RunningDemo};
use drills::wait_until;
use drills::webhooks::{Behaviour, Received, WebhookReceiver};
use serde_json::Value;
use std::path::Path;

const BEGINS: &str = "2026-11-14T12:00:00Z";
/// The stages of a live tick without a language model.
const STAGES: [&str; 6] = ["poll", "admit", "compute", "write", "commit", "publish"];

fn start(data: &Path, collector: &str, slow_milliseconds: &str) -> RunningDemo {
    let arguments = ["demo", "--days", "1", "--at", BEGINS, "--time-scale", "900", "--listen", "127.0.0.1:0"];
    let mut command = gsi(data);
    command.args(arguments).env("GSI_TRACES_ENDPOINT", collector);
    RunningDemo::start(command.env("GSI_TRACES_SLOW_REQUEST_MILLISECONDS", slow_milliseconds))
}

fn spans(requests: &[Received]) -> Vec<Value> {
    let mut spans = Vec::new();
    for request in requests {
        assert_eq!(request.headers["content-type"], "application/json");
        let message: Value = serde_json::from_str(&request.body).unwrap();
        let resource = &message["resourceSpans"][0];
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

/// Waits for a request and a tick with all its stages, and returns all spans and the tick.
fn wait_for_tick(receiver: &WebhookReceiver) -> (Vec<Value>, Value) {
    let mut found = None;
    wait_until("a request and a tick with all its stages have come", PATIENCE, || {
        let spans = spans(&receiver.received());
        let has = |tick: &Value, stage| {
            spans.iter().any(|span| span["parentSpanId"] == tick["spanId"] && span["name"] == stage)
        };
        let is_whole = |tick: &&Value| STAGES.iter().all(|stage| has(tick, *stage));
        let tick = spans.iter().filter(|span| span["name"] == "tick").find(is_whole).cloned();
        let has_request = spans.iter().any(|span| span["name"] == "request");
        found = tick.filter(|_| has_request).map(|tick| (spans, tick));
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_collector_gets_ticks_with_their_stages_and_slow_requests() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = WebhookReceiver::start(&[Behaviour::Status(200)]);
    let running = start(folder.path(), &receiver.url, "0");
    assert_eq!(running.get("/v1/summaries").status, 200);
    let (spans, tick) = wait_for_tick(&receiver);

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
    let log = running.log();
    assert!(!log.contains("url.path") && !log.contains("microseconds"), "spans are not in the log: {log}");
}

#[test]
fn fast_requests_have_no_span_and_an_absent_collector_is_logged_once() {
    let folder = tempfile::tempdir().unwrap();
    // The collector is away for the first two messages.
    let receiver =
        WebhookReceiver::start(&[Behaviour::Status(503), Behaviour::Status(503), Behaviour::Status(200)]);
    let running = start(folder.path(), &receiver.url, "60000");
    wait_until("the collector takes spans again", PATIENCE, || {
        assert_eq!(running.get("/v1/summaries").status, 200);
        running.log().contains("takes spans again")
    });
    let log = running.log();
    assert_eq!(log.matches("takes no spans").count(), 1, "{log}");
    // A tick's span is sent at its end, which may be a few messages after its first stage.
    let has = |name: &str| spans(&receiver.received()).iter().any(|span| span["name"] == name);
    wait_until("a tick has come", PATIENCE, || has("tick"));
    assert!(!has("request"));
}
