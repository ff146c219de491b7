//! The OFR Financial Stress Index: one number a business day, with its five categories and three regions.

use crate::connector::files::PollContext;
use crate::formats::series::{self, decode_day_table, iso_day};
use crate::formats::table::Table;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "ofr",
    title: "OFR Financial Stress Index",
    publisher: "Office of Financial Research, U.S. Department of the Treasury",
    homepage: "https://www.financialresearch.gov/financial-stress-index/",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Public domain", republish: true, note: "" },
    attribution: "Source: Office of Financial Research",
    poll_every_seconds: 3 * HOUR,
    warn_after_seconds: 6 * DAY,
    stale_after_seconds: 7 * DAY,
    default_on: true,
};

const fn stress(series: &'static str) -> SeriesSpec {
    SeriesSpec::business_daily(series, "index", 2 * DAY)
}

static SERIES: [SeriesSpec; 9] = [
    stress("ofr.fsi"),
    stress("ofr.credit"),
    stress("ofr.equity_valuation"),
    stress("ofr.safe_assets"),
    stress("ofr.funding"),
    stress("ofr.volatility"),
    stress("ofr.united_states"),
    stress("ofr.other_advanced_economies"),
    stress("ofr.emerging_markets"),
];

/// Column headings in the order of [`SERIES`].
const COLUMNS: [&str; 9] = [
    "OFR FSI",
    "Credit",
    "Equity valuation",
    "Safe assets",
    "Funding",
    "Volatility",
    "United States",
    "Other advanced economies",
    "Emerging markets",
];
const CATEGORIES: std::ops::Range<usize> = 1..6;

const URL: &str = "https://www.financialresearch.gov/financial-stress-index/data/fsi.csv";
const HOSTS: &[&str] = &["www.financialresearch.gov"];
/// The whole history since 2000 is half a megabyte.
const MAX_BYTES: usize = 8 << 20;
/// The index reached 29 in 2008.
const LARGEST: f64 = 100.0;
/// Parts are published with three decimals each, so their sum is off by a few thousandths.
const SUM_TOLERANCE: f64 = 0.02;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let table = Table::open(&body)?;
    let (date, columns) = (table.require("Date")?, table.require_all(COLUMNS)?);
    let width = table.header().len();
    decode_day_table(&ORIGIN, payload, table, |row| {
        row.check_width(width)?;
        let day = iso_day(row.cell(date), payload)?;
        let values = read_values(|i| row.cell(columns[i]))?;
        Ok((day, day, SERIES.iter().zip(values).filter_map(|(spec, value)| Some((spec.series, value?)))))
    })
}

/// Returns a row's values, with `None` for a blank. Values that contradict each other are rejected.
fn read_values<'a>(cell: impl Fn(usize) -> &'a str) -> Result<[Option<f64>; COLUMNS.len()], Reject> {
    let mut values = [None; COLUMNS.len()];
    for (i, value) in values.iter_mut().enumerate() {
        match cell(i) {
            "" | "NA" | "N/A" => {}
            text => *value = Some(series::number(text, -LARGEST..=LARGEST).ok_or(Reject::Number)?),
        }
    }
    let Some(index) = values[0] else { return Err(Reject::Missing) };
    // Only the categories are checked: the regions are off by up to 0.11 in the publisher's own table.
    let sum: Option<f64> = values[CATEGORIES].iter().copied().sum();
    if sum.is_some_and(|sum| (sum - index).abs() > SUM_TOLERANCE) {
        return Err(Reject::Checksum);
    }
    Ok(values)
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    let source = FileSource::new("fsi.csv", URL, HOSTS, MAX_BYTES);
    vec![FileSource { accept: "text/csv, text/plain", keeps: 0.98, grows: true, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,Volatility,United States,Other advanced economies,Emerging markets\n";

    fn run(text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new("fsi.csv", text.as_bytes(), fetched_at))
    }

    #[test]
    fn rows_add_up_or_are_rejected() {
        let check = |row: &str, want: &str| {
            let good = "2000-01-03,2.14,0.54,-0.051,0.67,0.472,0.509,1.769,0.521,-0.15\n";
            let decoded = run(&format!("{HEADER}{good}{row}\n")).unwrap();
            assert!(decoded.is_balanced());
            let reason = decoded.rejected.keys().next().map_or("", |r| r.key());
            assert_eq!(reason, want, "{row}");
        };
        check("2000-01-04,2.421,0.604,0.079,0.627,0.55,0.561,2.084,0.474,-0.137", "");
        check("2000-01-04,2.421,NA,,0.627,0.55,0.561,,0.474,-0.137", "");
        check("2000-01-04,3.5,0.604,0.079,0.627,0.55,0.561,2.084,0.474,-0.137", "checksum");
        check("2000-01-04,,0.604,0.079,0.627,0.55,0.561,2.084,0.474,-0.137", "missing");
        check("2000-01-04,inf,0.604,0.079,0.627,0.55,0.561,2.084,0.474,-0.137", "number");
        check("01/04/2000,2.421,0.604,0.079,0.627,0.55,0.561,2.084,0.474,-0.137", "date");
        check("2000-01-04,2.421,0.604", "columns");
    }

    #[test]
    fn series_follow_the_header_not_the_position() {
        let text = "Volatility,Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,United States,Other advanced economies,Emerging markets\n\
                    0.509,2000-01-03,2.14,0.54,-0.051,0.67,0.472,1.769,0.521,-0.15\n";
        let decoded = run(text).unwrap();
        let volatility = decoded.observations.iter().find(|o| o.series == "ofr.volatility").unwrap();
        assert_eq!((volatility.value, decoded.observations.len()), (0.509, 9));
        assert_eq!(run(&HEADER.replace("Funding", "Funds")).unwrap_err().code.key(), "schema");
    }
}
