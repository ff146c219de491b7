//! The supply-chain pressure index as its publisher's vintage matrix: a row per month, a column per release. Every release
//! revises the whole past a little.

use super::super::{Document, Format, Request};
use crate::series::{month_end, month_of};
use crate::world::{Calendar, EXCEL_EPOCH, Rng, Stream, World};
use gsi_model::{HOUR, Timestamp};
use std::io::Write;
use std::sync::Arc;

/// The matrix begins with the release for January 2022.
const FIRST_RELEASE: i32 = 52 * 12;
/// The fourth business day of the following month, 10:00 in New York.
const RELEASE_DAY: u32 = 4;
const POSTED_SECONDS: i64 = 15 * HOUR;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn released_at(month: i32) -> Timestamp {
    Calendar::UnitedStates.after(month_end(month), RELEASE_DAY).start().plus(POSTED_SECONDS)
}

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    if request.path != "/medialibrary/research/interactives/data/gscpi/gscpi_interactive_data.csv" {
        return None;
    }
    let mut newest = month_of(request.as_of.day()) - 1;
    while released_at(newest) > request.as_of {
        newest -= 1;
    }
    let maker = world.clone();
    Some(Document::new(Format::Csv, newest as u64, Some(released_at(newest)), move || matrix(&maker, newest)))
}

fn matrix(world: &World, newest: i32) -> Vec<u8> {
    let mut out = "\u{feff}Date".as_bytes().to_vec();
    // Writing into a Vec cannot fail.
    for release in FIRST_RELEASE..=newest {
        let _ = write!(out, ",{}", month_end(release).0 + EXCEL_EPOCH);
    }
    out.extend_from_slice(b"\r\n");
    world.series.group("gscpi").read(month_end(newest), |rows| {
        for (day, values) in rows.iter() {
            let (y, m, d) = day.ymd();
            let _ = write!(out, "{d:02}-{}-{y}", MONTHS[m as usize - 1]);
            let month = month_of(day);
            for release in FIRST_RELEASE..=newest {
                if release < month {
                    let _ = write!(out, ",#N/A");
                } else {
                    let _ = write!(out, ",{}", vintage(world.settings.seed, month, release, values[0]));
                }
            }
            out.extend_from_slice(b"\r\n");
        }
    });
    // The real file ends in empty rows.
    for _ in 0..3 {
        out.extend(std::iter::repeat_n(b',', (newest - FIRST_RELEASE + 1).max(0) as usize));
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// The estimate of a month in a later release.
fn vintage(seed: u64, month: i32, release: i32, value: f64) -> f64 {
    let mut rng = Rng::with_pair(seed, Stream::Gscpi, i64::from(month), i64::from(release));
    let age = f64::from((release - month).max(0));
    let drift = 0.12 * libm::exp(-age / 4.0) + 0.02;
    ((value + drift * rng.normal()) * 100.0).round() / 100.0
}
