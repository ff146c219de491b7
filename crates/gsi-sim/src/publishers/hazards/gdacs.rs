//! Multi-hazard alerts as GeoJSON: large earthquakes, floods, cyclones, fires, volcanoes and droughts.

use super::super::{Document, Format, Request, query};
use super::quakes::{self, LISTED_AFTER_SECONDS};
use crate::world::geography::{self, Place};
use crate::world::{Rng, Stream, World};
use gsi_model::{CountryCode, DAY, Day, HOUR, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;

/// Other hazards: kind, words, number per day, days that one lasts.
const HAZARDS: [(&str, &str, f64, f64); 5] = [
    ("FL", "Flood", 0.5, 6.0),
    ("TC", "Tropical cyclone", 0.18, 7.0),
    ("WF", "Forest fire", 0.35, 5.0),
    ("VO", "Volcano", 0.05, 10.0),
    ("DR", "Drought", 0.02, 90.0),
];

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let search = match request.path {
        "/gdacsapi/api/events/geteventlist/MAP" | "/gdacsapi/api/events/geteventlist/EVENTS4APP" => false,
        "/gdacsapi/api/events/geteventlist/SEARCH" => true,
        _ => return None,
    };
    let now = request.as_of;
    let from = if search { query::day(request.query, "fromdate") } else { None }
        .map_or(now.minus(4 * DAY), Day::start);
    let until =
        if search { query::day(request.query, "todate") } else { None }.map_or(now, Day::end).min(now);
    let list = |name: &str| query::value(request.query, name).map(|v| v.to_ascii_lowercase());
    let (kinds, levels) = if search { (list("eventlist"), list("alertlevel")) } else { (None, None) };
    let size = query::number(request.query, "pagesize").unwrap_or(100).clamp(1, 100) as usize;
    let page = query::number(request.query, "pagenumber").unwrap_or(1).max(1) as usize;
    let maker = world.clone();
    Some(Document::new(Format::Json, now.unix() as u64 / 360, None, move || {
        let has = |list: &Option<String>, name: &Value| {
            let name = name.as_str().unwrap_or("").to_ascii_lowercase();
            list.as_ref().is_none_or(|l| l.split(';').any(|part| part == name))
        };
        let features: Vec<Value> = (from.day().0 - 100..=until.day().0)
            .flat_map(|d| hazards(&maker, Day(d), now))
            .filter(|(start, end, _)| *start <= until && *end >= from)
            .map(|(_, _, feature)| feature)
            .filter(|f| {
                has(&kinds, &f["properties"]["eventtype"]) && has(&levels, &f["properties"]["alertlevel"])
            })
            .skip((page - 1) * size)
            .take(size)
            .collect();
        let body = json!({"type": "FeatureCollection", "features": features, "bbox": null});
        serde_json::to_vec(&body).unwrap_or_default()
    }))
}

fn hazards(world: &World, day: Day, now: Timestamp) -> Vec<(Timestamp, Timestamp, Value)> {
    let mut found = Vec::new();
    for (number, q) in quakes::on_day(world, day).into_iter().enumerate().filter(|(_, q)| q.magnitude >= 5.5)
    {
        if q.at.plus(LISTED_AFTER_SECONDS) > now {
            continue;
        }
        let level = if q.magnitude >= 7.3 {
            "Red"
        } else if q.magnitude >= 6.6 {
            "Orange"
        } else {
            "Green"
        };
        let severity = json!({"severity": q.magnitude, "severityunit": "M",
            "severitytext": format!("Magnitude {:.1}M, Depth:{:.0}km", q.magnitude, q.depth)});
        let id = 1_400_000 + i64::from(day.0 % 10_000) * 40 + number as i64;
        let place = (q.longitude, q.latitude);
        found.push((
            q.at,
            q.at.plus(DAY),
            hazard("EQ", "Earthquake", id, level, q.near, place, (q.at, q.at), severity),
        ));
    }
    let mut rng = Rng::new(world.settings.seed, Stream::Hazards, i64::from(day.0));
    for (kind, (code, words, rate, lasts)) in HAZARDS.into_iter().enumerate() {
        for number in 0..rng.poisson(rate) {
            let place = rng.pick(geography::places());
            let start = day.start().plus(rng.below(24) as i64 * HOUR);
            let end = start.plus((lasts * (0.4 + rng.exponential(0.6)) * DAY as f64) as i64);
            let level = ["Green", "Green", "Green", "Green", "Orange", "Orange", "Red"][rng.below(7)];
            let severity = json!({"severity": rng.below(200), "severityunit": "", "severitytext": format!("{words} alert")});
            if start > now {
                continue;
            }
            let id = 1_100_000 + i64::from(day.0 % 10_000) * 40 + kind as i64 * 8 + i64::from(number % 8);
            let at = (place.longitude, place.latitude);
            found.push((
                start,
                end,
                hazard(code, words, id, level, place, at, (start, end.min(now)), severity),
            ));
        }
    }
    found
}

#[allow(clippy::too_many_arguments)]
fn hazard(
    code: &str,
    words: &str,
    id: i64,
    level: &str,
    near: &Place,
    at: (f64, f64),
    span: (Timestamp, Timestamp),
    severity: Value,
) -> Value {
    // Times without a zone, meaning UTC.
    let time = |t: Timestamp| t.to_string().trim_end_matches('Z').to_owned();
    let country = geography::country(near.fips).and_then(|c| CountryCode::from_iso2(c.iso2));
    let (name, iso3) = country.map_or(("", ""), |c| (c.name(), c.iso3()));
    let named = |c: CountryCode| json!({"iso2": c.as_str(), "iso3": c.iso3(), "countryname": c.name()});
    let affected: Vec<Value> = country.into_iter().map(named).collect();
    let near = near.city;
    json!({"type": "Feature", "bbox": [at.0, at.1, at.0, at.1],
        "geometry": {"type": "Point", "coordinates": [at.0, at.1]},
        "properties": {"eventtype": code, "eventid": id, "episodeid": 1, "eventname": "", "glide": "",
            "name": format!("{words} near {near}"), "description": format!("{words} near {near}"), "alertlevel": level,
            "alertscore": 1, "episodealertlevel": level, "episodealertscore": 1, "istemporary": "false",
            "iscurrent": "true", "country": name, "fromdate": time(span.0), "todate": time(span.1),
            "datemodified": time(span.1), "iso3": iso3, "source": "SIM", "sourceid": "", "affectedcountries": affected,
            "severitydata": severity, "url": {"report": "", "details": "", "geometry": ""}}})
}
