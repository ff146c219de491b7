//! ReliefWeb: disasters that people at the United Nations have confirmed, by the day they were recorded.

use crate::files::{FileMemory, Source};
use crate::json;
use crate::keyed::KeyedFeed;
use crate::refusal::{self, refuse};
use crate::series::Stamp;
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub fn feed(app_name: &str) -> KeyedFeed {
    let setting = Some("feeds.keys.reliefweb");
    KeyedFeed { origin: &ORIGIN, series: &SERIES, decode, key: app_name.to_owned(), setting, sources }
}

static ORIGIN: Origin = Origin {
    feed: "reliefweb",
    title: "ReliefWeb disasters",
    publisher: "United Nations Office for the Coordination of Humanitarian Affairs",
    homepage: "https://reliefweb.int/disasters",
    pillar: Some(Pillar::Conflict),
    licence: Licence {
        name: "Free reuse with credit",
        republish: true,
        note: "Report texts belong to their sources.",
    },
    attribution: "Source: ReliefWeb",
    poll_every: HOUR,
    warn_after: 10 * DAY,
    stale_after: 20 * DAY,
    default_on: false,
};

const fn count(series: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit: "disasters", cadence: DAY, publication_lag: 0, business_days: false }
}

static SERIES: [SeriesSpec; 2] = [count("reliefweb.disasters"), count("reliefweb.emergencies")];

const URL: &str = "https://api.reliefweb.int/v2/disasters?limit=1000&sort[]=date.created:desc&fields[include][]=date&fields[include][]=status&fields[include][]=primary_type";
const HOSTS: &[&str] = &["api.reliefweb.int"];
const MAX_BYTES: usize = 8 << 20;
/// A thousand disasters are about eight years. One entry of an older day would have every day since filled with zeros that
/// nobody reported, and an ancient one without end.
const OLDEST_DAYS: i32 = 20 * 366;
/// Wars and other emergencies that people make.
const EMERGENCIES: [&str; 2] = ["CE", "AC"];

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    let list = json::array(&document, "data")?;
    if list.is_empty() {
        return refuse(refusal::EMPTY, "the list of all disasters is empty");
    }
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut days: BTreeMap<Day, (f64, f64)> = BTreeMap::new();
    let today = payload.fetched_at.day();
    let days_told = today.plus(-OLDEST_DAYS)..=today;
    for item in list {
        decoded.seen += 1;
        let row = decoded.seen;
        let id = match item.get("id") {
            Some(Value::String(id)) if !id.is_empty() && id.len() <= 16 => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => {
                decoded.reject(row, "id");
                continue;
            }
        };
        let fields = item.get("fields").unwrap_or(&Value::Null);
        let created = fields.get("date").map_or("", |d| json::text(d, "created"));
        let Some(day) = json::time(created).map(Timestamp::day).filter(|d| days_told.contains(d)) else {
            decoded.reject(row, "date");
            continue;
        };
        if !known.insert(id) {
            decoded.duplicates += 1;
            continue;
        }
        decoded.accepted += 1;
        let kind = fields.get("primary_type").map_or("", |t| json::text(t, "code"));
        let count = days.entry(day).or_default();
        count.0 += 1.0;
        count.1 += f64::from(u8::from(EMERGENCIES.contains(&kind)));
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let first = days.keys().next().copied();
    decoded.newest = days.keys().next_back().map(|d| d.end());
    // The list is cut at its oldest day, which may be incomplete; today is not over.
    let mut day = first.map_or(today, |d| d.plus(1));
    while day < today {
        let (all, emergencies) = days.get(&day).copied().unwrap_or_default();
        decoded.observations.push(stamp.daily(SERIES[0].series, day, all));
        decoded.observations.push(stamp.daily(SERIES[1].series, day, emergencies));
        day = day.plus(1);
    }
    crate::table::finish(decoded)
}

fn sources(_: Timestamp, _: &FileMemory, app_name: &str) -> Vec<Source> {
    let secret_query = vec![("appname", app_name.to_owned())];
    let source = Source::new("disasters.json", URL, HOSTS, MAX_BYTES);
    vec![Source { accept: "application/json", keeps: 0.9, secret_query, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(items: &[String]) -> Result<Decoded, Refusal> {
        let text = format!(r#"{{"totalCount":9,"count":{},"data":[{}]}}"#, items.len(), items.join(","));
        let fetched_at = "2026-11-15T06:00:00Z".parse().unwrap();
        decode(&Payload { name: "disasters.json", bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    fn item(id: &str, created: &str, code: &str) -> String {
        format!(
            r#"{{"id":{id},"fields":{{"status":"ongoing","primary_type":{{"code":"{code}"}},"date":{{"created":"{created}"}}}}}}"#
        )
    }

    #[test]
    fn an_ancient_date_fills_no_centuries() {
        let recent = item("1", "2026-11-13T06:00:00+00:00", "FL");
        let decoded = run(&[recent, item("2", "0026-11-13T06:00:00+00:00", "FL")]).unwrap();
        assert_eq!((decoded.accepted, decoded.rejected["date"], decoded.observations.len()), (1, 1, 2));
        let decoded = run(&[item("1", "2010-11-13T06:00:00+00:00", "FL")]).unwrap();
        assert!(decoded.observations.len() <= 2 * OLDEST_DAYS as usize);
        let refused = run(&[item("1", "1926-11-13T06:00:00+00:00", "FL")]).unwrap_err();
        assert_eq!(refused.code, "no_valid_rows");
    }

    #[test]
    fn days_between_the_first_and_today() {
        let items = [
            item("\"52001\"", "2026-11-13T06:00:00+00:00", "FL"),
            item("52002", "2026-11-13T07:00:00+00:00", "CE"),
            item("52002", "2026-11-13T07:00:00+00:00", "CE"),
            item("\"51990\"", "2026-11-11T06:00:00+00:00", "EQ"),
            item("\"51991\"", "2027-11-11T06:00:00+00:00", "EQ"),
            item("null", "2026-11-13T06:00:00+00:00", "FL"),
        ];
        let decoded = run(&items).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (3, 1));
        assert_eq!((decoded.rejected["date"], decoded.rejected["id"]), (1, 1));
        let values: Vec<_> = decoded.observations.iter().map(|o| o.value).collect();
        assert_eq!(values, [0.0, 0.0, 2.0, 1.0, 0.0, 0.0]);
        assert_eq!(run(&[]).unwrap_err().code, "empty");
    }
}
