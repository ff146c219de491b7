//! Daily Economic Policy Uncertainty for the United States, counted from newspapers.

use crate::connector::files::PollContext;
use crate::formats::series::{decode_day_table, plausible};
use crate::formats::table::Table;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, Reject};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "epu",
    title: "Economic Policy Uncertainty, daily, United States",
    publisher: "Baker, Bloom and Davis",
    homepage: "https://www.policyuncertainty.com/us_monthly.html",
    pillar: Some(Pillar::Macro),
    licence: Licence { name: "Free with citation", republish: true, note: "" },
    attribution: "Source: Baker, Bloom and Davis (2016), policyuncertainty.com",
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 4 * DAY,
    stale_after_seconds: 5 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 1] = [SeriesSpec::daily("epu.us", "index", 12 * HOUR)];

const URL: &str = "https://www.policyuncertainty.com/media/All_Daily_Policy_Data.csv";
const HOSTS: &[&str] = &["www.policyuncertainty.com"];
/// Forty years of days are 240 KB.
const MAX_BYTES: usize = 4 << 20;
/// The highest day so far was 1,026.
const LARGEST: f64 = 10_000.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let table = Table::open(&body)?;
    let [year, month, day, index] = table.require_all(["year", "month", "day", "daily_policy_index"])?;
    decode_day_table(&ORIGIN, payload, table, |row| {
        let part = |column: usize| row.cell(column).parse::<i16>().ok();
        // Footnotes below the table have no date.
        let day = part(year).zip(part(month)).zip(part(day)).and_then(|((year, month), day)| {
            Day::from_ymd(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
        });
        let day = plausible(day, payload)?;
        let index = row.number(index, 0.0..=LARGEST).map_err(|_| Reject::Number)?;
        Ok((day, day, [(SERIES[0].series, index)]))
    })
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    let source = FileSource::new("All_Daily_Policy_Data.csv", URL, HOSTS, MAX_BYTES);
    vec![FileSource { accept: "text/csv, text/plain", keeps: 0.98, grows: true, ..source }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_dates_and_footnotes() {
        let text = "day,month,year,daily_policy_index\n1,1,1985,103.83\n31,2,1985,1\n2,1,1985,296.43\n2,1,1985,296.43\n\
                    3,1,1985,-1\n4,1,2085,9\nNote: see the site,,,\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload::new("a.csv", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (7, 2, 1));
        assert_eq!((decoded.rejected[&Reject::Date], decoded.rejected[&Reject::Number]), (3, 1));
        assert_eq!(decoded.observations[1].period_start.to_string(), "1985-01-02T00:00:00Z");
    }
}
