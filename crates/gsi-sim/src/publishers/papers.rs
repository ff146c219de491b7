//! The two newspaper indices: daily policy uncertainty as CSV, and geopolitical risk as a weekly binary workbook.

use super::{Ask, Document, Format};
use crate::chance::{Chance, Stream};
use crate::faults::Fault;
use crate::markets::GprDay;
use crate::workbook::{Cell, Workbook};
use crate::world::World;
use gsi_model::{Day, HOUR, Timestamp};
use std::io::Write;
use std::sync::Arc;

/// Yesterday's value is posted at noon.
const POLICY_POSTED_SECONDS: i64 = 12 * HOUR;
/// Values move until they are a month old, the newest most.
const POLICY_REVISED_DAYS: i32 = 30;
const POLICY_REVISION: f64 = 0.15;
/// Mondays, in the American morning.
const GPR_POSTED_SECONDS: i64 = 15 * HOUR;
const EXCEL_EPOCH_OFFSET: i32 = 25_569;

pub fn policy(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    if ask.path != "/media/All_Daily_Policy_Data.csv" {
        return None;
    }
    let posted = ask.as_of.minus(POLICY_POSTED_SECONDS).day();
    let (last, maker) = (posted.plus(-1), world.clone());
    Some(Document::whole(
        Format::Csv,
        last.0 as u64,
        Some(posted.start().plus(POLICY_POSTED_SECONDS)),
        move || {
            maker.markets.policy.upto(last, |days| {
                let mut out = Vec::with_capacity(days.len() * 22 + 40);
                out.extend_from_slice(b"day,month,year,daily_policy_index\n");
                for (day, value) in days {
                    let (y, m, d) = day.ymd();
                    let age = last.0 - day.0;
                    let unsettled = POLICY_REVISION * f64::from((POLICY_REVISED_DAYS - age).max(0)) / 30.0;
                    let mut c = Chance::of_pair(
                        maker.settings.seed,
                        Stream::Epu,
                        i64::from(day.0),
                        i64::from(last.0),
                    );
                    let shown =
                        if unsettled > 0.0 { value * libm::exp(unsettled * c.normal()) } else { *value };
                    // Writing into a Vec cannot fail.
                    let _ = writeln!(out, "{d},{m},{y},{:.2}", shown);
                }
                out
            })
        },
    ))
}

/// The Monday of the newest release.
fn release(now: Timestamp) -> Day {
    let day = now.minus(GPR_POSTED_SECONDS).day();
    day.plus(-(day.weekday() as i32))
}

pub fn geopolitical(world: &Arc<World>, ask: &Ask) -> Option<Document> {
    if ask.path != "/gpr_files/data_gpr_daily_recent.xls" {
        return None;
    }
    let monday = release(ask.as_of);
    let (last, maker) = (monday.plus(-1), world.clone());
    let modified = monday.start().plus(GPR_POSTED_SECONDS);
    // Rows and columns of a binary sheet cannot be moved afterwards: these faults are laid out with its cells.
    let fault = ask.fault.filter(|f| {
        matches!(f, Fault::Duplicate | Fault::OutOfOrder | Fault::SchemaChange | Fault::EmptySuccess)
    });
    let mut document = Document::whole(Format::Workbook, last.0 as u64, Some(modified), move || {
        maker.markets.geopolitical.upto(last, |days| workbook(days, fault))
    });
    document.tampered = fault.is_some();
    Some(document)
}

const NAMES: [&str; 11] = [
    "DAY",
    "N10D",
    "GPRD",
    "GPRD_ACT",
    "GPRD_THREAT",
    "date",
    "GPRD_MA30",
    "GPRD_MA7",
    "event",
    "var_name",
    "var_label",
];
/// The codebook that shares the sheet with the first rows.
const CODEBOOK: [(&str, &str); 3] = [
    ("DAY", "Day of observation"),
    ("N10D", "Number of articles"),
    ("GPRD", "Daily geopolitical risk index"),
];

/// Every day twice still fits the 65,536 rows of the format.
fn workbook(days: &[(Day, GprDay)], fault: Option<Fault>) -> Vec<u8> {
    let order: Vec<usize> = match fault {
        Some(Fault::Duplicate) => (0..days.len()).flat_map(|i| [i, i]).collect(),
        Some(Fault::OutOfOrder) => (0..days.len()).rev().collect(),
        Some(Fault::EmptySuccess) => Vec::new(),
        _ => (0..days.len()).collect(),
    };
    // A changed sheet has a title above the names and a column more in front.
    let changed = fault == Some(Fault::SchemaChange);
    let (top, left) = if changed { (1, 1) } else { (0, 0) };
    let mut book = Workbook::new("Sheet1", top + 1 + order.len(), left + NAMES.len());
    if changed {
        book.put(0, 0, Cell::Text("Daily geopolitical risk, version 3"));
        book.put(top, 0, Cell::Text("revision"));
    }
    for (column, name) in NAMES.iter().enumerate() {
        book.put(top, left + column, Cell::Text(name));
    }
    let rounded = |v: f64| (v * 100.0).round() / 100.0;
    let mean = |end: usize, n: usize| {
        let from = (end + 1).saturating_sub(n);
        days[from..=end].iter().map(|(_, d)| d.total).sum::<f64>() / (end + 1 - from) as f64
    };
    for (line, i) in order.into_iter().enumerate() {
        let (day, value) = &days[i];
        let (y, m, d) = day.ymd();
        let number = f64::from(y) * 10_000.0 + f64::from(m) * 100.0 + f64::from(d);
        let columns = [
            number,
            value.articles,
            rounded(value.total),
            rounded(value.acts),
            rounded(value.threats),
            f64::from(day.0 + EXCEL_EPOCH_OFFSET),
            rounded(mean(i, 30)),
            rounded(mean(i, 7)),
        ];
        let row = top + 1 + line;
        if changed {
            book.put(row, 0, Cell::Text("v3"));
        }
        for (column, v) in columns.into_iter().enumerate() {
            let cell = if column == 5 { Cell::Date(v) } else { Cell::Number(v) };
            book.put(row, left + column, cell);
        }
        // The codebook is beside the first rows, whatever days they are of.
        if let Some((name, label)) = CODEBOOK.get(line) {
            book.put(row, left + 9, Cell::Text(name));
            book.put(row, left + 10, Cell::Text(label));
        }
    }
    book.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workbook_is_renewed_on_mondays() {
        for (now, want) in [
            ("2026-11-16T14:59:59Z", "2026-11-09"),
            ("2026-11-16T15:00:00Z", "2026-11-16"),
            ("2026-11-22T23:00:00Z", "2026-11-16"),
        ] {
            assert_eq!(release(now.parse().unwrap()).to_string(), want, "{now}");
        }
    }
}
