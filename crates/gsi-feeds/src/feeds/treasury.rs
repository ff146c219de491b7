//! US Treasury par yields, one table per year, newest day first.

use crate::connector::files::PollContext;
use crate::formats::series::{self, decode_day_table, plausible};
use crate::formats::table::Table;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources)
    .with_history(|from, to| (from.ymd().0..=to.ymd().0).rev().map(source_of_year).collect());

static ORIGIN: Origin = Origin {
    feed: "treasury",
    title: "Daily Treasury par yield curve",
    publisher: "U.S. Department of the Treasury",
    homepage: "https://home.treasury.gov/resource-center/data-chart-center/interest-rates",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Public domain", republish: true, note: "" },
    attribution: "Source: U.S. Department of the Treasury",
    poll_every_seconds: 3 * HOUR,
    warn_after_seconds: 4 * DAY,
    stale_after_seconds: 5 * DAY,
    default_on: true,
};

const fn tenor(series: &'static str) -> SeriesSpec {
    SeriesSpec::business_daily(series, "percent", 2 * HOUR)
}

static SERIES: [SeriesSpec; 4] =
    [tenor("treasury.m3"), tenor("treasury.y2"), tenor("treasury.y10"), tenor("treasury.y30")];

/// Column headings in the order of [`SERIES`]. Tenors were added and removed over the years, so only the ten-year is required.
const COLUMNS: [&str; 4] = ["3 Mo", "2 Yr", "10 Yr", "30 Yr"];
const REQUIRED: &str = "10 Yr";

const HOSTS: &[&str] = &["home.treasury.gov"];
/// A year is 20 KB.
const MAX_BYTES: usize = 1 << 20;
/// Short yields were slightly negative in 2020, long ones 15 % in 1981.
const YIELD_RANGE: std::ops::RangeInclusive<f64> = -5.0..=30.0;
/// The baseline of the method reaches back ten years.
const HISTORY_YEARS: i16 = 11;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let table = Table::open(&body)?;
    let date = table.require("Date")?;
    table.require(REQUIRED)?;
    let columns = COLUMNS.map(|name| table.column(name));
    let width = table.header().len();
    decode_day_table(&ORIGIN, payload, table, |row| {
        row.check_width(width)?;
        let day = plausible(us_date(row.cell(date)), payload)?;
        let mut values = Vec::new();
        for (spec, column) in SERIES.iter().zip(columns) {
            match column.map_or("", |column| row.cell(column)) {
                "" | "N/A" => {}
                text => values.push((spec.series, series::number(text, YIELD_RANGE).ok_or(Reject::Number)?)),
            }
        }
        if values.is_empty() { Err(Reject::Missing) } else { Ok((day, day, values)) }
    })
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

/// Returns the tables of this year at every poll, of last year in early January, and of each earlier year once.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let (year, month, _) = context.now.day().ymd();
    let sources = (year - HISTORY_YEARS..=year).rev().map(|y| (y, source_of_year(y)));
    sources
        .filter(|(y, source)| {
            *y == year || (*y == year - 1 && month == 1) || !context.checkpoint.has(&source.name)
        })
        .map(|(_, source)| source)
        .collect()
}

/// Returns the file of one year.
fn source_of_year(y: i16) -> FileSource {
    let url = format!(
        "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/{y}/all?type=daily_treasury_yield_curve&field_tdr_date_value={y}&page&_format=csv"
    );
    FileSource {
        accept: "text/csv",
        keeps: 0.9,
        ..FileSource::new(format!("{y}.csv"), url, HOSTS, MAX_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connector;
    use crate::connector::files::{FileCheckpoint, requested_names};

    #[test]
    fn tenors_by_name() {
        let text = "Date,\"1 Mo\",\"3 Mo\",\"2 Yr\",\"10 Yr\"\n09/14/2026,3.72,3.80,3.62,4.21\n9/11/2026,,,3.60,N/A\n\
                    2026-09-10,1,1,1,1\n09/09/2026,1,1,1,x\n09/08/2026,1,,,\n09/07/2026,1\n09/14/2026,3.72,3.80,3.62,4.21\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload::new("2026.csv", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (2, 1));
        let want = [("columns", 1), ("date", 1), ("missing", 1), ("number", 1)];
        assert!(decoded.rejected.iter().map(|(k, v)| (k.key(), *v)).eq(want), "{:?}", decoded.rejected);
        let got: Vec<_> = decoded.observations.iter().map(|o| (o.series.as_str(), o.value)).collect();
        assert_eq!(
            got,
            [("treasury.m3", 3.80), ("treasury.y2", 3.62), ("treasury.y10", 4.21), ("treasury.y2", 3.60)]
        );
        assert_eq!(decoded.newest.unwrap().to_string(), "2026-09-15T00:00:00Z");
    }

    #[test]
    fn each_past_year_is_requested_once() {
        let mut checkpoint = FileCheckpoint::default();
        assert_eq!(requested_names(sources, "2026-11-15T00:00:00Z", &checkpoint).len(), 12);
        for year in 2010..=2026 {
            checkpoint.files.insert(format!("{year}.csv"), Default::default());
        }
        assert_eq!(requested_names(sources, "2026-11-15T00:00:00Z", &checkpoint), ["2026.csv"]);
        assert_eq!(requested_names(sources, "2026-01-15T00:00:00Z", &checkpoint), ["2026.csv", "2025.csv"]);
        let history =
            FEED.history(Day::parse_iso("2024-06-01").unwrap(), Day::parse_iso("2026-01-01").unwrap());
        assert_eq!(history.unwrap().len(), 3);
    }
}
