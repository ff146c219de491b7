//! The map layers of the feeds.

use crate::support::{Rig, world};
use gsi_model::TICK;
use serde_json::{Value, json};

fn marks(layer: &Value) -> Value {
    let fields = |m: &Value| json!([m["id"], m["country"], m["lat"], m["lon"], m["value"], m["severity"]]);
    layer["marks"].as_array().unwrap().iter().map(fields).collect()
}

#[test]
fn layers_have_marks_or_report_missing_data() {
    let rig = Rig::new();
    let body = rig.get("/v1/layers").json();
    assert_eq!(body["as_of"], world::LAST);
    let of = |key: &str| body["layers"].as_array().unwrap().iter().find(|l| l["key"] == key).unwrap().clone();
    let (outages, quakes, chokepoints) = (of("outages"), of("quakes"), of("chokepoints"));
    assert_eq!(marks(&outages), json!([["UA", "UA", null, null, 62.5, "grave"]]));
    assert_eq!(marks(&quakes), json!([["us1", null, 38.25, -142.5, 6.3, "brief"]]));
    assert_eq!((&quakes["status"], &quakes["attribution"]), (&json!("ok"), &json!("Data by a publisher.")));
    assert_eq!(quakes["marks"][0]["day"], quakes["newest_day"]);
    assert_eq!(
        (&chokepoints["status"], &chokepoints["newest_day"], &chokepoints["marks"]),
        (&json!("no_data"), &Value::Null, &json!([]))
    );
}

#[test]
fn layers_are_selected_by_key_and_time() {
    let rig = Rig::new();
    let keys = |target: &str| -> Vec<String> {
        let body = rig.get(target).json();
        body["layers"].as_array().unwrap().iter().map(|l| l["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys("/v1/layers?layers=quakes"), ["quakes"]);
    assert_eq!(keys("/v1/layers?layers=quakes&layers=outages"), ["outages", "quakes"]);
    for wrong in ["tides", "Quakes", "", "quakes,outages"] {
        let answer = rig.get(&format!("/v1/layers?layers={wrong}"));
        assert_eq!(
            (answer.status, answer.json()["code"].as_str()),
            (400, Some("invalid_parameter")),
            "{wrong}"
        );
    }
    // At a time before the correction was known.
    let before = world::at(world::LAST).minus(TICK).plus(60);
    let body = rig.get(&format!("/v1/layers?layers=quakes&as_of={before}")).json();
    assert_eq!(marks(&body["layers"][0]), json!([["us1", null, 38.25, -142.5, 6.0, "brief"]]));
    assert_eq!(rig.get("/v1/layers?as_of=2001-01-01T00:00:00Z").status, 404);
}

#[test]
fn values_that_may_not_be_shown_are_reduced_to_a_severity() {
    let rig = Rig::with(|settings| settings.withheld = vec!["t.by_country".to_owned()]);
    let body = rig.get("/v1/layers?layers=outages").json();
    assert_eq!(marks(&body["layers"][0]), json!([["UA", "UA", null, null, null, "grave"]]));
}
