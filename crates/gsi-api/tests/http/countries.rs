//! Countries: their ranking, details and exact explanation. A country without data has no score.

use crate::support::{Rig, world};
use gsi_model::{DAY, HOUR, Scope};
use serde_json::Value;

fn codes(body: &Value) -> Vec<String> {
    body["countries"].as_array().unwrap().iter().map(|c| c["country"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn countries_are_ranked_by_score_and_unscored_ones_are_counted() {
    let rig = Rig::new();
    let body = rig.get("/v1/countries").json();
    // France and Poland are shown with the same score, so they are ordered by code.
    assert_eq!(codes(&body), ["UA", "FR", "PL"]);
    assert_eq!(body["not_scored"], serde_json::json!({"unmonitored": 1, "thin": 0}));
    assert_eq!(body["countries"][0]["score"], 71.4);
    assert_eq!(body["countries"][0]["name"], "Ukraine");
    assert_eq!(body["countries"][2]["pillars"].as_object().unwrap().len(), 1, "only pillars with data");
    assert_eq!(body["as_of"], world::LAST);

    assert_eq!(codes(&rig.get("/v1/countries?min_score=21.5").json()), ["UA"]);
    assert_eq!(codes(&rig.get("/v1/countries?min_score=71.4").json()), ["UA"], "filtered by the shown score");
    assert_eq!(codes(&rig.get("/v1/countries?pillar=cyber").json()), ["FR", "UA"]);
    assert_eq!(codes(&rig.get("/v1/countries?pillar=macro").json()), Vec::<String>::new());
    for bad in ["min_score=101", "min_score=x", "pillar=war", "limit=0", "country=UA"] {
        assert_eq!(rig.get(&format!("/v1/countries?{bad}")).status, 400, "{bad}");
    }
}

#[test]
fn a_map_has_outlines_and_their_attribution() {
    let rig = Rig::new();
    let answer = rig.get("/v1/countries?format=geojson");
    assert_eq!(answer.header("content-type"), Some("application/geo+json"));
    let (map, list) = (answer.json(), rig.get("/v1/countries").json());
    assert_eq!(map["attribution"], "Outlines: made with Natural Earth");
    assert_eq!((&map["not_scored"], &map["as_of"]), (&list["not_scored"], &list["as_of"]));
    let features = map["features"].as_array().unwrap();
    let properties: Vec<&Value> = features.iter().map(|f| &f["properties"]).collect();
    assert_eq!(properties, list["countries"].as_array().unwrap().iter().collect::<Vec<_>>());
    for feature in features {
        assert_eq!(
            (&feature["type"], &feature["id"]),
            (&"Feature".into(), &feature["properties"]["country"])
        );
        assert_eq!(feature["geometry"]["type"], "MultiPolygon");
    }
    let point = &features[0]["geometry"]["coordinates"][0][0][0];
    assert!(point[0].as_f64().is_some_and(|lon| (22.0..41.0).contains(&lon)), "Ukraine: {point}");
}

#[test]
fn pages_neither_skip_nor_repeat() {
    let rig = Rig::new();
    let mut seen = Vec::new();
    let mut target = "/v1/countries?limit=1".to_owned();
    loop {
        let answer = rig.get(&target);
        let body = answer.json();
        seen.extend(codes(&body));
        match body["next_cursor"].as_str() {
            Some(cursor) => {
                assert!(answer.header("link").unwrap().contains(cursor));
                target = format!("/v1/countries?limit=1&cursor={cursor}");
            }
            None => break,
        }
    }
    assert_eq!(seen, ["UA", "FR", "PL"]);
}

#[test]
fn one_country_has_its_rank_and_percentile() {
    let rig = Rig::new();
    let body = rig.get("/v1/countries/UA").json();
    assert_eq!((&body["rank"], &body["ranked"]), (&1.into(), &3.into()));
    assert_eq!(body["year_percentile"], 88.2);
    assert_eq!(body["standing"], "scored");
    assert!(body["indicators"].as_array().unwrap().iter().any(|i| i["key"] == "attack_surprise"));
    assert!(body["events"].as_array().unwrap().len() <= 10);
    assert_eq!((&body["as_of"], &body["late"]), (&world::LAST.into(), &false.into()));

    let nauru = rig.get("/v1/countries/NR").json();
    assert_eq!(
        (&nauru["standing"], &nauru["score"], &nauru["rank"]),
        (&"unmonitored".into(), &Value::Null, &Value::Null)
    );
    let refused = rig.get("/v1/countries/DE");
    assert_eq!((refused.status, refused.code()), (404, "unknown_country".to_owned()));
    // As published at that time.
    let earlier = world::at(world::LAST).minus(DAY);
    assert_eq!(rig.get(&format!("/v1/countries/UA?as_of={earlier}")).json()["as_of"], earlier.to_string());
    assert_eq!(rig.get("/v1/countries/UA?as_of=2001-01-01T00:00:00Z").code(), "no_snapshot");
}

#[test]
fn events_of_a_country_are_for_keys_with_the_events_scope() {
    let rig = Rig::new();
    let narrow = format!("Bearer {}", rig.mint(&[Scope::Scores], None, None));
    let both = format!("Bearer {}", rig.mint(&[Scope::Scores, Scope::Events], None, None));
    let ask = |target: &str, key: &str| rig.ask("GET", target, &[("Authorization", key)]);
    let now = "/v1/countries/UA".to_owned();
    let earlier = format!("{now}?as_of={}", world::at(world::LAST).minus(HOUR));
    // The first answer is cached, so each of the two keys asks first once.
    for (target, order) in [(now, [&narrow, &both, &narrow]), (earlier, [&both, &narrow, &both])] {
        for key in order {
            let events = ask(&target, key).json()["events"].as_array().unwrap().len();
            assert_eq!(events, if key == &both { 10 } else { 0 }, "{target}");
        }
        let with_events = ask(&target, &both).header("etag").unwrap().to_owned();
        assert_ne!(ask(&target, &narrow).header("etag"), Some(with_events.as_str()), "{target}");
        let headers = [("Authorization", narrow.as_str()), ("If-None-Match", with_events.as_str())];
        assert_eq!(rig.ask("GET", &target, &headers).status, 200, "{target}: its answer differs");
    }
}

#[test]
fn shown_parts_add_up_to_shown_totals() {
    let rig = Rig::new();
    for code in ["UA", "FR", "PL"] {
        let body = rig.get(&format!("/v1/countries/{code}/explain")).json();
        let thousandths = |v: &Value| (v.as_f64().unwrap() * 1000.0).round() as i64;
        let pillars = body["pillars"].as_array().unwrap();
        let indicators = || pillars.iter().flat_map(|p| p["indicators"].as_array().unwrap());
        let total = thousandths(&body["score"]);
        assert_eq!(indicators().map(|i| thousandths(&i["contribution"])).sum::<i64>(), total, "{code}");
        assert_eq!(pillars.iter().map(|p| thousandths(&p["contribution"])).sum::<i64>(), total, "{code}");
        let left = body["left"].as_array().unwrap();
        let changes = indicators().chain(left).map(|i| thousandths(&i["change_24h"])).sum::<i64>();
        assert_eq!(changes, thousandths(&body["delta_24h"]), "{code}");
    }
}

#[test]
fn a_history_has_the_scores_of_its_country() {
    let rig = Rig::new();
    let body = rig.get("/v1/countries/UA/history?step=1d").json();
    let points = body["points"].as_array().unwrap();
    assert!(points.len() >= 2 && points.iter().all(|p| p["last"] == 71.4), "{body}");
    assert_eq!(body["country"], "UA");
    assert_eq!(rig.get("/v1/countries/NR/history").json()["points"].as_array().unwrap().len(), 0);
    assert_eq!(rig.get("/v1/countries/UA/history?from=2000-01-01T00:00:00Z&step=15m").status, 400);
}
