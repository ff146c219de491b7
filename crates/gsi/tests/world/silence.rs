//! The event publisher stops in the middle of a war, and the score must not fall.

use crate::rig::{Rig, at, world};
use gsi_model::{DAY, HOUR, HeldClock, MINUTE, Timestamp};
use gsi_sim::{Scenario, WorldSettings};
use serde_json::Value;
use std::sync::Arc;

const LIVE: &str = "2026-11-12T12:00:00Z";
/// The scenario's silence begins an hour after its live moment and lasts two days.
const SILENT: &str = "2026-11-12T13:00:00Z";
/// Hours of silence after which the answers must show it.
const DEGRADED_WITHIN: i64 = 8;
const LAST_FILE: &str = "2026-11-12T12:45:00Z";

/// What a reader sees of the conflict pillar at one moment.
#[derive(Debug)]
struct View {
    status: String,
    score: f64,
    coverage: f64,
    confidence: f64,
    standard_error: f64,
    summary: String,
    freshest_news: f64,
}

fn view(rig: &Rig) -> View {
    let answer = rig.get("/v1/global-stability");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let status = answer.header("GSI-Data-Status").expect("every score has the status of its data").to_owned();
    let explained = rig.get("/v1/global-stability/explain").json();
    let conflict = part(&explained["pillars"], "pillar", "conflict");
    let news = conflict["indicators"].as_array().unwrap().iter().filter(|i| i["feed"] == "gdelt");
    View {
        status,
        score: conflict["score"].as_f64().unwrap(),
        coverage: conflict["coverage"].as_f64().unwrap(),
        confidence: conflict["confidence"]["value"].as_f64().unwrap(),
        standard_error: conflict["standard_error"].as_f64().unwrap(),
        summary: rig.get("/v1/summaries").body,
        freshest_news: news.filter_map(|i| i["freshness"].as_f64()).fold(0.0, f64::max),
    }
}

/// Indicators that have no data or old ones, for the reader of a failed test.
fn late_parts(rig: &Rig) -> Vec<String> {
    let explained = rig.get("/v1/global-stability/explain").json();
    let pillars = explained["pillars"].as_array().unwrap();
    let all = pillars.iter().flat_map(|p| p["indicators"].as_array().unwrap());
    let late = all.filter(|i| i["missing"].is_string() || i["freshness"].as_f64().unwrap() < 0.9);
    late.map(|i| format!("{} {} {} {}", i["key"], i["missing"], i["freshness"], i["period_end"])).collect()
}

fn part<'a>(list: &'a Value, key: &str, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|p| p[key] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn a_silent_publisher_lowers_confidence_and_not_the_score() {
    let live = at(LIVE);
    // Every indicator of the silent feed is there: the slowest compares four weeks. One poll reads the files of half a day.
    let start = live.minus(31 * DAY);
    let clock = Arc::new(HeldClock::at(start));
    let settings = WorldSettings {
        rows_per_slot: 80.0,
        mentions_per_row: 0.0,
        missing_slots: false,
        live,
        scenario: Scenario::built_in("silence").unwrap(),
        ..WorldSettings::new(3, start)
    };
    let sim = world(settings, &clock);
    let mut rig = Rig::new(&clock, &sim.base_url(), gsi_feeds::default_connectors());
    let silent: Timestamp = at(SILENT);
    let closely = live.minus(6 * DAY);
    rig.run(start, closely, 12 * HOUR);
    rig.run(closely.plus(HOUR), silent.minus(HOUR), HOUR);
    rig.run(silent.minus(HOUR).plus(15 * MINUTE), silent.plus(15 * MINUTE), 15 * MINUTE);
    let war = view(&rig);
    assert_eq!(war.status, "ok", "{war:?} {:?}", late_parts(&rig));
    assert!(war.freshest_news > 0.99 && war.score > 40.0, "{war:?}");

    // An hour later the newest file is late. The answers report it immediately, and nothing else changes yet.
    rig.run(silent.plus(30 * MINUTE), silent.plus(75 * MINUTE), 15 * MINUTE);
    let late = rig.get("/v1/feeds").json();
    let gdelt = part(&late["feeds"], "feed", "gdelt");
    assert_eq!(gdelt["status"], "late", "{gdelt}");

    // The beginning of each status, in hours of silence.
    let mut seen: Vec<(i64, String)> = Vec::new();
    let mut last = view(&rig);
    for hours in 2..=36 {
        rig.tick(silent.plus(hours * HOUR));
        last = view(&rig);
        // The published score may still catch up with what was known before the silence; it must not fall.
        assert!(
            (-1.0..2.0).contains(&(last.score - war.score)),
            "after {hours} h of silence in a war the score went from {} to {}",
            war.score,
            last.score
        );
        if seen.last().is_none_or(|(_, status)| *status != last.status) {
            seen.push((hours, last.status.clone()));
        }
    }
    let steps: Vec<&str> = seen.iter().map(|(_, status)| status.as_str()).collect();
    assert_eq!(steps, ["ok", "degraded", "stale"], "{seen:?} {last:?}");
    assert!(seen[1].0 <= DEGRADED_WITHIN, "{seen:?}");
    assert!(last.coverage < war.coverage - 0.2, "coverage {} then {}", war.coverage, last.coverage);
    assert!(last.confidence < war.confidence, "confidence {} then {}", war.confidence, last.confidence);
    assert!(last.standard_error > war.standard_error + 0.5, "{last:?} {war:?}");
    assert!(
        last.freshest_news < 0.1 && war.freshest_news > 0.9,
        "{} {}",
        war.freshest_news,
        last.freshest_news
    );
    assert!(
        last.summary.contains("GDELT") && last.summary.contains("12 November"),
        "which feed, and since when? {}",
        last.summary
    );
    let feeds = rig.get("/v1/feeds").json();
    let gdelt = part(&feeds["feeds"], "feed", "gdelt");
    assert_eq!((&gdelt["status"], &gdelt["newest_content"]), (&"stale".into(), &LAST_FILE.into()));

    // The publisher answers again, and the next polls read its data.
    rig.run(silent.plus(2 * DAY + 15 * MINUTE), silent.plus(2 * DAY + 3 * HOUR), 15 * MINUTE);
    let back = view(&rig);
    assert!(back.freshest_news > 0.9 && back.status != "stale", "{back:?}");
}
