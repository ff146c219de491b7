//! FRED: daily and weekly series of the Federal Reserve Bank of St. Louis, read with the operator's key.
//!
//! It is off by default: its terms restrict storing and many series belong to others, so using it is the operator's
//! decision. Third parties see none of it.

use crate::connector::files::PollContext;
use crate::formats::series::{self, ObservationStamp, iso_day, note_newest};
use crate::formats::{json, table};
use crate::refusal::{extract, refuse};
use crate::{Feed, FeedKey, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject};
use serde_json::Value;
use std::collections::BTreeSet;

pub const FEED: Feed =
    Feed::of_files(&ORIGIN, &SERIES, decode, sources).with_keys(&[FeedKey::required("fred")]);

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
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 6 * DAY,
    stale_after_seconds: 10 * DAY,
    default_on: false,
};

const fn daily(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec::business_daily(series, unit, DAY).withheld()
}

const fn weekly(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { cadence: 7 * DAY, ..SeriesSpec::daily(series, unit, 6 * DAY) }.withheld()
}

static SERIES: [SeriesSpec; 6] = [
    daily("fred.t10y2y", "percent"),
    daily("fred.t10y3m", "percent"),
    daily("fred.baa10y", "percent"),
    daily("fred.dtwexbgs", "index"),
    weekly("fred.stlfsi4", "index"),
    weekly("fred.nfci", "index"),
];
/// The publisher's names of the series, in the order of [`SERIES`].
const IDS: [&str; 6] = ["T10Y2Y", "T10Y3M", "BAA10Y", "DTWEXBGS", "STLFSI4", "NFCI"];

const HOSTS: &[&str] = &["api.stlouisfed.org"];
const MAX_BYTES: usize = 16 << 20;
const LARGEST: f64 = 10_000.0;

/// Decodes the observations of the series in the payload's name, for example `T10Y2Y.json`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    if let Some(message) = document.get("error_message").and_then(Value::as_str) {
        return refuse(RefusalCode::ErrorBody, extract(message.as_bytes()));
    }
    let which = IDS.iter().position(|id| payload.name.strip_suffix(".json") == Some(id));
    let Some(spec) = which.map(|which| &SERIES[which]) else {
        return refuse(RefusalCode::Schema, "no series of that name is read");
    };
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let read = |row: &Value| {
        let day = iso_day(json::text(row, "date"), payload)?;
        match json::text(row, "value") {
            "." | "" => Err(Reject::Missing),
            text => Ok((day, series::number(text, -LARGEST..=LARGEST).ok_or(Reject::Number)?)),
        }
    };
    for row in json::array(&document, "observations")? {
        if let Some((day, value)) = decoded.take(read(row), |(day, _)| known.insert(*day)) {
            note_newest(&mut decoded, day);
            // The date of a weekly value is the last day of its week.
            let from = day.end().minus(spec.cadence);
            decoded.observations.push(stamp.observe(spec.series, from, day.end(), value));
        }
    }
    table::finish(decoded)
}

fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let source = |id: &&str| {
        let url = format!(
            "https://api.stlouisfed.org/fred/series/observations?series_id={id}&file_type=json&sort_order=asc&limit=100000"
        );
        let source = FileSource::json(format!("{id}.json"), url, HOSTS, MAX_BYTES);
        let secret_query = vec![("api_key", context.credentials.get("fred").to_owned())];
        FileSource { keeps: 0.9, secret_query, ..source }
    };
    IDS.iter().map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new(name, text.as_bytes(), fetched_at))
    }

    #[test]
    fn a_point_means_a_missing_value() {
        let text = r#"{"count":6,"observations":[{"date":"2026-11-12","value":"0.51"},{"date":"2026-11-11","value":"."},
            {"date":"2026-11-12","value":"0.51"},{"date":"12.11.2026","value":"1"},{"date":"2026-11-10","value":"NaN"},
            {"date":"2126-11-10","value":"1"}]}"#;
        let decoded = run("T10Y2Y.json", text).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (1, 1));
        assert_eq!(
            (
                decoded.rejected[&Reject::Missing],
                decoded.rejected[&Reject::Date],
                decoded.rejected[&Reject::Number]
            ),
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
    fn errors_and_unknown_series_are_refused() {
        let error = r#"{"error_code":400,"error_message":"Bad Request. The value for variable api_key is not registered."}"#;
        assert_eq!(run("T10Y2Y.json", error).unwrap_err().code.key(), "error_body");
        assert_eq!(run("SP500.json", r#"{"observations":[]}"#).unwrap_err().code.key(), "schema");
        assert_eq!(run("NFCI.json", r#"{"observations":[]}"#).unwrap_err().code.key(), "empty");
        assert_eq!(run("NFCI.json", "<html>").unwrap_err().code.key(), "bad_json");
    }
}
