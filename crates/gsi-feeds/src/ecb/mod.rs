//! Daily euro reference rates of the European Central Bank: units of a currency for one euro.

use crate::files::{FileFeed, FileMemory, Source};
use crate::series::{self, Stamp};
use crate::table::{self, Table};
use crate::{Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, Pillar, Refusal, Timestamp};
use std::collections::BTreeMap;

pub const FEED: FileFeed = FileFeed { origin: &ORIGIN, series: &SERIES, decode, sources };

static ORIGIN: Origin = Origin {
    feed: "ecb",
    title: "ECB euro reference rates",
    publisher: "European Central Bank",
    homepage: "https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Free reuse with source", republish: true, note: "Informational rates." },
    attribution: "Source: ECB",
    poll_every: 3 * HOUR,
    warn_after: 4 * DAY,
    stale_after: 5 * DAY,
    default_on: true,
};

const fn rate(series: &'static str) -> SeriesSpec {
    SeriesSpec { series, unit: "per EUR", cadence: DAY, publication_lag: 0, business_days: true }
}

/// The basket of the method, by currency.
static SERIES: [SeriesSpec; 9] = [
    rate("ecb.usd"),
    rate("ecb.jpy"),
    rate("ecb.gbp"),
    rate("ecb.cny"),
    rate("ecb.inr"),
    rate("ecb.brl"),
    rate("ecb.mxn"),
    rate("ecb.zar"),
    rate("ecb.try"),
];
const CURRENCIES: [&str; 9] = ["USD", "JPY", "GBP", "CNY", "INR", "BRL", "MXN", "ZAR", "TRY"];

const HOSTS: &[&str] = &["data-api.ecb.europa.eu"];
/// Nine currencies over ten years: 1.8 MB.
const MAX_BYTES: usize = 16 << 20;
/// Rupees and yen are in the hundreds; nothing in the basket is beyond.
const LARGEST: f64 = 100_000.0;
/// A fixing that moves further in a day is a slip, not a market.
const LARGEST_STEP: f64 = 0.30;
const HISTORY_DAYS: i32 = 11 * 366;
const RECENT_DAYS: i32 = 45;
const HISTORY: &str = "history.csv";

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, Refusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let (currency, date, value) =
        (table.require("CURRENCY")?, table.require("TIME_PERIOD")?, table.require("OBS_VALUE")?);
    let stamp = Stamp::of(ORIGIN.feed, payload);
    let mut decoded = Decoded::default();
    let mut rates: BTreeMap<(usize, Day), (u64, f64)> = BTreeMap::new();
    while let Some((row, record)) = table.next(&mut decoded) {
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        let Some(which) = CURRENCIES.iter().position(|c| *c == cell(currency)) else {
            decoded.reject(row, "code");
            continue;
        };
        let Some(day) = Day::parse_iso(cell(date)).filter(|d| series::is_plausible(*d, payload)) else {
            decoded.reject(row, "date");
            continue;
        };
        let Some(value) = series::number(cell(value), f64::MIN_POSITIVE, LARGEST) else {
            decoded.reject(row, if cell(value).is_empty() { "missing" } else { "number" });
            continue;
        };
        match rates.insert((which, day), (row, value)) {
            None => {}
            Some(before) if before.1 == value => decoded.duplicates += 1,
            Some(before) => {
                rates.insert((which, day), before);
                decoded.reject(row, "conflict");
            }
        }
    }
    let mut last: Option<(usize, f64)> = None;
    for ((which, day), (row, value)) in rates {
        let jump = last.is_some_and(|(w, before)| w == which && (value / before - 1.0).abs() > LARGEST_STEP);
        if jump {
            decoded.reject(row, "jump");
            continue;
        }
        last = Some((which, value));
        decoded.accepted += 1;
        series::note_newest(&mut decoded, day);
        decoded.observations.push(stamp.daily(SERIES[which].series, day, value));
    }
    table::finish(decoded)
}

/// The whole history once, then the last weeks.
fn sources(now: Timestamp, memory: &FileMemory) -> Vec<Source> {
    let (name, days) =
        if memory.has(HISTORY) { ("recent.csv", RECENT_DAYS) } else { (HISTORY, HISTORY_DAYS) };
    let url = format!(
        "https://data-api.ecb.europa.eu/service/data/EXR/D.{}.EUR.SP00.A?format=csvdata&detail=dataonly&startPeriod={}",
        CURRENCIES.join("+"),
        now.day().plus(-days)
    );
    vec![Source { accept: "text/csv", ..Source::new(name, url, HOSTS, MAX_BYTES) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixings_are_checked_against_the_day_before() {
        let text = "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE\n\
            k,D,USD,EUR,SP00,A,2026-11-12,1.08\nk,D,USD,EUR,SP00,A,2026-11-13,1.09\nk,D,USD,EUR,SP00,A,2026-11-13,1.09\n\
            k,D,USD,EUR,SP00,A,2026-11-13,2\nk,D,JPY,EUR,SP00,A,2026-11-12,160\nk,D,JPY,EUR,SP00,A,2026-11-13,16\n\
            k,D,XXX,EUR,SP00,A,2026-11-13,1\nk,D,GBP,EUR,SP00,A,13.11.2026,1\nk,D,GBP,EUR,SP00,A,2026-11-13,\n\
            k,D,GBP,EUR,SP00,A,2026-11-12,-1\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload { name: HISTORY, bytes: text.as_bytes(), fetched_at, last_modified: None };
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (3, 1));
        let want = [("code", 1), ("conflict", 1), ("date", 1), ("jump", 1), ("missing", 1), ("number", 1)];
        assert!(decoded.rejected.iter().map(|(k, v)| (k.as_str(), *v)).eq(want), "{:?}", decoded.rejected);
    }
}
