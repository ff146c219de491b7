//! The supply-chain pressure index as its publisher's vintage matrix: a row per month, a column per release.

use super::{Ask, Document, Format};
use crate::calendar::Calendar;
use crate::markets::{month_end, month_of, vintage};
use crate::world::World;
use gsi_model::{HOUR, Timestamp};
use std::io::Write;
use std::sync::Arc;

/// The matrix begins with the release for January 2022.
const FIRST_RELEASE: i32 = 52 * 12;
/// The fourth business day of the following month, 10:00 in New York.
const RELEASE_DAY: u32 = 4;
const POSTED_SECONDS: i64 = 15 * HOUR;
const EXCEL_EPOCH_OFFSET: i32 = 25_569;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn released_at(month: i32) -> Timestamp {
    Calendar::UnitedStates.after(month_end(month), RELEASE_DAY).start().plus(POSTED_SECONDS)
}

pub fn answer(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    if ask.path != "/medialibrary/research/interactives/data/gscpi/gscpi_interactive_data.csv" {
        return None;
    }
    let mut newest = month_of(ask.as_of.day()) - 1;
    while released_at(newest) > ask.as_of {
        newest -= 1;
    }
    let maker = world.clone();
    Some(Document::whole(Format::Csv, newest as u64, Some(released_at(newest)), move || {
        let mut out = "\u{feff}Date".as_bytes().to_vec();
        // Writing into a Vec cannot fail.
        for release in FIRST_RELEASE..=newest {
            let _ = write!(out, ",{}", month_end(release).0 + EXCEL_EPOCH_OFFSET);
        }
        out.extend_from_slice(b"\r\n");
        maker.markets.pressure.upto(month_end(newest), |months| {
            for (day, value) in months {
                let (y, m, d) = day.ymd();
                let _ = write!(out, "{d:02}-{}-{y}", MONTHS[m as usize - 1]);
                let month = month_of(*day);
                for release in FIRST_RELEASE..=newest {
                    if release < month {
                        let _ = write!(out, ",#N/A");
                    } else {
                        let _ = write!(out, ",{}", vintage(maker.settings.seed, month, release, *value));
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
    }))
}
