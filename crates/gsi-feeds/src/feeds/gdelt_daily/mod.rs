//! GDELT 1.0 daily event files: ten years of coded news with one zip per day, the history of the quarter-hourly counts.
//!
//! A file of 110 to 195 thousand rows is read as a stream and only counted, so no row is kept. Days are those of the files:
//! when the press carried the reports. A day that was never published is missing, not calm. Only `gsi backfill gdelt-daily`
//! reads this feed, because the quarter-hourly files have the same data sooner.

mod tally;

use crate::connector::files::PollContext;
use crate::formats::series::{self, ObservationStamp};
use crate::formats::unpack::{Archive, open_zip};
use crate::refusal::refuse;
use crate::{Feed, FileSource, Payload, SeriesSpec};
use gsi_model::{
    CountryCode, DAY, Day, Decoded, HOUR, Licence, Observation, Origin, PayloadRefusal, Pillar, RefusalCode,
    Reject,
};
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;
use tally::{DailyRow, DayTally};

pub const FEED: Feed = Feed::of_files(&ORIGIN, &SERIES, decode, sources)
    .with_daily_history(|from, to| series::days(from, to).rev().map(day_file).collect())
    // The service's own ticks write this series as well.
    .with_history_marked_by(ARTICLES);

static ORIGIN: Origin = Origin {
    feed: "gdelt_daily",
    title: "GDELT 1.0 daily events",
    publisher: "The GDELT Project",
    homepage: "https://www.gdeltproject.org/data.html",
    pillar: Some(Pillar::Conflict),
    licence: Licence { name: "Free for any use with citation", republish: true, note: "Daily counts only." },
    attribution: "Data: The GDELT Project, https://www.gdeltproject.org/",
    poll_every_seconds: 6 * HOUR,
    warn_after_seconds: 3 * DAY,
    stale_after_seconds: 6 * DAY,
    default_on: false,
};

const ARTICLES: &str = "news.articles";

/// A day's file appears the next morning, American time.
const PUBLICATION_LAG_SECONDS: i64 = 12 * HOUR;

const fn tally(series: &'static str, unit: &'static str) -> SeriesSpec {
    SeriesSpec::daily(series, unit, PUBLICATION_LAG_SECONDS)
}

/// The service itself records the first four at each day's end, with the same meaning: articles, and the percentages of them
/// that report violence, threats, and violence in one country. The fifth is the percentage of articles on one country. The
/// others count rows: all, by root code (`18`), and of material conflict between two countries (`IL-PS`).
static SERIES: [SeriesSpec; 8] = [
    tally(ARTICLES, "articles"),
    tally("news.conflict", "% of articles"),
    tally("news.threat", "% of articles"),
    tally("news.conflict_by_country", "% of articles"),
    tally("news.articles_by_country", "% of articles"),
    tally("gdelt_daily.rows", "rows"),
    tally("gdelt_daily.root_rows", "rows"),
    tally("gdelt_daily.pair_conflict_rows", "rows"),
];

/// The same bucket under a name with a valid certificate, then the documented name.
const ROUTES: [&str; 2] =
    ["https://storage.googleapis.com/data.gdeltproject.org/events/", "http://data.gdeltproject.org/events/"];
const HOSTS: &[&str] = &["storage.googleapis.com", "data.gdeltproject.org"];
/// Real files are 5 to 10 MB.
const MAX_ZIP: usize = 40 << 20;
/// Real files unpack to 40 to 90 MB.
const MAX_UNPACKED: u64 = 400 << 20;
/// The longest rows, with an address of 2,000 bytes and long names, stay under 8 KB.
const MAX_ROW: usize = 64 << 10;
/// The publisher states no limit for these static files, so requests pause for a second.
const LEAST_INTERVAL: Duration = Duration::from_secs(1);
pub const COLUMNS: usize = 58;
/// The first day of the daily files.
pub const FIRST_DAY: Day = Day(15_796);
/// Pairs of countries with fewer rows in a day are dropped.
const MIN_PAIR_ROWS: u32 = 5;
/// Above this share of rejected rows the file was garbled.
const MAX_BAD_SHARE: f64 = 0.05;
const FEW_BAD_ROWS: u64 = 8;

mod column {
    pub const ID: usize = 0;
    pub const SIDE1: usize = 7;
    pub const SIDE2: usize = 17;
    pub const ROOT_CODE: usize = 28;
    pub const QUAD_CLASS: usize = 29;
    pub const COUNTRY: usize = 51;
    pub const ADDED: usize = 56;
    pub const ADDRESS: usize = 57;
}

/// Counts one day's file, zipped or not. The day is in its name: `20150101.export.CSV.zip`.
pub fn decode(payload: &Payload<'_>) -> Result<Decoded, PayloadRefusal> {
    let Some(day) = day_of(payload.name) else {
        return refuse(RefusalCode::Schema, "the name does not begin with a day such as 20150101");
    };
    if day > payload.fetched_at.day() {
        return refuse(RefusalCode::Clock, "a file from the future");
    }
    let mut decoded = Decoded::default();
    let tally = if payload.bytes.starts_with(b"PK") {
        let mut archive = open(payload.bytes)?;
        let member =
            archive.by_index(0).map_err(|e| PayloadRefusal::new(RefusalCode::BadZip, e.to_string()))?;
        count(member, day, &mut decoded)?
    } else {
        count(payload.bytes, day, &mut decoded)?
    };
    check_structure(&decoded)?;
    let stamp = ObservationStamp::new(&ORIGIN, payload);
    decoded.newest = Some(day.end());
    decoded.observations = observations(&tally, day, &stamp);
    Ok(decoded)
}

fn open(bytes: &[u8]) -> Result<Archive<'_>, PayloadRefusal> {
    let archive = open_zip(bytes)?;
    if archive.len() != 1 {
        return refuse(RefusalCode::BadZip, format!("{} members where one was expected", archive.len()));
    }
    Ok(archive)
}

/// Counts the rows, with one row in memory at a time.
fn count(reader: impl Read, day: Day, decoded: &mut Decoded) -> Result<DayTally, PayloadRefusal> {
    let mut reader = BufReader::with_capacity(256 << 10, reader.take(MAX_UNPACKED + 1));
    let mut tally = DayTally::default();
    let mut line = Vec::with_capacity(2 << 10);
    let mut total = 0u64;
    loop {
        line.clear();
        let read = (&mut reader).take(MAX_ROW as u64).read_until(b'\n', &mut line).map_err(|e| {
            PayloadRefusal::new(RefusalCode::BadZip, format!("damaged after {total} bytes: {e}"))
        })?;
        if read == 0 {
            break;
        }
        total += read as u64;
        if total > MAX_UNPACKED {
            return refuse(RefusalCode::ZipBomb, format!("unpacks to more than {MAX_UNPACKED} bytes"));
        }
        let row = decoded.seen + 1;
        let Some(text) = line.strip_suffix(b"\n") else {
            // Either the file was cut, or the row is longer than any real one.
            if read == MAX_ROW {
                return refuse(RefusalCode::Garbage, format!("row {row} is longer than {MAX_ROW} bytes"));
            }
            return refuse(RefusalCode::Truncated, format!("row {row} has no end"));
        };
        decoded.take(read_row(text, day), |row| tally.count(row));
    }
    Ok(tally)
}

fn read_row(line: &[u8], day: Day) -> Result<DailyRow<'_>, Reject> {
    let mut cells = [&line[..0]; COLUMNS];
    let mut from = 0;
    let mut n = 0;
    for tab in memchr::memchr_iter(b'\t', line) {
        *cells.get_mut(n).ok_or(Reject::Columns)? = &line[from..tab];
        (from, n) = (tab + 1, n + 1);
    }
    if n != COLUMNS - 1 {
        return Err(Reject::Columns);
    }
    cells[n] = line[from..].strip_suffix(b"\r").unwrap_or(&line[from..]);
    let text = |i: usize| std::str::from_utf8(cells[i]).map_err(|_| Reject::Utf8);
    let id = text(column::ID)?.parse().map_err(|_| Reject::Id)?;
    let root = match cells[column::ROOT_CODE] {
        [a @ b'0'..=b'2', b @ b'0'..=b'9'] => (a - b'0') * 10 + b - b'0',
        _ => 0,
    };
    if !(1..=tally::ROOTS as u8).contains(&root) {
        return Err(Reject::Code);
    }
    let is_material_conflict = match cells[column::QUAD_CLASS] {
        [b'1'..=b'3'] => false,
        [b'4'] => true,
        _ => return Err(Reject::Code),
    };
    // The publisher's day ends in another time zone than the file's name.
    let added = parse_day(text(column::ADDED)?).filter(|added| (added.0 - day.0).abs() <= 1);
    added.ok_or(Reject::Date)?;
    let address = cells[column::ADDRESS];
    if address.is_empty() || address.len() > gsi_model::text::MAX_URL {
        return Err(Reject::Url);
    }
    let side = |i: usize| text(i).map(CountryCode::from_iso3);
    Ok(DailyRow {
        id,
        root,
        is_material_conflict,
        country: CountryCode::from_fips(text(column::COUNTRY)?),
        sides: [side(column::SIDE1)?, side(column::SIDE2)?],
        address,
    })
}

/// Checks whether the rows as a whole can be trusted: a few bad rows are ordinary, and many mean a broken file.
fn check_structure(decoded: &Decoded) -> Result<(), PayloadRefusal> {
    let (seen, bad) = (decoded.seen, decoded.rejected_total());
    let columns = decoded.rejected.get(&Reject::Columns).copied().unwrap_or(0);
    match () {
        () if seen == 0 => refuse(RefusalCode::Empty, "no content"),
        () if decoded.accepted == 0 && columns * 2 > bad => {
            refuse(RefusalCode::Schema, format!("{seen} rows, none with {COLUMNS} columns"))
        }
        () if decoded.accepted == 0 => refuse(RefusalCode::NoValidRows, format!("{seen} rows, none valid")),
        () if bad > FEW_BAD_ROWS && bad as f64 > seen as f64 * MAX_BAD_SHARE => {
            refuse(RefusalCode::Garbage, format!("{bad} of {seen} rows are malformed"))
        }
        () => Ok(()),
    }
}

fn observations(tally: &DayTally, day: Day, stamp: &ObservationStamp) -> Vec<Observation> {
    let [articles, conflict, threat, by_country, attention, rows, root_rows, pair_rows] = &SERIES;
    let value = |spec: &SeriesSpec, entity: &str, value: f64| Observation {
        entity: entity.to_owned(),
        ..stamp.observe_day(spec.series, day, value)
    };
    let count = f64::from(tally.articles());
    let mut all = vec![
        value(articles, "", count),
        value(conflict, "", 100.0 * tally.conflict() / count),
        value(threat, "", 100.0 * tally.threat() / count),
        value(rows, "", f64::from(tally.rows)),
    ];
    let countries = tally.conflict_by_country().into_iter().filter(|(_, articles)| *articles > 0.0);
    all.extend(countries.map(|(country, part)| value(by_country, country.as_str(), 100.0 * part / count)));
    let seen = tally.articles_by_country().into_iter();
    all.extend(seen.map(|(country, n)| value(attention, country.as_str(), 100.0 * f64::from(n) / count)));
    let roots = tally.roots.iter().enumerate();
    all.extend(roots.map(|(i, n)| value(root_rows, &format!("{:02}", i + 1), f64::from(*n))));
    let pairs = tally.pairs.iter().filter(|(_, n)| **n >= MIN_PAIR_ROWS);
    all.extend(pairs.map(|([a, b], n)| value(pair_rows, &format!("{a}-{b}"), f64::from(*n))));
    all
}

/// Returns the day in a name such as `20150101.export.CSV.zip`.
fn day_of(name: &str) -> Option<Day> {
    parse_day(name.split('.').next()?)
}

/// Parses `20150101`.
fn parse_day(text: &str) -> Option<Day> {
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Day::parse_iso(&format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]))
}

/// Returns the newest file that should exist.
fn sources(context: &PollContext<'_>) -> Vec<FileSource> {
    vec![day_file(context.now.minus(PUBLICATION_LAG_SECONDS).day().plus(-1))]
}

/// Returns the file of one day, with every route.
pub fn day_file(day: Day) -> FileSource {
    let name = format!("{}.export.CSV.zip", day.to_string().replace('-', ""));
    let urls = ROUTES.map(|route| format!("{route}{name}")).to_vec();
    let source = FileSource::new(name, "", HOSTS, MAX_ZIP);
    FileSource { urls, least_interval: LEAST_INTERVAL, time_limit_factor: 3.0, ..source }
}

#[cfg(test)]
mod tests;
