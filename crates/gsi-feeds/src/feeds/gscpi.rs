//! The New York Fed's Global Supply Chain Pressure Index, monthly, as a matrix of vintages or as a workbook.

use crate::connector::files::{self, FileCheckpoint, read_checkpoint, write_checkpoint};
use crate::formats::series::{self, ObservationStamp, plausible};
use crate::formats::table::{self, Table, TableRow};
use crate::formats::workbook;
use crate::{Feed, Fetcher, FileSource, Payload, Poll, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub const FEED: Feed = Feed::polled(&ORIGIN, &SERIES, HOSTS, decode, |fetcher, now, checkpoint| {
    Box::pin(poll(fetcher, now, checkpoint))
});

static ORIGIN: Origin = Origin {
    feed: "gscpi",
    title: "Global Supply Chain Pressure Index",
    publisher: "Federal Reserve Bank of New York",
    homepage: "https://www.newyorkfed.org/research/policy/gscpi",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "NY Fed terms of use", republish: true, note: "Attribution required." },
    attribution: "Source: Federal Reserve Bank of New York, Global Supply Chain Pressure Index",
    poll_every_seconds: 12 * HOUR,
    warn_after_seconds: 45 * DAY,
    stale_after_seconds: 50 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] =
    [SeriesSpec { cadence: 31 * DAY, ..SeriesSpec::daily("nyfed.gscpi", "standard deviations", 6 * DAY) }];

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

/// Decodes every vintage of every month, each known from its own release on. A workbook has only the newest vintage.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let months = if is_workbook(payload.bytes) { read_workbook(payload)? } else { read_matrix(payload)? };
    let (mut decoded, values) = months;
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    for (month, vintages) in values {
        let (start, end) = (month.start(), month.month_start(1).start());
        decoded.newest = decoded.newest.max(Some(end));
        let mut before = None;
        for (released, value) in vintages {
            // A release that repeats the value is no new vintage.
            if before.replace(value) == Some(value) {
                continue;
            }
            let mut vintage = stamp.observe(SERIES[0].series, start, end, value);
            let known = released.map_or(vintage.known_at, |day| day.end().plus(SERIES[0].publication_lag));
            vintage.known_at = vintage.known_at.min(known);
            decoded.observations.push(vintage);
        }
    }
    // In order of release, so each observation follows those that were known before it.
    decoded.observations.sort_by_key(|o| o.known_at);
    table::finish(decoded)
}

fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) || bytes.starts_with(b"PK\x03\x04")
}

/// The day that each release is named after, if it has one, and its estimate, oldest first.
type MonthVintages = Vec<(Option<Day>, f64)>;
type Months = (Decoded, BTreeMap<Day, MonthVintages>);

/// The first of January 1970 in a spreadsheet's count of days.
const EXCEL_EPOCH: i32 = 25_569;

/// Reads the table with one row per month and one column per vintage.
fn read_matrix(payload: &Payload<'_>) -> Result<Months, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let named: Vec<Option<Day>> = table.header().iter().map(|name| release(name, payload)).collect();
    // Without release dates in the header only the newest vintage can be used.
    let is_dated = named.len() > 1 && named[1..].iter().all(Option::is_some) && named[1..].is_sorted();
    let read = |row: TableRow<'_>| {
        let date = row.cell(0);
        let month = month(workbook::day_month_year(date).or_else(|| Day::parse_iso(date)), payload)?;
        let cells = row.cells().enumerate().skip(1);
        let filled: Vec<_> = cells.filter(|(_, cell)| !matches!(*cell, "" | "#N/A" | "NA")).collect();
        let read = if is_dated { &filled[..] } else { &filled[filled.len().saturating_sub(1)..] };
        let value = |(i, cell): &(usize, &str)| {
            let value = series::number(cell, -LARGEST..=LARGEST).ok_or(Reject::Number)?;
            Ok((named.get(*i).copied().flatten(), value))
        };
        let vintages: MonthVintages = read.iter().map(value).collect::<Result<_, _>>()?;
        if vintages.is_empty() { Err(Reject::Missing) } else { Ok((month, vintages)) }
    };
    let (mut decoded, mut months) = Months::default();
    while let Some(row) = table.next() {
        months.extend(decoded.take(row.and_then(read), |(month, _)| !months.contains_key(month)));
    }
    Ok((decoded, months))
}

/// Returns the first day of the month of a date.
fn month(day: Option<Day>, payload: &Payload<'_>) -> Result<Day, Reject> {
    plausible(day.map(|day| day.month_start(0)), payload)
}

/// Parses a column's name: the last day of a month as a spreadsheet's number.
fn release(name: &str, payload: &Payload<'_>) -> Option<Day> {
    let day = Day(name.trim().parse::<i32>().ok()?.checked_sub(EXCEL_EPOCH)?);
    // A release is named after the month it covers, which is over at the release.
    (series::FIRST_DAY..=payload.fetched_at.day()).contains(&day).then_some(day)
}

fn read_workbook(payload: &Payload<'_>) -> Result<Months, PayloadRefusal> {
    let sheet = workbook::read(payload.bytes, MAX_BYTES, Some(SHEET))?;
    let (mut decoded, mut months) = Months::default();
    for row in sheet.rows() {
        // Titles and blank rows precede the table, so only rows with a date in their first cell count.
        let Some(day) = workbook::day(row.cell(0)) else { continue };
        let read = month(Some(day), payload).and_then(|month| match row.cell(1) {
            None => Err(Reject::Missing),
            cell => {
                let value = workbook::number(cell, -LARGEST..=LARGEST).ok_or(Reject::Number)?;
                Ok((month, vec![(None, value)]))
            }
        });
        months.extend(decoded.take(read, |(month, _)| !months.contains_key(month)));
    }
    Ok((decoded, months))
}

fn sources() -> Vec<FileSource> {
    let source = FileSource::new("gscpi", URLS[0], HOSTS, MAX_BYTES);
    vec![FileSource { urls: URLS.map(str::to_owned).to_vec(), keeps: 0.95, ..source }]
}

#[derive(Default, Serialize, Deserialize)]
struct GscpiCheckpoint {
    #[serde(flatten)]
    files: FileCheckpoint,
    /// When the newest accepted vintage became known. The file repeats all earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken: Option<Timestamp>,
}

async fn poll(fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let GscpiCheckpoint { files, taken: before } = read_checkpoint(checkpoint);
    let mut poll = files::poll_files(ORIGIN.feed, &sources(), decode, fetcher, now, files).await;
    let mut taken = before;
    for decoded in &mut poll.decoded {
        decoded.observations.retain(|o| before.is_none_or(|before| o.known_at > before));
        taken = taken.max(decoded.observations.iter().map(|o| o.known_at).max());
    }
    let files = read_checkpoint(&poll.checkpoint);
    poll.checkpoint = write_checkpoint(&GscpiCheckpoint { files, taken });
    poll
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::workbook::tests::workbook;

    fn run(bytes: &[u8]) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new("gscpi", bytes, fetched_at))
    }

    fn values(decoded: &Decoded) -> Vec<(String, f64)> {
        decoded.observations.iter().map(|o| (o.period_end.day().to_string(), o.value)).collect()
    }

    #[test]
    fn every_vintage_is_known_from_its_release_on() {
        let text = "Date,44592,44620,46234\n30-Sep-1997,-0.66,-0.66,-0.71\n31-Jul-2026,#N/A,#N/A,0.94\n";
        let decoded = run(text.as_bytes()).unwrap();
        let all: Vec<_> =
            decoded.observations.iter().map(|o| (o.value, o.known_at.day().to_string())).collect();
        let want = [(-0.66, "2022-02-07"), (-0.71, "2026-08-07"), (0.94, "2026-08-07")];
        assert_eq!(all, want.map(|(value, day)| (value, day.to_owned())));
    }

    #[test]
    fn only_the_newest_vintage_counts_without_release_dates() {
        let text = "\u{feff}Date,one,two,three\n30-Sep-1997,-0.66,-0.68,-0.71\n,,,\n31-Jul-2026,#N/A,#N/A,0.94\n\
                    31-Aug-2026,#N/A,#N/A,#N/A\n30-Feb-2026,1,1,1\n31-Dec-2025,1,1,99\n";
        let decoded = run(text.as_bytes()).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted), (5, 2));
        assert_eq!(values(&decoded), [("1997-10-01".to_owned(), -0.71), ("2026-08-01".to_owned(), 0.94)]);
        assert_eq!(decoded.rejected.len(), 3);
    }

    #[test]
    fn the_workbook_gives_the_same_values() {
        let book = workbook(
            SHEET,
            &[&["Source: NY Fed"], &["Date", "GSCPI"], &["31-Jul-2026", "0.94"], &["31-Dec-2025", "x"]],
        );
        let decoded = run(&book).unwrap();
        assert_eq!((decoded.seen, decoded.accepted, decoded.rejected[&Reject::Number]), (2, 1, 1));
        assert_eq!(values(&decoded), [("2026-08-01".to_owned(), 0.94)]);
    }

    #[test]
    fn the_real_workbook_is_binary_despite_its_name() {
        for file in drills::real_data::files("gscpi") {
            let decoded = run(&std::fs::read(file).unwrap()).unwrap();
            assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{:?}", decoded.rejected);
            assert!(decoded.accepted > 300, "{}", decoded.accepted);
            assert_eq!(decoded.observations[0].period_start.to_string(), "1998-01-01T00:00:00Z");
            assert!((decoded.observations[0].value + 1.0896505608131581).abs() < 1e-9);
        }
    }
}
