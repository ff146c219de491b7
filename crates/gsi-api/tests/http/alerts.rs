//! The list of alerts, and the details of one alert.

use crate::support::Rig;
use crate::support::world::{LAST, at};
use gsi_model::{DAY, HOUR, TICK};
use serde_json::Value;

fn subjects(rig: &Rig, query: &str) -> Vec<String> {
    let body = rig.get(&format!("/v1/alerts{query}")).json();
    let said = |a: &Value| {
        let text = |name: &str| a[name].as_str().unwrap().to_owned();
        format!("{} {} {}", text("rule"), text("subject"), text("state"))
    };
    let mut all: Vec<String> = body["alerts"].as_array().unwrap().iter().map(said).collect();
    all.sort();
    all
}

#[test]
fn alerts_are_filtered_and_listed_as_of_earlier_times() {
    let rig = Rig::new();
    let (macro_, event) = ("score macro active", "event country:ua active");
    assert_eq!(subjects(&rig, ""), ["band country:ua ended", event, macro_]);
    assert_eq!(subjects(&rig, "?state=active"), [event, macro_]);
    assert_eq!(subjects(&rig, "?state=ended&country=UA"), ["band country:ua ended"]);
    assert_eq!(subjects(&rig, "?rule=score"), [macro_]);
    assert!(subjects(&rig, "?rule=feed").is_empty());
    let begins = at(LAST).minus(DAY - TICK);
    assert_eq!(subjects(&rig, &format!("?since={begins}")).len(), 3);
    assert!(subjects(&rig, &format!("?until={begins}")).is_empty());
    assert!(subjects(&rig, &format!("?as_of={}", begins.minus(TICK))).is_empty());
    assert!(subjects(&rig, &format!("?as_of={begins}")).contains(&"band country:ua active".to_owned()));
    for (query, field) in [("?state=on", "state"), ("?rule=own", "rule"), ("?country=ua", "country")] {
        let refused = rig.get(&format!("/v1/alerts{query}"));
        assert_eq!((refused.status, &refused.json()["errors"][0]["parameter"]), (400, &field.into()));
    }
}

#[test]
fn one_alert_has_its_course_and_its_history() {
    let rig = Rig::new();
    let all = rig.get("/v1/alerts").json()["alerts"].as_array().unwrap().clone();
    let detail = |rule: &str| {
        let alert = all.iter().find(|a| a["rule"] == rule).unwrap();
        rig.get(&format!("/v1/alerts/{}", alert["id"].as_str().unwrap())).json()
    };
    let begins = at(LAST).minus(DAY - TICK);
    let macro_ = detail("score");
    assert_eq!(macro_["alert"]["value"], 57.3);
    let course = macro_["course"].as_array().unwrap();
    assert!(course.len() > 90 && course.len() <= 200, "{}", course.len());
    assert_eq!(course.last().unwrap()["as_of"], at(LAST).to_string());
    assert_eq!(macro_["explanation"], format!("/v1/global-stability/explain?as_of={begins}"));
    assert_eq!(macro_["fired"]["last_365_days"], 1);
    let past = &macro_["fired"]["backtest"];
    assert_eq!((&past["alerts"], &past["from"]), (&1.into(), &"2008-09-10".into()), "{past}");

    let band = detail("band");
    assert_eq!(band["course"].as_array().unwrap().last().unwrap()["as_of"], begins.plus(HOUR).to_string());
    assert_eq!(band["explanation"], format!("/v1/countries/UA/explain?as_of={begins}"));
    assert!(!band["inputs"].as_array().unwrap().is_empty());
    assert_eq!(band["fired"]["backtest"], Value::Null);
    assert!(!detail("event")["course"].as_array().unwrap().is_empty());
    assert_eq!(rig.get("/v1/alerts/alr_0123456789ABCDEFGHJKMNPQRS").status, 404);
    assert_eq!(rig.get("/v1/alerts/evt_0123456789ABCDEFGHJKMNPQRS").status, 404);
}
