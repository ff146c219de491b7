//! The ECB's Composite Indicator of Systemic Stress, recorded to compare the service with. No score uses it: each release
//! recomputes its whole history, so it is no record of what was known at the time.

use crate::connector::files::PollContext;
use crate::formats::series::{decode_day_table, iso_day};
use crate::formats::table::Table;
use crate::{Feed, FileSource, Payload, SeriesSpec, unpack};
use gsi_model::{DAY, Decoded, HOUR, Licence, Origin, PayloadRefusal, Reject};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "ciss",
    title: "ECB Composite Indicator of Systemic Stress",
    publisher: "European Central Bank",
    homepage: "https://data.ecb.europa.eu/data/datasets/CISS",
    pillar: None,
    licence: Licence { name: "Free reuse with source", republish: true, note: "" },
    attribution: "Source: ECB",
    poll_every_seconds: 12 * HOUR,
    warn_after_seconds: 8 * DAY,
    stale_after_seconds: 16 * DAY,
    default_on: false,
};

const fn stress(series: &'static str) -> SeriesSpec {
    SeriesSpec::business_daily(series, "index", 3 * DAY)
}

static SERIES: [SeriesSpec; 4] = [stress("ciss.u2"), stress("ciss.us"), stress("ciss.gb"), stress("ciss.cn")];
/// Areas in the order of [`SERIES`]: the euro area, the United States, the United Kingdom and China.
const AREAS: [&str; 4] = ["U2", "US", "GB", "CN"];

const HOSTS: &[&str] = &["data-api.ecb.europa.eu"];
/// Four areas over eleven years: 1 MB.
const MAX_BYTES: usize = 16 << 20;
const HISTORY_DAYS: i32 = 11 * 366;
/// The old key returns status 200, but its data stopped in May 2025.
const DATA_TYPE: &str = "SS_CIN";

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let table = Table::open(&body)?;
    let [area, kind, date, value] =
        table.require_all(["REF_AREA", "PROVIDER_FM_ID", "TIME_PERIOD", "OBS_VALUE"])?;
    decode_day_table(&ORIGIN, payload, table, |row| {
        let which = AREAS.iter().position(|a| *a == row.cell(area));
        let which = which.filter(|_| row.cell(kind) == DATA_TYPE).ok_or(Reject::Code)?;
        let day = iso_day(row.cell(date), payload)?;
        Ok(((which, day), day, [(SERIES[which].series, row.number(value, 0.0..=1.0)?)]))
    })
}

fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    // The start moves by whole years, so that the address seldom changes.
    let (year, ..) = context.now.day().plus(-HISTORY_DAYS).ymd();
    let url = format!(
        "https://data-api.ecb.europa.eu/service/data/CISS/D.{}.Z0Z.4F.EC.{DATA_TYPE}.IDX?format=csvdata&detail=dataonly&startPeriod={year}-01-01",
        AREAS.join("+")
    );
    vec![FileSource { accept: "text/csv", ..FileSource::new("ciss.csv", url, HOSTS, MAX_BYTES) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_updated_series_is_read() {
        let text = "KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,INSTRUMENT_FM,PROVIDER_FM_ID,DATA_TYPE_FM,TIME_PERIOD,OBS_VALUE\n\
            k,D,US,Z0Z,4F,EC,SS_CIN,IDX,2026-10-08,0.0123\nk,D,US,Z0Z,4F,EC,SS_CIN,IDX,2026-10-08,0.0123\n\
            k,D,US,Z0Z,4F,EC,SS_CI,IDX,2026-10-08,0.5\nk,D,DE,Z0Z,4F,EC,SS_CIN,IDX,2026-10-08,0.5\n\
            k,D,U2,Z0Z,4F,EC,SS_CIN,IDX,2026-10-08,1.5\nk,D,U2,Z0Z,4F,EC,SS_CIN,IDX,08/10/2026,0.5\n\
            k,D,U2,Z0Z,4F,EC,SS_CIN,IDX,2026-10-09,\n";
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        let payload = Payload::new("ciss.csv", text.as_bytes(), fetched_at);
        let decoded = decode(&payload).unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.accepted, decoded.duplicates, decoded.rejected[&Reject::Code]), (1, 1, 2));
        assert_eq!(
            (
                decoded.rejected[&Reject::Number],
                decoded.rejected[&Reject::Date],
                decoded.rejected[&Reject::Missing]
            ),
            (1, 1, 1)
        );
        assert_eq!(
            (decoded.observations[0].series.as_str(), decoded.observations[0].value),
            ("ciss.us", 0.0123)
        );
    }
}
