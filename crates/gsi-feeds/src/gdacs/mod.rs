//! Disaster alerts of GDACS: orange and red ones by the day they began. Droughts, open for months, are left out.

use crate::files::{FileFeed, FileMemory, Source};
use crate::json;
use crate::series::Stamp;
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "gdacs",
    title: "Global Disaster Alert and Coordination System",
    publisher: "European Commission JRC and UN OCHA",
    homepage: "https://www.gdacs.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Free with credit", republish: true, note: "For information only." },
    attribution: "Source: GDACS, European Commission JRC / UN OCHA",
    poll_every: HOUR,
    warn_after: 3 * DAY,
    stale_after: 7 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec {
    series: "gdacs.alerts",
    unit: "alerts",
    cadence: DAY,
    publication_lag: 6 * HOUR,
    business_days: false,
}];

const HOSTS: &[&str] = &["www.gdacs.org"];
/// A hundred features with their descriptions are under a megabyte.
const MAX_BYTES: usize = 16 << 20;
/// The list is cut at a hundred entries; a fortnight of orange and red alerts is about twenty.
const WINDOW_DAYS: i32 = 14;
const KINDS: [&str; 7] = ["EQ", "TC", "FL", "VO", "WF", "TS", "DR"];

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    let mut decoded = Decoded::default();
    // The newest episode of each event speaks for it.
    let mut events: BTreeMap<(String, i64), (i64, Day, bool)> = BTreeMap::new();
    for feature in json::array(&document, "features")? {
        decoded.seen += 1;
        let row = decoded.seen;
        match alert(feature, payload) {
            Err(reason) => decoded.reject(row, reason),
            Ok((key, episode, began, grave)) => {
                decoded.newest = decoded.newest.max(Some(began));
                match events.get(&key) {
                    Some(known) if known.0 >= episode => decoded.duplicates += 1,
                    known => {
                        decoded.duplicates += u64::from(known.is_some());
                        decoded.accepted += u64::from(known.is_none());
                        events.insert(key, (episode, began.day(), grave));
                    }
                }
            }
        }
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let today = payload.fetched_at.day().0;
    for day in (today - WINDOW_DAYS + 1..today).map(Day) {
        let count = events.values().filter(|(_, began, grave)| *began == day && *grave).count();
        decoded.observations.push(stamp.daily(SERIES[0].series, day, count as f64));
    }
    crate::table::finish(decoded)
}

type Alert = ((String, i64), i64, Timestamp, bool);

fn alert(feature: &Value, payload: &Payload<'_>) -> Result<Alert, &'static str> {
    // Affected areas come as polygons beside the events themselves.
    if feature.get("geometry").map(|g| json::text(g, "type")) != Some("Point") {
        return Err("geometry");
    }
    let properties = feature.get("properties").ok_or("columns")?;
    let kind = json::text(properties, "eventtype");
    let level = json::text(properties, "alertlevel");
    if !KINDS.contains(&kind) || !["Green", "Orange", "Red"].contains(&level) {
        return Err("code");
    }
    let whole = |key: &str| properties.get(key).and_then(Value::as_i64);
    let id = whole("eventid").ok_or("id")?;
    let began = json::time(json::text(properties, "fromdate")).ok_or("date")?;
    if began > payload.fetched_at.plus(DAY) {
        return Err("date");
    }
    let grave = level != "Green" && kind != "DR";
    Ok(((kind.to_owned(), id), whole("episodeid").unwrap_or(0), began, grave))
}

fn sources(now: Timestamp, _: &FileMemory) -> Vec<Source> {
    let url = format!(
        "https://www.gdacs.org/gdacsapi/api/events/geteventlist/SEARCH?eventlist=EQ;TC;FL;VO;WF&alertlevel=orange;red&fromdate={}&todate={}&pagesize=100&pagenumber=1",
        now.day().plus(-WINDOW_DAYS),
        now.day().plus(1)
    );
    let source = Source::new("SEARCH", url, HOSTS, MAX_BYTES);
    vec![Source { accept: "application/json", ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_by_day_and_newest_episode() {
        let event = |kind: &str, id: i64, episode: i64, level: &str, date: &str| {
            format!(
                r#"{{"geometry":{{"type":"Point","coordinates":[1,2]}},"properties":{{"eventtype":"{kind}","eventid":{id},"episodeid":{episode},"alertlevel":"{level}","fromdate":"{date}"}}}}"#
            )
        };
        let list = [
            event("EQ", 1, 1, "Orange", "2026-11-13T11:34:41"),
            event("TC", 2, 1, "Red", "2026-11-13T01:00:00"),
            event("TC", 2, 3, "Green", "2026-11-13T01:00:00"),
            event("TC", 2, 2, "Red", "2026-11-13T01:00:00"),
            event("DR", 3, 1, "Red", "2026-11-13T01:00:00"),
            event("XX", 4, 1, "Red", "2026-11-13T01:00:00"),
            event("FL", 5, 1, "Red", "last week"),
            r#"{"geometry":{"type":"Polygon"},"properties":{}}"#.to_owned(),
        ];
        let text = format!(r#"{{"features":[{}]}}"#, list.join(","));
        let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
        let payload = Payload { name: "SEARCH", bytes: text.as_bytes(), fetched_at, last_modified: None };
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected_total()), (3, 2, 3));
        let counts: Vec<_> = decoded.observations.iter().rev().take(2).map(|o| o.value).collect();
        assert_eq!(counts, [0.0, 1.0]);
    }
}
