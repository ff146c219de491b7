//! Geopolitical risk as a weekly binary workbook.

use super::super::{Document, Format, Request};
use super::workbook::{Cell, Workbook};
use crate::series::SeriesRows;
use crate::server::Fault;
use crate::world::{EXCEL_EPOCH, World};
use gsi_model::Day;
use std::sync::Arc;

/// Articles of a day whose weekly factor is 1.
const ARTICLES: f64 = 450.0;

pub fn respond(world: &Arc<World>, request: &Request) -> Option<Document> {
    if request.path != "/gpr_files/data_gpr_daily_recent.xls" {
        return None;
    }
    let posting = world.series.group("gpr").newest(request.as_of);
    let (last, maker) = (posting.last, world.clone());
    // Rows and columns of a binary sheet cannot be moved afterwards, so these faults are laid out with its cells.
    let fault = request.fault.filter(|f| {
        matches!(f, Fault::Duplicate | Fault::OutOfOrder | Fault::SchemaChange | Fault::EmptySuccess)
    });
    let mut document = Document::new(Format::Workbook, last.0 as u64, Some(posting.at), move || {
        maker.series.group("gpr").read(last, |rows| workbook(rows, fault))
    });
    document.tampered = fault.is_some();
    Some(document)
}

struct GprDay {
    articles: f64,
    total: f64,
    acts: f64,
    threats: f64,
}

impl GprDay {
    fn new(day: Day, values: &[f64]) -> Self {
        let &[acts, threats] = values else {
            return GprDay { articles: 0.0, total: 0.0, acts: 0.0, threats: 0.0 };
        };
        let week = if day.is_weekend() { 0.65 } else { 1.13 };
        GprDay { articles: (ARTICLES * week).round(), total: 0.55 * threats + 0.45 * acts, acts, threats }
    }
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
/// The codebook, in the same sheet as the first rows.
const CODEBOOK: [(&str, &str); 3] = [
    ("DAY", "Day of observation"),
    ("N10D", "Number of articles"),
    ("GPRD", "Daily geopolitical risk index"),
];

/// Every day twice still fits the 65,536 rows of the format.
fn workbook(rows: SeriesRows, fault: Option<Fault>) -> Vec<u8> {
    let days: Vec<(Day, GprDay)> = rows.iter().map(|(day, values)| (day, GprDay::new(day, values))).collect();
    let order: Vec<usize> = match fault {
        Some(Fault::Duplicate) => (0..days.len()).flat_map(|i| [i, i]).collect(),
        Some(Fault::OutOfOrder) => (0..days.len()).rev().collect(),
        Some(Fault::EmptySuccess) => Vec::new(),
        _ => (0..days.len()).collect(),
    };
    // A changed sheet has a title above the names and one more column in front.
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
            f64::from(day.0 + EXCEL_EPOCH),
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
        // The codebook is in the first rows, whatever their days are.
        if let Some((name, label)) = CODEBOOK.get(line) {
            book.put(row, left + 9, Cell::Text(name));
            book.put(row, left + 10, Cell::Text(label));
        }
    }
    book.finish()
}
