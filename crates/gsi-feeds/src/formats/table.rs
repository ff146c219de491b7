//! Comma-separated tables with a header row, read by column name.

use crate::formats::series;
use crate::refusal::refuse;
use gsi_model::{Decoded, PayloadRefusal, RefusalCode, Reject};
use std::io::{self, Read};
use std::ops::RangeInclusive;

/// A table whose columns are found by name.
pub struct Table<'a> {
    reader: csv::Reader<RecordBytes<'a>>,
    header: Vec<String>,
    record: csv::StringRecord,
    /// The rest of the file cannot be read.
    is_broken: bool,
}

/// One row of a table.
pub struct TableRow<'a>(&'a csv::StringRecord);

/// More columns than any feed has. A longer header belongs to another kind of file.
const MAX_COLUMNS: usize = 4_096;

/// The longest row is a header of 20 KB. The reader keeps eight bytes for each field of a record, so an endless one of empty
/// fields would take many times the file.
const MAX_RECORD: usize = 1 << 20;

/// A table's bytes, of which one record may take a limited number.
struct RecordBytes<'a> {
    bytes: &'a [u8],
    /// What the present record may still take.
    allowance: usize,
}

impl Read for RecordBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.allowance == 0 && !self.bytes.is_empty() {
            return Err(io::Error::other("a record is too long"));
        }
        let most = buffer.len().min(self.allowance);
        let read = self.bytes.read(&mut buffer[..most])?;
        self.allowance -= read;
        Ok(read)
    }
}

impl<'a> Table<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, PayloadRefusal> {
        let mut table = Table::open_headless(bytes);
        let mut record = csv::StringRecord::new();
        match table.reader.read_record(&mut record) {
            Ok(true) if record.len() <= MAX_COLUMNS => {}
            Ok(true) => return refuse(RefusalCode::Schema, format!("{} columns", record.len())),
            Ok(false) => return refuse(RefusalCode::Empty, "no header row"),
            Err(_) => return refuse(RefusalCode::Schema, "the header row is not text or too long"),
        }
        table.header = record.iter().map(|name| name.trim().to_owned()).collect();
        Ok(table)
    }

    /// Opens a table that may lack its header, so columns are known by position.
    pub fn open_headless(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let bytes = RecordBytes { bytes, allowance: MAX_RECORD };
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        Table { reader, header: Vec::new(), record: csv::StringRecord::new(), is_broken: false }
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|h| h.eq_ignore_ascii_case(name))
    }

    pub fn require(&self, name: &str) -> Result<usize, PayloadRefusal> {
        self.column(name).ok_or_else(|| PayloadRefusal::new(RefusalCode::Schema, format!("no column {name}")))
    }

    pub fn require_all<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], PayloadRefusal> {
        let mut columns = [0; N];
        for (column, name) in columns.iter_mut().zip(names) {
            *column = self.require(name)?;
        }
        Ok(columns)
    }

    /// Returns the next row that is not blank, or why it cannot be read.
    pub fn next(&mut self) -> Option<Result<TableRow<'_>, Reject>> {
        while !self.is_broken {
            self.reader.get_mut().allowance = MAX_RECORD;
            match self.reader.read_record(&mut self.record) {
                Ok(false) => return None,
                Ok(true) if self.record.iter().all(|cell| cell.trim().is_empty()) => {}
                Ok(true) => break,
                Err(error) => {
                    self.is_broken = !matches!(error.kind(), csv::ErrorKind::Utf8 { .. });
                    return Some(Err(if self.is_broken { Reject::Columns } else { Reject::Utf8 }));
                }
            }
        }
        (!self.is_broken).then_some(Ok(TableRow(&self.record)))
    }
}

impl<'a> TableRow<'a> {
    /// Returns the cell without surrounding blanks, or an empty text if the row has no such cell.
    pub fn cell(&self, column: usize) -> &'a str {
        self.0.get(column).unwrap_or("").trim()
    }

    pub fn cells(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(str::trim)
    }

    /// Rejects a row of another width.
    pub fn check_width(&self, columns: usize) -> Result<(), Reject> {
        if self.0.len() == columns { Ok(()) } else { Err(Reject::Columns) }
    }

    /// Parses the number in a cell. A blank cell is rejected as missing.
    pub fn number(&self, column: usize, bounds: RangeInclusive<f64>) -> Result<f64, Reject> {
        let cell = self.cell(column);
        series::number(cell, bounds).ok_or(if cell.is_empty() { Reject::Missing } else { Reject::Number })
    }
}

/// Refuses a table without a single accepted row.
pub fn finish(decoded: Decoded) -> Result<Decoded, PayloadRefusal> {
    if decoded.accepted > 0 {
        return Ok(decoded);
    }
    match decoded.rejected.iter().max_by_key(|(_, n)| **n) {
        Some((reason, n)) => refuse(
            RefusalCode::NoValidRows,
            format!("{} rows, none valid; {n} rejected as {reason}", decoded.seen),
        ),
        None => refuse(RefusalCode::Empty, "a table without rows"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_rows_are_skipped_and_bad_text_is_a_reject() {
        let mut table = Table::open(b"\xef\xbb\xbfDate, Price\n1,2\n\n,\n\xff,3\n4\n").unwrap();
        assert_eq!(table.column("price"), Some(1));
        assert!(table.require("volume").is_err());
        let mut rows = Vec::new();
        while let Some(row) = table.next() {
            rows.push(row.map(|row| row.cells().count()));
        }
        assert_eq!(rows, [Ok(2), Err(Reject::Utf8), Ok(1)]);
        assert_eq!(Table::open(b"").err().unwrap().code, RefusalCode::Empty);
    }

    #[test]
    fn endless_records_are_rejected() {
        let endless = ",".repeat(MAX_RECORD * 2);
        assert_eq!(Table::open(endless.as_bytes()).err().unwrap().code, RefusalCode::Schema);
        let rows = format!("Date,Price\n1,2\n\"{endless}\n3,4\n");
        let mut table = Table::open(rows.as_bytes()).unwrap();
        assert!(table.next().is_some_and(|row| row.is_ok()));
        assert_eq!(table.next().map(|row| row.map(|_| ())), Some(Err(Reject::Columns)));
        assert!(table.next().is_none());
    }
}
