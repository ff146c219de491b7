//! Earthquakes of the last week, as the US Geological Survey lists them.

use crate::files::{FileFeed, FileMemory, Source};
use crate::json;
use crate::refusal::{self, refuse};
use crate::series::{self, Stamp};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, MINUTE, Origin, Pillar, Refusal, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "usgs",
    title: "Earthquakes of magnitude 4.5 and more",
    publisher: "U.S. Geological Survey",
    homepage: "https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Public domain", republish: true, note: "" },
    attribution: "Credit: U.S. Geological Survey",
    poll_every: 30 * MINUTE,
    warn_after: HOUR,
    stale_after: 6 * HOUR,
    default_on: true,
};

const fn daily(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit, cadence: DAY, publication_lag: HOUR, business_days: false }
}

static SERIES: [SeriesSpec; 2] =
    [daily("usgs.strong_quakes", "earthquakes"), daily("usgs.max_magnitude", "magnitude")];

const URL: &str = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_week.geojson";
const HOSTS: &[&str] = &["earthquake.usgs.gov"];
/// A week is 100 KB; a great aftershock sequence a few times that.
const MAX_BYTES: usize = 8 << 20;
/// Strong enough to close a port nearby.
const STRONG: f64 = 6.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    let generated = document.get("metadata").and_then(|m| m.get("generated")).and_then(json::millis);
    let Some(generated) = generated.filter(|t| t.day() >= series::FIRST_DAY) else {
        return refuse(refusal::SCHEMA, "no time of generation");
    };
    if generated > payload.fetched_at.plus(HOUR) {
        return refuse(refusal::CLOCK, format!("generated at {generated}, after it was fetched"));
    }
    let mut decoded = Decoded { newest: Some(generated), ..Decoded::default() };
    let mut days: BTreeMap<Day, (u32, f64)> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for feature in json::array(&document, "features")? {
        decoded.seen += 1;
        let row = decoded.seen;
        match quake(feature, generated) {
            Err(reason) => decoded.reject(row, reason),
            // One earthquake may be listed under several agencies' names.
            Ok((ids, ..)) if ids.iter().any(|id| known.contains(id)) => decoded.duplicates += 1,
            Ok((ids, at, magnitude)) => {
                known.extend(ids);
                decoded.accepted += 1;
                let day = days.entry(at.day()).or_insert((0, 0.0));
                day.0 += u32::from(magnitude >= STRONG);
                day.1 = day.1.max(magnitude);
            }
        }
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    // The oldest day of the week is cut and today is not over.
    for day in (generated.day().0 - 6..generated.day().0).map(Day) {
        let (strong, largest) = days.get(&day).copied().unwrap_or((0, 0.0));
        decoded.observations.push(stamp.daily(SERIES[0].series, day, f64::from(strong)));
        decoded.observations.push(stamp.daily(SERIES[1].series, day, largest));
    }
    // A week without one earthquake of 4.5 has not happened; an empty list is throttling or a fault.
    crate::table::finish(decoded)
}

fn quake(feature: &Value, generated: Timestamp) -> Result<(Vec<String>, Timestamp, f64), &'static str> {
    let properties = feature.get("properties").ok_or("columns")?;
    let at = properties.get("time").and_then(json::millis).ok_or("date")?;
    if at > generated || generated.since(at) > 9 * DAY {
        return Err("date");
    }
    let magnitude = json::number(properties, "mag").filter(|m| (-2.0..=11.0).contains(m)).ok_or("number")?;
    if json::text(properties, "status") == "deleted" {
        return Err("deleted");
    }
    let ids = json::text(properties, "ids").split(',').chain([json::text(feature, "id")]);
    let ids: Vec<_> = ids.filter(|id| !id.is_empty()).map(str::to_owned).collect();
    if ids.is_empty() { Err("id") } else { Ok((ids, at, magnitude)) }
}

fn sources(_: Timestamp, _: &FileMemory) -> Vec<Source> {
    vec![Source { accept: "application/json", ..Source::new("4.5_week.geojson", URL, HOSTS, MAX_BYTES) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(features: &str) -> Result<Decoded, Refusal> {
        let text = format!(r#"{{"metadata":{{"generated":1794700800000}},"features":[{features}]}}"#);
        let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
        decode(&Payload { name: "w", bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    #[test]
    fn quakes_by_day() {
        // 1794700800 is 2026-11-15T00:00:00Z.
        let at = |hours_ago: i64| 1_794_700_800_000 - hours_ago * 3_600_000;
        let quake = |id: &str, ids: &str, hours: i64, mag: &str| {
            format!(
                r#"{{"id":"{id}","properties":{{"mag":{mag},"time":{},"ids":"{ids}","status":"reviewed"}}}}"#,
                at(hours)
            )
        };
        let list = [
            quake("us1", ",us1,at1,", 2, "6.4"),
            quake("at1", ",at1,us1,", 2, "6.3"),
            quake("us2", ",us2,", 30, "4.6"),
            quake("us3", ",us3,", -5, "5.0"),
            quake("us4", ",us4,", 3, "null"),
            quake("us5", ",us5,", 3, "12.5"),
            r#"{"id":"x"}"#.to_owned(),
        ];
        let decoded = run(&list.join(",")).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (7, 2, 1));
        let last: Vec<_> = decoded.observations.iter().rev().take(4).map(|o| o.value).collect();
        assert_eq!(last, [6.4, 1.0, 4.6, 0.0]);
        assert_eq!(decoded.observations.len(), 12);
    }

    #[test]
    fn a_week_of_no_time_is_refused() {
        let generated = |ms: &str| {
            let text = format!(r#"{{"metadata":{{"generated":{ms}}},"features":[]}}"#);
            let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
            let refused =
                decode(&Payload { name: "w", bytes: text.as_bytes(), fetched_at, last_modified: None });
            refused.unwrap_err().code
        };
        assert_eq!(generated("1794900800000"), "clock");
        for ms in ["null", "-9223372036854775808", "-62000000000000"] {
            assert_eq!(generated(ms), "schema", "{ms}");
        }
    }

    #[test]
    fn an_empty_week_is_refused() {
        assert_eq!(run("").unwrap_err().code, "empty");
    }
}
