//! The Geopolitical Risk index of Caldara and Iacoviello: threats and acts in ten newspapers, daily since 1985.

use crate::connector::files::PollContext;
use crate::formats::series::{ObservationStamp, note_newest, plausible};
use crate::formats::table;
use crate::formats::workbook::{self, SheetRow};
use crate::refusal::refuse;
use crate::{Feed, FileSource, Payload, SeriesSpec};
use gsi_model::{DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject};
use std::collections::BTreeSet;

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources);

static ORIGIN: Origin = Origin {
    feed: "gpr",
    title: "Geopolitical Risk index, daily",
    publisher: "Dario Caldara and Matteo Iacoviello",
    homepage: "https://www.matteoiacoviello.com/gpr.htm",
    pillar: Some(Pillar::Conflict),
    licence: Licence { name: "CC BY 4.0", republish: true, note: "" },
    attribution: "Source: Caldara and Iacoviello (2022), matteoiacoviello.com/gpr.htm",
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 10 * DAY,
    stale_after_seconds: 14 * DAY,
    default_on: true,
};

const fn index(series: &'static str) -> SeriesSpec {
    SeriesSpec::daily(series, "index", 12 * HOUR)
}

static SERIES: [SeriesSpec; 3] = [index("gpr.total"), index("gpr.acts"), index("gpr.threats")];
/// Column headings in the order of [`SERIES`].
const COLUMNS: [&str; 3] = ["GPRD", "GPRD_ACT", "GPRD_THREAT"];

const URL: &str = "https://www.matteoiacoviello.com/gpr_files/data_gpr_daily_recent.xls";
const HOSTS: &[&str] = &["www.matteoiacoviello.com"];
/// 3.3 MB in 2026.
const MAX_BYTES: usize = 24 << 20;
/// 1,045 on 2001-09-12 is the highest so far.
const LARGEST: f64 = 10_000.0;

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let sheet = workbook::read(payload.bytes, MAX_BYTES, None)?;
    let mut rows = sheet.rows();
    let Some(header) = rows.next() else {
        return refuse(RefusalCode::Empty, "an empty sheet");
    };
    let column = |name: &str| {
        let found = header.column(name);
        found.ok_or_else(|| PayloadRefusal::new(RefusalCode::Schema, format!("no column {name}")))
    };
    let date = column("DAY")?;
    let columns = [column(COLUMNS[0])?, column(COLUMNS[1])?, column(COLUMNS[2])?];
    // The codebook to the right of the table is longer than the table in some years.
    let is_blank =
        |row: &SheetRow<'_>| columns.iter().chain([&date]).all(|column| row.cell(*column).is_none());
    let read = |row: SheetRow<'_>| {
        let day = workbook::number(row.cell(date), 19_000_101.0..=21_001_231.0).and_then(compact_day);
        let day = plausible(day, payload)?;
        match columns.map(|column| workbook::number(row.cell(column), 0.0..=LARGEST)) {
            [Some(total), Some(acts), Some(threats)] => Ok((day, [total, acts, threats])),
            _ => Err(Reject::Number),
        }
    };
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    for row in rows.filter(|row| !is_blank(row)) {
        if let Some((day, values)) = decoded.take(read(row), |(day, _)| known.insert(*day)) {
            note_newest(&mut decoded, day);
            let values = SERIES.iter().zip(values).map(|(spec, v)| stamp.observe_day(spec.series, day, v));
            decoded.observations.extend(values);
        }
    }
    table::finish(decoded)
}

/// Parses a day such as 20260914, the 14th of September.
fn compact_day(number: f64) -> Option<Day> {
    let n = number as i64;
    if n as f64 != number {
        return None;
    }
    Day::from_ymd((n / 10_000) as i16, (n / 100 % 100) as i8, (n % 100) as i8)
}

fn sources(_: &PollContext<'_>) -> Vec<FileSource> {
    vec![FileSource { keeps: 0.98, ..FileSource::new("data_gpr_daily_recent.xls", URL, HOSTS, MAX_BYTES) }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::workbook::tests::workbook;

    fn run(rows: &[&[&str]]) -> Result<Decoded, PayloadRefusal> {
        let book = workbook("Sheet1", rows);
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new("gpr.xls", &book, fetched_at))
    }

    const HEADER: &[&str] = &["DAY", "N10D", "GPRD", "GPRD_ACT", "GPRD_THREAT", "event", "var_name"];

    #[test]
    fn three_series_a_day() {
        let decoded = run(&[
            HEADER,
            &["20260914", "500", "189.5", "246.4", "219.3", "", "DAY"],
            &["20260915", "500", "100", "", "90", "", "N10D"],
            &["20260931", "500", "100", "90", "90"],
            &["20260914", "500", "189.5", "246.4", "219.3"],
            &["20260916", "500", "-4", "90", "90"],
            &["", "", "", "", "", "", "only the codebook"],
        ])
        .unwrap();
        assert!(decoded.is_balanced());
        assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (5, 1, 1));
        assert_eq!((decoded.rejected[&Reject::Date], decoded.rejected[&Reject::Number]), (1, 2));
        let got: Vec<_> = decoded.observations.iter().map(|o| (o.series.as_str(), o.value)).collect();
        assert_eq!(got, [("gpr.total", 189.5), ("gpr.acts", 246.4), ("gpr.threats", 219.3)]);
    }

    #[test]
    fn days_may_come_in_any_order_and_more_than_once() {
        let (early, late) = (["20260914", "", "1", "2", "3"], ["20260915", "", "4", "5", "6"]);
        let ordered = run(&[HEADER, &early, &late]).unwrap();
        let jumbled = run(&[HEADER, &late, &early, &late, &early]).unwrap();
        assert_eq!((jumbled.accepted, jumbled.duplicates), (2, 2));
        assert!(jumbled.is_balanced() && jumbled.newest == ordered.newest);
        let values = |decoded: &Decoded| {
            let mut found: Vec<_> = decoded
                .observations
                .iter()
                .map(|o| (o.period_start, o.series.clone(), o.value.to_bits()))
                .collect();
            found.sort();
            found
        };
        assert_eq!(values(&jumbled), values(&ordered));
    }

    #[test]
    fn other_sheets_are_refused() {
        let titled: [&[&str]; 3] = [&["GPR, version 3"], HEADER, &["20260914", "500", "1", "2", "3"]];
        assert_eq!(run(&titled).unwrap_err().code.key(), "schema");
        assert_eq!(run(&[&["DAY", "GPR"]]).unwrap_err().code.key(), "schema");
        assert_eq!(run(&[HEADER]).unwrap_err().code.key(), "empty");
        assert_eq!(run(&[]).unwrap_err().code.key(), "empty");
    }
}
