//! Disaster alerts of GDACS: orange and red ones by the day they began. Droughts, open for months, are left out.

use crate::file_source::FileSource;
use crate::files::{FileFeed, PollContext};
use crate::series::{self, ObservationStamp};
use crate::{Payload, SeriesSpec, json, table, unpack};
use gsi_model::{
    CountryCode, DAY, Day, Decoded, HOUR, Licence, Observation, Origin, PayloadRefusal, Pillar, Reject,
    Timestamp,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: FileFeed = FileFeed::new(&ORIGIN, &SERIES, decode, sources);

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

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("gdacs.alerts", "alerts", 6 * HOUR),
    // A country without a row on a day that the series above has had none.
    SeriesSpec::daily("gdacs.alerts_by_country", "alerts", 6 * HOUR),
];

const HOSTS: &[&str] = &["www.gdacs.org"];
/// A hundred features with their descriptions are under a megabyte.
const MAX_BYTES: usize = 16 << 20;
/// The list is cut at a hundred entries; a fortnight of orange and red alerts is about twenty.
const WINDOW_DAYS: i32 = 14;
const KINDS: [&str; 7] = ["EQ", "TC", "FL", "VO", "WF", "TS", "DR"];

struct DisasterAlert {
    /// Kind and number of the event.
    event: (String, i64),
    episode: i64,
    began: Timestamp,
    is_grave: bool,
    countries: BTreeSet<CountryCode>,
}

/// What the newest episode of an event says.
struct Episode {
    number: i64,
    began: Day,
    is_grave: bool,
    countries: BTreeSet<CountryCode>,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let mut decoded = Decoded::default();
    // The newest episode of each event speaks for it.
    let mut events: BTreeMap<(String, i64), Episode> = BTreeMap::new();
    for feature in json::array(&document, "features")? {
        let alert = read_alert(feature, payload).map(|alert| {
            decoded.newest = decoded.newest.max(Some(alert.began));
            let known = events.get(&alert.event).map(|episode| episode.number);
            if known.is_none_or(|known| known < alert.episode) {
                let DisasterAlert { episode, began, is_grave, countries, .. } = alert;
                let newest = Episode { number: episode, began: began.day(), is_grave, countries };
                events.insert(alert.event, newest);
            }
            known
        });
        decoded.take(alert, Option::is_none);
    }
    let today = payload.fetched_at.day();
    let days = series::days(today.plus(1 - WINDOW_DAYS), today.plus(-1));
    let grave_on = |day: Day| events.values().filter(move |e| e.began == day && e.is_grave);
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
    table::finish(decoded)
}

fn read_alert(feature: &Value, payload: &Payload<'_>) -> Result<DisasterAlert, Reject> {
    // Affected areas come as polygons beside the events themselves.
    if feature.get("geometry").map(|g| json::text(g, "type")) != Some("Point") {
        return Err(Reject::Geometry);
    }
    let properties = feature.get("properties").ok_or(Reject::Columns)?;
    let kind = json::text(properties, "eventtype");
    let level = json::text(properties, "alertlevel");
    if !KINDS.contains(&kind) || !["Green", "Orange", "Red"].contains(&level) {
        return Err(Reject::Code);
    }
    let whole = |key: &str| properties.get(key).and_then(Value::as_i64);
    let id = whole("eventid").ok_or(Reject::Id)?;
    let began = json::time(json::text(properties, "fromdate")).ok_or(Reject::Date)?;
    if began > payload.fetched_at.plus(DAY) {
        return Err(Reject::Date);
    }
    Ok(DisasterAlert {
        event: (kind.to_owned(), id),
        episode: whole("episodeid").unwrap_or(0),
        began,
        is_grave: level != "Green" && kind != "DR",
        countries: countries(properties),
    })
}

/// The countries that an alert names; none for one at sea.
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
        ];
        let text = format!(r#"{{"features":[{}]}}"#, list.join(","));
        let fetched_at = "2026-11-15T00:10:00Z".parse().unwrap();
        let payload = Payload::new("SEARCH", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected_total()), (3, 2, 3));
        let told = decoded.observations.iter().filter(|o| o.value > 0.0);
        let told: Vec<_> = told.map(|o| (o.series.as_str(), o.entity.as_str(), o.value)).collect();
        let by_country = SERIES[1].series;
        assert_eq!(told, [(SERIES[0].series, "", 1.0), (by_country, "JP", 1.0), (by_country, "PH", 1.0)]);
    }
}
