//! Internet outages per country: events, alerts, a summary, and the raw signals behind them.

use super::super::{Document, Format, Request, query};
use crate::series::draw_count;
use crate::world::geography::{self, Country};
use crate::world::{Rng, Stream, World};
use gsi_model::{DAY, Day, HOUR, Timestamp};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::sync::Arc;

/// The sources with their step in seconds and the level of their signal.
const SOURCES: [(&str, i64, f64); 3] =
    [("bgp", 300, 4_000.0), ("ping-slash24", 600, 9_000.0), ("merit-nt", 300, 400.0)];
/// The longest window of a query.
const WINDOW_SECONDS: i64 = 100 * DAY;

struct SimulatedOutage {
    country: &'static Country,
    start: Timestamp,
    duration_seconds: i64,
    drop: f64,
    source: &'static str,
}

/// Draws the background outages that begin on a day: short, small, mostly seen by one source.
fn background(world: &World, day: Day) -> Vec<SimulatedOutage> {
    let mut rng = Rng::new(world.settings.seed, Stream::Ioda, i64::from(day.0));
    (0..draw_count("outages", &world.timeline, day, &mut rng))
        .map(|_| SimulatedOutage {
            country: rng.pick(geography::countries()),
            start: day.start().plus(rng.below(288) as i64 * 300),
            duration_seconds: (900.0 + rng.exponential(4_500.0)) as i64 / 300 * 300,
            drop: 0.05 + rng.exponential(0.12).min(0.85),
            source: SOURCES[[0, 1, 1, 2, 2][rng.below(5)]].0,
        })
        .collect()
}

/// Returns the scenario's outage of a country at a moment, from 0 to 1.
fn staged(world: &World, country: &Country, at: Timestamp) -> f64 {
    world.timeline.series(&format!("outage.{}", country.iso2), at).shift.clamp(0.0, 1.0)
}

/// Returns staged outages as events: one per source and stretch above a tenth.
fn staged_events(world: &World, from: Timestamp, until: Timestamp) -> Vec<SimulatedOutage> {
    let mut found = Vec::new();
    for country in geography::countries() {
        let mut open: Option<(Timestamp, f64)> = None;
        let mut at = from.minus(7 * DAY).floor_tick();
        while at <= until {
            let drop = staged(world, country, at);
            open = match open {
                None if drop > 0.1 => Some((at, drop)),
                Some((start, worst)) if drop > 0.1 => Some((start, worst.max(drop))),
                Some((start, worst)) => {
                    found.extend(SOURCES.map(|(source, _, _)| SimulatedOutage {
                        country,
                        start,
                        duration_seconds: at.since(start),
                        drop: worst,
                        source,
                    }));
                    None
                }
                None => None,
            };
            at = at.plus(HOUR / 2);
        }
        if let Some((start, worst)) = open {
            let duration_seconds = until.since(start).max(300);
            found.extend(SOURCES.map(|(source, _, _)| SimulatedOutage {
                country,
                start,
                duration_seconds,
                drop: worst,
                source,
            }));
        }
    }
    found
}

fn outages(world: &World, from: Timestamp, until: Timestamp) -> Vec<SimulatedOutage> {
    let mut all = staged_events(world, from, until);
    for day in from.day().0 - 1..=until.day().0 {
        all.extend(background(world, Day(day)));
    }
    all.retain(|o| o.start <= until && o.start.plus(o.duration_seconds) >= from);
    // An outage that has not ended lasts until now.
    all.iter_mut().for_each(|o| o.duration_seconds = o.duration_seconds.min(until.since(o.start)).max(300));
    all.sort_by_key(|o| (o.start, o.country.iso2, o.source));
    all
}

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let path = request.path.strip_prefix("/v2/")?.to_owned();
    let now = request.as_of;
    let until = query::unix(request.query, "until").unwrap_or(now).min(now);
    let from =
        query::unix(request.query, "from").unwrap_or(until.minus(DAY)).max(until.minus(WINDOW_SECONDS));
    let limit = query::number(request.query, "limit").unwrap_or(2_000).clamp(0, 2_000) as usize;
    let code = query::value(request.query, "entityCode");
    let maker = world.clone();
    let known = matches!(path.as_str(), "outages/events" | "outages/alerts" | "outages/summary")
        || path.strip_prefix("signals/raw/country/").is_some_and(|c| country(c).is_some());
    known.then(|| {
        Document::new(Format::Json, now.unix() as u64 / 300, None, move || {
            let data = if let Some(code) = path.strip_prefix("signals/raw/country/") {
                country(code).map_or(Value::Null, |c| signals(&maker, c, from, until))
            } else {
                let found = outages(&maker, from, until)
                    .into_iter()
                    .filter(|o| code.as_deref().is_none_or(|c| c == o.country.iso2))
                    .take(limit);
                match path.as_str() {
                    "outages/events" => found.map(event).collect(),
                    "outages/alerts" => found.flat_map(alerts).filter(|a| in_window(a, from, until)).collect(),
                    _ => summary(found),
                }
            };
            let body = json!({"type": path.replace('/', "."), "metadata": {}, "requestTime": now.to_string(),
                              "responseTime": 0.01, "requestParameters": {}, "error": null, "perf": null, "data": data});
            serde_json::to_vec(&body).unwrap_or_default()
        })
    })
}

fn country(code: &str) -> Option<&'static Country> {
    geography::countries().iter().find(|c| c.iso2 == code)
}

fn score(o: &SimulatedOutage) -> f64 {
    (o.drop * 100.0 * o.duration_seconds as f64 / 60.0 * 100.0).round() / 100.0
}

fn event(o: SimulatedOutage) -> Value {
    json!({"location": format!("country/{}", o.country.iso2), "location_name": o.country.name,
           "start": o.start.unix(), "duration": o.duration_seconds, "uncertainty": null, "method": "median",
           "datasource": o.source, "status": 0, "fraction": null, "score": score(&o), "overlaps_window": false})
}

fn in_window(alert: &Value, from: Timestamp, until: Timestamp) -> bool {
    alert["time"].as_i64().is_some_and(|t| (from.unix()..=until.unix()).contains(&t))
}

/// Returns an alert when the signal falls, and another when it is back.
fn alerts(o: SimulatedOutage) -> [Value; 2] {
    let level = SOURCES.iter().find(|(name, _, _)| *name == o.source).map_or(0.0, |s| s.2);
    let entity = json!({"code": o.country.iso2, "name": o.country.name, "type": "country", "attrs": {}});
    let alert = |time: i64, name: &str, condition: &str, value: f64| {
        json!({"datasource": o.source, "entity": entity, "time": time, "level": name, "condition": condition,
               "value": value.round(), "historyCondition": "normal", "historyValue": level})
    };
    let severity = if o.drop > 0.5 { "critical" } else { "warning" };
    [
        alert(o.start.unix(), severity, "< 0.8", level * (1.0 - o.drop)),
        alert(o.start.unix() + o.duration_seconds, "normal", "normal", level),
    ]
}

fn summary(found: impl Iterator<Item = SimulatedOutage>) -> Value {
    let mut rows: Vec<(&'static Country, f64)> = Vec::new();
    for o in found {
        match rows.iter_mut().find(|(c, _)| c.iso2 == o.country.iso2) {
            Some(row) => row.1 += score(&o),
            None => rows.push((o.country, score(&o))),
        }
    }
    rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.iso2.cmp(b.0.iso2)));
    rows.iter()
        .map(|(c, s)| json!({"scores": {"overall": s}, "entity": {"code": c.iso2, "name": c.name, "type": "country"}}))
        .collect()
}

/// Returns the three signals of a country: a daily wave, noise, and what is staged. The last points are not in yet.
fn signals(world: &World, country: &Country, from: Timestamp, until: Timestamp) -> Value {
    let series: Vec<Value> = SOURCES
        .iter()
        .enumerate()
        .map(|(i, (source, step, level))| {
            let first = from.unix().div_euclid(*step) * step;
            let values: Vec<Value> = (0..=(until.unix() - first) / step)
                .map(|n| {
                    let at = Timestamp::from_unix(first + n * step);
                    if until.since(at) < 2 * step {
                        return Value::Null;
                    }
                    let key = at.unix() * 4 + i as i64;
                    let salt = i64::from(country.iso2.as_bytes()[0]) * 256 + i64::from(country.iso2.as_bytes()[1]);
                    let mut rng = Rng::with_pair(world.settings.seed, Stream::Ioda, key, salt);
                    let wave = [0.0, 0.03, 0.25][i] * libm::sin(TAU * at.second_of_day() as f64 / DAY as f64);
                    let noise = [0.004, 0.01, 0.08][i] * rng.normal();
                    let value = level * (1.0 + wave + noise) * (1.0 - staged(world, country, at));
                    json!(value.max(0.0).round())
                })
                .collect();
            json!({"entityType": "country", "entityCode": country.iso2, "entityName": country.name, "datasource": source,
                   "from": first, "until": until.unix(), "step": step, "nativeStep": step, "values": values})
        })
        .collect();
    json!([series])
}
