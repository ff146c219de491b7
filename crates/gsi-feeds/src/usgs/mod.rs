//! Earthquakes of the last week, as the US Geological Survey lists them.

use crate::file_source::FileSource;
use crate::files::{FileFeed, PollContext};
use crate::refusal::refuse;
use crate::series::{self, add_days};
use crate::{Payload, SeriesSpec, json, table, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Licence, MINUTE, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: FileFeed = FileFeed::new(&ORIGIN, &SERIES, decode, sources);

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

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("usgs.strong_quakes", "earthquakes", HOUR),
    SeriesSpec::daily("usgs.max_magnitude", "magnitude", HOUR),
];

const URL: &str = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_week.geojson";
const HOSTS: &[&str] = &["earthquake.usgs.gov"];
/// A week is 100 KB; a great aftershock sequence a few times that.
const MAX_BYTES: usize = 8 << 20;
/// Strong enough to close a port nearby.
const STRONG: f64 = 6.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let generated = document.get("metadata").and_then(|m| m.get("generated")).and_then(json::millis);
    let Some(generated) = generated.filter(|t| t.day() >= series::FIRST_DAY) else {
        return refuse(RefusalCode::Schema, "no time of generation");
    };
    if generated > payload.fetched_at.plus(HOUR) {
        return refuse(RefusalCode::Clock, format!("generated at {generated}, after it was fetched"));
    }
    let mut decoded = Decoded { newest: Some(generated), ..Decoded::default() };
    let mut days: BTreeMap<Day, (u32, f64)> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for feature in json::array(&document, "features")? {
        // One earthquake may be listed under several agencies' names.
        let is_new = |(ids, ..): &(Vec<String>, _, _)| !ids.iter().any(|id| known.contains(id));
        if let Some((ids, at, magnitude)) = decoded.take(read_quake(feature, generated), is_new) {
            known.extend(ids);
            let (strong, largest) = days.entry(at.day()).or_insert((0, 0.0));
            *strong += u32::from(magnitude >= STRONG);
            *largest = largest.max(magnitude);
        }
    }
    // The oldest day of the week is cut and today is not over.
    let week = series::days(generated.day().plus(-6), generated.day().plus(-1));
    add_days(&mut decoded, &ORIGIN, payload, week, |day| {
        let (strong, largest) = days.get(&day).copied().unwrap_or((0, 0.0));
        [(SERIES[0].series, f64::from(strong)), (SERIES[1].series, largest)]
    });
    // A week without one earthquake of 4.5 has not happened; an empty list is throttling or a fault.
    table::finish(decoded)
}

fn read_quake(feature: &Value, generated: Timestamp) -> Result<(Vec<String>, Timestamp, f64), Reject> {
    let properties = feature.get("properties").ok_or(Reject::Columns)?;
    let at = properties.get("time").and_then(json::millis).ok_or(Reject::Date)?;
    if at > generated || generated.since(at) > 9 * DAY {
        return Err(Reject::Date);
    }
    let magnitude =
        json::number(properties, "mag").filter(|m| (-2.0..=11.0).contains(m)).ok_or(Reject::Number)?;
    if json::text(properties, "status") == "deleted" {
        return Err(Reject::Deleted);
    }
    let ids = json::text(properties, "ids").split(',').chain([json::text(feature, "id")]);
    let ids: Vec<_> = ids.filter(|id| !id.is_empty()).map(str::to_owned).collect();
    if ids.is_empty() { Err(Reject::Id) } else { Ok((ids, at, magnitude)) }
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    vec![FileSource::json("4.5_week.geojson", URL, HOSTS, MAX_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(features: &str) -> Result<Decoded, PayloadRefusal> {
        let text = format!(r#"{{"metadata":{{"generated":1794700800000}},"features":[{features}]}}"#);
        let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
        decode(&Payload::new("w", text.as_bytes(), fetched_at))
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
            let refused = decode(&Payload::new("w", text.as_bytes(), fetched_at));
            refused.unwrap_err().code.key()
        };
        assert_eq!(generated("1794900800000"), "clock");
        for ms in ["null", "-9223372036854775808", "-62000000000000"] {
            assert_eq!(generated(ms), "schema", "{ms}");
        }
    }

    #[test]
    fn an_empty_week_is_refused() {
        assert_eq!(run("").unwrap_err().code.key(), "empty");
    }
}
