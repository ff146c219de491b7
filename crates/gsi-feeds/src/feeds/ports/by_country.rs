//! Calls at the ports of each country per week. Per day it would be a hundred pages of rows.

use super::{MAX_BYTES, ORIGIN, window};
use crate::connector::files::PollContext;
use crate::formats::series::{ObservationStamp, note_newest};
use crate::formats::{arcgis, json, table};
use crate::{FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{CountryCode, DAY, Day, Decoded, Observation, PayloadRefusal, Reject};
use serde_json::Value;
use std::collections::BTreeMap;

const fn weekly(series: &'static str) -> SeriesSpec {
    SeriesSpec { cadence: WEEK as i64 * DAY, ..SeriesSpec::daily(series, "ships", 13 * DAY) }
}

pub const CALLS: SeriesSpec = weekly("ports.calls_by_country");
/// The calls of all countries together. A week with this value has been counted.
pub const WORLD_CALLS: SeriesSpec = weekly("ports.weekly_calls");

const WEEK: i32 = 7;
/// The newest day is 5 to 12 days old, so a week that ended before that is complete.
const WHOLE_AFTER: i32 = 13;
/// Recent weeks are still corrected, so every poll requests them.
const RECENT_WEEKS: i32 = 3;
/// A year to compare with, and a few more weeks.
const WEEKS: i32 = 58;
const OLDER_PER_POLL: usize = 12;
const PREFIX: &str = "week-";
/// The busiest country sees a few thousand calls a day.
const MOST_CALLS: f64 = 1e6;

/// Returns the first day of the week in a payload's name.
pub fn week_of(name: &str) -> Option<Day> {
    Day::parse_iso(name.strip_prefix(PREFIX)?.strip_suffix(".json")?)
}

pub fn decode(payload: &Payload<'_>, week: Day) -> Result<Decoded, PayloadRefusal> {
    let document = json::document(&unpack(payload.bytes, MAX_BYTES)?)?;
    let mut decoded = Decoded::default();
    let mut calls: BTreeMap<CountryCode, f64> = BTreeMap::new();
    for attributes in arcgis::attributes(&document)? {
        let row = decoded.take(read(attributes), |(country, _)| !calls.contains_key(country));
        calls.extend(row);
    }
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let (from, to) = (week.start(), week.plus(WEEK).start());
    if !calls.is_empty() {
        note_newest(&mut decoded, week.plus(WEEK - 1));
        decoded.observations.push(stamp.observe(WORLD_CALLS.series, from, to, calls.values().sum()));
    }
    decoded.observations.extend(calls.into_iter().map(|(country, calls)| Observation {
        entity: country.as_str().to_owned(),
        ..stamp.observe(CALLS.series, from, to, calls)
    }));
    table::finish(decoded)
}

fn read(attributes: &Value) -> Result<(CountryCode, f64), Reject> {
    let country = CountryCode::from_iso3(json::text(attributes, COUNTRY_COLUMN)).ok_or(Reject::Code)?;
    let calls = json::number(attributes, "calls").filter(|calls| (0.0..=MOST_CALLS).contains(calls));
    Ok((country, calls.ok_or(Reject::Number)?))
}

const COUNTRY_COLUMN: &str = "ISO3";

/// Returns the last complete weeks, and a few unread ones before them, newest first.
pub fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let newest = context.now.day().plus(-WHOLE_AFTER - WEEK + 1);
    // Weeks begin on Mondays.
    let newest = newest.plus(-(newest.weekday() as i32));
    let week = |back: i32| {
        let first = newest.plus(-WEEK * back);
        window(format!("{PREFIX}{first}.json"), first, first.plus(WEEK), COUNTRY_COLUMN)
    };
    let older = (RECENT_WEEKS..WEEKS).map(week).filter(|source| !context.checkpoint.has(&source.name));
    (0..RECENT_WEEKS).map(week).chain(older.take(OLDER_PER_POLL)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::files::{FileCheckpoint, requested_names};

    #[test]
    fn a_week_of_calls_by_country() {
        let row =
            |iso3: &str, calls: &str| format!(r#"{{"attributes":{{"ISO3":"{iso3}","calls":{calls}}}}}"#);
        let rows = [row("NLD", "700"), row("EGY", "140"), row("NLD", "1"), row("XXX", "5"), row("FRA", "-1")];
        let text = format!(r#"{{"features":[{}]}}"#, rows.join(","));
        let payload =
            Payload::new("week-2026-10-19.json", text.as_bytes(), "2026-11-15T00:00:00Z".parse().unwrap());
        let decoded = super::super::decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        let named: Vec<_> =
            decoded.observations.iter().map(|o| (o.series.as_str(), o.entity.as_str(), o.value)).collect();
        assert_eq!(
            named,
            [
                ("ports.weekly_calls", "", 840.0),
                ("ports.calls_by_country", "EG", 140.0),
                ("ports.calls_by_country", "NL", 700.0)
            ]
        );
        let first = &decoded.observations[0];
        assert_eq!(
            (first.period_start.day().to_string(), first.period_end.day().to_string()),
            ("2026-10-19".into(), "2026-10-26".into())
        );
    }

    #[test]
    fn only_complete_weeks_are_requested() {
        let names =
            requested_names(super::super::sources, "2026-11-15T00:00:00Z", &FileCheckpoint::default());
        let weeks: Vec<&str> = names.iter().filter_map(|n| n.strip_prefix(PREFIX)).collect();
        // The week of Monday the 26th of October ended on the 1st of November, fourteen days before.
        assert_eq!(weeks[..2], ["2026-10-26.json", "2026-10-19.json"]);
        assert_eq!(weeks.len(), RECENT_WEEKS as usize + OLDER_PER_POLL);
    }
}
