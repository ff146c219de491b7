//! The financial stress index: the whole table from 2000, two business days late. The newest row is revised a day later.
//!
//! Five categories add up to the index, and so do three regions.

use super::super::{Document, Format, Request};
use crate::world::World;
use gsi_model::Day;
use std::io::Write;
use std::sync::Arc;

const HEADER: &str = "Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,Volatility,United States,\
                      Other advanced economies,Emerging markets\n";
/// The first estimate of a day leaves out late inputs: its volatility is this far off.
const PROVISIONAL: f64 = 0.012;

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    if request.path != "/financial-stress-index/data/fsi.csv" {
        return None;
    }
    let posting = world.series.group("ofr").newest(request.as_of);
    let maker = world.clone();
    Some(Document::new(Format::Csv, posting.last.0 as u64, Some(posting.at), move || {
        maker.series.group("ofr").read(posting.last, |rows| {
            let mut out = Vec::with_capacity(rows.len() * 84 + HEADER.len());
            out.extend_from_slice(HEADER.as_bytes());
            for (i, (day, values)) in rows.iter().enumerate() {
                write_row(&mut out, day, values, if i + 1 == rows.len() { PROVISIONAL } else { 0.0 });
            }
            out
        })
    }))
}

/// The index of a day: the sum of its categories, which are the first five columns of the group.
pub fn index(values: &[f64]) -> f64 {
    values[..5].iter().sum()
}

/// Thousandths, without trailing zeros, as published.
fn write_row(out: &mut Vec<u8>, day: Day, values: &[f64], provisional: f64) {
    let &[credit, equity, safe, funding, volatility, us_excess, emerging_excess] = values else { return };
    let index = index(values);
    let us = 0.46 * index - 0.25 + us_excess;
    let emerging = 0.08 * index + 0.3 * emerging_excess;
    let others = index - us - emerging;
    let shown = [
        index + provisional,
        credit,
        equity,
        safe,
        funding,
        volatility + provisional,
        us,
        others + provisional,
        emerging,
    ];
    // Writing into a Vec cannot fail.
    let _ = write!(out, "{day}");
    for value in shown {
        let thousandths = (value * 1_000.0).round() / 1_000.0;
        let _ = write!(out, ",{}", if thousandths == 0.0 { 0.0 } else { thousandths });
    }
    out.push(b'\n');
}
