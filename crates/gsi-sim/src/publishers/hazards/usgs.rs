//! Earthquakes as GeoJSON: the summary feeds and the query service.

use super::super::{Document, Format, Request, query};
use super::quakes::{LISTED_AFTER_SECONDS, Quake, REVIEWED_AFTER_SECONDS, listed};
use crate::world::World;
use gsi_model::{DAY, Day, HOUR, Timestamp};
use std::io::Write as _;
use std::sync::Arc;

/// Maximum quakes in an answer.
const LIMIT: usize = 20_000;

/// Writes one feature straight into the list: the service reads a week of them every half hour.
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

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let now = request.as_of;
    let maker = world.clone();
    if let Some(file) = request.path.strip_prefix("/earthquakes/feed/v1.0/summary/") {
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
        let path = request.path.to_owned();
        // Renewed every minute.
        let minute = Timestamp::from_unix(now.unix() / 60 * 60);
        return Some(Document::new(Format::Json, minute.unix() as u64, Some(minute), move || {
            collection(&listed(&maker, now.minus(span), now, minimum), &path, now)
        }));
    }
    if request.path != "/fdsnws/event/1/query" {
        return None;
    }
    let from = query::day(request.query, "starttime").map_or(now.minus(30 * DAY), Day::start);
    let until = query::day(request.query, "endtime").map_or(now, Day::start).min(now);
    let minimum = query::value(request.query, "minmagnitude").and_then(|m| m.parse().ok()).unwrap_or(4.5);
    let limit = query::number(request.query, "limit").unwrap_or(LIMIT as i64).clamp(1, LIMIT as i64) as usize;
    Some(Document::new(Format::Json, now.unix() as u64 / 60, None, move || {
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
