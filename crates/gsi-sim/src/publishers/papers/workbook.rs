//! A binary spreadsheet (BIFF8 in a compound file), as old publishers still serve: one sheet of numbers, dates and texts.
//!
//! Only what a reader needs is written: the globals with two cell formats, the sheet's cells row by row, and the end.

use std::io::{Cursor, Write};

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const CODEPAGE: u16 = 0x0042;
const XF: u16 = 0x00E0;
const BOUNDSHEET: u16 = 0x0085;
const DIMENSIONS: u16 = 0x0200;
const NUMBER: u16 = 0x0203;
const LABEL: u16 = 0x0204;
/// Built-in number format `m/d/yy`.
const DATE_FORMAT: u16 = 14;

#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    Number(f64),
    /// Days since the spreadsheet epoch.
    Date(f64),
    Text(&'a str),
}

pub struct Workbook {
    name: String,
    sheet: Vec<u8>,
}

impl Workbook {
    pub fn new(name: &str, rows: usize, columns: usize) -> Self {
        let mut sheet = Vec::with_capacity(rows * columns * 18 + 256);
        record(&mut sheet, BOF, &bof(0x0010));
        let mut dimensions = Vec::new();
        dimensions.extend_from_slice(&0u32.to_le_bytes());
        dimensions.extend_from_slice(&(rows as u32).to_le_bytes());
        dimensions.extend_from_slice(&0u16.to_le_bytes());
        dimensions.extend_from_slice(&(columns as u16).to_le_bytes());
        dimensions.extend_from_slice(&0u16.to_le_bytes());
        record(&mut sheet, DIMENSIONS, &dimensions);
        Workbook { name: name.to_owned(), sheet }
    }

    /// Rows must come in order. BIFF8 has room for 65,536 of them.
    pub fn put(&mut self, row: usize, column: usize, cell: Cell) {
        let format = u16::from(matches!(cell, Cell::Date(_)));
        let mut data = Vec::with_capacity(14);
        for part in [row as u16, column as u16, format] {
            data.extend_from_slice(&part.to_le_bytes());
        }
        match cell {
            Cell::Number(v) | Cell::Date(v) => {
                data.extend_from_slice(&v.to_le_bytes());
                record(&mut self.sheet, NUMBER, &data);
            }
            Cell::Text(text) => {
                let units: Vec<u16> = text.encode_utf16().take(255).collect();
                data.extend_from_slice(&(units.len() as u16).to_le_bytes());
                data.push(1);
                units.iter().for_each(|u| data.extend_from_slice(&u.to_le_bytes()));
                record(&mut self.sheet, LABEL, &data);
            }
        }
    }

    pub fn finish(mut self) -> Vec<u8> {
        record(&mut self.sheet, EOF, &[]);
        let mut book = Vec::with_capacity(self.sheet.len() + 512);
        record(&mut book, BOF, &bof(0x0005));
        record(&mut book, CODEPAGE, &1_200u16.to_le_bytes());
        for format in [0, DATE_FORMAT] {
            let mut xf = [0u8; 20];
            xf[2..4].copy_from_slice(&format.to_le_bytes());
            record(&mut book, XF, &xf);
        }
        let name: Vec<u16> = self.name.encode_utf16().take(31).collect();
        let mut bound = vec![0u8; 6];
        bound.push(name.len() as u8);
        bound.push(1);
        name.iter().for_each(|u| bound.extend_from_slice(&u.to_le_bytes()));
        // The sheet begins after this record (4 bytes of head) and the end of the globals (4 bytes).
        let begin = (book.len() + 4 + bound.len() + 4) as u32;
        bound[..4].copy_from_slice(&begin.to_le_bytes());
        record(&mut book, BOUNDSHEET, &bound);
        record(&mut book, EOF, &[]);
        book.extend_from_slice(&self.sheet);
        compound(&book)
    }
}

fn bof(kind: u16) -> Vec<u8> {
    let mut data = Vec::with_capacity(16);
    for part in [0x0600, kind, 0x0DBB, 0x07CC] {
        data.extend_from_slice(&part.to_le_bytes());
    }
    data.extend_from_slice(&[0; 8]);
    data
}

fn record(out: &mut Vec<u8>, kind: u16, data: &[u8]) {
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&(data.len() as u16).to_le_bytes());
    out.extend_from_slice(data);
}

fn compound(stream: &[u8]) -> Vec<u8> {
    let write = || -> std::io::Result<Vec<u8>> {
        let mut file = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new()))?;
        file.create_stream("/Workbook")?.write_all(stream)?;
        file.flush()?;
        Ok(file.into_inner().into_inner())
    };
    // Writing to memory cannot fail.
    write().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_cells_can_be_found_again() {
        let mut book = Workbook::new("Sheet1", 2, 2);
        book.put(0, 0, Cell::Text("DAY"));
        book.put(1, 0, Cell::Number(20_261_114.0));
        book.put(1, 1, Cell::Date(46_340.0));
        let bytes = book.finish();
        assert_eq!(bytes[..8], [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]);
        let mut stream = Vec::new();
        cfb::CompoundFile::open(Cursor::new(bytes))
            .unwrap()
            .open_stream("/Workbook")
            .unwrap()
            .read_to_end(&mut stream)
            .unwrap();
        let mut at = 0;
        let mut kinds = Vec::new();
        while at + 4 <= stream.len() {
            let word = |i: usize| u16::from_le_bytes([stream[i], stream[i + 1]]);
            kinds.push(word(at));
            if word(at) == BOUNDSHEET {
                let begin = u32::from_le_bytes(stream[at + 4..at + 8].try_into().unwrap()) as usize;
                assert_eq!(word(begin), BOF, "the sheet begins where the globals say");
            }
            at += 4 + usize::from(word(at + 2));
        }
        assert_eq!(at, stream.len());
        assert_eq!(kinds.iter().filter(|k| **k == NUMBER).count(), 2);
        assert_eq!(kinds.iter().filter(|k| **k == LABEL).count(), 1);
    }
}
