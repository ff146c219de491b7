//! The history that comes with the program: the observations behind the index and the dated crises, in one compressed
//! text.
//!
//! Below a head of `#` lines (format, seal, span, one origin line per series, one line per crisis) the text is the
//! observations format. `method/history/README.md` describes it. A file that was cut or edited, or has another
//! format, is refused, and the error names the place.

use crate::method::algebra::RECONSTRUCTED_QUALITY;
use crate::series::table::SeriesTable;
use data_encoding::HEXLOWER;
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use gsi_model::{Crisis, Day, FeedId, Observation, Pillar, Timestamp};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};

const FORMAT: u32 = 1;
const COLUMNS: &str = "series,period_start,period_end,known_at,value";
/// The unpacked text is about 8 MB; much more is not a history.
const MAX_TEXT_BYTES: u64 = 128 << 20;

/// One file: the observations with when they became known, their sources, and the crises that the score is judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryFile {
    /// First and last day of the rows' periods.
    pub from: Day,
    pub to: Day,
    pub series: Vec<PackedSeries>,
    pub crises: Vec<Crisis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PackedSeries {
    pub name: String,
    pub origin: SeriesOrigin,
    /// By period, then by when they became known.
    pub rows: Vec<PackedRow>,
}

/// Enough to cite a series and to judge its dates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesOrigin {
    /// The feed that continues the series in service.
    pub feed: String,
    pub publisher: String,
    pub licence: String,
    /// Source of the values, and as of when they were taken.
    pub retrieved: String,
    /// The rule that `known_at` follows.
    pub released: String,
    pub attribution: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedRow {
    pub period_start: Timestamp,
    pub period_end: Timestamp,
    pub known_at: Timestamp,
    pub value: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the packed history is refused at {place}: {problem}")]
pub struct HistoryFileError {
    pub place: String,
    pub problem: String,
}

fn refused<T>(place: impl Into<String>, problem: impl Into<String>) -> Result<T, HistoryFileError> {
    Err(HistoryFileError { place: place.into(), problem: problem.into() })
}

impl HistoryFile {
    pub const FORMAT: u32 = FORMAT;

    /// The file compiled into this program, from `method/history`.
    #[expect(clippy::disallowed_macros, reason = "the observations are inputs, with a digest of their own")]
    pub fn packed_bytes() -> &'static [u8] {
        include_bytes!("../../../../method/history/observations.csv.gz")
    }

    pub fn packed() -> Result<HistoryFile, HistoryFileError> {
        HistoryFile::parse(Self::packed_bytes())
    }

    pub fn row_count(&self) -> usize {
        self.series.iter().map(|s| s.rows.len()).sum()
    }

    /// Every row as the store keeps it, series by series.
    pub fn observations(&self) -> impl Iterator<Item = Observation> + '_ {
        self.series.iter().flat_map(PackedSeries::observations)
    }

    /// All rows as a table to compute from.
    pub fn table(&self) -> SeriesTable {
        let mut table = SeriesTable::new();
        for series in &self.series {
            table.insert_all(&series.observations().collect::<Vec<_>>());
        }
        table
    }

    /// What the file would have contained at the end of `day`: nothing published later, no crisis that began later.
    pub fn known_by(&self, day: Day) -> HistoryFile {
        let mut cut = self.clone();
        cut.to = cut.to.min(day);
        cut.series.iter_mut().for_each(|s| s.rows.retain(|row| row.known_at < day.end()));
        cut.crises.retain(|crisis| crisis.start <= day);
        cut
    }

    /// The file's bytes. Equal content gives equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.to_text();
        let mut packer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        packer
            .write_all(text.as_bytes())
            .and_then(|()| packer.finish())
            .expect("memory takes any number of bytes")
    }

    fn to_text(&self) -> String {
        let mut sealed = format!("#span\t{}\t{}\n", self.from, self.to);
        let mut rows = String::new();
        for series in &self.series {
            let text = series.to_text();
            let SeriesOrigin { feed, publisher, licence, retrieved, released, attribution } = &series.origin;
            let (count, digest) = (series.rows.len(), hex(&Sha256::digest(&text)));
            let _ = writeln!(
                sealed,
                "#series\t{}\t{feed}\t{count}\t{digest}\t{publisher}\t{licence}\t{retrieved}\t{released}\t{attribution}",
                series.name
            );
            rows.push_str(&text);
        }
        for crisis in &self.crises {
            let pillars: Vec<&str> = crisis.pillars.iter().map(|p| p.key()).collect();
            let Crisis { start, end, tier, name, .. } = crisis;
            let _ = writeln!(sealed, "#crisis\t{start}\t{end}\t{tier}\t{}\t{name}", pillars.join(","));
        }
        sealed.push_str(COLUMNS);
        sealed.push('\n');
        sealed.push_str(&rows);
        format!("#gsi-history\t{FORMAT}\n#sha256\t{}\n{sealed}", hex(&Sha256::digest(&sealed)))
    }

    /// Reads and checks.
    pub fn parse(bytes: &[u8]) -> Result<HistoryFile, HistoryFileError> {
        let mut lines = Lines::new(bytes);
        let first = lines.next()?.unwrap_or_default();
        match first.strip_prefix("#gsi-history\t").map(str::parse::<u32>) {
            Some(Ok(FORMAT)) => {}
            Some(Ok(other)) => {
                return refused(
                    lines.place(),
                    format!("format {other} is not {FORMAT}, the one this program reads"),
                );
            }
            _ => return refused(lines.place(), "this is not a packed history"),
        }
        let second = lines.next()?.unwrap_or_default();
        let Some(seal) = second.strip_prefix("#sha256\t").map(str::to_owned) else {
            return refused(lines.place(), "the digest is missing");
        };
        lines.begin_seal();
        let head = Head::read(&mut lines)?;
        let mut series = Vec::with_capacity(head.series.len());
        for announced in head.series {
            series.push(announced.read_rows(&mut lines)?);
        }
        if lines.next()?.is_some() {
            return refused(lines.place(), "there are more rows than the head announces");
        }
        if lines.rest() > 0 {
            return refused("the end", format!("{} bytes follow that are no part of it", lines.rest()));
        }
        if lines.seal() != seal {
            // The rows have separate digests, which matched.
            return refused(
                format!("lines 3 to {}", head.last_line),
                "the head is not the one that was packed",
            );
        }
        Ok(HistoryFile { from: head.from, to: head.to, series, crises: head.crises })
    }
}

impl PackedSeries {
    fn observations(&self) -> impl Iterator<Item = Observation> + '_ {
        let mut last: Option<(Timestamp, u32)> = None;
        self.rows.iter().map(move |row| {
            let revision = last.filter(|l| l.0 == row.period_end).map_or(0, |l| l.1 + 1);
            last = Some((row.period_end, revision));
            Observation {
                series: self.name.clone(),
                entity: String::new(),
                period_start: row.period_start,
                period_end: row.period_end,
                value: row.value,
                known_at: row.known_at,
                ingested_at: row.known_at,
                revision,
                quality: RECONSTRUCTED_QUALITY,
                feed: FeedId::new(&self.origin.feed),
                raw: String::new(),
            }
        })
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for PackedRow { period_start, period_end, known_at, value } in &self.rows {
            let _ = writeln!(text, "{},{period_start},{period_end},{known_at},{value}", self.name);
        }
        text
    }
}

/// A series as the head announces it.
struct AnnouncedSeries {
    name: String,
    origin: SeriesOrigin,
    rows: usize,
    digest: String,
}

impl AnnouncedSeries {
    fn read(cells: &[&str]) -> Result<Self, String> {
        let [name, feed, rows, digest, publisher, licence, retrieved, released, attribution] = cells else {
            return Err(format!("a series has nine columns, not {}", cells.len()));
        };
        if cells.iter().any(|cell| cell.is_empty()) {
            return Err("a column is empty".to_owned());
        }
        let rows = rows.parse().map_err(|_| format!("{rows:?} is not a number of rows"))?;
        let own = |text: &&str| (*text).to_owned();
        Ok(AnnouncedSeries {
            name: own(name),
            origin: SeriesOrigin {
                feed: own(feed),
                publisher: own(publisher),
                licence: own(licence),
                retrieved: own(retrieved),
                released: own(released),
                attribution: own(attribution),
            },
            rows,
            digest: own(digest),
        })
    }

    fn read_rows(self, lines: &mut Lines<'_>) -> Result<PackedSeries, HistoryFileError> {
        let first_line = lines.number + 1;
        let mut found = Sha256::new();
        let mut rows: Vec<PackedRow> = Vec::new();
        for _ in 0..self.rows {
            let Some(line) = lines.next()? else {
                let problem =
                    format!("the file ends here; {} has {} rows, not {}", self.name, self.rows, rows.len());
                return refused(lines.place(), problem);
            };
            found.update(line.as_bytes());
            found.update(b"\n");
            let row = match read_row(line, &self.name) {
                Ok(row) => row,
                Err(problem) => return refused(lines.place(), problem),
            };
            let order = |row: &PackedRow| (row.period_end, row.known_at);
            if rows.last().is_some_and(|last| order(last) >= order(&row)) {
                return refused(lines.place(), format!("the rows of {} are not in order", self.name));
            }
            rows.push(row);
        }
        if hex(&found.finalize()) != self.digest {
            let place = format!("lines {first_line} to {}", lines.number);
            return refused(place, format!("the rows of {} are not those that were packed", self.name));
        }
        Ok(PackedSeries { name: self.name, origin: self.origin, rows })
    }
}

fn read_row(line: &str, name: &str) -> Result<PackedRow, String> {
    let cells: Vec<&str> = line.split(',').collect();
    let [series, start, end, known, value] = cells[..] else {
        return Err(format!("a row has five columns, not {}", cells.len()));
    };
    if series != name {
        return Err(format!("a row of {name} is expected, not of {series:?}"));
    }
    let time = |text: &str| Timestamp::parse_rfc3339(text).map_err(|_| format!("{text:?} is not a time"));
    let (period_start, period_end, known_at) = (time(start)?, time(end)?, time(known)?);
    let value = value.parse().ok().filter(|v: &f64| v.is_finite());
    let value = value.ok_or("the value is not a number")?;
    if period_end <= period_start || known_at < period_start {
        return Err("its times are not in order".to_owned());
    }
    Ok(PackedRow { period_start, period_end, known_at, value })
}

struct Head {
    from: Day,
    to: Day,
    series: Vec<AnnouncedSeries>,
    crises: Vec<Crisis>,
    last_line: usize,
}

impl Head {
    fn read(lines: &mut Lines<'_>) -> Result<Head, HistoryFileError> {
        let mut span = None;
        let (mut series, mut crises) = (Vec::new(), Vec::new());
        let mut names = BTreeSet::new();
        while let Some(line) = lines.next()? {
            if line == COLUMNS {
                let Some((from, to)) = span else { return refused(lines.place(), "the head names no span") };
                return Ok(Head { from, to, series, crises, last_line: lines.number });
            }
            let cells: Vec<&str> = line.split('\t').collect();
            let read = match &cells[..] {
                ["#span", from, to] => {
                    span = Day::parse_iso(from).zip(Day::parse_iso(to)).filter(|(from, to)| from <= to);
                    span.map(drop).ok_or_else(|| format!("{from} to {to} is not a span"))
                }
                ["#series", cells @ ..] => AnnouncedSeries::read(cells).and_then(|announced| {
                    let is_new = names.insert(announced.name.clone());
                    let problem = format!("{} is there twice", announced.name);
                    series.push(announced);
                    is_new.then_some(()).ok_or(problem)
                }),
                ["#crisis", start, end, tier, pillars, name] => {
                    read_crisis(start, end, tier, pillars, name).map(|crisis| crises.push(crisis))
                }
                _ => Err("this is no line of the head".to_owned()),
            };
            if let Err(problem) = read {
                return refused(lines.place(), problem);
            }
        }
        refused(lines.place(), "the file ends within its head")
    }
}

fn read_crisis(start: &str, end: &str, tier: &str, pillars: &str, name: &str) -> Result<Crisis, String> {
    let day = |text: &str| Day::parse_iso(text).ok_or_else(|| format!("{text:?} is not a day"));
    let (start, end) = (day(start)?, day(end)?);
    if end < start {
        return Err(format!("it ends on {end}, before it began"));
    }
    let pillar = |key: &str| Pillar::from_key(key).ok_or_else(|| format!("{key:?} is not a pillar"));
    let pillars = pillars.split(',').map(pillar).collect::<Result<_, _>>()?;
    Ok(Crisis { name: name.to_owned(), start, end, pillars, tier: tier.to_owned() })
}

/// The lines of the unpacked text, numbered from 1 and hashed while they are read.
struct Lines<'a> {
    text: BufReader<std::io::Take<GzDecoder<&'a [u8]>>>,
    line: String,
    number: usize,
    sealed: Option<Sha256>,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let text = BufReader::new(GzDecoder::new(bytes).take(MAX_TEXT_BYTES));
        Lines { text, line: String::new(), number: 0, sealed: None }
    }

    fn begin_seal(&mut self) {
        self.sealed = Some(Sha256::new());
    }

    fn seal(&mut self) -> String {
        hex(&self.sealed.take().unwrap_or_default().finalize())
    }

    /// Number of bytes after the compressed text.
    fn rest(&self) -> usize {
        self.text.get_ref().get_ref().get_ref().len()
    }

    fn place(&self) -> String {
        format!("line {}", self.number)
    }

    fn next(&mut self) -> Result<Option<&str>, HistoryFileError> {
        self.line.clear();
        match self.text.read_line(&mut self.line) {
            Ok(0) => return Ok(None),
            Ok(_) => self.number += 1,
            Err(error) => {
                return refused(
                    format!("line {}", self.number + 1),
                    format!("it cannot be unpacked: {error}"),
                );
            }
        }
        if let Some(sealed) = &mut self.sealed {
            sealed.update(self.line.as_bytes());
        }
        match self.line.strip_suffix('\n') {
            Some(line) => Ok(Some(line)),
            None => refused(self.place(), "the file ends in the middle of a line"),
        }
    }
}

fn hex(digest: &[u8]) -> String {
    HEXLOWER.encode(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> HistoryFile {
        let row = |day: i32, value: f64| PackedRow {
            period_start: Day(day).start(),
            period_end: Day(day).end(),
            known_at: Day(day + 2).start(),
            value,
        };
        let origin = SeriesOrigin {
            feed: "oil".into(),
            publisher: "An agency".into(),
            licence: "Public domain".into(),
            retrieved: "2026-11".into(),
            released: "the day after".into(),
            attribution: "Source: an agency".into(),
        };
        let series = |name: &str, values: &[f64]| PackedSeries {
            name: name.into(),
            origin: origin.clone(),
            rows: values.iter().enumerate().map(|(n, v)| row(15_000 + n as i32, *v)).collect(),
        };
        let crisis = r#"[{"name":"A strait, closed","date":"2011-02-01","end":"2011-02-09","pillars":["supply_chain","conflict"],"tier":"A"}]"#;
        HistoryFile {
            from: Day(15_000),
            to: Day(15_010),
            series: vec![series("a.one", &[1.5, -0.25, 1e-9]), series("b.two", &[0.1, 7.0])],
            crises: crate::backtest::parse_crises(crisis).unwrap(),
        }
    }

    fn pack(text: &str) -> Vec<u8> {
        let mut packer = GzBuilder::new().write(Vec::new(), Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn a_file_survives_a_round_trip() {
        let file = small();
        assert_eq!(HistoryFile::parse(&file.to_bytes()), Ok(file.clone()));
        assert_eq!(file.to_bytes(), file.to_bytes());
        assert_eq!(file.table().row_count(), 5);
        let cut = file.known_by(Day(15_002));
        assert_eq!(cut.series.iter().map(|s| s.rows.len()).collect::<Vec<_>>(), [1, 1]);
        assert!(cut.crises.is_empty());
    }

    #[test]
    fn a_changed_file_is_refused_and_the_error_names_the_place() {
        let text = small().to_text();
        let change = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            pack(&text.replacen(from, to, 1))
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let all_but_last = lines[..lines.len() - 1].concat();
        for (bytes, place, problem) in [
            (b"series,value\n".to_vec(), "line 1", "cannot be unpacked"),
            (pack("series,value\n"), "line 1", "not a packed history"),
            (change("#gsi-history\t1", "#gsi-history\t2"), "line 1", "format 2 is not 1"),
            (change("#sha256", "#md5"), "line 2", "digest is missing"),
            (change("#span\t2011", "#span\t2031"), "line 3", "is not a span"),
            (change("An agency", "Another agency"), "lines 3 to 7", "the head is not the one"),
            (change("Public domain", ""), "line 4", "a column is empty"),
            (change("b.two\toil", "a.one\toil"), "line 5", "is there twice"),
            (change("conflict", "quarrel"), "line 6", "not a pillar"),
            (change("-0.25", "0.25"), "lines 8 to 10", "rows of a.one are not those"),
            (change("-0.25", "NaN"), "line 9", "not a number"),
            (change("b.two,2011", "c.two,2011"), "line 11", "a row of b.two is expected"),
            (pack(&all_but_last), "line 11", "b.two has 2 rows, not 1"),
            (pack(&format!("{text}b.two,x\n")), "line 13", "more rows than the head announces"),
            (pack(text.trim_end()), "line 12", "in the middle of a line"),
        ] {
            let error = HistoryFile::parse(&bytes).unwrap_err();
            assert_eq!(error.place, place, "{error}");
            assert!(error.problem.contains(problem), "{error}");
        }
        let whole = small().to_bytes();
        let longer = [&whole[..], b"more"].concat();
        assert_eq!(HistoryFile::parse(&longer).unwrap_err().place, "the end");
        for length in 0..whole.len() {
            assert!(HistoryFile::parse(&whole[..length]).is_err(), "cut to {length} bytes");
        }
    }

    #[test]
    fn the_packed_file_is_sound() {
        let file = HistoryFile::packed().unwrap();
        assert!(HistoryFile::packed_bytes().len() < 3 << 20);
        assert_eq!((file.from.to_string(), file.to.to_string()), ("2000-01-01".into(), "2024-12-31".into()));
        assert!(file.crises.len() >= 50 && file.series.len() >= 15, "{}", file.series.len());
        for series in &file.series {
            let (first, last) = (series.rows.first().unwrap(), series.rows.last().unwrap());
            assert!(
                first.period_start >= file.from.start() && last.period_end <= file.to.end(),
                "{}",
                series.name
            );
            // Data that may not be redistributed is never in it.
            assert!(!["cboe", "sp500", "icews", "fred"].iter().any(|owner| series.name.starts_with(owner)));
        }
    }
}
