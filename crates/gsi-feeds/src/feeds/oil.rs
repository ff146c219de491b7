//! Spot prices of crude oil and natural gas: EIA's daily tables, from a public mirror of plain CSV files.

use crate::connector::files::PollContext;
use crate::formats::series::{decode_day_table, iso_day};
use crate::formats::table::Table;
use crate::refusal::refuse;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject};
use std::collections::BTreeMap;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "oil",
    title: "EIA spot prices: Brent, WTI, Henry Hub",
    publisher: "U.S. Energy Information Administration",
    homepage: "https://www.eia.gov/dnav/pet/pet_pri_spt_s1_d.htm",
    pillar: Some(Pillar::SupplyChain),
    licence: Licence { name: "Public domain", republish: true, note: "Mirror under the PDDL." },
    attribution: "Source: U.S. Energy Information Administration",
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 9 * DAY,
    stale_after_seconds: 12 * DAY,
    default_on: true,
};

const fn price(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec::business_daily(series, unit, 3 * DAY)
}

static SERIES: [SeriesSpec; 3] =
    [price("eia.brent", "USD/bbl"), price("eia.wti", "USD/bbl"), price("eia.henry_hub", "USD/MMBtu")];

const HOSTS: &[&str] = &["raw.githubusercontent.com"];
/// Forty years of days are 170 KB.
const MAX_BYTES: usize = 4 << 20;
/// The extremes so far are WTI at -36.98 in April 2020, gas at 23.86 and oil at 147.
const PRICE_RANGE: std::ops::RangeInclusive<f64> = -200.0..=1_000.0;

/// The publisher's file names and their series.
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

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let Some((_, series, _)) = FILES.iter().find(|(name, ..)| *name == payload.name) else {
        return refuse(RefusalCode::Schema, "the file name says neither brent, wti nor henry hub");
    };
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let table = Table::open(&body)?;
    let [date, price] = table.require_all(["Date", "Price"])?;
    let mut prices = BTreeMap::new();
    decode_day_table(&ORIGIN, payload, table, |row| {
        row.check_width(2)?;
        let day = iso_day(row.cell(date), payload)?;
        let price = row.number(price, PRICE_RANGE)?;
        // Of two prices for one day the first counts, and the second is rejected.
        if *prices.entry(day).or_insert(price) != price {
            return Err(Reject::Conflict);
        }
        Ok((day, day, [(*series, price)]))
    })
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    let published = FILES.iter().filter(|(_, _, url)| !url.is_empty());
    let source = |(name, _, url): &(&str, &str, &str)| {
        let source = FileSource::new(*name, *url, HOSTS, MAX_BYTES);
        FileSource { accept: "text/csv, text/plain", keeps: 0.98, grows: true, ..source }
    };
    published.map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload<'a>(name: &'a str, text: &'a str) -> Payload<'a> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        Payload::new(name, text.as_bytes(), fetched_at)
    }

    #[test]
    fn rows_are_accepted_or_counted_as_rejected() {
        let text = "Date,Price\n2020-04-17,18.31\n2020-04-20,-36.98\n2020-04-20,-36.98\n2020-04-20,5\n\
                    2020-13-01,1\n2020-04-21,\n2020-04-22,nan\n2020-04-23,1e9\n2026-12-24,70\n2020-04-24,1,2\n<b>,1\n";
        let decoded = decode(&payload("wti-daily.csv", text)).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (11, 2, 1));
        let want = [("columns", 1), ("conflict", 1), ("date", 3), ("missing", 1), ("number", 2)];
        assert!(decoded.rejected.iter().map(|(k, v)| (k.key(), *v)).eq(want), "{:?}", decoded.rejected);
        let last = decoded.observations.last().unwrap();
        assert_eq!((last.series.as_str(), last.value), ("eia.wti", -36.98));
        assert_eq!(last.period_end.to_string(), "2020-04-21T00:00:00Z");
        assert_eq!(decoded.newest, Some(last.period_end));
    }

    #[test]
    fn other_files_are_refused() {
        let check = |name: &str, text: &str, code: &str| {
            assert_eq!(decode(&payload(name, text)).unwrap_err().code.key(), code, "{name}: {text}");
        };
        check("gold.csv", "Date,Price\n2020-01-01,1\n", "schema");
        check("brent-daily.csv", "Date,Close\n2020-01-01,1\n", "schema");
        check("brent-daily.csv", "", "empty");
        check("brent-daily.csv", "Date,Price\n", "empty");
        check("brent-daily.csv", "Date,Price\nx,y\n", "no_valid_rows");
    }
}
