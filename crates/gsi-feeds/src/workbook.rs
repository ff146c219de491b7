//! Sheets of binary and modern workbooks, as rows of plain cells. The bytes decide which kind it is.

use crate::compound;
use crate::formats::unpack::unpack_workbook;
use calamine::{Data, DataType, Reader, Xls, Xlsx};
use gsi_model::{Day, PayloadRefusal, RefusalCode};
use std::io::Cursor;
use std::ops::RangeInclusive;

/// Daily tables since 1900 and the widest vintage matrix fit with room to spare.
const MAX_ROWS: u32 = 100_000;
const MAX_COLUMNS: u32 = 1_024;

pub type SheetRow = Vec<Data>;

/// The sheet of that name, or the first one.
pub fn rows(bytes: &[u8], cap: usize, sheet: Option<&str>) -> Result<Vec<SheetRow>, PayloadRefusal> {
    let body = unpack_workbook(bytes, cap)?;
    // The reader is written for honest files; a panic in it must stay a refusal.
    let read = std::panic::catch_unwind(|| read(&body, sheet));
    read.unwrap_or_else(|_| Err(bad("the reader gave up")))
}

fn bad(detail: impl std::fmt::Display) -> PayloadRefusal {
    PayloadRefusal::new(
        RefusalCode::BadWorkbook,
        gsi_model::text::neutral(&detail.to_string(), gsi_model::text::MAX_NAME).into_owned(),
    )
}

fn read(body: &[u8], sheet: Option<&str>) -> Result<Vec<SheetRow>, PayloadRefusal> {
    let mut rows = Vec::new();
    if body.starts_with(b"PK") {
        let mut book = Xlsx::new(Cursor::new(body)).map_err(bad)?;
        let name = pick(book.sheet_names(), sheet)?;
        // A modern sheet may claim a billion cells: only those that exist are read, one by one.
        let mut cells = book.worksheet_cells_reader(&name).map_err(bad)?;
        while let Some(cell) = cells.next_cell().map_err(bad)? {
            let (row, column) = cell.get_position();
            put(&mut rows, row, column, Data::from(cell.get_value().clone()))?;
        }
    } else {
        compound::check(body)?;
        let mut book = Xls::new(Cursor::new(body)).map_err(bad)?;
        let name = pick(book.sheet_names(), sheet)?;
        let range = book.worksheet_range(&name).map_err(bad)?;
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            put(&mut rows, top + row as u32, left + column as u32, value.clone())?;
        }
    }
    Ok(rows)
}

fn pick(names: Vec<String>, sheet: Option<&str>) -> Result<String, PayloadRefusal> {
    let found = match sheet {
        Some(wanted) => names.into_iter().find(|n| n.trim().eq_ignore_ascii_case(wanted)),
        None => names.into_iter().next(),
    };
    found.ok_or_else(|| bad("the sheet is missing"))
}

fn put(rows: &mut Vec<SheetRow>, row: u32, column: u32, value: Data) -> Result<(), PayloadRefusal> {
    if row >= MAX_ROWS || column >= MAX_COLUMNS {
        return Err(bad("a sheet beyond all bounds"));
    }
    if rows.len() <= row as usize {
        rows.resize(row as usize + 1, SheetRow::new());
    }
    let cells = &mut rows[row as usize];
    if cells.len() <= column as usize {
        cells.resize(column as usize + 1, Data::Empty);
    }
    cells[column as usize] = value;
    Ok(())
}

/// A cell's text without blanks around it; numbers have none.
pub fn text(cell: Option<&Data>) -> &str {
    cell.and_then(Data::get_string).map_or("", str::trim)
}

/// A finite number within bounds, whether stored as number or as text.
pub fn number(cell: Option<&Data>, bounds: RangeInclusive<f64>) -> Option<f64> {
    let value = match cell? {
        Data::Float(value) => *value,
        Data::Int(value) => *value as f64,
        Data::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    bounds.contains(&value).then_some(value)
}

/// A date cell: a stored date, a serial number, or text such as `31-Jan-2026` or `2026-01-31`.
pub fn day(cell: Option<&Data>) -> Option<Day> {
    /// Serial 1 is 1900-01-01, and 1900-02-29 is believed to have existed: 25569 is 1970-01-01.
    const EPOCH: f64 = 25_569.0;
    let of_serial =
        |serial: f64| (61.0..100_000.0).contains(&serial).then(|| Day((serial.floor() - EPOCH) as i32));
    match cell? {
        Data::DateTime(at) => of_serial(at.as_f64()),
        Data::Float(serial) => of_serial(*serial),
        Data::Int(serial) => of_serial(*serial as f64),
        Data::String(text) | Data::DateTimeIso(text) => {
            let text = text.trim();
            day_month_year(text).or_else(|| Day::parse_iso(text.get(..10).unwrap_or(text)))
        }
        _ => None,
    }
}

/// `31-Jan-2026`, in English whatever the machine speaks.
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

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A workbook of one sheet; numbers where the text is a number.
    pub fn workbook(sheet: &str, rows: &[&[&str]]) -> Vec<u8> {
        let mut cells = String::new();
        for (r, row) in rows.iter().enumerate() {
            cells.push_str(&format!("<row r=\"{}\">", r + 1));
            for (c, value) in row.iter().enumerate().filter(|(_, v)| !v.is_empty()) {
                let at = format!("{}{}", char::from(b'A' + c as u8), r + 1);
                match value.parse::<f64>() {
                    Ok(number) => cells.push_str(&format!("<c r=\"{at}\"><v>{number}</v></c>")),
                    Err(_) => {
                        cells.push_str(&format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{value}</t></is></c>"))
                    }
                }
            }
            cells.push_str("</row>");
        }
        let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
        let rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let packages = "http://schemas.openxmlformats.org/package/2006";
        let book = format!(
            "<workbook {main} xmlns:r=\"{rel}\"><sheets><sheet name=\"{sheet}\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
        );
        let rels = format!(
            "<Relationships xmlns=\"{packages}/relationships\"><Relationship Id=\"rId1\" Type=\"{rel}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
        );
        let root = format!(
            "<Relationships xmlns=\"{packages}/relationships\"><Relationship Id=\"rId1\" Type=\"{rel}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
        );
        let types = format!(
            "<Types xmlns=\"{packages}/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
        );
        let data = format!("<worksheet {main}><sheetData>{cells}</sheetData></worksheet>");
        crate::formats::unpack::tests::zip_of(&[
            ("[Content_Types].xml", types.as_bytes()),
            ("_rels/.rels", root.as_bytes()),
            ("xl/workbook.xml", book.as_bytes()),
            ("xl/_rels/workbook.xml.rels", rels.as_bytes()),
            ("xl/worksheets/sheet1.xml", data.as_bytes()),
        ])
    }

    #[test]
    fn sheets_become_rows() {
        let book = workbook("Data", &[&["DAY", "GPRD"], &["20260914", "189.5"], &["", "x"]]);
        let read = rows(&book, 1 << 20, Some("data")).unwrap();
        assert_eq!(text(read[0].first()), "DAY");
        assert_eq!(number(read[1].get(1), 0.0..=1e3), Some(189.5));
        assert_eq!((read[2].len(), text(read[2].get(1))), (2, "x"));
        assert_eq!(rows(&book, 1 << 20, Some("other")).unwrap_err().code.key(), "bad_workbook");
        assert_eq!(rows(b"<html>", 1 << 20, None).unwrap_err().code.key(), "bad_workbook");
        assert_eq!(rows(&book[..book.len() / 2], 1 << 20, None).unwrap_err().code.key(), "bad_zip");
        let far = crate::formats::unpack::tests::zip_of(&[("a", &vec![0; 9 << 20])]);
        assert_eq!(rows(&far, 64 << 20, None).unwrap_err().code.key(), "zip_bomb");
    }

    #[test]
    fn dates_in_all_their_forms() {
        let check = |cell: Data, want: Option<&str>| {
            assert_eq!(day(Some(&cell)).map(|d| d.to_string()).as_deref(), want, "{cell:?}");
        };
        check(Data::Float(44_592.0), Some("2022-01-31"));
        check(Data::String("31-Jan-2026".to_owned()), Some("2026-01-31"));
        check(Data::String(" 2026-01-31 ".to_owned()), Some("2026-01-31"));
        check(Data::String("31-Foo-2026".to_owned()), None);
        check(Data::Float(1.0), None);
        check(Data::Float(f64::NAN), None);
        check(Data::Empty, None);
    }
}
