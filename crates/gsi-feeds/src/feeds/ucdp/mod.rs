//! UCDP Candidate Events: deaths in organised violence, coded by researchers and published about a month late.
//!
//! The publisher's index page links to the releases. Some had no header row, so the 49 columns are also known by position.

mod country;
mod spread;

use crate::connector::files::{self, FileCheckpoint, read_checkpoint};
use crate::formats::series::{self, plausible};
use crate::formats::table::{self, Table, TableRow};
use crate::refusal::refuse;
use crate::{Feed, Fetcher, FileSource, Payload, Poll, Request, SeriesSpec, unpack};
use gsi_model::{
    CountryCode, DAY, Day, Decoded, HOUR, Licence, Origin, PayloadRefusal, Pillar, RefusalCode, Reject,
    Timestamp,
};
pub(crate) use spread::DeathsByDay;
use std::collections::{BTreeMap, BTreeSet};

pub const FEED: Feed = Feed::polled(&ORIGIN, &SERIES, HOSTS, decode, |fetcher, now, checkpoint| {
    Box::pin(poll(fetcher, now, checkpoint))
});

static ORIGIN: Origin = Origin {
    feed: "ucdp",
    title: "UCDP Candidate Events Dataset",
    publisher: "Uppsala Conflict Data Program",
    homepage: "https://ucdp.uu.se/downloads/",
    pillar: Some(Pillar::Conflict),
    licence: Licence { name: "CC BY 4.0", republish: true, note: "" },
    attribution: "Source: Uppsala Conflict Data Program (Hegre et al. 2020), CC BY 4.0",
    poll_every_seconds: 12 * HOUR,
    warn_after_seconds: 65 * DAY,
    stale_after_seconds: 75 * DAY,
    default_on: true,
};

static SERIES: [SeriesSpec; 2] = [
    SeriesSpec::daily("ucdp.deaths", "deaths", 31 * DAY),
    // A country without a value on a day of the series above had no deaths.
    SeriesSpec::daily("ucdp.deaths_by_country", "deaths", 31 * DAY),
];

const INDEX: &str = "https://ucdp.uu.se/downloads/";
const HOSTS: &[&str] = &["ucdp.uu.se"];
const MAX_PAGE: usize = 4 << 20;
/// A cumulative release is 8 MB.
const MAX_BYTES: usize = 64 << 20;
/// Releases read in one poll, newest first.
const FILES_PER_POLL: usize = 12;
const WIDTH: usize = 49;
/// Columns by position for the release without a header.
const POSITIONS: [(&str, usize); 7] = [
    ("id", 0),
    ("type_of_violence", 5),
    ("date_prec", 37),
    ("date_start", 38),
    ("date_end", 39),
    ("best", 44),
    ("country", 33),
];
/// A single event of the genocide in Rwanda has tens of thousands of deaths.
const MAX_DEATHS: f64 = 1_000_000.0;

/// An event of organised violence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeadlyEvent {
    pub id: u64,
    pub first: Day,
    pub last: Day,
    pub deaths: f64,
    pub country: Option<CountryCode>,
}

pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let body = unpack(payload.bytes, MAX_BYTES)?;
    let headless = body.first().is_some_and(u8::is_ascii_digit);
    let mut table = if headless { Table::open_headless(&body) } else { Table::open(&body)? };
    let columns = if headless {
        POSITIONS.map(|(_, at)| at)
    } else {
        table.require_all(POSITIONS.map(|(name, _)| name))?
    };
    let width = if headless { WIDTH } else { table.header().len() };
    let mut decoded = Decoded::default();
    let mut known = BTreeSet::new();
    let mut deaths = DeathsByDay::default();
    while let Some(row) = table.next() {
        let event = row.and_then(|row| read_event(&row, width, columns, payload));
        deaths.take(&mut decoded, &mut known, event);
    }
    let months = release(payload.name).map(|release| release.months());
    // There has been no month without deaths, so a file without a row for the months it names is the wrong file.
    if decoded.accepted > 0 && months.is_some_and(|months| !deaths.has_any_in(months)) {
        return refuse(RefusalCode::NoValidRows, format!("{} holds no row of its own months", payload.name));
    }
    deaths.add_to(&mut decoded, &ORIGIN, SERIES[0].series, payload, months);
    deaths.add_countries_to(&mut decoded, &ORIGIN, SERIES[1].series, payload, months);
    table::finish(decoded)
}

fn read_event(
    row: &TableRow<'_>,
    width: usize,
    columns: [usize; POSITIONS.len()],
    payload: &Payload<'_>,
) -> Result<DeadlyEvent, Reject> {
    row.check_width(width)?;
    let whole = |i: usize, bounds| series::number(row.cell(columns[i]), bounds).filter(|n| n.fract() == 0.0);
    let id = whole(0, 1.0..=1e12).ok_or(Reject::Id)? as u64;
    whole(1, 1.0..=3.0).ok_or(Reject::Code)?;
    whole(2, 1.0..=5.0).ok_or(Reject::Code)?;
    let date = |i: usize| plausible(row.cell(columns[i]).get(..10).and_then(Day::parse_iso), payload);
    Ok(DeadlyEvent {
        id,
        first: date(3)?,
        last: date(4)?,
        deaths: whole(5, 0.0..=MAX_DEATHS).ok_or(Reject::Number)?,
        country: country::country_of(row.cell(columns[6])),
    })
}

/// The year and the months in a file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UcdpRelease {
    year: i16,
    last: i8,
    first: i8,
}

impl UcdpRelease {
    /// Returns its first and its last day.
    fn months(&self) -> (Day, Day) {
        let start = |month: i8| Day::from_ymd(self.year, month, 1).unwrap_or(series::FIRST_DAY);
        (start(self.first), start(self.last).month_start(1).plus(-1))
    }
}

/// Parses a file name: `GEDEvent_v26_0_8.csv` is August 2026, `GEDEvent_v26_01_26_06.csv` is January to June.
fn release(name: &str) -> Option<UcdpRelease> {
    let stem = name.strip_prefix("GEDEvent_v")?.strip_suffix(".csv")?;
    let parts: Vec<i16> =
        stem.split('_').map(|p| p.parse().ok().filter(|n| (0..100).contains(n))).collect::<Option<_>>()?;
    let (year, first, last) = match parts[..] {
        [year, 0, month] => (year, month, month),
        [year, first, until, last] if year == until => (year, first, last),
        _ => return None,
    };
    let month = |m: i16| (1..=12).contains(&m).then_some(m as i8);
    Some(UcdpRelease { year: 2000 + year, first: month(first)?, last: month(last)? })
        .filter(|r| r.first <= r.last)
}

/// Returns the releases on the index page, newest first.
fn releases(page: &str) -> Vec<String> {
    let mut found: BTreeMap<UcdpRelease, String> = BTreeMap::new();
    for (at, _) in page.match_indices("candidateged/GEDEvent_v") {
        let rest = &page[at + "candidateged/".len()..];
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.')).unwrap_or(rest.len());
        let name = &rest[..end];
        if let Some(release) = release(name) {
            found.insert(release, name.to_owned());
        }
    }
    found.into_values().rev().collect()
}

async fn poll(fetcher: &Fetcher, now: Timestamp, checkpoint: &str) -> Poll {
    let known = read_checkpoint(checkpoint);
    match wanted(fetcher, now, &known).await {
        Ok(sources) => files::poll_files(ORIGIN.feed, &sources, decode, fetcher, now, known).await,
        Err(refusal) => {
            Poll { refusals: vec![refusal], checkpoint: checkpoint.to_owned(), ..Poll::default() }
        }
    }
}

/// Returns the newest release, in case it was uploaded again, and the newest unread ones.
async fn wanted(
    fetcher: &Fetcher,
    now: Timestamp,
    known: &FileCheckpoint,
) -> Result<Vec<FileSource>, PayloadRefusal> {
    let mut request = Request::new(ORIGIN.feed, INDEX, HOSTS, now).max_bytes(MAX_PAGE);
    (request.page, request.accept) = (true, "text/html");
    let page = fetcher.get(&request).await?;
    let names = releases(&String::from_utf8_lossy(&unpack(&page.bytes, MAX_PAGE)?));
    if names.is_empty() {
        return refuse(RefusalCode::Manifest, "the index page links to no release");
    }
    let wanted =
        names.iter().enumerate().filter(|(i, name)| *i == 0 || !known.has(name)).take(FILES_PER_POLL);
    Ok(wanted
        .map(|(_, name)| FileSource::new(name, format!("{INDEX}candidateged/{name}"), HOSTS, MAX_BYTES))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, text: &str) -> Result<Decoded, PayloadRefusal> {
        let fetched_at = "2026-11-15T00:00:00Z".parse().unwrap();
        decode(&Payload::new(name, text.as_bytes(), fetched_at))
    }

    fn row(id: &str, kind: &str, from: &str, to: &str, best: &str) -> String {
        let mut cells = vec![""; WIDTH];
        (cells[0], cells[5], cells[37], cells[38], cells[39], cells[44]) = (id, kind, "1", from, to, best);
        cells.join(",") + "\n"
    }

    #[test]
    fn deaths_by_day_with_and_without_header() {
        let mut names: Vec<_> = (0..WIDTH).map(|i| format!("c{i}")).collect();
        for (name, at) in POSITIONS {
            names[at] = name.to_owned();
        }
        let rows = [
            row("1", "1", "2026-08-01", "2026-08-01", "3"),
            row("2.0", "3", "2026-08-02 00:00:00.000", "2026-08-05 00:00:00.000", "8"),
            row("1", "1", "2026-08-01", "2026-08-01", "3"),
            row("3", "4", "2026-08-01", "2026-08-01", "3"),
            row("4", "1", "2026-08-05", "2026-08-01", "3"),
            row("5", "1", "2026-08-01", "2026-08-01", "-1"),
            row("x", "1", "2026-08-01", "2026-08-01", "1"),
        ]
        .concat();
        for text in [names.join(",") + "\n" + &rows, rows.clone()] {
            let decoded = run("GEDEvent_v26_0_8.csv", &text).unwrap();
            assert!(decoded.is_balanced());
            assert_eq!((decoded.seen, decoded.accepted, decoded.duplicates), (7, 2, 1));
            let values: Vec<_> = decoded.observations.iter().take(6).map(|o| o.value).collect();
            assert_eq!((values, decoded.observations.len()), (vec![3.0, 2.0, 2.0, 2.0, 2.0, 0.0], 31));
        }
    }

    #[test]
    fn a_month_without_a_row_of_its_own_is_suspicious() {
        let rows = row("1", "1", "2026-07-30", "2026-07-31", "3");
        let refused = run("GEDEvent_v26_0_8.csv", &rows).unwrap_err();
        assert_eq!(refused.code, RefusalCode::NoValidRows);
        assert!(run("GEDEvent_v26_0_7.csv", &rows).is_ok());
    }

    #[test]
    fn releases_are_found_on_the_index_page() {
        let page = r#"<a href="candidateged/GEDEvent_v26_0_8.csv">x</a> <a href='/downloads/candidateged/GEDEvent_v26_01_26_06.csv'>
            candidateged/GEDEvent_v26_0_13.csv candidateged/GEDEvent_v25_0_12.csv candidateged/GEDEvent_v../../x.csv"#;
        assert_eq!(
            releases(page),
            ["GEDEvent_v26_0_8.csv", "GEDEvent_v26_01_26_06.csv", "GEDEvent_v25_0_12.csv"]
        );
    }

    #[test]
    fn the_real_sample() {
        let files = drills::real_data::files("ucdp");
        if files.is_empty() {
            return;
        }
        let sample = files.iter().find(|p| p.to_string_lossy().contains("ged")).unwrap();
        let decoded = run("sample.csv", &std::fs::read_to_string(sample).unwrap()).unwrap();
        assert!(decoded.is_balanced() && decoded.rejected.is_empty(), "{:?}", decoded.rejected);
        assert_eq!(decoded.accepted, 1_000);
    }
}
