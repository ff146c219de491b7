//! The US Geological Survey's list of earthquakes of the last week.

use crate::connector::files::PollContext;
use crate::formats::series::{self, ObservationStamp, add_days};
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    DAY, Day, Decoded, HOUR, Happenings, LayerKey, LayerPlaces, LayerSeverity, Licence, MINUTE, MapLayer,
    Observation, Origin, PayloadRefusal, Pillar, RefusalCode, Reject, Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_layers(&LAYERS);

static ORIGIN: Origin = Origin {
    feed: "usgs",
    title: "Earthquakes of magnitude 4.5 and more",
    publisher: "U.S. Geological Survey",
    homepage: "https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Public domain", republish: true, note: "" },
    attribution: "Credit: U.S. Geological Survey",
    poll_every_seconds: 30 * MINUTE,
    warn_after_seconds: HOUR,
    stale_after_seconds: 6 * HOUR,
    default_on: true,
};

static SERIES: [SeriesSpec; 5] = [
    SeriesSpec::daily("usgs.strong_quakes", "earthquakes", HOUR),
    SeriesSpec::daily("usgs.max_magnitude", "magnitude", HOUR),
    // One entity per earthquake, with a value on the day it happened.
    SeriesSpec::daily("usgs.quake_magnitude", "magnitude", HOUR),
    SeriesSpec::daily("usgs.quake_latitude", "degrees", HOUR),
    SeriesSpec::daily("usgs.quake_longitude", "degrees", HOUR),
];

static LAYERS: [MapLayer; 1] = [MapLayer {
    key: LayerKey::Quakes,
    title: "Earthquakes",
    about: "Earthquakes of magnitude 5.5 and more in the last seven days.",
    feed: "usgs",
    unit: "magnitude",
    decimals: 1,
    places: LayerPlaces::Happenings(Happenings {
        value: SERIES[2].series,
        latitude: SERIES[3].series,
        longitude: SERIES[4].series,
        days: SERIES[0].series,
        least: SHOWN,
        shown_days: 7,
        names: &[("", "Earthquake")],
    }),
    severities: &[
        LayerSeverity { from: SHOWN, word: "moderate", level: 1 },
        LayerSeverity { from: 6.0, word: "strong", level: 2 },
        LayerSeverity { from: 7.0, word: "major", level: 3 },
        LayerSeverity { from: 8.0, word: "great", level: 3 },
    ],
    stale_after_seconds: 3 * DAY,
}];

const URL: &str = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_week.geojson";
const HOSTS: &[&str] = &["earthquake.usgs.gov"];
/// A week is 100 KB, and a large aftershock sequence a few times that.
const MAX_BYTES: usize = 8 << 20;
/// Strong enough to close a port nearby.
const STRONG: f64 = 6.0;
/// The least magnitude that the map shows.
const SHOWN: f64 = 5.5;
/// The least magnitude that is stored. It is half a magnitude below the map's, so that a reviewed and lowered magnitude
/// replaces the estimate on the map. An estimate is stored only if the map shows it, because otherwise the stored values
/// would depend on when the list was read.
const KEPT: f64 = 5.0;

struct ListedQuake {
    /// The id in the list.
    id: String,
    /// The ids of all agencies, including `id`.
    ids: Vec<String>,
    at: Timestamp,
    magnitude: f64,
    is_reviewed: bool,
    /// Latitude and longitude, if listed.
    position: Option<(f64, f64)>,
}

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
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut days: BTreeMap<Day, (u32, f64)> = BTreeMap::new();
    let mut kept = Vec::new();
    let mut known = BTreeSet::new();
    // The oldest day is incomplete: its listed earthquakes depend on the hour.
    let first_whole_day = generated.day().plus(-6);
    for feature in json::array(&document, "features")? {
        // One earthquake may be listed under the ids of several agencies.
        let is_new = |quake: &ListedQuake| !quake.ids.iter().any(|id| known.contains(id));
        if let Some(quake) = decoded.take(read_quake(feature, generated), is_new) {
            if quake.at.day() >= first_whole_day {
                kept.extend(observe(&quake, &stamp));
            }
            let (strong, largest) = days.entry(quake.at.day()).or_insert((0, 0.0));
            *strong += u32::from(quake.magnitude >= STRONG);
            *largest = largest.max(quake.magnitude);
            known.extend(quake.ids);
        }
    }
    // Today is not over.
    let week = series::days(first_whole_day, generated.day().plus(-1));
    add_days(&mut decoded, &ORIGIN, payload, week, |day| {
        let (strong, largest) = days.get(&day).copied().unwrap_or((0, 0.0));
        [(SERIES[0].series, f64::from(strong)), (SERIES[1].series, largest)]
    });
    decoded.observations.append(&mut kept);
    // A week without an earthquake of 4.5 does not exist, so an empty list means throttling or a fault.
    table::finish(decoded)
}

fn read_quake(feature: &Value, generated: Timestamp) -> Result<ListedQuake, Reject> {
    let properties = feature.get("properties").ok_or(Reject::Columns)?;
    let at = properties.get("time").and_then(json::millis).ok_or(Reject::Date)?;
    if at > generated || generated.since(at) > 9 * DAY {
        return Err(Reject::Date);
    }
    let magnitude =
        json::number(properties, "mag").filter(|m| (-2.0..=11.0).contains(m)).ok_or(Reject::Number)?;
    let status = json::text(properties, "status");
    if status == "deleted" {
        return Err(Reject::Deleted);
    }
    let ids = json::text(properties, "ids").split(',').chain([json::text(feature, "id")]);
    let ids: Vec<_> = ids.filter(|id| !id.is_empty()).map(str::to_owned).collect();
    let id = ids.last().cloned().ok_or(Reject::Id)?;
    let is_reviewed = status == "reviewed";
    Ok(ListedQuake { id, ids, at, magnitude, is_reviewed, position: json::position(feature)? })
}

/// Returns the magnitude and position of one earthquake. Without a position it counts for its day and is not shown.
fn observe(quake: &ListedQuake, stamp: &ObservationStamp) -> Vec<Observation> {
    let least = if quake.is_reviewed { KEPT } else { SHOWN };
    let Some((latitude, longitude)) = quake.position.filter(|_| quake.magnitude >= least) else {
        return Vec::new();
    };
    let values = [quake.magnitude, latitude, longitude];
    let rows = SERIES[2..].iter().zip(values).map(|(spec, value)| Observation {
        entity: quake.id.clone(),
        ..stamp.observe_day(spec.series, quake.at.day(), value)
    });
    rows.collect()
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
    fn quakes_with_their_places() {
        let quake = |id: &str, mag: f64, geometry: &str| {
            format!(
                r#"{{"id":"{id}","properties":{{"mag":{mag},"time":1794690000000,"ids":",at{id},"}},"geometry":{geometry}}}"#
            )
        };
        let point = |at: &str| format!(r#"{{"type":"Point","coordinates":[{at}]}}"#);
        let decoded = run(&[
            quake("us1", 5.6, &point("142.5,-7.25,10")),
            quake("us2", 4.9, &point("10,20,10")),
            quake("us3", 6.1, "null"),
            quake("us4", 7.5, &point("10,95,10")),
            quake("us5", 7.5, r#"{"type":"Polygon"}"#),
        ]
        .join(","))
        .unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.rejected_total()), (3, 2));
        let counted = |reject| decoded.rejected.get(&reject).copied();
        assert_eq!((counted(Reject::Geo), counted(Reject::Geometry)), (Some(1), Some(1)));
        let shown: Vec<_> = decoded.observations.iter().filter(|o| !o.entity.is_empty()).collect();
        let values: Vec<_> = shown.iter().map(|o| (o.series.as_str(), o.value)).collect();
        assert_eq!(values, [(SERIES[2].series, 5.6), (SERIES[3].series, -7.25), (SERIES[4].series, 142.5)]);
        assert!(
            shown.iter().all(|o| o.entity == "us1" && o.period_start.day() == o.period_end.minus(1).day())
        );
        // The earthquake without a position still counts as the strongest of its day.
        let strongest = decoded.observations.iter().rfind(|o| o.series == SERIES[1].series).unwrap();
        assert_eq!(strongest.value, 6.1);
    }

    #[test]
    fn a_list_without_a_valid_time_is_refused() {
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
