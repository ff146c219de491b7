//! Reads one sheet of a workbook: XLS (BIFF8 in a compound file) or XLSX (XML in a zip archive). The bytes decide which it is.
//!
//! Only what the feeds need is read: numbers, texts, and which other cells are filled. A date is returned as the number that the file stores.
//!
//! # Memory
//! A few kilobytes can place a cell at the far corner of each of many sheets, so a reader that builds rectangles needs
//! gigabytes. Here a sheet is the list of its filled cells, only the requested sheet is read, and one [`Budget`] limits the
//! cells, the texts and the unpacked bytes of the whole file.
//!
//! The alternative is to decode in a child process with limited memory. That also contains unknown faults, but every file is
//! copied to a new process, a container may forbid processes or their limits, and a killed child does not report what is wrong
//! with the file. These readers are small enough to account for each of their allocations. `tests/bombs` checks it: it decodes
//! hostile files in a process limited to 512 MB.

mod compound;
#[cfg(test)]
pub mod tests;
mod xls;
mod xlsx;

use crate::formats::unpack::{is_zip, unpack};
use gsi_model::{Day, PayloadRefusal, RefusalCode};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Daily tables since 1900 fit twice.
const MAX_ROWS: u32 = 100_000;
/// The widest vintage matrix has about 60 columns.
const MAX_COLUMNS: u32 = 1_024;
/// Published workbooks have about five sheets.
const MAX_SHEETS: usize = 256;
/// The largest published sheet has 170,000 cells. A cell takes 32 bytes.
const MAX_CELLS: usize = 1_000_000;

/// A filled cell's content.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Number(f64),
    /// Without surrounding blanks. Cells with the same text share it, as they do in the file.
    Text(Rc<str>),
    /// A truth value or an error.
    Other,
}

#[derive(Debug)]
struct PlacedCell {
    row: u32,
    column: u32,
    cell: Cell,
}

/// The filled cells of a sheet.
#[derive(Debug, Default)]
pub struct Sheet {
    /// By row, then by column.
    cells: Vec<PlacedCell>,
}

/// The filled cells of one row.
#[derive(Clone, Copy, Debug)]
pub struct SheetRow<'a>(&'a [PlacedCell]);

/// What one file may still use of memory, in all its sheets and parts together.
struct Budget {
    /// Cells and distinct texts.
    cells: usize,
    /// Unpacked bytes and texts taken from them.
    bytes: usize,
}

/// Reads the sheet of that name, or the first one. `cap` limits the unpacked file.
pub fn read(bytes: &[u8], cap: usize, sheet: Option<&str>) -> Result<Sheet, PayloadRefusal> {
    // Each byte may be counted twice: when it is unpacked and as a part of a text.
    let mut budget = Budget { cells: MAX_CELLS, bytes: 2 * cap };
    let mut read = if is_zip(bytes) {
        xlsx::read(bytes, cap, sheet, &mut budget)?
    } else {
        xls::read(&unpack(bytes, cap)?, sheet, &mut budget)?
    };
    read.sort();
    Ok(read)
}

fn bad(detail: impl std::fmt::Display) -> PayloadRefusal {
    PayloadRefusal::new(
        RefusalCode::BadWorkbook,
        gsi_model::text::neutral(&detail.to_string(), gsi_model::text::MAX_NAME).into_owned(),
    )
}

/// Whether a sheet is the requested one. Without a request, the first sheet is.
fn is_requested(name: &str, requested: Option<&str>) -> bool {
    requested.is_none_or(|requested| name.trim().eq_ignore_ascii_case(requested))
}

impl Budget {
    fn take_cell(&mut self) -> Result<(), PayloadRefusal> {
        let left = self.cells.checked_sub(1);
        self.cells = left.ok_or_else(|| bad(format!("more than {MAX_CELLS} cells and texts")))?;
        Ok(())
    }

    fn take_bytes(&mut self, bytes: usize) -> Result<(), PayloadRefusal> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| bad("its parts and texts exceed the limit in bytes"))?;
        Ok(())
    }

    /// A text that cells can share, without surrounding blanks.
    fn keep_text(&mut self, text: &str) -> Result<Rc<str>, PayloadRefusal> {
        let text = text.trim();
        self.take_cell()?;
        self.take_bytes(text.len())?;
        Ok(Rc::from(text))
    }
}

impl Sheet {
    fn put(&mut self, budget: &mut Budget, row: u32, column: u32, cell: Cell) -> Result<(), PayloadRefusal> {
        if row >= MAX_ROWS || column >= MAX_COLUMNS {
            return Err(bad(format!("a cell beyond row {MAX_ROWS} or column {MAX_COLUMNS}")));
        }
        budget.take_cell()?;
        self.cells.push(PlacedCell { row, column, cell });
        Ok(())
    }

    /// Files may place cells in any order, and twice. The last one counts.
    fn sort(&mut self) {
        self.cells.sort_by_key(|placed| (placed.row, placed.column));
        self.cells.dedup_by(|later, earlier| {
            let is_same = (later.row, later.column) == (earlier.row, earlier.column);
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
    }

    /// Rows with at least one filled cell, from the top.
    pub fn rows(&self) -> impl Iterator<Item = SheetRow<'_>> {
        self.cells.chunk_by(|a, b| a.row == b.row).map(SheetRow)
    }
}

impl<'a> SheetRow<'a> {
    /// The cell in a column counted from zero, if it is filled.
    pub fn cell(&self, column: u32) -> Option<&'a Cell> {
        let at = self.0.binary_search_by_key(&column, |placed| placed.column).ok()?;
        Some(&self.0[at].cell)
    }

    /// Returns the first column with that text, ignoring case.
    pub fn column(&self, name: &str) -> Option<u32> {
        let found = self.0.iter().find(|placed| text(Some(&placed.cell)).eq_ignore_ascii_case(name));
        found.map(|placed| placed.column)
    }
}

/// A cell's text; empty for other cells.
pub fn text(cell: Option<&Cell>) -> &str {
    match cell {
        Some(Cell::Text(text)) => text,
        _ => "",
    }
}

/// The text of a cell that could be a value. A long text that a hundred thousand cells share is not parsed as many times.
fn short(text: &str) -> Option<&str> {
    const LONGEST_VALUE: usize = 64;
    (text.len() <= LONGEST_VALUE).then_some(text)
}

/// A finite number within bounds, whether stored as number or as text.
pub fn number(cell: Option<&Cell>, bounds: RangeInclusive<f64>) -> Option<f64> {
    let value = match cell? {
        Cell::Number(value) => *value,
        Cell::Text(text) => short(text)?.parse().ok()?,
        Cell::Other => return None,
    };
    bounds.contains(&value).then_some(value)
}

/// A date cell: a serial number, or text such as `31-Jan-2026` or `2026-01-31`.
pub fn day(cell: Option<&Cell>) -> Option<Day> {
    /// Serial 1 is 1900-01-01, and spreadsheets count 1900-02-29, which did not exist: 25569 is 1970-01-01.
    const EPOCH: f64 = 25_569.0;
    match cell? {
        Cell::Number(serial) => {
            (61.0..100_000.0).contains(serial).then(|| Day((serial.floor() - EPOCH) as i32))
        }
        Cell::Text(text) => {
            let text = short(text)?;
            day_month_year(text).or_else(|| Day::parse_iso(text.get(..10).unwrap_or(text)))
        }
        Cell::Other => None,
    }
}

/// `31-Jan-2026`, in English in any locale.
pub fn day_month_year(text: &str) -> Option<Day> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut parts = text.split('-');
    let (day, month, year) = (parts.next()?, parts.next()?.to_ascii_lowercase(), parts.next()?);
    let month = MONTHS.iter().position(|m| *m == month)? as i8 + 1;
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    Day::from_ymd(year.parse().ok()?, month, day.parse().ok()?)
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], PayloadRefusal> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or_else(|| bad("a record is too short"))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, PayloadRefusal> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, PayloadRefusal> {
    array_at(bytes, at).map(u32::from_le_bytes)
}
