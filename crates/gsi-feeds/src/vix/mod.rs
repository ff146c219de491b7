//! Cboe's volatility index. Its values belong to Cboe: off by default, and never shown raw.

use crate::files::{FileFeed, FileMemory, Source};
use crate::series::{self, Stamp};
use crate::table::{self, Table};
use crate::treasury::us_date;
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeSet;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "vix",
    title: "Cboe Volatility Index",
    publisher: "Cboe Global Markets",
    homepage: "https://www.cboe.com/tradable_products/vix/vix_historical_data/",
    pillar: Some(Pillar::Macro),
    licence: Licence {
        name: "Copyright Cboe",
        republish: false,
        note: "Only scores derived from it may be published.",
    },
    attribution: "Cboe Global Markets",
    poll_every: 6 * HOUR,
    warn_after: 4 * DAY,
    stale_after: 5 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec {
    series: "cboe.vix",
    unit: "index points",
    cadence: DAY,
    publication_lag: 2 * HOUR,
    business_days: true,
}];

const URL: &str = "https://cdn.cboe.com/api/global/us_indices/daily_prices/VIX_History.csv";
const HOSTS: &[&str] = &["cdn.cboe.com"];
/// Since 1990: 450 KB.
const MAX_BYTES: usize = 4 << 20;
const LARGEST: f64 = 500.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let (date, close) = (table.require("DATE")?, table.require("CLOSE")?);
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut days = BTreeSet::new();
    while let Some((row, record)) = table.next(&mut decoded) {
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        // The publisher writes MM/DD/YYYY; copies of the table carry ISO dates.
        let day = us_date(cell(date)).or_else(|| Day::parse_iso(cell(date)));
        let Some(day) = day.filter(|d| series::is_plausible(*d, payload)) else {
            decoded.reject(row, "date");
            continue;
        };
        let Some(value) = series::number(cell(close), f64::MIN_POSITIVE, LARGEST) else {
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
    let source = Source::new("VIX_History.csv", URL, HOSTS, MAX_BYTES);
    vec![Source { accept: "text/csv", keeps: 0.98, grows: true, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes() {
        let text = "DATE,OPEN,HIGH,LOW,CLOSE\n01/02/1990,17.24,17.24,17.24,17.240000\n13/02/1990,1,1,1,1\n01/03/1990,1,1,1,0\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload =
            Payload { name: "VIX_History.csv", bytes: text.as_bytes(), fetched_at, last_modified: None };
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.rejected["date"], decoded.rejected["number"]), (1, 1, 1));
        assert_eq!(decoded.observations[0].value, 17.24);
    }
}
