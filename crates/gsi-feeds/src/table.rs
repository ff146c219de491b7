//! Comma-separated tables with a header row, read by column name.

use crate::refusal::{self, refuse};
use gsi_model::{Decoded, Refusal};

/// A table whose columns are found by name. Rows that do not fit are for the decoder to reject, one by one.
pub struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    header: Vec<String>,
    record: csv::StringRecord,
    row: u64,
}

/// More columns than any of the feeds has; a longer header is something else.
const MAX_COLUMNS: usize = 4_096;

impl<'a> Table<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let mut table = Table::headless(bytes);
        let mut record = csv::StringRecord::new();
        match table.reader.read_record(&mut record) {
            Ok(true) if record.len() <= MAX_COLUMNS => {}
            Ok(true) => return refuse(refusal::SCHEMA, format!("{} columns", record.len())),
            Ok(false) => return refuse(refusal::EMPTY, "no header row"),
            Err(_) => return refuse(refusal::SCHEMA, "the header row is not text"),
        }
        table.header = record.iter().map(|name| name.trim().to_owned()).collect();
        Ok(table)
    }

    /// For files that may lack their header; columns are then known by position.
    pub fn headless(bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        Table { reader, header: Vec::new(), record: csv::StringRecord::new(), row: 0 }
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|h| h.eq_ignore_ascii_case(name))
    }

    pub fn require(&self, name: &str) -> Result<usize, Refusal> {
        self.column(name).ok_or_else(|| Refusal::new(refusal::SCHEMA, format!("no column {name}")))
    }

    /// The next row and its number (from 1, the header not counted), counted as seen. Rows of blanks are skipped;
    /// rows that are not UTF-8 are counted as rejected and skipped.
    pub fn next(&mut self, decoded: &mut Decoded) -> Option<(u64, &csv::StringRecord)> {
        loop {
            match self.reader.read_record(&mut self.record) {
                Ok(false) => return None,
                Ok(true) => {
                    if self.record.iter().all(|cell| cell.trim().is_empty()) {
                        continue;
                    }
                    self.row += 1;
                    decoded.seen += 1;
                    // Returned outside the match to please the borrow checker.
                    break;
                }
                Err(error) => {
                    self.row += 1;
                    decoded.seen += 1;
                    decoded.reject(self.row, "utf8");
                    if !matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) {
                        return None;
                    }
                }
            }
        }
        Some((self.row, &self.record))
    }
}

/// The last check of every table: a file without one good row is not that feed's file.
pub fn finish(decoded: Decoded) -> Result<Decoded, Refusal> {
    if decoded.accepted > 0 {
        return Ok(decoded);
    }
    match decoded.rejected.iter().max_by_key(|(_, n)| **n) {
        Some((reason, n)) => refuse(
            refusal::NO_VALID_ROWS,
            format!("{} rows, none valid; {n} rejected as {reason}", decoded.seen),
        ),
        None => refuse(refusal::EMPTY, "a table without rows"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_and_bad_text_is_a_reject() {
        let mut decoded = Decoded::default();
        let mut table = Table::open(b"\xef\xbb\xbfDate, Price\n1,2\n\n,\n\xff,3\n4\n").unwrap();
        assert_eq!(table.column("price"), Some(1));
        assert!(table.require("volume").is_err());
        let mut rows = Vec::new();
        while let Some((row, record)) = table.next(&mut decoded) {
            rows.push((row, record.len()));
        }
        assert_eq!(rows, [(1, 2), (3, 1)]);
        assert_eq!((decoded.seen, decoded.rejected["utf8"]), (3, 1));
        assert_eq!(Table::open(b"").err().unwrap().code, "empty");
    }
}
