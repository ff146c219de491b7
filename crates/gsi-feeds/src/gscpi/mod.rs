//! The New York Fed's Global Supply Chain Pressure Index, monthly, as a matrix of vintages or as a workbook.

use crate::files::{FileFeed, FileMemory, Source};
use crate::series::Stamp;
use crate::table::{self, Table};
use crate::{Payload, SeriesSpec, unpack, workbook};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeMap;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "gscpi",
    title: "Global Supply Chain Pressure Index",
    publisher: "Federal Reserve Bank of New York",
    homepage: "https://www.newyorkfed.org/research/policy/gscpi",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "NY Fed terms of use", republish: true, note: "Attribution required." },
    attribution: "Source: Federal Reserve Bank of New York, Global Supply Chain Pressure Index",
    poll_every: 12 * HOUR,
    warn_after: 45 * DAY,
    stale_after: 50 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec {
    series: "nyfed.gscpi",
    unit: "standard deviations",
    cadence: 31 * DAY,
    publication_lag: 6 * DAY,
    business_days: false,
}];

const URLS: [&str; 2] = [
    "https://www.newyorkfed.org/medialibrary/research/interactives/data/gscpi/gscpi_interactive_data.csv",
    "https://www.newyorkfed.org/medialibrary/research/interactives/gscpi/downloads/gscpi_data.xlsx",
];
const HOSTS: &[&str] = &["www.newyorkfed.org"];
/// The matrix is 220 KB, the workbook 110 KB.
const MAX_BYTES: usize = 8 << 20;
const SHEET: &str = "GSCPI Monthly Data";
/// 4.3 in December 2021 is the highest so far.
const LARGEST: f64 = 6.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let months = if is_workbook(payload.bytes) { of_workbook(payload)? } else { of_matrix(payload)? };
    let (mut decoded, values) = months;
    let stamp = Stamp::of(ORIGIN.feed, payload);
    for (first, value) in values {
        let (y, m, _) = first.ymd();
        let next = if m == 12 { Day::from_ymd(y + 1, 1, 1) } else { Day::from_ymd(y, m + 1, 1) };
        let Some(next) = next else { continue };
        decoded.newest = decoded.newest.max(Some(next.start()));
        decoded.observations.push(stamp.observation(
            SERIES[0].series,
            "",
            first.start(),
            next.start(),
            value,
        ));
    }
    table::finish(decoded)
}

fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) || bytes.starts_with(b"PK\x03\x04")
}

type Months = (Decoded, BTreeMap<Day, f64>);

/// One row a month, one column a vintage; the newest estimate is the last cell that is filled.
fn of_matrix(payload: &Payload<'_>) -> Result<Months, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let (mut decoded, mut months) = Months::default();
    while let Some((row, record)) = table.next(&mut decoded) {
        let date = record.get(0).unwrap_or("").trim();
        let day = workbook::day_month_year(date).or_else(|| Day::parse_iso(date));
        let newest =
            record.iter().skip(1).map(str::trim).filter(|cell| !matches!(*cell, "" | "#N/A" | "NA")).last();
        let value = newest.and_then(|cell| crate::series::number(cell, -LARGEST, LARGEST));
        take(&mut decoded, &mut months, payload, row, day, newest.is_some(), value);
    }
    Ok((decoded, months))
}

fn of_workbook(payload: &Payload<'_>) -> Result<Months, Refusal> {
    let rows = workbook::rows(payload.bytes, MAX_BYTES, Some(SHEET))?;
    let (mut decoded, mut months) = Months::default();
    for (i, cells) in rows.iter().enumerate() {
        // Titles and blank rows precede the table; a row counts from where its first cell is a date.
        let Some(day) = workbook::day(cells.first()) else { continue };
        decoded.seen += 1;
        let present = cells.get(1).is_some_and(|c| *c != calamine::Data::Empty);
        let value = workbook::number(cells.get(1), -LARGEST, LARGEST);
        take(&mut decoded, &mut months, payload, i as u64 + 1, Some(day), present, value);
    }
    Ok((decoded, months))
}

fn take(
    decoded: &mut Decoded,
    months: &mut BTreeMap<Day, f64>,
    payload: &Payload<'_>,
    row: u64,
    day: Option<Day>,
    present: bool,
    value: Option<f64>,
) {
    let month = day.and_then(|d| {
        let (y, m, _) = d.ymd();
        Day::from_ymd(y, m, 1)
    });
    let Some(month) = month.filter(|m| crate::series::is_plausible(*m, payload)) else {
        return decoded.reject(row, "date");
    };
    let Some(value) = value else {
        return decoded.reject(row, if present { "number" } else { "missing" });
    };
    match months.insert(month, value) {
        None => decoded.accepted += 1,
        Some(before) => {
            months.insert(month, before);
            decoded.duplicates += 1;
        }
    }
}

fn sources(_: Timestamp, _: &FileMemory) -> Vec<Source> {
    let source = Source::new("gscpi", URLS[0], HOSTS, MAX_BYTES);
    vec![Source { urls: URLS.map(str::to_owned).to_vec(), keeps: 0.95, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbook::tests::workbook;

    fn run(bytes: &[u8]) -> Result<Decoded, Refusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload { name: "gscpi", bytes, fetched_at, last_modified: None })
    }

    fn values(decoded: &Decoded) -> Vec<(String, f64)> {
        decoded.observations.iter().map(|o| (o.period_end.day().to_string(), o.value)).collect()
    }

    #[test]
    fn the_newest_vintage_of_each_month() {
        let text = "\u{feff}Date,44592,44620,46234\n30-Sep-1997,-0.66,-0.68,-0.71\n,,,\n31-Jul-2026,#N/A,#N/A,0.94\n\
                    31-Aug-2026,#N/A,#N/A,#N/A\n30-Feb-2026,1,1,1\n31-Dec-2025,1,1,99\n";
        let decoded = run(text.as_bytes()).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted), (5, 2));
        assert_eq!(values(&decoded), [("1997-10-01".to_owned(), -0.71), ("2026-08-01".to_owned(), 0.94)]);
        assert_eq!(decoded.rejected.len(), 3);
    }

    #[test]
    fn the_workbook_says_the_same() {
        let book = workbook(
            SHEET,
            &[&["Source: NY Fed"], &["Date", "GSCPI"], &["31-Jul-2026", "0.94"], &["31-Dec-2025", "x"]],
        );
        let decoded = run(&book).unwrap();
        assert_eq!((decoded.seen, decoded.accepted, decoded.rejected["number"]), (2, 1, 1));
        assert_eq!(values(&decoded), [("2026-08-01".to_owned(), 0.94)]);
    }

    #[test]
    fn the_real_workbook_is_binary_whatever_it_is_called() {
        let files = crate::real_data::files("gscpi");
        if files.is_empty() {
            println!("skipped: no real data");
        }
        for file in files {
            let decoded = run(&std::fs::read(file).unwrap()).unwrap();
            assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{:?}", decoded.rejected);
            assert!(decoded.accepted > 300, "{}", decoded.accepted);
            assert_eq!(decoded.observations[0].period_start.to_string(), "1998-01-01T00:00:00Z");
            assert!((decoded.observations[0].value + 1.0896505608131581).abs() < 1e-9);
        }
    }
}
