use super::*;
use calamine::{Data, Reader, SheetType};
use std::io::Cursor;

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
    let book = workbook("Data", &[&["DAY", "GPRD"], &["20260914", "189.5"], &[], &["", "x"]]);
    let sheet = read(&book, 1 << 20, Some("data")).unwrap();
    let rows: Vec<SheetRow<'_>> = sheet.rows().collect();
    assert_eq!(rows.len(), 3, "a row without cells is none");
    assert_eq!((rows[0].column("gprd"), rows[0].column("GPR")), (Some(1), None));
    assert_eq!(number(rows[1].cell(1), 0.0..=1e3), Some(189.5));
    assert_eq!((rows[2].cell(0), text(rows[2].cell(1))), (None, "x"));
    let refusal = |bytes: &[u8], sheet: Option<&str>| read(bytes, 64 << 20, sheet).unwrap_err().code.key();
    assert_eq!(refusal(&book, Some("other")), "bad_workbook");
    assert_eq!(refusal(b"<html>", None), "bad_workbook");
    assert_eq!(refusal(&book[..book.len() / 2], None), "bad_zip");
    let blown = crate::formats::unpack::tests::zip_of(&[("a", &vec![0; 9 << 20])]);
    assert_eq!(refusal(&blown, None), "zip_bomb");
}

#[test]
fn the_last_cell_of_a_place_counts() {
    let mut sheet = Sheet::default();
    let mut budget = Budget { cells: 9, bytes: 0 };
    for (row, column, value) in [(3, 1, 1.0), (0, 2, 2.0), (3, 0, 3.0), (3, 1, 4.0), (0, 2, 5.0), (3, 1, 6.0)]
    {
        sheet.put(&mut budget, row, column, Cell::Number(value)).unwrap();
    }
    sheet.sort();
    let cells: Vec<_> =
        sheet.cells.iter().map(|placed| (placed.row, placed.column, placed.cell.clone())).collect();
    let number = Cell::Number;
    assert_eq!(cells, [(0, 2, number(5.0)), (3, 0, number(3.0)), (3, 1, number(6.0))]);
}

#[test]
fn dates_in_all_their_forms() {
    let check = |cell: Option<Cell>, want: Option<&str>| {
        assert_eq!(day(cell.as_ref()).map(|d| d.to_string()).as_deref(), want, "{cell:?}");
    };
    let text = |text: &str| Some(Cell::Text(Rc::from(text)));
    check(Some(Cell::Number(44_592.0)), Some("2022-01-31"));
    check(text("31-Jan-2026"), Some("2026-01-31"));
    check(text("2026-01-31T00:00:00"), Some("2026-01-31"));
    check(text("31-Foo-2026"), None);
    check(text(&format!("2026-01-31{}", " ".repeat(99))), None);
    check(Some(Cell::Number(1.0)), None);
    check(Some(Cell::Number(f64::NAN)), None);
    check(Some(Cell::Other), None);
    check(None, None);
}

/// What this reader says of a cell that another reader found.
fn expected(cell: &Data) -> Cell {
    match cell {
        Data::Int(number) => Cell::Number(*number as f64),
        Data::Float(number) => Cell::Number(*number),
        Data::DateTime(at) => Cell::Number(at.as_f64()),
        Data::String(text) | Data::DateTimeIso(text) => Cell::Text(Rc::from(text.trim())),
        _ => Cell::Other,
    }
}

/// Every sheet has the cells that a general reader finds in it.
fn compare<R: Reader<Cursor<Vec<u8>>>>(bytes: &[u8], mut book: R) {
    let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let names: Vec<String> = sheets.map(|sheet| sheet.name.clone()).collect();
    assert!(!names.is_empty());
    for name in names {
        let range = book.worksheet_range(&name).unwrap();
        let (top, left) = range.start().unwrap_or_default();
        let place = |row: usize, column: usize| (top + row as u32, left + column as u32);
        let want: Vec<_> =
            range.used_cells().map(|(row, column, cell)| (place(row, column), expected(cell))).collect();
        let sheet = read(bytes, 24 << 20, Some(name.trim())).unwrap();
        let found: Vec<_> =
            sheet.cells.iter().map(|placed| ((placed.row, placed.column), placed.cell.clone())).collect();
        assert_eq!(found.len(), want.len(), "{name}");
        for (found, want) in found.iter().zip(&want) {
            assert_eq!(found, want, "{name}");
        }
    }
}

#[test]
fn a_general_reader_finds_the_same_cells() {
    let book = workbook("One", &[&["DAY", "a text"], &["20260914", "-189.5"], &[], &["", "", "x"]]);
    compare(&book, calamine::Xlsx::new(Cursor::new(book.clone())).unwrap());
    for path in drills::real_data::files("gscpi") {
        let bytes = std::fs::read(path).unwrap();
        compare(&bytes, calamine::Xls::new(Cursor::new(bytes.clone())).unwrap());
    }
}
