//! The yield curve: one CSV file per year, newest day first.

use super::super::{Document, Format, Request, query};
use crate::world::World;
use gsi_model::Day;
use std::io::Write;
use std::sync::Arc;

const FIRST_YEAR: i16 = 1990;
/// The maturity in years at which the slope and the curvature weigh half.
const DECAY_YEARS: f64 = 1.8;

/// Columns with their maturity in years and the first year whose table has them.
const TENORS: [(&str, f64, i16); 14] = [
    ("1 Mo", 1.0 / 12.0, 2001),
    ("1.5 Month", 0.125, 2025),
    ("2 Mo", 2.0 / 12.0, 2018),
    ("3 Mo", 0.25, FIRST_YEAR),
    ("4 Mo", 4.0 / 12.0, 2022),
    ("6 Mo", 0.5, FIRST_YEAR),
    ("1 Yr", 1.0, FIRST_YEAR),
    ("2 Yr", 2.0, FIRST_YEAR),
    ("3 Yr", 3.0, FIRST_YEAR),
    ("5 Yr", 5.0, FIRST_YEAR),
    ("7 Yr", 7.0, FIRST_YEAR),
    ("10 Yr", 10.0, FIRST_YEAR),
    ("20 Yr", 20.0, 1993),
    ("30 Yr", 30.0, FIRST_YEAR),
];

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    let year: i16 = request
        .path
        .strip_prefix("/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/")?
        .strip_suffix("/all")?
        .parse()
        .ok()?;
    let posting = world.series.group("treasury").newest(request.as_of);
    let first = Day::from_ymd(year, 1, 1)?;
    let end = Day::from_ymd(year, 12, 31)?.min(posting.last);
    let kind = query::value(request.query, "type");
    if year < FIRST_YEAR || first > posting.last || kind.as_deref() != Some("daily_treasury_yield_curve") {
        return None;
    }
    let maker = world.clone();
    Some(Document::new(Format::Csv, end.0 as u64, Some(posting.at), move || table(&maker, year, first, end)))
}

fn table(world: &World, year: i16, first: Day, end: Day) -> Vec<u8> {
    let tenors: Vec<_> = TENORS.into_iter().filter(|(_, _, since)| year >= *since).collect();
    let mut out = Vec::with_capacity(24 * 1024);
    // Writing into a Vec cannot fail.
    let _ = write!(out, "Date");
    for (name, _, _) in &tenors {
        let _ = write!(out, ",\"{name}\"");
    }
    out.push(b'\n');
    world.series.group("treasury").read(end, |rows| {
        for (day, factors) in rows.since(first).iter().rev() {
            let (y, m, d) = day.ymd();
            let _ = write!(out, "{m:02}/{d:02}/{y:04}");
            for (name, years, _) in &tenors {
                // Issues of thirty years paused from 2002 to 2006.
                if *name == "30 Yr" && (2002..2006).contains(&y) {
                    out.push(b',');
                } else {
                    let _ = write!(out, ",{:.2}", par_yield(factors, *years));
                }
            }
            out.push(b'\n');
        }
    });
    out
}

/// The yield at a maturity from level, slope and curvature (Nelson–Siegel).
fn par_yield(factors: &[f64], years: f64) -> f64 {
    let &[level, slope, curvature] = factors else { return 0.0 };
    let x = years / DECAY_YEARS;
    let load = (1.0 - libm::exp(-x)) / x;
    let percent = level + slope * load + curvature * (load - libm::exp(-x));
    (percent.max(0.01) * 100.0).round() / 100.0
}
