//! Daily euro reference rates of the European Central Bank: units of a currency for one euro.

use crate::connector::files::PollContext;
use crate::formats::series::{ObservationStamp, iso_day, note_newest};
use crate::formats::table::{self, Table, TableRow};
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};
use std::collections::BTreeMap;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "ecb",
    title: "ECB euro reference rates",
    publisher: "European Central Bank",
    homepage: "https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Free reuse with source", republish: true, note: "Informational rates." },
    attribution: "Source: ECB",
    poll_every_seconds: 3 * HOUR,
    warn_after_seconds: 4 * DAY,
    stale_after_seconds: 5 * DAY,
    default_on: true,
};

const fn rate(series: &'static str) -> SeriesSpec {
    SeriesSpec::business_daily(series, "per EUR", 0)
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
/// Rupees and yen are in the hundreds, and no currency of the basket has a higher rate.
const LARGEST: f64 = 100_000.0;
/// A fixing that moves further in a day is a typing error, not a market move.
const LARGEST_STEP: f64 = 0.30;
const HISTORY_DAYS: i32 = 11 * 366;
const RECENT_DAYS: i32 = 45;
const HISTORY: &str = "history.csv";

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let mut table = Table::open(&body)?;
    let [currency, date, value] = table.require_all(["CURRENCY", "TIME_PERIOD", "OBS_VALUE"])?;
    let mut rates: BTreeMap<(usize, Day), f64> = BTreeMap::new();
    let mut read = |row: TableRow<'_>| {
        let which = CURRENCIES.iter().position(|c| *c == row.cell(currency)).ok_or(Reject::Code)?;
        let day = iso_day(row.cell(date), payload)?;
        let rate = row.number(value, f64::MIN_POSITIVE..=LARGEST)?;
        match rates.get(&(which, day)) {
            Some(before) if *before != rate => return Err(Reject::Conflict),
            Some(_) => return Ok(false),
            None => rates.insert((which, day), rate),
        };
        Ok(true)
    };
    let mut decoded = Decoded::default();
    while let Some(row) = table.next() {
        decoded.take(row.and_then(&mut read), |is_new| *is_new);
    }
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut last: Option<(usize, f64)> = None;
    for ((which, day), rate) in rates {
        if last.is_some_and(|(w, before)| w == which && (rate / before - 1.0).abs() > LARGEST_STEP) {
            // Such an error shows only in comparison with the day before.
            decoded.accepted -= 1;
            decoded.reject(Reject::Jump);
            continue;
        }
        last = Some((which, rate));
        note_newest(&mut decoded, day);
        decoded.observations.push(stamp.observe_day(SERIES[which].series, day, rate));
    }
    table::finish(decoded)
}

/// Requests the whole history once, then the last weeks.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    let (name, days) =
        if context.checkpoint.has(HISTORY) { ("recent.csv", RECENT_DAYS) } else { (HISTORY, HISTORY_DAYS) };
    let url = format!(
        "https://data-api.ecb.europa.eu/service/data/EXR/D.{}.EUR.SP00.A?format=csvdata&detail=dataonly&startPeriod={}",
        CURRENCIES.join("+"),
        context.now.day().plus(-days)
    );
    vec![FileSource { accept: "text/csv", ..FileSource::new(name, url, HOSTS, MAX_BYTES) }]
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
        let payload = Payload::new(HISTORY, text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates), (3, 1));
        let want = [("code", 1), ("conflict", 1), ("date", 1), ("jump", 1), ("missing", 1), ("number", 1)];
        assert!(decoded.rejected.iter().map(|(k, v)| (k.key(), *v)).eq(want), "{:?}", decoded.rejected);
    }
}
