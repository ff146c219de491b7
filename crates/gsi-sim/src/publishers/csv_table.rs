//! Series that are published as a CSV file with a date and a value on each line.

use super::{Document, Format, Request};
use crate::series::{CsvFile, DateFormat, SeriesRows};
use crate::world::{Rng, Stream, World};
use gsi_model::Day;
use std::io::Write;
use std::sync::Arc;

/// Answers as a mirror whose host sends entity tags only.
pub fn mirrored(world: &Arc<World>, request: &Request) -> Option<Document> {
    respond(world, request).map(|document| Document { modified: None, ..document })
}

/// Answers with the time of the posting.
pub fn dated(world: &Arc<World>, request: &Request) -> Option<Document> {
    respond(world, request)
}

fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let (group, file) = world.series.csv_group(request.path)?;
    let posting = group.newest(request.as_of);
    let (maker, path) = (world.clone(), request.path.to_owned());
    Some(Document::new(Format::Csv, posting.last.0 as u64, Some(posting.at), move || {
        let seed = maker.settings.seed;
        let group = maker.series.csv_group(&path).map(|(group, _)| group);
        group.map_or_else(Vec::new, |g| g.read(posting.last, |rows| table(file, rows, posting.last, seed)))
    }))
}

fn table(file: &CsvFile, rows: SeriesRows, last: Day, seed: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.len() * 22 + 40);
    // Writing into a Vec cannot fail.
    let _ = writeln!(out, "{}", file.header);
    for (day, values) in rows.iter() {
        let value = revised(file, day, values[0], last, seed);
        let _ = match file.dates {
            DateFormat::Iso => write!(out, "{day},"),
            DateFormat::DayMonthYear => {
                let (y, m, d) = day.ymd();
                write!(out, "{d},{m},{y},")
            }
        };
        let _ = match file.decimals {
            Some(digits) => writeln!(out, "{value:.digits$}"),
            None => writeln!(out, "{value}"),
        };
    }
    out
}

/// Returns a value as the file of `last` shows it: the newest values still move.
fn revised(file: &CsvFile, day: Day, value: f64, last: Day, seed: u64) -> f64 {
    let Some(revision) = &file.revision else { return value };
    let left = revision.days - (last.0 - day.0);
    if left <= 0 {
        return value;
    }
    let step = revision.step * f64::from(left) / f64::from(revision.days);
    let mut rng = Rng::with_pair(seed, Stream::Epu, i64::from(day.0), i64::from(last.0));
    value * libm::exp(step * rng.normal())
}
