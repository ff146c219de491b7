//! The reconstructed past, which is separate from published scores: the whole series or a window, and the crises.

use crate::support::Rig;
use serde_json::{Value, json};

const SERIES: &str = "/v1/global-stability/reconstruction";

#[test]
fn the_series_is_complete_without_a_window() {
    let rig = Rig::new();
    let whole = rig.get(SERIES).json();
    assert_eq!(
        (&whole["origin"], &whole["series"], &whole["step"]),
        (&json!("reconstructed"), &json!("composite"), &json!("1d"))
    );
    assert_eq!(
        (&whole["method_version"], &whole["attributions"]),
        (&json!("3.0.0"), &json!(["Source: an agency"]))
    );
    assert_eq!(whole["points"].as_array().unwrap().len(), 10);
    assert_eq!(whole["points"][0], json!({"date": "2008-09-10", "score": 50.0, "coverage": 0.7}));
    assert_eq!(rig.get(&format!("{SERIES}?step=1d")).json(), whole);

    // Spans of data are cut to the window.
    let window = "?from=2008-09-12T00:00:00Z&to=2008-09-16T00:00:00Z";
    let part = rig.get(&format!("{SERIES}{window}")).json();
    let dates: Vec<&Value> = part["points"].as_array().unwrap().iter().map(|p| &p["date"]).collect();
    assert_eq!(dates, ["2008-09-12", "2008-09-13", "2008-09-14", "2008-09-15"]);
    assert_eq!(part["indicators"][0]["with_data"], json!([{"first": "2008-09-13", "last": "2008-09-15"}]));
    assert_eq!(part["indicators"][1]["with_data"], json!([{"first": "2008-09-12", "last": "2008-09-14"}]));
    // A window outside the data has no points, also with one open end.
    for window in [
        "from=2030-01-01T00:00:00Z&to=2031-01-01T00:00:00Z",
        "from=2030-01-01T00:00:00Z",
        "to=1999-01-01T00:00:00Z",
    ] {
        let outside = rig.get(&format!("{SERIES}?{window}"));
        assert_eq!((outside.status, &outside.json()["points"]), (200, &json!([])), "{window}");
    }
}

#[test]
fn a_pillar_without_data_has_no_score() {
    let rig = Rig::new();
    let series =
        |pillar: &str| rig.get(&format!("/v1/global-stability/pillar/{pillar}/reconstruction")).json();
    let cyber = series("cyber");
    assert_eq!(cyber["points"][2], json!({"date": "2008-09-12", "score": null, "coverage": 0.0}));
    assert_eq!(cyber["points"][3]["score"], json!(12.0));
    assert_eq!(cyber["indicators"].as_array().unwrap().len(), 1);
    assert_eq!(series("macro")["points"][5]["score"], Value::Null);
    assert_eq!(rig.get("/v1/global-stability/pillar/weather/reconstruction").code(), "unknown_pillar");
}

#[test]
fn crises_are_listed() {
    let rig = Rig::new();
    let want = json!({"crises": [{
        "name": "Lehman Brothers", "date": "2008-09-15", "end": "2009-07-07", "pillars": ["macro"], "tier": "A",
    }]});
    assert_eq!(rig.get("/v1/crises").json(), want);
}

#[test]
fn bad_windows_and_steps_are_refused_by_name() {
    let rig = Rig::new();
    for (query, parameter) in [
        ("step=1h", "step"),
        ("from=2008", "from"),
        ("from=2008-09-12T00:00:00Z&to=2008-09-12T00:00:00Z", "from"),
        ("limit=3", "limit"),
    ] {
        let answer = rig.get(&format!("{SERIES}?{query}"));
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_parameter"), "{query}");
        assert_eq!(answer.json()["errors"][0]["parameter"], parameter, "{query}");
    }
}

#[test]
fn before_it_is_computed_the_answer_has_retry_after() {
    let rig = Rig::empty();
    for target in [SERIES, "/v1/global-stability/pillar/macro/reconstruction", "/v1/crises"] {
        let answer = rig.get(target);
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{target}");
        assert!(answer.json()["detail"].as_str().unwrap().contains("still being computed"));
    }
}

#[test]
fn analogues_of_today_are_found() {
    let rig = Rig::new();
    let today = rig.get("/v1/global-stability/analogues").json();
    assert_eq!((&today["origin"], &today["date"]), (&json!("published"), &json!("2026-11-14")));
    // The ten days form one episode.
    let found = today["analogues"].as_array().unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0]["distance"].is_number() && found[0]["pillars_compared"].as_u64().unwrap() >= 3);
    assert_eq!(found[0]["score_30_days_later"], Value::Null, "the reconstruction ends earlier");
    // Before the first snapshot, the reconstructed day is compared, and its own episode is left out.
    let then = rig.get("/v1/global-stability/analogues?as_of=2008-09-15T12:00:00Z&limit=5").json();
    assert_eq!(
        (&then["origin"], &then["date"], &then["analogues"]),
        (&json!("reconstructed"), &json!("2008-09-15"), &json!([]))
    );
    assert_eq!(then["pillars"]["macro"], Value::Null);
    let neither = rig.get("/v1/global-stability/analogues?as_of=2012-01-01T00:00:00Z");
    assert_eq!((neither.status, neither.code().as_str()), (404, "no_snapshot"));
    assert_eq!(rig.get("/v1/global-stability/analogues?limit=0").code(), "invalid_parameter");
}

#[test]
fn the_level_has_its_meaning() {
    let rig = Rig::new();
    let then = rig.get("/v1/global-stability/meaning?as_of=2008-09-15T12:00:00Z").json();
    assert_eq!(
        (&then["score"], &then["band"], &then["share_of_days_lower"]),
        (&json!(55.0), &json!("high"), &json!(0.5))
    );
    assert_eq!((&then["days"], &then["last_day_as_high"]), (&json!(10), &json!("2008-09-19")));
    let level = |n: usize, field: &str| then["levels"][n][field].clone();
    // Seven days were from 50 to below 57. The last two were in the crisis, and the first five preceded its beginning.
    assert_eq!((level(3, "days"), level(3, "crisis_under_way")), (json!(7), json!(0.29)));
    assert_eq!(level(3, "crisis_begins_within_14_days"), json!(0.71));
    assert_eq!((level(4, "days"), level(4, "crisis_under_way")), (json!(3), json!(1.0)));
    assert_eq!((level(0, "days"), level(0, "crisis_under_way")), (json!(0), Value::Null));
    assert!(then["forecast"].as_str().unwrap().contains("does not forecast"));
    // The range covers three subsets of one list.
    let names: Vec<&str> =
        then["lists"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["every listed crisis", "tiers A and B", "tier A"]);
    let severe = &then["levels"][4];
    assert_eq!(severe["crisis_under_way_range"]["high"], severe["crisis_under_way"]);
    assert_eq!(then["levels"][0]["crisis_under_way_range"], serde_json::Value::Null);
    // The method has the same sentence.
    assert_eq!(rig.get("/v1/method").json()["forecast"], then["forecast"]);
    assert_eq!(rig.get("/v1/global-stability/meaning").json()["origin"], "published");
}
