//! Disaster alerts of GDACS: orange and red alerts by the day they began. Droughts are left out, because they last months.

use crate::connector::files::PollContext;
use crate::formats::series::{self, ObservationStamp};
use crate::formats::{json, table};
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    CountryCode, DAY, Day, Decoded, HOUR, Happenings, LayerKey, LayerPlaces, LayerSeverity, Licence,
    MapLayer, Observation, Origin, PayloadRefusal, Pillar, Reject, Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_layers(&LAYERS);

static ORIGIN: Origin = Origin {
    feed: "gdacs",
    title: "Global Disaster Alert and Coordination System",
    publisher: "European Commission JRC and UN OCHA",
    homepage: "https://www.gdacs.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Free with credit", republish: true, note: "For information only." },
    attribution: "Source: GDACS, European Commission JRC / UN OCHA",
    poll_every_seconds: HOUR,
    warn_after_seconds: 3 * DAY,
    stale_after_seconds: 7 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 5] = [
    SeriesSpec::daily("gdacs.alerts", "alerts", 6 * HOUR),
    // A country without a value on a day of the series above had no alert.
    SeriesSpec::daily("gdacs.alerts_by_country", "alerts", 6 * HOUR),
    // One entity per event, with a value on the day it began: 0 green, 1 orange, 2 red. Green replaces a graver level.
    SeriesSpec::daily("gdacs.alert_level", "level", 6 * HOUR),
    SeriesSpec::daily("gdacs.alert_latitude", "degrees", 6 * HOUR),
    SeriesSpec::daily("gdacs.alert_longitude", "degrees", 6 * HOUR),
];

static LAYERS: [MapLayer; 1] = [MapLayer {
    key: LayerKey::Disasters,
    title: "Disaster alerts",
    about: "Orange (1) and red (2) alerts for disasters that began in the last 14 days, other than droughts.",
    feed: "gdacs",
    unit: "alert level",
    decimals: 0,
    places: LayerPlaces::Happenings(Happenings {
        value: SERIES[2].series,
        latitude: SERIES[3].series,
        longitude: SERIES[4].series,
        days: SERIES[0].series,
        least: 1.0,
        shown_days: WINDOW_DAYS,
        names: &[
            ("EQ", "Earthquake"),
            ("TC", "Cyclone"),
            ("FL", "Flood"),
            ("VO", "Volcano"),
            ("WF", "Wildfire"),
            ("TS", "Tsunami"),
        ],
    }),
    severities: &[
        LayerSeverity { from: 1.0, word: "orange", level: 2 },
        LayerSeverity { from: 2.0, word: "red", level: 3 },
    ],
    stale_after_seconds: 3 * DAY,
}];

const HOSTS: &[&str] = &["www.gdacs.org"];
/// A hundred features with their descriptions are under a megabyte.
const MAX_BYTES: usize = 16 << 20;
/// The list is cut at a hundred entries. A fortnight has about twenty orange and red alerts.
const WINDOW_DAYS: i32 = 14;
const KINDS: [&str; 7] = ["EQ", "TC", "FL", "VO", "WF", "TS", "DR"];
/// The levels in the order of their values in the series.
const LEVELS: [&str; 3] = ["Green", "Orange", "Red"];
const DROUGHT: &str = "DR";

struct DisasterAlert {
    /// Type and number of the event.
    event: (String, i64),
    began: Timestamp,
    episode: Episode,
}

/// The newest episode of an event.
struct Episode {
    number: i64,
    began: Day,
    /// The index in [`LEVELS`].
    level: usize,
    is_drought: bool,
    countries: BTreeSet<CountryCode>,
    /// Latitude and longitude, if listed.
    position: Option<(f64, f64)>,
}

impl Episode {
    fn is_grave(&self) -> bool {
        self.level > 0 && !self.is_drought
    }
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let mut decoded = Decoded::default();
    // Only the newest episode of each event counts.
    let mut events: BTreeMap<(String, i64), Episode> = BTreeMap::new();
    for feature in json::array(&document, "features")? {
        let alert = read_alert(feature, payload).map(|alert| {
            decoded.newest = decoded.newest.max(Some(alert.began));
            let known = events.get(&alert.event).map(|episode| episode.number);
            if known.is_none_or(|known| known < alert.episode.number) {
                events.insert(alert.event, alert.episode);
            }
            known
        });
        decoded.take(alert, Option::is_none);
    }
    let today = payload.fetched_at.day();
    let days = series::days(today.plus(1 - WINDOW_DAYS), today.plus(-1));
    let grave_on = |day: Day| events.values().filter(move |e| e.began == day && e.is_grave());
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    for day in days {
        let alerts = grave_on(day).count() as f64;
        decoded.observations.push(stamp.observe_day(SERIES[0].series, day, alerts));
        let mut countries: BTreeMap<CountryCode, f64> = BTreeMap::new();
        grave_on(day).flat_map(|e| &e.countries).for_each(|c| *countries.entry(*c).or_default() += 1.0);
        decoded.observations.extend(countries.into_iter().map(|(country, alerts)| Observation {
            entity: country.as_str().to_owned(),
            ..stamp.observe_day(SERIES[1].series, day, alerts)
        }));
    }
    // The list also has events that began earlier. They are not shown any more.
    let recent = events.iter().filter(|(_, newest)| newest.began >= today.plus(1 - WINDOW_DAYS));
    decoded.observations.extend(recent.flat_map(|(event, newest)| observe(event, newest, &stamp)));
    table::finish(decoded)
}

/// Returns the level and position of one event. Without a position it counts for its day and countries and is not shown.
fn observe((kind, id): &(String, i64), newest: &Episode, stamp: &ObservationStamp) -> Vec<Observation> {
    let Some((latitude, longitude)) = newest.position.filter(|_| !newest.is_drought) else {
        return Vec::new();
    };
    let values = [newest.level as f64, latitude, longitude];
    let rows = SERIES[2..].iter().zip(values).map(|(spec, value)| Observation {
        entity: format!("{kind}{id}"),
        ..stamp.observe_day(spec.series, newest.began, value)
    });
    rows.collect()
}

fn read_alert(feature: &Value, payload: &Payload<'_>) -> Result<DisasterAlert, Reject> {
    // The list also has polygons of the affected areas.
    if feature.get("geometry").map(|g| json::text(g, "type")) != Some("Point") {
        return Err(Reject::Geometry);
    }
    let properties = feature.get("properties").ok_or(Reject::Columns)?;
    let kind = json::text(properties, "eventtype");
    if !KINDS.contains(&kind) {
        return Err(Reject::Code);
    }
    let level = json::text(properties, "alertlevel");
    let level = LEVELS.iter().position(|known| *known == level).ok_or(Reject::Code)?;
    let whole = |key: &str| properties.get(key).and_then(Value::as_i64);
    let id = whole("eventid").ok_or(Reject::Id)?;
    let began = json::time(json::text(properties, "fromdate")).ok_or(Reject::Date)?;
    if began > payload.fetched_at.plus(DAY) {
        return Err(Reject::Date);
    }
    let episode = Episode {
        number: whole("episodeid").unwrap_or(0),
        began: began.day(),
        level,
        is_drought: kind == DROUGHT,
        countries: countries(properties),
        position: json::position(feature)?,
    };
    Ok(DisasterAlert { event: (kind.to_owned(), id), began, episode })
}

/// Returns the countries of an alert, none for an alert at sea.
fn countries(properties: &Value) -> BTreeSet<CountryCode> {
    let affected = properties.get("affectedcountries").and_then(Value::as_array);
    let listed = affected.into_iter().flatten().map(|country| json::text(country, "iso3"));
    listed.chain([json::text(properties, "iso3")]).filter_map(CountryCode::from_iso3).collect()
}

fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let url = format!(
        "https://www.gdacs.org/gdacsapi/api/events/geteventlist/SEARCH?eventlist=EQ;TC;FL;VO;WF&alertlevel=orange;red&fromdate={}&todate={}&pagesize=100&pagenumber=1",
        context.now.day().plus(-WINDOW_DAYS),
        context.now.day().plus(1)
    );
    vec![FileSource::json("SEARCH", url, HOSTS, MAX_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_by_day_and_newest_episode() {
        let event = |kind: &str, id: i64, episode: i64, level: &str, date: &str| {
            format!(
                r#"{{"geometry":{{"type":"Point","coordinates":[1,2]}},"properties":{{"eventtype":"{kind}","eventid":{id},"episodeid":{episode},"alertlevel":"{level}","fromdate":"{date}","iso3":"PHL","affectedcountries":[{{"iso3":"PHL"}},{{"iso3":"JPN"}}]}}}}"#
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
            event("VO", 6, 1, "Red", "2026-11-13T01:00:00").replace("[1,2]", "[1,200]"),
            event("VO", 7, 1, "Red", "2026-11-01T01:00:00").replace(",\"coordinates\":[1,2]", ""),
        ];
        let text = format!(r#"{{"features":[{}]}}"#, list.join(","));
        let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
        let payload = Payload::new("SEARCH", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected_total()), (4, 2, 4));
        let daily = SERIES[..2].iter().map(|spec| spec.series);
        let daily: Vec<_> = daily.collect();
        let shown =
            decoded.observations.iter().filter(|o| o.value > 0.0 && daily.contains(&o.series.as_str()));
        let shown: Vec<_> = shown.map(|o| (o.series.as_str(), o.entity.as_str(), o.value)).collect();
        let by_country = SERIES[1].series;
        assert_eq!(shown, [(SERIES[0].series, "", 1.0), (by_country, "JP", 1.0), (by_country, "PH", 1.0)]);
        // The newest episode of the cyclone is green, and droughts are not shown.
        let shown = decoded.observations.iter().filter(|o| !daily.contains(&o.series.as_str()));
        let shown: Vec<_> = shown.map(|o| (o.series.as_str(), o.entity.as_str(), o.value)).collect();
        let [level, latitude, longitude] = [2, 3, 4].map(|i| SERIES[i].series);
        assert_eq!(
            shown,
            [
                (level, "EQ1", 1.0),
                (latitude, "EQ1", 2.0),
                (longitude, "EQ1", 1.0),
                (level, "TC2", 0.0),
                (latitude, "TC2", 2.0),
                (longitude, "TC2", 1.0),
            ]
        );
    }
}
