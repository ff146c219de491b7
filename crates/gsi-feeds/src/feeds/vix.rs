//! Cboe's volatility index. Its values belong to Cboe, so it is off by default and its values are never shown.

use crate::connector::files::PollContext;
use crate::formats::series::{decode_day_table, plausible};
use crate::formats::table::Table;
use crate::treasury::us_date;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

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
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 4 * DAY,
    stale_after_seconds: 5 * DAY,
    default_on: false,
};

static SERIES: [SeriesSpec; 1] =
    [SeriesSpec::business_daily("cboe.vix", "index points", 2 * HOUR).withheld()];

const URL: &str = "https://cdn.cboe.com/api/global/us_indices/daily_prices/VIX_History.csv";
const HOSTS: &[&str] = &["cdn.cboe.com"];
/// Since 1990: 450 KB.
const MAX_BYTES: usize = 4 << 20;
const LARGEST: f64 = 500.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let table = Table::open(&body)?;
    let [date, close] = table.require_all(["DATE", "CLOSE"])?;
    decode_day_table(&ORIGIN, payload, table, |row| {
        // The publisher writes MM/DD/YYYY; copies of the table carry ISO dates.
        let date = row.cell(date);
        let day = plausible(us_date(date).or_else(|| Day::parse_iso(date)), payload)?;
        let close = row.number(close, f64::MIN_POSITIVE..=LARGEST).map_err(|_| Reject::Number)?;
        Ok((day, day, [(SERIES[0].series, close)]))
    })
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    let source = FileSource::new("VIX_History.csv", URL, HOSTS, MAX_BYTES);
    vec![FileSource { accept: "text/csv", keeps: 0.98, grows: true, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes() {
        let text = "DATE,OPEN,HIGH,LOW,CLOSE\n01/02/1990,17.24,17.24,17.24,17.240000\n13/02/1990,1,1,1,1\n01/03/1990,1,1,1,0\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload::new("VIX_History.csv", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!(
            (decoded.accepted, decoded.rejected[&Reject::Date], decoded.rejected[&Reject::Number]),
            (1, 1, 1)
        );
        assert_eq!(decoded.observations[0].value, 17.24);
    }
}
