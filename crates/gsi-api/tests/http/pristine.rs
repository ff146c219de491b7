//! The overview, the pillars, the summary, events and briefings have exactly these fields in this order. Numbers are plain, and times
//! are whole seconds.

use crate::support::Rig;
use crate::support::client::Answer;
use crate::support::world::{self, at};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Overview {
    score: f64,
    trend: String,
    pillars: Pillars,
    as_of: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pillars {
    conflict: f64,
    cyber: f64,
    supply_chain: f64,
    r#macro: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Drilldown {
    pillar: String,
    score: f64,
    delta_24h: f64,
    indicators: Vec<Indicator>,
    as_of: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Indicator {
    key: String,
    value: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Events {
    events: Vec<Event>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Event {
    id: String,
    lat: f64,
    lon: f64,
    actors: Vec<String>,
    category: String,
    escalation: f64,
    occurred_at: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Briefings {
    briefings: Vec<Briefing>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Briefing {
    id: String,
    headline: String,
    summary: String,
    tags: Vec<String>,
    published_at: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Summary {
    summary: String,
    as_of: String,
}

/// Checks that the keys appear in this order.
fn keys_in_order(body: &str, wanted: &[&str]) {
    let mut from = 0;
    for key in wanted {
        let needle = format!("\"{key}\":");
        let found = body[from..].find(&needle).unwrap_or_else(|| panic!("{key} is not next in {body}"));
        from += found + needle.len();
    }
}

/// Returns every JSON number token in the text.
fn numbers(body: &str) -> Vec<String> {
    let mut found = vec![];
    let mut in_text = false;
    let mut escaped = false;
    let mut token = String::new();
    for c in body.chars() {
        if in_text {
            match (escaped, c) {
                (true, _) => escaped = false,
                (false, '\\') => escaped = true,
                (false, '"') => in_text = false,
                _ => {}
            }
        } else if matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E') && (c != 'e' || !token.is_empty()) {
            token.push(c);
        } else {
            if !token.is_empty() {
                found.push(std::mem::take(&mut token));
            }
            in_text = c == '"';
        }
    }
    found
}

fn assert_plain(body: &str) {
    for number in numbers(body) {
        let plain = number.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-'));
        assert!(plain && number != "-0.0" && number != "-0", "{number} in {body}");
    }
    for word in ["NaN", "Infinity", "null,\"value\"", "\"value\":null"] {
        assert!(!body.contains(word), "{word} in {body}");
    }
}

fn assert_decimals(value: f64, decimals: i32) {
    let scaled = value * 10f64.powi(decimals);
    assert!((scaled - scaled.round()).abs() < 1e-6, "{value} has more than {decimals} decimals");
}

fn assert_time(text: &str) {
    assert_eq!(text.len(), "2026-11-14T23:45:00Z".len(), "{text}");
    assert!(text.ends_with('Z') && gsi_model::Timestamp::parse_rfc3339(text).is_ok(), "{text}");
}

#[test]
fn overview() {
    let rig = Rig::new();
    let answer = rig.get("/v1/global-stability");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    keys_in_order(
        answer.text(),
        &["score", "trend", "pillars", "conflict", "cyber", "supply_chain", "macro", "as_of"],
    );
    assert_plain(answer.text());
    let body: Overview = serde_json::from_slice(&answer.body).unwrap();
    for score in [
        body.score,
        body.pillars.conflict,
        body.pillars.cyber,
        body.pillars.supply_chain,
        body.pillars.r#macro,
    ] {
        assert!((0.0..=100.0).contains(&score));
        assert_decimals(score, 1);
    }
    assert_eq!(body.trend, "down");
    assert_eq!(body.as_of, world::LAST);
    assert_eq!(body.pillars.r#macro, 36.4, "36.36 is shown as 36.4");
    assert_time(&body.as_of);
}

#[test]
fn every_trend_is_named() {
    let rig = Rig::new();
    for (trend, word) in
        [(gsi_model::Trend::Up, "up"), (gsi_model::Trend::Down, "down"), (gsi_model::Trend::Flat, "flat")]
    {
        let tick = at(world::LAST);
        let mut snapshot = world::snapshot(tick, [1.0, 2.0, 3.0, 4.0]);
        snapshot.trend = trend;
        rig.service.publish(&snapshot, &world::summary(tick)).unwrap();
        assert_eq!(rig.get("/v1/global-stability").json()["trend"], word);
    }
}

#[test]
fn pillars() {
    let rig = Rig::new();
    let expected: [(&str, &[(&str, f64)]); 4] = [
        // The indicator without data is left out, and values have four significant digits.
        ("conflict", &[("active_theaters", 7.0), ("event_velocity", 1235.0)]),
        ("cyber", &[("exploited_pace", 0.000_000_123_5), ("exploited_gap", 0.0)]),
        ("supply_chain", &[("oil_volatility", 1.5e21), ("oil_shock", -12.35)]),
        ("macro", &[("financial_stress", 0.3), ("stress_change", 100_000.0)]),
    ];
    for (pillar, indicators) in expected {
        let answer = rig.get(&format!("/v1/global-stability/pillar/{pillar}"));
        keys_in_order(
            answer.text(),
            &["pillar", "score", "delta_24h", "indicators", "key", "value", "as_of"],
        );
        assert_plain(answer.text());
        let body: Drilldown = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(body.pillar, pillar);
        assert_decimals(body.score, 1);
        assert_decimals(body.delta_24h, 1);
        assert_time(&body.as_of);
        let got: Vec<(&str, f64)> = body.indicators.iter().map(|i| (i.key.as_str(), i.value)).collect();
        assert_eq!(got, indicators, "{pillar}");
    }
}

#[test]
fn delta_is_the_difference_of_shown_scores_and_zero_without_a_baseline() {
    let rig = Rig::new();
    let tick = at(world::LAST);
    let rows = [
        // (score, change, shown)
        (50.04, Some(0.08), 0.0),
        (50.06, Some(0.02), 0.1),
        (40.0, Some(-3.26), -3.3),
        (40.0, None, 0.0),
    ];
    for (score, delta, shown) in rows {
        let mut snapshot = world::snapshot(tick, [score; 4]);
        snapshot.pillars[0].delta_24h = delta;
        snapshot.id = gsi_model::SnapshotId::derive(format!("{score} {delta:?}").as_bytes());
        rig.service.publish(&snapshot, &world::summary(tick)).unwrap();
        let pillar = rig.get("/v1/global-stability/pillar/conflict");
        assert_plain(pillar.text());
        assert_eq!(pillar.json()["delta_24h"], shown, "{score} {delta:?}");
        let explained = rig.get("/v1/global-stability/explain").json();
        let basis = if delta.is_some() { "ok" } else { "no_baseline" };
        assert_eq!(explained["pillars"][0]["delta_basis"], basis);
    }
}

#[test]
fn conflict_events() {
    let rig = Rig::new();
    let answer = rig.get("/v1/conflict?limit=200");
    keys_in_order(
        answer.text(),
        &["events", "id", "lat", "lon", "actors", "category", "escalation", "occurred_at", "next_cursor"],
    );
    assert_plain(answer.text());
    let body: Events = serde_json::from_slice(&answer.body).unwrap();
    assert!(body.next_cursor.is_none());
    assert!(answer.text().contains("\"next_cursor\":null"));
    // Two in three of the 288 are confirmed or reported.
    assert_eq!(body.events.len(), 192);
    for event in &body.events {
        assert!(event.id.starts_with("evt_") && event.id.len() == 30);
        assert!(event.id[4..].bytes().all(|b| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(&b)));
        assert_decimals(event.lat, 4);
        assert_decimals(event.lon, 4);
        assert_decimals(event.escalation, 3);
        assert!((0.0..=1.0).contains(&event.escalation));
        assert!(["kinetic", "posture", "threat", "coercion", "unrest"].contains(&event.category.as_str()));
        assert_eq!(event.actors.len(), 2);
        assert_time(&event.occurred_at);
    }
    let order: Vec<_> =
        body.events.iter().map(|e| (std::cmp::Reverse(e.occurred_at.clone()), e.id.clone())).collect();
    assert!(order.is_sorted(), "newest first, then by id");
}

#[test]
fn briefings() {
    let rig = Rig::new();
    let answer = rig.get("/v1/briefings");
    keys_in_order(
        answer.text(),
        &["briefings", "id", "headline", "summary", "tags", "published_at", "next_cursor"],
    );
    let body: Briefings = serde_json::from_slice(&answer.body).unwrap();
    assert!(body.next_cursor.is_none());
    assert_eq!(body.briefings.len(), 18);
    for briefing in &body.briefings {
        assert!(briefing.id.starts_with("brf_") && briefing.id.len() == 30);
        assert_time(&briefing.published_at);
    }
    let order: Vec<_> =
        body.briefings.iter().map(|b| (std::cmp::Reverse(b.published_at.clone()), b.id.clone())).collect();
    assert!(order.is_sorted(), "newest first, then by id");
}

#[test]
fn summary() {
    let rig = Rig::new();
    let answer = rig.get("/v1/summaries");
    keys_in_order(answer.text(), &["summary", "as_of"]);
    let body: Summary = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(body.as_of, world::LAST);
    assert!(body.summary.contains("\"calm\""));
}

#[test]
fn head_answers_like_get_without_a_body() {
    let rig = Rig::new();
    let authorization = format!("Bearer {}", rig.key);
    for target in [
        "/v1/global-stability",
        "/v1/conflict",
        "/v1/briefings?limit=1",
        "/v1/nothing",
        "/v1/conflict?limit=0",
    ] {
        let mut connection = rig.connect();
        for method in ["HEAD", "GET"] {
            let request =
                format!("{method} {target} HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\n\r\n");
            connection.send(request.as_bytes());
        }
        // The client would read a body after HEAD as the start of the next answer.
        let head = connection.answer_to(true).unwrap();
        let get = connection.answer().unwrap();
        assert_eq!(head.status, get.status, "{target}");
        let names = |a: &Answer| a.headers.iter().map(|(n, _)| n.clone()).collect::<BTreeSet<_>>();
        assert_eq!(head.headers.len(), get.headers.len(), "{target}");
        assert_eq!(names(&head), names(&get), "{target}");
        for same in ["content-length", "etag", "content-type", "last-modified"] {
            assert_eq!(head.header(same), get.header(same), "{target} {same}");
        }
        assert!(!get.body.is_empty());
    }
}

#[test]
fn other_methods_are_refused_with_allow() {
    let rig = Rig::new();
    let authorization = format!("Bearer {}", rig.key);
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
        for target in ["/v1/global-stability", "/v1/conflict", "/v1/keys/self", "/healthz"] {
            let answer = rig.ask(method, target, &[("Authorization", &authorization)]);
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (405, "method_not_allowed"),
                "{method} {target}"
            );
            assert_eq!(answer.header("allow"), Some("GET, HEAD"), "{method} {target}");
        }
    }
}

#[test]
fn every_body_under_v1_is_json() {
    let rig = Rig::new();
    let authorization = format!("Bearer {}", rig.key);
    for (method, target) in [
        ("GET", "/v1"),
        ("GET", "/v1/"),
        ("GET", "/v1/nothing"),
        ("GET", "/v1/conflict?x=1"),
        ("POST", "/v1/conflict"),
        ("GET", "/v1/feeds"),
        ("GET", "/v1/method"),
        ("GET", "/v1/keys/self"),
        ("GET", "/v1/conflict?format=geojson"),
        ("GET", "/v1%2Fconflict"),
    ] {
        for headers in [&[("Authorization", authorization.as_str())][..], &[]] {
            let answer = rig.ask(method, target, headers);
            assert!(answer.header("content-type").unwrap().ends_with("json"), "{target}");
            let _: Value = answer.json();
        }
    }
}

#[test]
fn a_snapshot_with_a_value_that_is_not_a_number_is_not_published() {
    let rig = Rig::new();
    let tick = at(world::LAST).plus(900);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut snapshot = world::snapshot(tick, [1.0; 4]);
        snapshot.pillars[2].score = bad;
        assert!(rig.service.publish(&snapshot, &world::summary(tick)).is_err());
    }
    let mut three = world::snapshot(tick, [1.0; 4]);
    three.pillars.pop();
    assert!(rig.service.publish(&three, &world::summary(tick)).is_err());
    assert_eq!(rig.get("/v1/global-stability").json()["as_of"], world::LAST);
}
