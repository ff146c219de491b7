//! Spot prices of crude oil and natural gas: EIA's daily tables, from a public mirror of plain CSV files.

use crate::files::{FileFeed, FileMemory, Source};
use crate::refusal::{self, refuse};
use crate::series::{self, Stamp};
use crate::table::{self, Table};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeMap;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "oil",
    title: "EIA spot prices: Brent, WTI, Henry Hub",
    publisher: "U.S. Energy Information Administration",
    homepage: "https://www.eia.gov/dnav/pet/pet_pri_spt_s1_d.htm",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Public domain", republish: true, note: "Mirror under the PDDL." },
    attribution: "Source: U.S. Energy Information Administration",
    poll_every: 6 * HOUR,
    warn_after: 9 * DAY,
    stale_after: 12 * DAY,
    default_on: true,
};

const fn price(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit, cadence: DAY, publication_lag: 3 * DAY, business_days: true }
}

static SERIES: [SeriesSpec; 3] =
    [price("eia.brent", "USD/bbl"), price("eia.wti", "USD/bbl"), price("eia.henry_hub", "USD/MMBtu")];

const HOSTS: &[&str] = &["raw.githubusercontent.com"];
/// Forty years of days are 170 KB.
const MAX_BYTES: usize = 4 << 20;
/// WTI closed at -36.98 in April 2020, gas at 23.86 and oil at 147 are the other ends so far.
const PRICE_RANGE: (f64, f64) = (-200.0, 1_000.0);

/// File name at the publisher and the series it holds.
const FILES: [(&str, &str, &str); 4] = [
    (
        "brent-daily.csv",
        "eia.brent",
        "https://raw.githubusercontent.com/datasets/oil-prices/main/data/brent-daily.csv",
    ),
    (
        "wti-daily.csv",
        "eia.wti",
        "https://raw.githubusercontent.com/datasets/oil-prices/main/data/wti-daily.csv",
    ),
    (
        "daily.csv",
        "eia.henry_hub",
        "https://raw.githubusercontent.com/datasets/natural-gas/main/data/daily.csv",
    ),
    ("henry-hub-daily.csv", "eia.henry_hub", ""),
];

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let Some((_, series, _)) = FILES.iter().find(|(name, ..)| *name == payload.name) else {
        return refuse(refusal::SCHEMA, "the file name says neither brent, wti nor henry hub");
    };
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let (date, price) = (table.require("Date")?, table.require("Price")?);
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut known: BTreeMap<Day, f64> = BTreeMap::new();
    while let Some((row, record)) = table.next(&mut decoded) {
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        if record.len() != 2 {
            decoded.reject(row, "columns");
            continue;
        }
        let Some(day) = Day::parse_iso(cell(date)).filter(|d| series::is_plausible(*d, payload)) else {
            decoded.reject(row, "date");
            continue;
        };
        let Some(value) = series::number(cell(price), PRICE_RANGE.0, PRICE_RANGE.1) else {
            decoded.reject(row, if cell(price).is_empty() { "missing" } else { "number" });
            continue;
        };
        match known.insert(day, value) {
            None => {
                decoded.accepted += 1;
                decoded.observations.push(stamp.daily(series, day, value));
                series::note_newest(&mut decoded, day);
            }
            Some(before) if before == value => decoded.duplicates += 1,
            Some(before) => {
                // Two prices for one day: the first stands, the contradiction is counted.
                known.insert(day, before);
                decoded.reject(row, "conflict");
            }
        }
    }
    table::finish(decoded)
}

fn sources(_: Timestamp, _: &FileMemory) -> Vec<Source> {
    let published = FILES.iter().filter(|(_, _, url)| !url.is_empty());
    let source = |name: &str, url: &str| Source::new(name, url, HOSTS, MAX_BYTES);
    published
        .map(|(name, _, url)| Source {
            accept: "text/csv, text/plain",
            keeps: 0.98,
            grows: true,
            ..source(name, url)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload<'a>(name: &'a str, text: &'a str) -> Payload<'a> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        Payload { name, bytes: text.as_bytes(), fetched_at, last_modified: None }
    }

    #[test]
    fn rows_are_taken_or_accounted_for() {
        let text = "Date,Price\n2020-04-17,18.31\n2020-04-20,-36.98\n2020-04-20,-36.98\n2020-04-20,5\n\
                    2020-13-01,1\n2020-04-21,\n2020-04-22,nan\n2020-04-23,1e9\n2026-12-24,70\n2020-04-24,1,2\n<b>,1\n";
        let decoded = decode(&payload("wti-daily.csv", text)).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (11, 2, 1));
        let want = [("columns", 1), ("conflict", 1), ("date", 3), ("missing", 1), ("number", 2)];
        assert!(decoded.rejected.iter().map(|(k, v)| (k.as_str(), *v)).eq(want), "{:?}", decoded.rejected);
        let last = decoded.observations.last().unwrap();
        assert_eq!((last.series.as_str(), last.value), ("eia.wti", -36.98));
        assert_eq!(last.period_end.to_string(), "2020-04-21T00:00:00Z");
        assert_eq!(decoded.newest, Some(last.period_end));
    }

    #[test]
    fn other_files_are_refused() {
        let check = |name: &str, text: &str, code: &str| {
            assert_eq!(decode(&payload(name, text)).unwrap_err().code, code, "{name}: {text}");
        };
        check("gold.csv", "Date,Price\n2020-01-01,1\n", "schema");
        check("brent-daily.csv", "Date,Close\n2020-01-01,1\n", "schema");
        check("brent-daily.csv", "", "empty");
        check("brent-daily.csv", "Date,Price\n", "empty");
        check("brent-daily.csv", "Date,Price\nx,y\n", "no_valid_rows");
    }
}
