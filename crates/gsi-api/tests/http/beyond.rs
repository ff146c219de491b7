//! The detailed resources. The parts they show add up to the totals they show.

use crate::support::Rig;
use crate::support::world::{self, at};
use gsi_model::{
    Briefing, BriefingId, CorrectionReason, DAY, FeedState, HOUR, PayloadRefusal, RefusalCode, Reject, TICK,
};
use gsi_store::{SqliteStore, Store, TickCommit, TickStore};
use serde_json::Value;

/// Converts the text of a JSON number into thousandths, exactly.
fn thousandths(value: &Value) -> i64 {
    let text = value.to_string();
    let negative = text.starts_with('-');
    let text = text.trim_start_matches('-');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= 3, "{text}");
    let n = whole.parse::<i64>().unwrap() * 1000 + format!("{fraction:0<3}").parse::<i64>().unwrap();
    if negative { -n } else { n }
}

fn sum(list: &[&Value], fields: &[&str]) -> i64 {
    list.iter().flat_map(|item| fields.iter().map(|f| thousandths(&item[*f]))).sum()
}

#[test]
fn explained_parts_add_up_exactly() {
    let rig = Rig::new();
    let mut checked = 0;
    let tick = at(world::LAST);
    for n in 0..40 {
        let base = n as f64;
        let scores = [base + 0.049, 99.95 - base, base * 1.7 + 0.005, 33.333 + base / 7.0];
        rig.service.publish(&world::snapshot(tick, scores), &world::summary(tick)).unwrap();
        let body = rig.get("/v1/global-stability/explain").json();
        let overview = rig.get("/v1/global-stability").json();
        assert_eq!(body["score"], overview["score"]);
        let pillars: Vec<&Value> = body["pillars"].as_array().unwrap().iter().collect();
        assert_eq!(sum(&pillars, &["contribution"]), thousandths(&body["score"]), "{n}");
        assert_eq!(
            sum(&pillars, &["data_effect", "coverage_effect"]),
            thousandths(&body["delta_24h"]),
            "{n}"
        );
        let mut all: Vec<&Value> = vec![];
        for pillar in &pillars {
            let name = pillar["pillar"].as_str().unwrap();
            let shown = rig.get(&format!("/v1/global-stability/pillar/{name}")).json();
            assert_eq!((&shown["score"], &shown["delta_24h"]), (&pillar["score"], &pillar["delta_24h"]));
            let indicators: Vec<&Value> = pillar["indicators"].as_array().unwrap().iter().collect();
            assert_eq!(
                sum(&indicators, &["pillar_contribution"]),
                thousandths(&pillar["score"]),
                "{n} {name}"
            );
            assert_eq!(
                sum(&indicators, &["contribution"]),
                thousandths(&pillar["contribution"]),
                "{n} {name}"
            );
            let effects = sum(&indicators, &["pillar_data_effect", "pillar_coverage_effect"]);
            assert_eq!(effects, thousandths(&pillar["delta_24h"]), "{n} {name}");
            assert_eq!(sum(&indicators, &["data_effect"]), thousandths(&pillar["data_effect"]), "{n} {name}");
            all.extend(indicators);
            checked += 1;
        }
        assert_eq!(sum(&all, &["contribution"]), thousandths(&body["score"]), "{n}");
        assert_eq!(sum(&all, &["data_effect", "coverage_effect"]), thousandths(&body["delta_24h"]), "{n}");
    }
    assert_eq!(checked, 160);
}

#[test]
fn the_explanation_has_missing_indicators_and_the_method() {
    let rig = Rig::new();
    let body = rig.get("/v1/global-stability/explain").json();
    assert_eq!(body["method"]["version"], "1.0.0");
    assert_eq!(body["method"]["digest"], "0123456789abcdef");
    assert!(body["snapshot"].as_str().unwrap().starts_with("snp_"));
    assert_eq!(body["confidence"]["word"], "high");
    assert_eq!(body["status"], "ok");
    let silent = &body["pillars"][0]["indicators"][2];
    assert_eq!((&silent["key"], &silent["value"]), (&"silent_reading".into(), &Value::Null));
    assert_eq!(silent["missing"], "no_data");
    let heard = &body["pillars"][0]["indicators"][1];
    assert_eq!(heard["value"], 1235.0);
    assert_eq!(heard["percentile"], 75.0);
    assert_eq!(heard["inputs"][0]["series"], "x.event_velocity");
    let past = rig.get("/v1/global-stability/explain?as_of=2026-11-13T12:00:00Z").json();
    assert_eq!(past["as_of"], "2026-11-13T12:00:00Z");
    assert_eq!(rig.get("/v1/global-stability/explain?as_of=2020-01-01T00:00:00Z").code(), "no_snapshot");
    let tick = at(world::LAST);
    let mut fresh = world::snapshot(tick, [1.0; 4]);
    fresh.delta_24h = None;
    rig.service.publish(&fresh, &world::summary(tick)).unwrap();
    let body = rig.get("/v1/global-stability/explain").json();
    assert_eq!((&body["delta_basis"], &body["delta_24h"]), (&"no_baseline".into(), &0.0.into()));
    assert_eq!(body["pillars"][0]["data_effect"], Value::Null);
}

#[test]
fn the_explanation_compares_with_earlier_days() {
    let rig = Rig::new();
    // The standard world's snapshots have no context, like those of releases that did not store it.
    assert_eq!(rig.get("/v1/global-stability/explain").json()["context"], Value::Null);
    let tick = at(world::LAST);
    let day = |n: i64| tick.minus(n * gsi_model::DAY);
    let mut fresh = world::snapshot(tick, [40.0; 4]);
    let published = [(day(5), 50.0), (day(4), 44.4), (day(3), 10.0), (day(1), 41.0)];
    let line = gsi_model::ReconstructedLine::of(&world::reconstruction()).unwrap();
    fresh.context = Some(gsi_model::ScoreContext::of(40.0, tick, &published, Some(&line)));
    rig.service.publish(&fresh, &world::summary(tick)).unwrap();
    let context = &rig.get("/v1/global-stability/explain").json()["context"];
    let own = serde_json::json!({
        "from": "2026-11-09", "to": "2026-11-13", "days": 4, "share_lower": 0.25, "days_this_high": 1,
        "last_this_high": {"from": "2026-11-09", "to": "2026-11-10", "days": 2, "highest": 50.0},
    });
    assert_eq!(context["published"], own);
    let past = world::reconstruction();
    let lower = past.days.iter().filter(|d| d.composite.score.is_some_and(|s| s < 40.0)).count();
    let days = past.days.iter().filter(|d| d.composite.score.is_some()).count();
    let shown = &context["reconstruction"];
    assert_eq!((&shown["days"], &shown["days_this_high"]), (&days.into(), &0.into()));
    let share = shown["share_lower"].as_f64().unwrap();
    assert!((share - lower as f64 / days as f64).abs() < 0.000_06, "{share}");
    assert_eq!(context["reconstruction_method"], past.method_version.as_str());
    assert_eq!((&context["level"]["band"], &context["level"]["days"]), (&"guarded".into(), &0.into()));
    assert_eq!(context["forecast"], past.forecast());
}

#[test]
fn every_key_reads_the_log_of_method_changes() {
    let entry = gsi_model::MethodChange {
        title: "2.0.0".into(),
        version: "2.0.0".into(),
        date: gsi_model::Day::parse_iso("2026-11-15").unwrap(),
        kind: gsi_model::MethodChangeKind::Correction,
        why: "A reason.".into(),
        what: "A thing.".into(),
        effect: "A figure.".into(),
    };
    let rig = Rig::with(|settings| settings.method_changes = vec![entry]);
    let log = rig.get("/v1/method/changes").json();
    let method = rig.get("/v1/method").json();
    assert_eq!((&log["version"], &log["digest"]), (&method["version"], &method["digest"]));
    let want = serde_json::json!([{
        "title": "2.0.0", "version": "2.0.0", "date": "2026-11-15", "kind": "correction",
        "why": "A reason.", "what": "A thing.", "effect": "A figure.",
    }]);
    assert_eq!(log["changes"], want);
    assert_eq!(rig.get("/v1/method/changes?as_of=2026-11-14T00:00:00Z").code(), "invalid_parameter");
}

#[test]
fn history_in_steps() {
    let rig = Rig::new();
    let last = at(world::LAST);
    let rows = [
        // (query, points, first bucket)
        ("?step=15m&from=2026-11-14T11:00:00Z", 5, "2026-11-14T11:00:00Z"),
        ("?step=15m&from=2026-11-14T11:00:00Z&to=2026-11-14T12:00:00Z", 4, "2026-11-14T11:00:00Z"),
        ("?step=1h&from=2026-11-14T10:30:00Z", 3, "2026-11-14T10:00:00Z"),
        ("", 49, "2026-11-12T12:00:00Z"),
        ("?step=1d", 3, "2026-11-12T00:00:00Z"),
        ("?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z", 0, ""),
    ];
    for (query, count, first) in rows {
        for base in ["/v1/global-stability/history", "/v1/global-stability/pillar/conflict/history"] {
            let answer = rig.get(&format!("{base}{query}"));
            assert_eq!(answer.status, 200, "{query}: {}", answer.text());
            let body = answer.json();
            let points = body["points"].as_array().unwrap();
            assert_eq!(points.len(), count, "{base}{query}");
            assert_eq!(points.first().map_or("", |p| p["at"].as_str().unwrap()), first, "{query}");
            for point in points {
                let n = |f: &str| point[f].as_f64().unwrap();
                assert!(n("min") <= n("last") && n("last") <= n("max"));
            }
        }
    }
    let last_hour = format!("?from={}&to={}", last.minus(HOUR), last);
    assert_eq!(rig.get(&format!("/v1/global-stability/history{last_hour}")).status, 200);
    let hour = rig.get("/v1/global-stability/pillar/conflict/history?step=1h&from=2026-11-14T11:00:00Z&to=2026-11-14T12:00:00Z").json();
    let scores: Vec<f64> = (0..4)
        .map(|n| gsi_model::round_half_away(world::scores_at(last.minus(HOUR).plus(900 * n))[0], 1))
        .collect();
    let point = &hour["points"][0];
    assert_eq!(point["min"], scores.iter().copied().fold(f64::INFINITY, f64::min));
    assert_eq!(point["max"], scores.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    assert_eq!(point["last"], scores[3]);
    assert_eq!(hour["series"], "conflict");
}

#[test]
fn a_history_is_complete_or_refused() {
    let rig = Rig::new();
    let rows = [
        // (query, part of the problem, part of what is allowed)
        ("?from=2026-11-14T11:00:00Z&to=2026-11-14T10:00:00Z", "is not before to", "2026-11-14T10:00:00Z"),
        ("?from=2026-11-14T11:00:00Z&to=2026-11-14T11:00:00Z", "is not before to", "2026-11-14T11:00:00Z"),
        ("?from=2026-11-15T00:00:00Z", "is not before to", "2026-11-14T12:00:01Z"),
        (
            "?from=2025-11-14T00:00:00Z&to=2026-11-14T00:00:00Z",
            "2000 buckets",
            "83 days before to with this step, or step=1d",
        ),
        (
            "?step=15m&from=2026-10-01T00:00:00Z&to=2026-11-14T00:00:00Z",
            "2000 buckets",
            "or step=1h or step=1d",
        ),
        (
            "?step=1d&from=2016-01-01T00:00:00Z&to=2026-11-14T00:00:00Z",
            "40000 ticks",
            "416 days before to with this step; no step",
        ),
    ];
    for (query, problem, allowed) in rows {
        for base in ["/v1/global-stability/history", "/v1/global-stability/pillar/conflict/history"] {
            let answer = rig.get(&format!("{base}{query}"));
            assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_parameter"), "{query}");
            let error = &answer.json()["errors"][0];
            assert_eq!(error["parameter"], "from", "{query}");
            assert!(error["problem"].as_str().unwrap().contains(problem), "{query}: {error}");
            assert!(error["allowed"].as_str().unwrap().contains(allowed), "{query}: {error}");
        }
    }
    // The longest window that fits, to the second.
    for (step, from) in [("1h", "2026-08-23T04:00:00Z"), ("1d", "2025-09-23T20:00:00Z")] {
        let target = format!("/v1/global-stability/history?step={step}&to=2026-11-14T12:00:00Z&from={from}");
        assert_eq!(rig.get(&target).status, 200, "{target}");
        let longer = target.replace("00:00Z&from", "00:01Z&from");
        assert_eq!(rig.get(&longer).status, 400, "{longer}");
    }
}

#[test]
fn one_event_and_one_briefing() {
    let rig = Rig::new();
    let listed = rig.get("/v1/conflict?limit=1").json()["events"][0].clone();
    let id = listed["id"].as_str().unwrap();
    let answer = rig.get(&format!("/v1/conflict/{id}"));
    let event = answer.json();
    for same in ["id", "lat", "lon", "actors", "category", "escalation", "occurred_at"] {
        assert_eq!(event[same], listed[same], "{same}");
    }
    assert_eq!(event["sources"][0]["domain"], "news.example");
    assert_eq!(event["precision"], "city");
    assert_eq!(event["revisions"].as_array().unwrap().len(), 1);
    assert!(!answer.text().contains("hidden"), "the clustering's state is private");
    let before = rig.get(&format!("/v1/conflict/{id}?as_of=2026-11-12T13:00:00Z"));
    assert_eq!((before.status, before.code().as_str()), (404, "not_found"), "the event was not known yet");

    let listed = rig.get("/v1/briefings?limit=1").json()["briefings"][0].clone();
    let id = listed["id"].as_str().unwrap();
    let briefing = rig.get(&format!("/v1/briefings/{id}")).json();
    for same in ["id", "headline", "summary", "tags", "published_at"] {
        assert_eq!(briefing[same], listed[same], "{same}");
    }
    assert_eq!(briefing["facts"][0]["value"], 41.7);
    assert_eq!(briefing["day"], "2026-11-13");
}

#[test]
fn a_corrected_briefing_and_its_correction_refer_to_each_other() {
    let store = SqliteStore::in_memory().unwrap();
    world::fill(&store);
    let (asked, tick) = (at(world::LAST), at(world::LAST).plus(TICK));
    let wrong = world::briefing("macro", asked.day().start());
    let right = Briefing { corrects: Some(wrong.id.clone()), ..world::briefing("macro", tick) };
    store.ask_correction(&wrong.id, CorrectionReason::RevisedData, asked).unwrap();
    store
        .commit_tick(&TickCommit { briefings: vec![right.clone()], ..world::quiet(tick) })
        .expect("the correction is published");
    let rig = Rig::over(store, |_| {}, None);
    for (target, corrects, corrected_by) in [
        (wrong.id.to_string(), None, Some(&right.id)),
        (right.id.to_string(), Some(&wrong.id), None),
        // As published before the correction.
        (format!("{}?as_of={asked}", wrong.id), None, None),
    ] {
        let briefing = rig.get(&format!("/v1/briefings/{target}")).json();
        let id = |id: Option<&BriefingId>| id.map_or(Value::Null, |id| id.as_str().into());
        assert_eq!(
            (&briefing["corrects"], &briefing["corrected_by"]),
            (&id(corrects), &id(corrected_by)),
            "{target}"
        );
    }
    let briefing = rig.get(&format!("/v1/briefings/{}", wrong.id)).json();
    assert_eq!(briefing["summary"], wrong.summary, "published text does not change");
}

#[test]
fn geojson_has_the_same_events_as_json() {
    let rig = Rig::new();
    let plain = rig.get("/v1/conflict?limit=5").json();
    let answer = rig.get("/v1/conflict?limit=5&format=geojson");
    assert_eq!(answer.header("content-type"), Some("application/geo+json"));
    let geo = answer.json();
    assert_eq!(geo["type"], "FeatureCollection");
    assert_eq!(geo["next_cursor"], plain["next_cursor"]);
    let features = geo["features"].as_array().unwrap();
    for (feature, event) in features.iter().zip(plain["events"].as_array().unwrap()) {
        assert_eq!(feature["type"], "Feature");
        assert_eq!(feature["id"], event["id"]);
        assert_eq!(feature["geometry"]["type"], "Point");
        assert_eq!(feature["geometry"]["coordinates"][0], event["lon"]);
        assert_eq!(feature["geometry"]["coordinates"][1], event["lat"]);
        assert_eq!(feature["properties"]["escalation"], event["escalation"]);
    }
    let accepted = rig.get_with("/v1/conflict?format=geojson", &[("Accept", "application/geo+json")]);
    assert_eq!(accepted.status, 200);
}

#[test]
fn feeds_show_their_health() {
    let rig = Rig::new();
    let never = rig.get("/v1/feeds").json();
    assert_eq!(never["feeds"][0]["status"], "never");
    let now = at(world::LAST).plus(7 * 60);
    for (age, status) in [(60, "ok"), (3 * HOUR / 2, "late"), (DAY, "stale")] {
        rig.service.set_feeds(vec![FeedState {
            feed: "gdelt".into(),
            newest_content: Some(now.minus(age)),
            last_refusal: Some(PayloadRefusal::new(RefusalCode::Md5, "at https://secret.example/path")),
            seen: 12,
            accepted: 10,
            rejected: [(Reject::Date, 2)].into(),
            checkpoint: "{\"internal\":1}".into(),
            ..FeedState::default()
        }]);
        let answer = rig.get("/v1/feeds");
        let feed = &answer.json()["feeds"][0];
        assert_eq!(feed["status"], status);
        assert_eq!(feed["age_seconds"], age);
        assert_eq!(feed["rows_rejected"]["date"], 2);
        assert_eq!(feed["attribution"], "Data by a publisher.");
        assert!(!answer.text().contains("internal"));
    }
}

#[test]
fn the_method_and_the_callers_key() {
    let rig = Rig::new();
    assert_eq!(rig.get("/v1/method").json()["version"], "1.0.0");
    let key = rig.mint(
        &[gsi_model::Scope::Events],
        Some(gsi_model::RateLimit { per_minute: 60, burst: 7 }),
        Some(at("2027-01-01T00:00:00Z")),
    );
    let own = rig.ask("GET", "/v1/keys/self", &[("Authorization", &format!("Bearer {key}"))]).json();
    assert_eq!(own["id"], key[4..14]);
    assert_eq!(own["scopes"], serde_json::json!(["events:read"]));
    assert_eq!(own["expires_at"], "2027-01-01T00:00:00Z");
    assert_eq!(own["quota"]["burst"], 7);
    assert_eq!(own["quota"]["remaining"], 6);
}
