//! Internet outages by country, from IODA's sensors: the share of the world's people cut off, per UTC day.
//!
//! A single sensor is often wrong. Time counts as an outage only while at least two different sensors report it.

mod population;

use crate::connector::files::PollContext;
use crate::formats::series::{self, ObservationStamp, add_days};
use crate::formats::{json, table};
use crate::refusal::refuse;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{
    CountryCode, DAY, Day, Decoded, HOUR, LayerKey, LayerPlaces, LayerSeverity, Licence, MapLayer,
    Observation, Origin, PayloadRefusal, Pillar, RefusalCode, Reject,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources)
    .with_layers(&LAYERS)
    .with_daily_history(|from, to| series::days(from, to).rev().map(source_of_day).collect());

static ORIGIN: Origin = Origin {
    feed: "ioda",
    title: "Internet Outage Detection and Analysis",
    publisher: "Georgia Institute of Technology",
    homepage: "https://ioda.inetintel.cc.gatech.edu/",
    pillar: Some(Pillar::Cyber),
    licence: Licence {
        name: "Not confirmed; possibly CC BY-NC-SA 4.0",
        republish: false,
        note: "Treat as non-commercial; only the derived severity is published.",
    },
    attribution: "Source: IODA, Georgia Tech",
    poll_every_seconds: HOUR,
    warn_after_seconds: 2 * DAY,
    stale_after_seconds: 3 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("ioda.outage_severity", "percent of people", HOUR),
    // A country without a value on a day of the series above was not cut off.
    SeriesSpec::daily("ioda.outage_by_country", "percent of the day", HOUR),
];

/// The share of the day is our own count of the time in which sensors agree, so no value of the publisher is shown.
static LAYERS: [MapLayer; 1] = [MapLayer {
    key: LayerKey::Outages,
    title: "Internet outages",
    about: "The part of the newest day that is known in which at least two kinds of sensors saw the country cut off.",
    feed: "ioda",
    unit: "percent of the day",
    decimals: 0,
    places: LayerPlaces::Countries { series: SERIES[1].series, days: SERIES[0].series },
    severities: &[
        LayerSeverity { from: 0.0, word: "brief", level: 1 },
        LayerSeverity { from: 10.0, word: "for hours", level: 2 },
        LayerSeverity { from: 50.0, word: "most of the day", level: 3 },
    ],
    stale_after_seconds: 3 * DAY,
}];

const HOSTS: &[&str] = &["api.ioda.inetintel.cc.gatech.edu"];
const MAX_BYTES: usize = 16 << 20;
const SENSORS: [&str; 5] = ["bgp", "ping-slash24", "merit-nt", "gtr", "gtr-norm"];
const MIN_SENSORS: usize = 2;
/// Outages last up to weeks. Longer ones come from a sensor that lost its reference.
const MAX_DURATION_SECONDS: i64 = 60 * DAY;
const FIRST_DAYS: i32 = 60;
const DAYS_PER_POLL: usize = 12;
/// Empty answers for days younger than this count as a failure of the API.
const BELIEVED_EMPTY_SECONDS: i64 = 7 * DAY;

/// An outage in a country: the sensor, and its first and last second.
type SensorOutage = (usize, i64, i64);

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut outages: BTreeMap<CountryCode, Vec<SensorOutage>> = BTreeMap::new();
    for event in json::array(&document, "data")? {
        let outage = decoded.take(read_outage(event, payload), |(country, (sensor, from, _))| {
            known.insert((*country, *sensor, *from))
        });
        if let Some((country, outage)) = outage {
            outages.entry(country).or_default().push(outage);
        }
    }
    if let Some(day) = payload.named_day().filter(|day| *day < payload.fetched_at.day()) {
        decoded.newest = Some(day.end());
        add_days(&mut decoded, &ORIGIN, payload, [day], |day| [(SERIES[0].series, severity(&outages, day))]);
        decoded.observations.extend(by_country(&outages, day, payload));
        if decoded.seen == 0 {
            // A day without any outage is rare but possible, and so is a failing API that returns nothing. An empty
            // answer therefore counts only for days older than a week.
            if payload.fetched_at.since(day.end()) < BELIEVED_EMPTY_SECONDS {
                return refuse(RefusalCode::Empty, format!("no outage is reported anywhere on {day}"));
            }
            return Ok(decoded);
        }
    }
    table::finish(decoded)
}

fn read_outage(event: &Value, payload: &Payload<'_>) -> Result<(CountryCode, SensorOutage), Reject> {
    let country = json::text(event, "location").strip_prefix("country/").ok_or(Reject::Code)?;
    let country = CountryCode::from_iso2(country).ok_or(Reject::Code)?;
    let sensor = SENSORS.iter().position(|s| *s == json::text(event, "datasource")).ok_or(Reject::Sensor)?;
    let whole = |key: &str| event.get(key).and_then(Value::as_i64);
    let from = whole("start").filter(|s| *s > 0 && *s <= payload.fetched_at.unix()).ok_or(Reject::Date)?;
    let duration =
        whole("duration").filter(|d| (0..=MAX_DURATION_SECONDS).contains(d)).ok_or(Reject::Number)?;
    Ok((country, (sensor, from, from + duration)))
}

/// Returns the percentage of the world's people cut off, weighted by the part of the day.
fn severity(outages: &BTreeMap<CountryCode, Vec<SensorOutage>>, day: Day) -> f64 {
    let (start, end) = (day.start().unix(), day.end().unix());
    let cut_off: f64 = outages
        .iter()
        .map(|(country, list)| {
            population::millions(*country) * agreed_seconds(list, start, end) as f64 / DAY as f64
        })
        .sum();
    100.0 * cut_off / population::WORLD_MILLIONS
}

/// Returns the percentage of the day that each affected country was cut off.
fn by_country(
    outages: &BTreeMap<CountryCode, Vec<SensorOutage>>,
    day: Day,
    payload: &Payload<'_>,
) -> Vec<Observation> {
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let cut_off = outages.iter().filter_map(|(country, list)| {
        let seconds = agreed_seconds(list, day.start().unix(), day.end().unix());
        let percent = 100.0 * seconds as f64 / DAY as f64;
        let row = Observation {
            entity: country.as_str().to_owned(),
            ..stamp.observe_day(SERIES[1].series, day, percent)
        };
        (seconds > 0).then_some(row)
    });
    cut_off.collect()
}

/// Returns the seconds of the window during which at least `MIN_SENSORS` sensors report an outage.
fn agreed_seconds(list: &[SensorOutage], start: i64, end: i64) -> i64 {
    let mut edges: Vec<(i64, i32, usize)> = Vec::with_capacity(list.len() * 2);
    for (sensor, from, to) in list {
        let (from, to) = ((*from).max(start), (*to).min(end));
        if from < to {
            edges.extend([(from, 1, *sensor), (to, -1, *sensor)]);
        }
    }
    edges.sort_unstable();
    let mut open = [0i32; SENSORS.len()];
    let (mut agreed, mut since) = (0, start);
    for (at, step, sensor) in edges {
        if open.iter().filter(|n| **n > 0).count() >= MIN_SENSORS {
            agreed += at - since;
        }
        since = at;
        open[sensor] += step;
    }
    agreed
}

/// Returns one file per day of data: yesterday until it has been read, and a few older days, newest first.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let days = (1..=FIRST_DAYS).map(|back| source_of_day(context.now.day().plus(-back)));
    days.filter(|source| !context.checkpoint.has(&source.name)).take(DAYS_PER_POLL).collect()
}

/// Returns the file with the outages of one day.
fn source_of_day(day: Day) -> FileSource {
    let url = format!(
        "https://api.ioda.inetintel.cc.gatech.edu/v2/outages/events?from={}&until={}&entityType=country&format=codf&limit=2000",
        day.start().unix(),
        day.end().unix()
    );
    FileSource::json(format!("{day}.json"), url, HOSTS, MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_when_two_sensors_agree() {
        let check =
            |list: &[SensorOutage], want: i64| assert_eq!(agreed_seconds(list, 0, 100), want, "{list:?}");
        check(&[], 0);
        check(&[(0, 0, 100)], 0);
        check(&[(0, 0, 100), (0, 0, 100)], 0);
        check(&[(0, 0, 60), (1, 50, 200)], 10);
        check(&[(0, -50, 60), (1, 10, 20), (2, 15, 30)], 20);
        check(&[(0, 0, 60), (1, 60, 90)], 0);
    }

    #[test]
    fn events_become_a_share_of_people() {
        let day: Day = Day::parse_iso("2026-11-13").unwrap();
        let start = day.start().unix();
        let event = |place: &str, sensor: &str, from: i64, duration: i64| {
            format!(
                r#"{{"location":"{place}","datasource":"{sensor}","start":{from},"duration":{duration},"score":5}}"#
            )
        };
        let list = [
            event("country/IR", "bgp", start, 43_200),
            event("country/IR", "ping-slash24", start - 100, 43_300),
            event("country/IR", "bgp", start, 43_200),
            event("country/XX", "bgp", start, 10),
            event("region/1", "bgp", start, 10),
            event("country/IR", "tarot", start, 10),
            event("country/IR", "bgp", start + 10, -5),
            event("country/IR", "bgp", i64::MAX, 5),
        ];
        let run = |name: &str, list: &str| {
            let text = format!(r#"{{"error":null,"data":[{list}]}}"#);
            let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
            decode(&Payload::new(name, text.as_bytes(), fetched_at))
        };
        let decoded = run("2026-11-13.json", &list.join(",")).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected_total()), (2, 1, 5));
        let iran = population::millions(CountryCode::from_iso2("IR").unwrap());
        let want = 100.0 * iran * 0.5 / population::WORLD_MILLIONS;
        assert!((decoded.observations[0].value - want).abs() < 1e-9);
        assert_eq!(run("2026-11-13.json", "").unwrap_err().code.key(), "empty", "too recent to be believed");
        assert_eq!(run("2026-11-07.json", "").unwrap().observations[0].value, 0.0);
        assert_eq!(run("events", "").unwrap_err().code.key(), "empty");
    }
}
