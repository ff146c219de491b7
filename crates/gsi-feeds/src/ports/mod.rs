//! IMF PortWatch, the ports: calls and cargo of about two thousand ports, added up per day by the publisher's own server.

use crate::files::{FileFeed, FileMemory, Source};
use crate::json;
use crate::refusal::{self, refuse};
use crate::series::{self, Stamp};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "ports",
    title: "PortWatch daily port calls and cargo",
    publisher: "International Monetary Fund",
    homepage: "https://portwatch.imf.org/",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "IMF terms", republish: true, note: "Attribution required." },
    attribution: "Source: International Monetary Fund, PortWatch (portwatch.imf.org)",
    poll_every: 12 * HOUR,
    warn_after: 15 * DAY,
    stale_after: 18 * DAY,
    default_on: true,
};

const fn total(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit, cadence: DAY, publication_lag: 8 * DAY, business_days: false }
}

static SERIES: [SeriesSpec; 3] =
    [total("ports.calls", "ships"), total("ports.imports", "tons"), total("ports.exports", "tons")];
/// Columns of the layer, and the names of their sums in the answer, in the order of [`SERIES`].
const SUMS: [(&str, &str); 3] = [("portcalls", "calls"), ("import", "imports"), ("export", "exports")];

const LAYER: &str = "https://services9.arcgis.com/weJ1QsnbMYJlCHdG/arcgis/rest/services/Daily_Ports_Data/FeatureServer/0/query";
const HOSTS: &[&str] = &["services9.arcgis.com"];
const MAX_BYTES: usize = 4 << 20;
const FIRST_YEAR: i16 = 2019;
/// Recent days are provisional and asked for at every look.
const RECENT_DAYS: i32 = 90;
const QUARTERS_PER_LOOK: usize = 12;
/// The whole world loads about 35 million tons a day.
const LARGEST: f64 = 1e10;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    let features = json::array(&document, "features")?;
    if features.is_empty() {
        return refuse(refusal::EMPTY, "no rows for a time that has rows");
    }
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    for feature in features {
        decoded.seen += 1;
        let row = decoded.seen;
        let attributes = feature.get("attributes").unwrap_or(&Value::Null);
        let Some(day) = day(attributes).filter(|d| series::is_plausible(*d, payload)) else {
            decoded.reject(row, "date");
            continue;
        };
        let sums = SUMS
            .map(|(_, name)| json::number(attributes, name).filter(|value| (0.0..=LARGEST).contains(value)));
        let [Some(calls), Some(imports), Some(exports)] = sums else {
            decoded.reject(row, "number");
            continue;
        };
        if !known.insert(day) {
            decoded.duplicates += 1;
            continue;
        }
        decoded.accepted += 1;
        series::note_newest(&mut decoded, day);
        for (spec, value) in SERIES.iter().zip([calls, imports, exports]) {
            decoded.observations.push(stamp.daily(spec.series, day, value));
        }
    }
    crate::table::finish(decoded)
}

/// The date column has been a number of milliseconds, a text, and once had another name.
fn day(attributes: &Value) -> Option<Day> {
    match attributes.get("date").or_else(|| attributes.get("date_"))? {
        Value::String(text) => Day::parse_iso(text.get(..10)?),
        ms => json::millis(ms).map(Timestamp::day),
    }
}

fn window(name: String, from: Day, before: Day) -> Source {
    let statistic = |(column, name): &(&str, &str)| {
        format!(
            "%7B%22statisticType%22%3A%22sum%22%2C%22onStatisticField%22%3A%22{column}%22%2C%22outStatisticFieldName%22%3A%22{name}%22%7D"
        )
    };
    let statistics: Vec<_> = SUMS.iter().map(statistic).collect();
    let url = format!(
        "{LAYER}?where=date%20%3E%3D%20DATE%20%27{from}%27%20AND%20date%20%3C%20DATE%20%27{before}%27&groupByFieldsForStatistics=date&outStatistics=%5B{}%5D&resultRecordCount=1000&returnGeometry=false&f=json",
        statistics.join("%2C")
    );
    let source = Source::new(name, url, HOSTS, MAX_BYTES);
    // Adding up two thousand ports takes the server a while.
    Source { accept: "application/json", time_limit_factor: 1.5, ..source }
}

/// The last ninety days, and a few of the quarters before that are not read yet, newest first.
fn sources(now: Timestamp, memory: &FileMemory) -> Vec<Source> {
    let today = now.day();
    let recent = today.plus(-RECENT_DAYS);
    let mut sources = vec![window("recent.json".to_owned(), recent, today.plus(1))];
    let (last_year, ..) = recent.ymd();
    let quarters = (FIRST_YEAR..=last_year).rev().flat_map(|year| (0..4i8).rev().map(move |q| (year, q)));
    for (year, quarter) in quarters {
        let name = format!("{year}q{}.json", quarter + 1);
        let start = Day::from_ymd(year, quarter * 3 + 1, 1);
        let end = if quarter == 3 {
            Day::from_ymd(year + 1, 1, 1)
        } else {
            Day::from_ymd(year, quarter * 3 + 4, 1)
        };
        let (Some(start), Some(end)) = (start, end) else { continue };
        if start < recent && !memory.has(&name) && sources.len() <= QUARTERS_PER_LOOK {
            sources.push(window(name, start, end));
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(features: &str) -> Result<Decoded, Refusal> {
        let text = format!(r#"{{"features":[{features}]}}"#);
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload { name: "recent.json", bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    #[test]
    fn sums_by_day_in_both_date_types() {
        let row = |date: &str, calls: &str| {
            format!(r#"{{"attributes":{{"date":{date},"calls":{calls},"imports":3.1e7,"exports":3.0e7}}}}"#)
        };
        let rows = [
            row("\"2026-11-01\"", "5100"),
            row("1777593600000", "5000"),
            row("\"2026-11-01\"", "5100"),
            row("\"soon\"", "1"),
            row("\"2026-11-02\"", "-4"),
            row("\"2026-11-02\"", "\"<b>\""),
        ];
        let decoded = run(&rows.join(",")).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        assert_eq!((decoded.rejected["date"], decoded.rejected["number"]), (1, 2));
        assert_eq!(decoded.observations.len(), 6);
        assert_eq!(run("").unwrap_err().code, "empty");
    }

    #[test]
    fn the_past_is_read_a_few_quarters_at_a_time() {
        let now = "2026-11-15T00:00:00Z".parse().unwrap();
        let names: Vec<_> = sources(now, &FileMemory::default()).into_iter().map(|s| s.name).collect();
        assert_eq!(names[..4], ["recent.json", "2026q3.json", "2026q2.json", "2026q1.json"]);
        assert_eq!(names.len(), 1 + QUARTERS_PER_LOOK);
    }
}
