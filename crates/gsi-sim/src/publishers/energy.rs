//! Spot prices: CSV mirrors of the weekly official files, refreshed early each morning.

use super::{Ask, Document, Format};
use crate::markets::{Energy, Path};
use crate::world::World;
use gsi_model::{Day, HOUR, Timestamp};
use std::io::Write;
use std::sync::Arc;

/// Wednesday; the release carries prices up to the day before.
const RELEASE_WEEKDAY: i32 = 2;
/// The mirror's job on the morning after.
const REFRESH_SECONDS: i64 = 30 * HOUR;

fn series(path: &str) -> Option<fn(&World) -> &Path<Energy>> {
    match path {
        "/datasets/oil-prices/main/data/brent-daily.csv" => Some(|w| &w.markets.brent),
        "/datasets/oil-prices/main/data/wti-daily.csv" => Some(|w| &w.markets.wti),
        "/datasets/natural-gas/main/data/daily.csv" => Some(|w| &w.markets.henry_hub),
        _ => None,
    }
}

/// The last price that the file holds at `now`.
pub fn last_day(now: Timestamp) -> Day {
    let mirrored = now.minus(REFRESH_SECONDS).day();
    let since_release = (mirrored.weekday() as i32 - RELEASE_WEEKDAY).rem_euclid(7);
    mirrored.plus(-since_release - 1)
}

pub fn answer(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    let pick = series(ask.path)?;
    let last = last_day(ask.as_of);
    let maker = world.clone();
    // The mirror's host sends entity tags only.
    Some(Document::whole(Format::Csv, last.0 as u64, None, move || {
        pick(&maker).upto(last, |prices| {
            let mut out = Vec::with_capacity(prices.len() * 18 + 16);
            out.extend_from_slice(b"Date,Price\n");
            for (day, price) in prices {
                // Writing into a Vec cannot fail.
                let _ = writeln!(out, "{day},{price}");
            }
            out
        })
    }))
}
