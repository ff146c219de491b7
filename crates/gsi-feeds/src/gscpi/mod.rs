//! The New York Fed's Global Supply Chain Pressure Index, monthly, as a matrix of vintages or as a workbook.

use crate::files::{self, FileMemory, Source};
use crate::series::Stamp;
use crate::table::{self, Table};
use crate::{Connector, Fetcher, Payload, PollFuture, SeriesSpec, unpack, workbook};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub struct Gscpi;
pub const FEED: Gscpi = Gscpi;

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

/// Every vintage of every month, each known from its own release on; of a workbook, the newest.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let months = if is_workbook(payload.bytes) { of_workbook(payload)? } else { of_matrix(payload)? };
    let (mut decoded, values) = months;
    let stamp = Stamp::of(ORIGIN.feed, payload);
    for (first, vintages) in values {
        let (y, m, _) = first.ymd();
        let next = if m == 12 { Day::from_ymd(y + 1, 1, 1) } else { Day::from_ymd(y, m + 1, 1) };
        let Some(next) = next else { continue };
        decoded.newest = decoded.newest.max(Some(next.start()));
        let mut before = None;
        for (released, value) in vintages {
            // A release that says the same again is no news.
            if before.replace(value) == Some(value) {
                continue;
            }
            let mut vintage = stamp.observation(SERIES[0].series, "", first.start(), next.start(), value);
            let known = released.map_or(vintage.known_at, |day| day.end().plus(SERIES[0].publication_lag));
            vintage.known_at = vintage.known_at.min(known);
            decoded.observations.push(vintage);
        }
    }
    // Release by release, so that the values of one period are not next to each other.
    decoded.observations.sort_by_key(|o| o.known_at);
    table::finish(decoded)
}

fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) || bytes.starts_with(b"PK\x03\x04")
}

/// The month end that a release is named after, if it says, and its estimate; oldest first.
type Vintages = Vec<(Option<Day>, f64)>;
type Months = (Decoded, BTreeMap<Day, Vintages>);

/// Days in a spreadsheet's count before 1970.
const EXCEL_EPOCH: i32 = 25_569;

/// One row a month, one column a vintage.
fn of_matrix(payload: &Payload<'_>) -> Result<Months, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let (mut decoded, mut months) = Months::default();
    let named: Vec<Option<Day>> = table.header().iter().map(|name| release(name, payload)).collect();
    // Columns whose releases cannot be told apart in time say no more than the newest of them.
    let told = named.len() > 1 && named[1..].iter().all(Option::is_some) && named[1..].is_sorted();
    while let Some((row, record)) = table.next(&mut decoded) {
        let date = record.get(0).unwrap_or("").trim();
        let day = workbook::day_month_year(date).or_else(|| Day::parse_iso(date));
        let cells = record.iter().enumerate().skip(1).map(|(i, cell)| (i, cell.trim()));
        let filled: Vec<_> = cells.filter(|(_, cell)| !matches!(*cell, "" | "#N/A" | "NA")).collect();
        let value = |(i, cell): &(usize, &str)| {
            let value = crate::series::number(cell, -LARGEST, LARGEST)?;
            Some((named.get(*i).copied().flatten(), value))
        };
        let read = if told { &filled[..] } else { &filled[filled.len().saturating_sub(1)..] };
        let vintages: Option<Vintages> = read.iter().map(value).collect();
        let vintages = vintages.filter(|v| !v.is_empty());
        take(&mut decoded, &mut months, payload, row, day, !filled.is_empty(), vintages);
    }
    Ok((decoded, months))
}

/// A column's name as the day it stands for: a spreadsheet's number of a month's last day.
fn release(name: &str, payload: &Payload<'_>) -> Option<Day> {
    let day = Day(name.trim().parse::<i32>().ok()?.checked_sub(EXCEL_EPOCH)?);
    // Named after the month it covers, which is over when it is released.
    (day >= crate::series::FIRST_DAY && day <= payload.fetched_at.day()).then_some(day)
}

fn of_workbook(payload: &Payload<'_>) -> Result<Months, Refusal> {
    let rows = workbook::rows(payload.bytes, MAX_BYTES, Some(SHEET))?;
    let (mut decoded, mut months) = Months::default();
    for (i, cells) in rows.iter().enumerate() {
        // Titles and blank rows precede the table; a row counts from where its first cell is a date.
        let Some(day) = workbook::day(cells.first()) else { continue };
        decoded.seen += 1;
        let present = cells.get(1).is_some_and(|c| *c != calamine::Data::Empty);
        let value = workbook::number(cells.get(1), -LARGEST, LARGEST).map(|value| vec![(None, value)]);
        take(&mut decoded, &mut months, payload, i as u64 + 1, Some(day), present, value);
    }
    Ok((decoded, months))
}

fn take(
    decoded: &mut Decoded,
    months: &mut BTreeMap<Day, Vintages>,
    payload: &Payload<'_>,
    row: u64,
    day: Option<Day>,
    present: bool,
    vintages: Option<Vintages>,
) {
    let month = day.and_then(|d| {
        let (y, m, _) = d.ymd();
        Day::from_ymd(y, m, 1)
    });
    let Some(month) = month.filter(|m| crate::series::is_plausible(*m, payload)) else {
        return decoded.reject(row, "date");
    };
    let Some(vintages) = vintages else {
        return decoded.reject(row, if present { "number" } else { "missing" });
    };
    match months.insert(month, vintages) {
        None => decoded.accepted += 1,
        Some(before) => {
            months.insert(month, before);
            decoded.duplicates += 1;
        }
    }
}

fn sources() -> Vec<Source> {
    let source = Source::new("gscpi", URLS[0], HOSTS, MAX_BYTES);
    vec![Source { urls: URLS.map(str::to_owned).to_vec(), keeps: 0.95, ..source }]
}

#[derive(Default, Serialize, Deserialize)]
struct Memory {
    #[serde(flatten)]
    files: FileMemory,
    /// When the newest vintage that was taken became known; the file repeats all before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken: Option<Timestamp>,
}

impl Connector for Gscpi {
    fn origin(&self) -> &'static Origin {
        &ORIGIN
    }

    fn series(&self) -> &'static [SeriesSpec] {
        &SERIES
    }

    fn decode(&self, payload: &Payload<'_>) -> Result<Decoded, Refusal> {
        decode(payload)
    }

    fn poll<'a>(&'a self, fetcher: &'a Fetcher, now: Timestamp, checkpoint: &'a str) -> PollFuture<'a> {
        Box::pin(async move {
            let memory: Memory = serde_json::from_str(checkpoint).unwrap_or_default();
            let mut poll = files::poll(ORIGIN.feed, &sources(), decode, fetcher, now, memory.files).await;
            let mut taken = memory.taken;
            for decoded in &mut poll.decoded {
                decoded.observations.retain(|o| memory.taken.is_none_or(|before| o.known_at > before));
                taken = taken.max(decoded.observations.iter().map(|o| o.known_at).max());
            }
            let memory = Memory { files: FileMemory::read(&poll.checkpoint), taken };
            poll.checkpoint = serde_json::to_string(&memory).unwrap_or_default();
            poll
        })
    }
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
    fn every_vintage_is_known_from_its_release_on() {
        let text = "Date,44592,44620,46234\n30-Sep-1997,-0.66,-0.66,-0.71\n31-Jul-2026,#N/A,#N/A,0.94\n";
        let decoded = run(text.as_bytes()).unwrap();
        let all: Vec<_> =
            decoded.observations.iter().map(|o| (o.value, o.known_at.day().to_string())).collect();
        let want = [(-0.66, "2022-02-07"), (-0.71, "2026-08-07"), (0.94, "2026-08-07")];
        assert_eq!(all, want.map(|(value, day)| (value, day.to_owned())));
    }

    #[test]
    fn the_newest_vintage_where_releases_are_not_told_apart() {
        let text = "\u{feff}Date,one,two,three\n30-Sep-1997,-0.66,-0.68,-0.71\n,,,\n31-Jul-2026,#N/A,#N/A,0.94\n\
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
        for file in crate::real_data::files("gscpi") {
            let decoded = run(&std::fs::read(file).unwrap()).unwrap();
            assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{:?}", decoded.rejected);
            assert!(decoded.accepted > 300, "{}", decoded.accepted);
            assert_eq!(decoded.observations[0].period_start.to_string(), "1998-01-01T00:00:00Z");
            assert!((decoded.observations[0].value + 1.0896505608131581).abs() < 1e-9);
        }
    }
}
