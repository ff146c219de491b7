//! The financial stress index: the whole table from 2000, two business days late; the newest row is revised a day later.

use super::{Ask, Document, Format};
use crate::calendar::Calendar;
use crate::markets::StressDay;
use crate::world::World;
use gsi_model::{Day, HOUR, Timestamp};
use std::io::Write;
use std::sync::Arc;

const HEADER: &str = "Date,OFR FSI,Credit,Equity valuation,Safe assets,Funding,Volatility,United States,\
                      Other advanced economies,Emerging markets\n";
const LAG_DAYS: u32 = 2;
const POSTED_SECONDS: i64 = 14 * HOUR;
/// The first estimate of a day leaves out late inputs: its volatility is this far off.
const PROVISIONAL: f64 = 0.012;

/// The newest row at `now`, and when it was posted.
fn newest(now: Timestamp) -> (Day, Timestamp) {
    let posted_today = now.minus(POSTED_SECONDS).day();
    let last = Calendar::UnitedStates.before(posted_today, LAG_DAYS);
    (last, Calendar::UnitedStates.after(last, LAG_DAYS).start().plus(POSTED_SECONDS))
}

pub fn answer(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    if ask.path != "/financial-stress-index/data/fsi.csv" {
        return None;
    }
    let (last, posted) = newest(ask.as_of);
    let maker = world.clone();
    Some(Document::whole(Format::Csv, last.0 as u64, Some(posted), move || {
        maker.markets.stress.upto(last, |days| {
            let mut out = Vec::with_capacity(days.len() * 84 + HEADER.len());
            out.extend_from_slice(HEADER.as_bytes());
            for (i, (day, value)) in days.iter().enumerate() {
                write_row(&mut out, *day, value, if i + 1 == days.len() { PROVISIONAL } else { 0.0 });
            }
            out
        })
    }))
}

/// Thousandths, without trailing zeros, as published.
fn write_row(out: &mut Vec<u8>, day: Day, value: &StressDay, provisional: f64) {
    let _ = write!(out, "{day}");
    let mut categories = value.categories;
    categories[4] += provisional;
    let mut regions = value.regions;
    regions[1] += provisional;
    let index = value.index + provisional;
    for v in std::iter::once(index).chain(categories).chain(regions) {
        let thousandths = (v * 1_000.0).round() / 1_000.0;
        // Writing into a Vec cannot fail.
        let _ = write!(out, ",{}", if thousandths == 0.0 { 0.0 } else { thousandths });
    }
    out.push(b'\n');
}
