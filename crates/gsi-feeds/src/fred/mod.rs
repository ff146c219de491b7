//! FRED: daily and weekly series of the Federal Reserve Bank of St. Louis, with the operator's own key.
//!
//! Off by default: its terms restrict storing and many series belong to others, so using it is the operator's decision.
//! Nothing of it is shown to third parties.

use crate::files::{FileMemory, Source};
use crate::json;
use crate::keyed::KeyedFeed;
use crate::series::{self, Stamp};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeMap;

pub fn feed(key: &str) -> KeyedFeed {
    let setting = Some("feeds.keys.fred");
    KeyedFeed { origin: &ORIGIN, series: &SERIES, decode, key: key.to_owned(), setting, sources }
}

static ORIGIN: Origin = Origin {
    feed: "fred",
    title: "FRED economic data",
    publisher: "Federal Reserve Bank of St. Louis",
    homepage: "https://fred.stlouisfed.org/",
    pillar: Some(Pillar::Macro),
    licence: Licence {
        name: "FRED terms of use",
        republish: false,
        note: "Many series belong to third parties; storing them is the operator's decision.",
    },
    attribution: "This product uses the FRED® API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.",
    poll_every: 6 * HOUR,
    warn_after: 6 * DAY,
    stale_after: 10 * DAY,
    default_on: false,
};

const fn daily(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit, cadence: DAY, publication_lag: DAY, business_days: true }
}

const fn weekly(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit, cadence: 7 * DAY, publication_lag: 6 * DAY, business_days: false }
}

static SERIES: [SeriesSpec; 6] = [
    daily("fred.t10y2y", "percent"),
    daily("fred.t10y3m", "percent"),
    daily("fred.baa10y", "percent"),
    daily("fred.dtwexbgs", "index"),
    weekly("fred.stlfsi4", "index"),
    weekly("fred.nfci", "index"),
];
/// The publisher's names, in the order of [`SERIES`].
const IDS: [&str; 6] = ["T10Y2Y", "T10Y3M", "BAA10Y", "DTWEXBGS", "STLFSI4", "NFCI"];

const HOSTS: &[&str] = &["api.stlouisfed.org"];
const MAX_BYTES: usize = 16 << 20;
const LARGEST: f64 = 10_000.0;

/// The observations of the series in the payload's name, `T10Y2Y.json`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let document = json::document(&body)?;
    if let Some(message) = document.get("error_message").and_then(|m| m.as_str()) {
        return crate::refusal::refuse(
            crate::refusal::ERROR_BODY,
            crate::refusal::extract(message.as_bytes()),
        );
    }
    let which = IDS.iter().position(|id| payload.name.strip_suffix(".json") == Some(id));
    let Some(which) = which else {
        return crate::refusal::refuse(crate::refusal::SCHEMA, "no series of that name is read");
    };
    let spec = &SERIES[which];
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut days = BTreeMap::new();
    for row in json::array(&document, "observations")? {
        decoded.seen += 1;
        let number = decoded.seen;
        let day = Day::parse_iso(json::text(row, "date")).filter(|d| series::is_plausible(*d, payload));
        let Some(day) = day else {
            decoded.reject(number, "date");
            continue;
        };
        let text = json::text(row, "value");
        let Some(value) = series::number(text, -LARGEST, LARGEST) else {
            decoded.reject(number, if matches!(text, "." | "") { "missing" } else { "number" });
            continue;
        };
        match days.insert(day, value) {
            None => decoded.accepted += 1,
            Some(before) => {
                days.insert(day, before);
                decoded.duplicates += 1;
            }
        }
    }
    for (day, value) in days {
        series::note_newest(&mut decoded, day);
        // A weekly value is dated by the day it ends on.
        let from = day.end().minus(spec.cadence);
        decoded.observations.push(stamp.observation(spec.series, "", from, day.end(), value));
    }
    crate::table::finish(decoded)
}

fn sources(_: Timestamp, _: &FileMemory, key: &str) -> Vec<Source> {
    let source = |id: &&str| {
        let url = format!(
            "https://api.stlouisfed.org/fred/series/observations?series_id={id}&file_type=json&sort_order=asc&limit=100000"
        );
        let source = Source::new(format!("{id}.json"), url, HOSTS, MAX_BYTES);
        let secret_query = vec![("api_key", key.to_owned())];
        Source { accept: "application/json", keeps: 0.9, secret_query, ..source }
    };
    IDS.iter().map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, text: &str) -> Result<Decoded, Refusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload { name, bytes: text.as_bytes(), fetched_at, last_modified: None })
    }

    #[test]
    fn points_are_missing_values() {
        let text = r#"{"count":6,"observations":[{"date":"2026-11-12","value":"0.51"},{"date":"2026-11-11","value":"."},
            {"date":"2026-11-12","value":"0.51"},{"date":"12.11.2026","value":"1"},{"date":"2026-11-10","value":"NaN"},
            {"date":"2126-11-10","value":"1"}]}"#;
        let decoded = run("T10Y2Y.json", text).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (1, 1));
        assert_eq!(
            (decoded.rejected["missing"], decoded.rejected["date"], decoded.rejected["number"]),
            (1, 2, 1)
        );
        assert_eq!(decoded.observations[0].series, "fred.t10y2y");
        let weekly = run("NFCI.json", r#"{"observations":[{"date":"2026-11-06","value":"-0.5"}]}"#).unwrap();
        let o = &weekly.observations[0];
        assert_eq!(
            (o.period_end.to_string().as_str(), o.period_end.since(o.period_start)),
            ("2026-11-07T00:00:00Z", 7 * DAY)
        );
    }

    #[test]
    fn errors_and_strangers_are_refused() {
        let error = r#"{"error_code":400,"error_message":"Bad Request. The value for variable api_key is not registered."}"#;
        assert_eq!(run("T10Y2Y.json", error).unwrap_err().code, "error_body");
        assert_eq!(run("SP500.json", r#"{"observations":[]}"#).unwrap_err().code, "schema");
        assert_eq!(run("NFCI.json", r#"{"observations":[]}"#).unwrap_err().code, "empty");
        assert_eq!(run("NFCI.json", "<html>").unwrap_err().code, "bad_json");
    }

    #[test]
    fn the_key_is_not_in_the_address() {
        let sources = sources(Timestamp::MIN, &FileMemory::default(), "secret");
        assert_eq!(sources.len(), IDS.len());
        assert!(sources.iter().all(|s| !s.urls[0].contains("secret") && s.secret_query[0].1 == "secret"));
    }
}
