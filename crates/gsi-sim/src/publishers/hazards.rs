//! Earthquakes and multi-hazard alerts as GeoJSON. Quakes follow the magnitude law at the world's usual rate; a scenario
//! can add one.

use super::{Ask, Document, Format, query};
use crate::chance::{Chance, Stream};
use crate::tables::{self, GazetteerPlace};
use crate::world::World;
use gsi_model::{CountryCode, DAY, Day, HOUR, MINUTE, Timestamp};
use serde_json::{Value, json};
use std::io::Write as _;
use std::sync::Arc;

/// Quakes of magnitude 4.5 and more a day, and the slope of the magnitude law.
const QUAKES: f64 = 20.0;
const SLOPE: f64 = 1.0;
/// A quake is listed this long after it happened, and reviewed later.
const LISTED_AFTER_SECONDS: i64 = 12 * MINUTE;
const REVIEWED_AFTER_SECONDS: i64 = 6 * HOUR;
const LIMIT: usize = 20_000;

struct Quake {
    id: String,
    at: Timestamp,
    magnitude: f64,
    latitude: f64,
    longitude: f64,
    depth: f64,
    near: &'static GazetteerPlace,
}

fn quakes(world: &World, day: Day) -> Vec<Quake> {
    let mut c = Chance::of(world.settings.seed, Stream::Quakes, i64::from(day.0));
    let mut found: Vec<Quake> = (0..c.poisson(QUAKES))
        .map(|number| {
            let place = c.pick(tables::places());
            Quake {
                id: format!("us6000{:05x}{number:02}", day.0),
                at: day.start().plus(c.below(DAY as usize) as i64),
                magnitude: ((4.5 - libm::log10(1.0 - c.unit()) / SLOPE).min(9.0) * 10.0).round() / 10.0,
                latitude: (place.latitude + c.between(-12.0, 12.0)).clamp(-89.0, 89.0),
                longitude: wrap(place.longitude + c.between(-12.0, 12.0)),
                depth: 5.0 + c.exponential(45.0),
                near: place,
            }
        })
        .collect();
    for (number, (at, magnitude, key)) in world.timeline.quakes().enumerate() {
        if at.day() == day
            && let Some(place) = tables::place(key)
        {
            found.push(Quake {
                id: format!("us7000sim{number:02}"),
                at,
                magnitude,
                latitude: place.latitude,
                longitude: place.longitude,
                depth: 18.0,
                near: place,
            });
        }
    }
    found
}

fn wrap(longitude: f64) -> f64 {
    (longitude + 540.0).rem_euclid(360.0) - 180.0
}

fn listed(world: &World, from: Timestamp, now: Timestamp, minimum: f64) -> Vec<Quake> {
    let mut found: Vec<Quake> = (from.day().0..=now.day().0)
        .flat_map(|d| quakes(world, Day(d)))
        .filter(|q| q.at >= from && q.at.plus(LISTED_AFTER_SECONDS) <= now && q.magnitude >= minimum)
        .collect();
    found.sort_by_key(|q| std::cmp::Reverse(q.at));
    found
}

/// One feature, written straight into the list: a week of them is asked for every half hour.
fn write_feature(out: &mut Vec<u8>, q: &Quake, now: Timestamp) {
    let reviewed = now.since(q.at) >= REVIEWED_AFTER_SECONDS;
    // The first magnitude is a tenth off as often as not.
    let magnitude = if reviewed { q.magnitude } else { q.magnitude + 0.1 };
    let alert = match q.magnitude {
        m if m >= 7.3 => "\"red\"",
        m if m >= 6.8 => "\"orange\"",
        m if m >= 6.2 => "\"yellow\"",
        m if m >= 5.5 => "\"green\"",
        _ => "null",
    };
    let updated = if reviewed { q.at.plus(REVIEWED_AFTER_SECONDS) } else { q.at.plus(LISTED_AFTER_SECONDS) };
    let round = |v: f64| (v * 1e4).round() / 1e4;
    let (id, near) = (&q.id, q.near.city);
    // Writing into a Vec cannot fail; names and ids of this world need no escapes.
    let _ = write!(
        out,
        r#"{{"type":"Feature","properties":{{"mag":{},"place":"near {near}","time":{},"updated":{},"tz":null,"#,
        (magnitude * 10.0).round() / 10.0,
        q.at.unix() * 1_000,
        updated.unix() * 1_000,
    );
    let _ = write!(
        out,
        r#""url":"https://quakes.example/{id}","detail":"","felt":null,"cdi":null,"mmi":null,"alert":{alert},"#
    );
    let _ = write!(
        out,
        r#""status":"{}","tsunami":{},"sig":{},"net":"us","code":"{}","ids":",{id},","sources":",us,","#,
        if reviewed { "reviewed" } else { "automatic" },
        u8::from(q.magnitude >= 7.0),
        (q.magnitude * q.magnitude * 15.4).round(),
        &id[2..],
    );
    let _ = write!(
        out,
        r#""types":",origin,","nst":40,"dmin":1.1,"rms":0.7,"gap":60,"magType":"mww","type":"earthquake","#
    );
    let _ = write!(
        out,
        r#""title":"M {magnitude:.1} - near {near}"}},"geometry":{{"type":"Point","coordinates":[{},{},{}]}},"id":"{id}"}}"#,
        round(q.longitude),
        round(q.latitude),
        round(q.depth),
    );
}

pub fn usgs(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let now = ask.as_of;
    let maker = world.clone();
    if let Some(file) = ask.path.strip_prefix("/earthquakes/feed/v1.0/summary/") {
        let (set, period) = file.strip_suffix(".geojson")?.rsplit_once('_')?;
        let minimum = match set {
            "significant" => 6.2,
            "4.5" | "2.5" | "1.0" | "all" => 4.5,
            _ => return None,
        };
        let span = match period {
            "hour" => HOUR,
            "day" => DAY,
            "week" => 7 * DAY,
            "month" => 30 * DAY,
            _ => return None,
        };
        let path = ask.path.to_owned();
        // Renewed every minute.
        let minute = Timestamp::from_unix(now.unix() / 60 * 60);
        return Some(Document::whole(Format::Json, minute.unix() as u64, Some(minute), move || {
            collection(&listed(&maker, now.minus(span), now, minimum), &path, now)
        }));
    }
    if ask.path != "/fdsnws/event/1/query" {
        return None;
    }
    let from = query::day(ask.query, "starttime").map_or(now.minus(30 * DAY), Day::start);
    let until = query::day(ask.query, "endtime").map_or(now, Day::start).min(now);
    let minimum = query::value(ask.query, "minmagnitude").and_then(|m| m.parse().ok()).unwrap_or(4.5);
    let limit = query::number(ask.query, "limit").unwrap_or(LIMIT as i64).clamp(1, LIMIT as i64) as usize;
    Some(Document::whole(Format::Json, now.unix() as u64 / 60, None, move || {
        let mut found = listed(&maker, from, now, minimum);
        found.retain(|q| q.at <= until);
        found.truncate(limit);
        collection(&found, "/fdsnws/event/1/query", now)
    }))
}

fn collection(quakes: &[Quake], path: &str, now: Timestamp) -> Vec<u8> {
    let mut out = Vec::with_capacity(400 + 640 * quakes.len());
    let _ = write!(
        out,
        r#"{{"type":"FeatureCollection","metadata":{{"generated":{},"url":"https://earthquake.usgs.gov{path}","#,
        now.unix() * 1_000
    );
    let _ = write!(
        out,
        r#""title":"USGS Earthquakes","status":200,"api":"1.14.1","count":{}}},"features":["#,
        quakes.len()
    );
    for (i, quake) in quakes.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_feature(&mut out, quake, now);
    }
    out.extend_from_slice(b"]}");
    out
}

/// Other hazards a day: (kind, words, rate, days it lasts)
const HAZARDS: [(&str, &str, f64, f64); 5] = [
    ("FL", "Flood", 0.5, 6.0),
    ("TC", "Tropical cyclone", 0.18, 7.0),
    ("WF", "Forest fire", 0.35, 5.0),
    ("VO", "Volcano", 0.05, 10.0),
    ("DR", "Drought", 0.02, 90.0),
];

pub fn gdacs(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let search = match ask.path {
        "/gdacsapi/api/events/geteventlist/MAP" | "/gdacsapi/api/events/geteventlist/EVENTS4APP" => false,
        "/gdacsapi/api/events/geteventlist/SEARCH" => true,
        _ => return None,
    };
    let now = ask.as_of;
    let from =
        if search { query::day(ask.query, "fromdate") } else { None }.map_or(now.minus(4 * DAY), Day::start);
    let until = if search { query::day(ask.query, "todate") } else { None }.map_or(now, Day::end).min(now);
    let list = |name: &str| query::value(ask.query, name).map(|v| v.to_ascii_lowercase());
    let (kinds, levels) = if search { (list("eventlist"), list("alertlevel")) } else { (None, None) };
    let size = query::number(ask.query, "pagesize").unwrap_or(100).clamp(1, 100) as usize;
    let page = query::number(ask.query, "pagenumber").unwrap_or(1).max(1) as usize;
    let maker = world.clone();
    Some(Document::whole(Format::Json, now.unix() as u64 / 360, None, move || {
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
    for (number, q) in quakes(world, day).into_iter().enumerate().filter(|(_, q)| q.magnitude >= 5.5) {
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
    let mut c = Chance::of(world.settings.seed, Stream::Hazards, i64::from(day.0));
    for (kind, (code, words, rate, lasts)) in HAZARDS.into_iter().enumerate() {
        for number in 0..c.poisson(rate) {
            let place = c.pick(tables::places());
            let start = day.start().plus(c.below(24) as i64 * HOUR);
            let end = start.plus((lasts * (0.4 + c.exponential(0.6)) * DAY as f64) as i64);
            let level = ["Green", "Green", "Green", "Green", "Orange", "Orange", "Red"][c.below(7)];
            let severity = json!({"severity": c.below(200), "severityunit": "", "severitytext": format!("{words} alert")});
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
    near: &GazetteerPlace,
    at: (f64, f64),
    span: (Timestamp, Timestamp),
    severity: Value,
) -> Value {
    // Times without a zone, meaning UTC.
    let time = |t: Timestamp| t.to_string().trim_end_matches('Z').to_owned();
    let country = tables::country(near.fips).and_then(|c| CountryCode::from_iso2(c.iso2));
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
