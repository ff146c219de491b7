//! US Treasury par yields, one table per year, newest day first.

use crate::files::{FileFeed, FileMemory, Source};
use crate::series::{self, Stamp};
use crate::table::{self, Table};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeSet;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "treasury",
    title: "Daily Treasury par yield curve",
    publisher: "U.S. Department of the Treasury",
    homepage: "https://home.treasury.gov/resource-center/data-chart-center/interest-rates",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Public domain", republish: true, note: "" },
    attribution: "Source: U.S. Department of the Treasury",
    poll_every: 3 * HOUR,
    warn_after: 4 * DAY,
    stale_after: 5 * DAY,
    default_on: true,
};

const fn tenor(series: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit: "percent", cadence: DAY, publication_lag: 2 * HOUR, business_days: true }
}

static SERIES: [SeriesSpec; 4] =
    [tenor("treasury.m3"), tenor("treasury.y2"), tenor("treasury.y10"), tenor("treasury.y30")];

/// Column headings in the order of [`SERIES`]. Tenors come and go over the years; only the ten-year must be there.
const COLUMNS: [&str; 4] = ["3 Mo", "2 Yr", "10 Yr", "30 Yr"];
const REQUIRED: &str = "10 Yr";

const HOSTS: &[&str] = &["home.treasury.gov"];
/// A year is 20 KB.
const MAX_BYTES: usize = 1 << 20;
/// Short yields were slightly negative in 2020, long ones 15 % in 1981.
const YIELD_RANGE: (f64, f64) = (-5.0, 30.0);
/// The baseline of the method reaches back ten years.
const HISTORY_YEARS: i16 = 11;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let date = table.require("Date")?;
    table.require(REQUIRED)?;
    let columns = COLUMNS.map(|name| table.column(name));
    let width = table.header().len();
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut days = BTreeSet::new();
    while let Some((row, record)) = table.next(&mut decoded) {
        if record.len() != width {
            decoded.reject(row, "columns");
            continue;
        }
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        let Some(day) = us_date(cell(date)).filter(|d| series::is_plausible(*d, payload)) else {
            decoded.reject(row, "date");
            continue;
        };
        let mut values = [None; COLUMNS.len()];
        let mut readable = true;
        for (value, column) in values.iter_mut().zip(columns) {
            let text = column.map_or("", &cell);
            if !matches!(text, "" | "N/A") {
                *value = series::number(text, YIELD_RANGE.0, YIELD_RANGE.1);
                readable &= value.is_some();
            }
        }
        if !readable || values.iter().all(Option::is_none) {
            decoded.reject(row, if readable { "missing" } else { "number" });
            continue;
        }
        if !days.insert(day) {
            decoded.duplicates += 1;
            continue;
        }
        decoded.accepted += 1;
        series::note_newest(&mut decoded, day);
        for (spec, value) in SERIES.iter().zip(values) {
            decoded.observations.extend(value.map(|v| stamp.daily(spec.series, day, v)));
        }
    }
    table::finish(decoded)
}

/// `MM/DD/YYYY`.
pub fn us_date(text: &str) -> Option<Day> {
    let mut parts = text.split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |s: &str, longest: usize| {
        !s.is_empty() && s.len() <= longest && s.bytes().all(|b| b.is_ascii_digit())
    };
    if parts.next().is_some() || !digits(month, 2) || !digits(day, 2) || year.len() != 4 || !digits(year, 4) {
        return None;
    }
    Day::from_ymd(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// This year at every look, last year while January is young, and each earlier year once.
fn sources(now: Timestamp, memory: &FileMemory) -> Vec<Source> {
    let (year, month, _) = now.day().ymd();
    let name = |y: i16| format!("{y}.csv");
    let wanted = (year - HISTORY_YEARS..=year).rev();
    wanted
        .filter(|y| *y == year || (*y == year - 1 && month == 1) || !memory.has(&name(*y)))
        .map(self::year)
        .collect()
}

/// The curve of one year.
pub(crate) fn year(y: i16) -> Source {
    let url = format!(
        "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/{y}/all?type=daily_treasury_yield_curve&field_tdr_date_value={y}&page&_format=csv"
    );
    Source { accept: "text/csv", keeps: 0.9, ..Source::new(format!("{y}.csv"), url, HOSTS, MAX_BYTES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenors_by_name() {
        let text = "Date,\"1 Mo\",\"3 Mo\",\"2 Yr\",\"10 Yr\"\n09/14/2026,3.72,3.80,3.62,4.21\n9/11/2026,,,3.60,N/A\n\
                    2026-09-10,1,1,1,1\n09/09/2026,1,1,1,x\n09/08/2026,1,,,\n09/07/2026,1\n09/14/2026,3.72,3.80,3.62,4.21\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload { name: "2026.csv", bytes: text.as_bytes(), fetched_at, last_modified: None };
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        let want = [("columns", 1), ("date", 1), ("missing", 1), ("number", 1)];
        assert!(decoded.rejected.iter().map(|(k, v)| (k.as_str(), *v)).eq(want), "{:?}", decoded.rejected);
        let got: Vec<_> = decoded.observations.iter().map(|o| (o.series.as_str(), o.value)).collect();
        assert_eq!(
            got,
            [("treasury.m3", 3.80), ("treasury.y2", 3.62), ("treasury.y10", 4.21), ("treasury.y2", 3.60)]
        );
        assert_eq!(decoded.newest.unwrap().to_string(), "2026-09-15T00:00:00Z");
    }

    #[test]
    fn each_past_year_is_asked_for_once() {
        let now = "2026-11-15T00:00:00Z".parse().unwrap();
        assert_eq!(sources(now, &FileMemory::default()).len(), 12);
        let mut memory = FileMemory::default();
        for year in 2010..=2026 {
            memory.files.insert(format!("{year}.csv"), Default::default());
        }
        let names = |now: &str| -> Vec<String> {
            sources(now.parse().unwrap(), &memory).into_iter().map(|s| s.name).collect()
        };
        assert_eq!(names("2026-11-15T00:00:00Z"), ["2026.csv"]);
        assert_eq!(names("2026-01-15T00:00:00Z"), ["2026.csv", "2025.csv"]);
    }
}
