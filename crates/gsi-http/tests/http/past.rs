//! The reconstructed past: another resource than what was published, whole or by window, and the crises beside it.

use crate::support::Rig;
use serde_json::{Value, json};

const LINE: &str = "/v1/global-stability/reconstruction";

#[test]
fn the_line_is_whole_unless_a_window_is_asked_for() {
    let rig = Rig::new();
    let whole = rig.get(LINE).json();
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
    assert_eq!(rig.get(&format!("{LINE}?step=1d")).json(), whole);

    // Spans of data are cut to the window.
    let window = "?from=2008-09-12T00:00:00Z&to=2008-09-16T00:00:00Z";
    let part = rig.get(&format!("{LINE}{window}")).json();
    let dates: Vec<&Value> = part["points"].as_array().unwrap().iter().map(|p| &p["date"]).collect();
    assert_eq!(dates, ["2008-09-12", "2008-09-13", "2008-09-14", "2008-09-15"]);
    assert_eq!(part["indicators"][0]["with_data"], json!([{"first": "2008-09-13", "last": "2008-09-15"}]));
    assert_eq!(part["indicators"][1]["with_data"], json!([{"first": "2008-09-12", "last": "2008-09-14"}]));
    let outside = rig.get(&format!("{LINE}?from=2030-01-01T00:00:00Z&to=2031-01-01T00:00:00Z"));
    assert_eq!((outside.status, &outside.json()["points"]), (200, &json!([])));
}

#[test]
fn a_pillar_without_data_has_no_score() {
    let rig = Rig::new();
    let line = |pillar: &str| rig.get(&format!("/v1/global-stability/pillar/{pillar}/reconstruction")).json();
    let cyber = line("cyber");
    assert_eq!(cyber["points"][2], json!({"date": "2008-09-12", "score": null, "coverage": 0.0}));
    assert_eq!(cyber["points"][3]["score"], json!(12.0));
    assert_eq!(cyber["indicators"].as_array().unwrap().len(), 1);
    assert_eq!(line("macro")["points"][5]["score"], Value::Null);
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
        ("from=2030-01-01T00:00:00Z", "from"),
        ("to=2000-01-01T00:00:00Z", "from"),
        ("limit=3", "limit"),
    ] {
        let answer = rig.get(&format!("{LINE}?{query}"));
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_parameter"), "{query}");
        assert_eq!(answer.json()["errors"][0]["parameter"], parameter, "{query}");
    }
}

#[test]
fn until_it_is_computed_the_caller_is_told_to_come_back() {
    let rig = Rig::empty();
    for target in [LINE, "/v1/global-stability/pillar/macro/reconstruction", "/v1/crises"] {
        let answer = rig.get(target);
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{target}");
        assert!(answer.json()["detail"].as_str().unwrap().contains("still being computed"));
    }
}
