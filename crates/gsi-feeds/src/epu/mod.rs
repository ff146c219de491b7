//! Daily Economic Policy Uncertainty for the United States, counted from newspapers.

use crate::files::{FileFeed, FileMemory, Source};
use crate::series::{self, Stamp};
use crate::table::{self, Table};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeSet;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "epu",
    title: "Economic Policy Uncertainty, daily, United States",
    publisher: "Baker, Bloom and Davis",
    homepage: "https://www.policyuncertainty.com/us_monthly.html",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Free with citation", republish: true, note: "" },
    attribution: "Source: Baker, Bloom and Davis (2016), policyuncertainty.com",
    poll_every: 6 * HOUR,
    warn_after: 4 * DAY,
    stale_after: 5 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec {
    series: "epu.us",
    unit: "index",
    cadence: DAY,
    publication_lag: 12 * HOUR,
    business_days: false,
}];

const URL: &str = "https://www.policyuncertainty.com/media/All_Daily_Policy_Data.csv";
const HOSTS: &[&str] = &["www.policyuncertainty.com"];
/// Forty years of days are 240 KB.
const MAX_BYTES: usize = 4 << 20;
/// The highest day so far was 1,026.
const LARGEST: f64 = 10_000.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let columns = [table.require("day")?, table.require("month")?, table.require("year")?];
    let index = table.require("daily_policy_index")?;
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut days = BTreeSet::new();
    while let Some((row, record)) = table.next(&mut decoded) {
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        let date = columns.map(|i| cell(i).parse::<i16>().ok());
        let day = match date {
            // Footnotes below the table have no date.
            [Some(d), Some(m), Some(y)] => {
                i8::try_from(m).ok().zip(i8::try_from(d).ok()).and_then(|(m, d)| Day::from_ymd(y, m, d))
            }
            _ => None,
        };
        let Some(day) = day.filter(|d| series::is_plausible(*d, payload)) else {
            decoded.reject(row, "date");
            continue;
        };
        let Some(value) = series::number(cell(index), 0.0, LARGEST) else {
            decoded.reject(row, "number");
            continue;
        };
        if !days.insert(day) {
            decoded.duplicates += 1;
            continue;
        }
        decoded.accepted += 1;
        series::note_newest(&mut decoded, day);
        decoded.observations.push(stamp.daily(SERIES[0].series, day, value));
    }
    table::finish(decoded)
}

fn sources(_: Timestamp, _: &FileMemory) -> Vec<Source> {
    let source = Source::new("All_Daily_Policy_Data.csv", URL, HOSTS, MAX_BYTES);
    vec![Source { accept: "text/csv, text/plain", keeps: 0.98, grows: true, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_dates_and_footnotes() {
        let text = "day,month,year,daily_policy_index\n1,1,1985,103.83\n31,2,1985,1\n2,1,1985,296.43\n2,1,1985,296.43\n\
                    3,1,1985,-1\n4,1,2085,9\nNote: see the site,,,\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload { name: "a.csv", bytes: text.as_bytes(), fetched_at, last_modified: None };
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (7, 2, 1));
        assert_eq!((decoded.rejected["date"], decoded.rejected["number"]), (3, 1));
        assert_eq!(decoded.observations[1].period_start.to_string(), "1985-01-02T00:00:00Z");
    }
}
