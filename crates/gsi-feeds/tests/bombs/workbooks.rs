//! Workbooks that place few cells far apart, claim many texts, or lead a reader in circles.

use crate::{Bomb, bomb};
use std::io::{Cursor, Write};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

pub const XLS: &[Bomb] = &[
    bomb("a far cell in each of 60 sheets", || compound(&far_cells(60))),
    bomb("a far cell in each of 5,000 sheets", || compound(&far_cells(5_000))),
    bomb("a claim of many texts", || compound(&with_texts(u32::MAX, 0))),
    bomb("many empty texts", || compound(&with_texts(u32::MAX, 2_000))),
    bomb("many numbers", || compound(&many_numbers())),
    bomb("chains in circles", || damaged(|n| n % 7)),
    bomb("a chain of everything, backwards", || damaged(|n| n.wrapping_sub(1))),
    bomb("chains out of the file", || damaged(|_| 0x00ff_ffff)),
];

pub const XLSX: &[Bomb] = &[
    bomb("a cell in the last column of every row", || workbook(&far_columns("XFD"), "")),
    bomb("a cell in column 1,024 of every row", || workbook(&far_columns("AMJ"), "")),
    bomb("a far corner", || workbook("<row><c r=\"XFD1048576\"><v>1</v></c></row>", "")),
    bomb("many cells", || workbook(&row_of("<c><v>1</v></c>").repeat(1_500), "")),
    bomb("one place many times", || workbook(&"<c r=\"A1\"><v>1</v></c>".repeat(900_000), "")),
    bomb("many shared texts", || workbook("", &"<si/>".repeat(3_000_000))),
    bomb("one long shared text for many cells", long_text),
    bomb("one long shared text for many rows", long_text_for_rows),
    bomb("an attribute without end", || workbook(&format!("<row r=\"{}\"/>", "1".repeat(20_000_000)), "")),
    bomb("many attributes", many_attributes),
    bomb("elements in elements", || workbook(&"<a>".repeat(5_000_000), "")),
    bomb("a part of one tag", || workbook(&"<".repeat(20_000_000), "")),
    bomb("entities of entities", || workbook("", ENTITIES)),
    bomb("many references", || workbook(&format!("<c><v>{}</v></c>", "&lt;".repeat(4_000_000)), "")),
];

/// One feed reads the first sheet, the other the sheet of this name.
const NAME: &str = "GSCPI Monthly Data";

const BEGIN: u16 = 0x0809;
const END: u16 = 0x000a;
const SHEET: u16 = 0x0085;
const SHARED_TEXTS: u16 = 0x00fc;
const CONTINUE: u16 = 0x003c;
const NUMBER: u16 = 0x0203;
const COMPACT_NUMBERS: u16 = 0x00bd;
const ROWS: u16 = 60_000;

fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
}

fn begin() -> Vec<u8> {
    record(BEGIN, &[0, 6, 5, 0, 0, 0, 0, 0])
}

/// The globals with a reference to each sheet, then the sheets.
fn book(globals: &[u8], sheets: &[Vec<u8>]) -> Vec<u8> {
    let reference = |at: u32| {
        let place = at.to_le_bytes();
        record(SHEET, &[&place[..], &[0, 0, NAME.len() as u8, 0], NAME.as_bytes()].concat())
    };
    let references = sheets.len() * reference(0).len();
    let head = begin().len() + references + globals.len() + record(END, &[]).len();
    let mut stream = begin();
    let mut at = head;
    for sheet in sheets {
        stream.extend(reference(at as u32));
        at += sheet.len();
    }
    stream.extend(globals);
    stream.extend(record(END, &[]));
    stream.extend(sheets.concat());
    stream
}

fn sheet(cells: &[u8]) -> Vec<u8> {
    [begin(), cells.to_vec(), record(END, &[])].concat()
}

fn far_cells(sheets: usize) -> Vec<u8> {
    let far = [&[0xff, 0xff, 0xff, 0][..], &[0; 2], &1.0f64.to_le_bytes()].concat();
    book(&[], &vec![sheet(&record(NUMBER, &far)); sheets])
}

/// A table of texts that states more than its records have.
fn with_texts(stated: u32, records: usize) -> Vec<u8> {
    const CONTENT: [u8; 8_000] = [0; 8_000];
    let stated = [stated.to_le_bytes(), stated.to_le_bytes()].concat();
    let mut globals = record(SHARED_TEXTS, &stated);
    globals.extend(record(CONTINUE, &CONTENT).repeat(records));
    book(&globals, &[sheet(&[])])
}

/// As many as fit into rows of 200.
fn many_numbers() -> Vec<u8> {
    const COLUMNS: usize = 200;
    let mut cells = Vec::new();
    for row in 0..ROWS / 4 {
        let head = [row.to_le_bytes(), [0; 2]].concat();
        let last = (COLUMNS as u16 - 1).to_le_bytes();
        cells.extend(record(COMPACT_NUMBERS, &[&head[..], &[0; 6 * COLUMNS], &last].concat()));
    }
    book(&[], &[sheet(&cells)])
}

fn compound(stream: &[u8]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
    file.create_stream("/Workbook").unwrap().write_all(stream).unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// A workbook with another table of sectors: `next` gives the sector after each.
fn damaged(next: fn(u32) -> u32) -> Vec<u8> {
    const SECTOR: usize = 512;
    let mut file = compound(&vec![0; 5_000_000]);
    let table: Vec<u8> = (0..SECTOR as u32 / 4).flat_map(|n| next(n).to_le_bytes()).collect();
    for n in 0..100 {
        let at = 76 + n * 4;
        let id = u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]);
        let start = (id as usize).saturating_add(1).saturating_mul(SECTOR);
        if let Some(sector) = file.get_mut(start..start.saturating_add(SECTOR)) {
            sector.copy_from_slice(&table);
        }
    }
    file
}

/// A part with the sheet's rows, and one with the items of its shared texts.
fn workbook(rows: &str, texts: &str) -> Vec<u8> {
    let texts = match texts.strip_prefix("<!") {
        Some(_) => texts.to_owned(),
        None => format!("<sst count=\"4000000000\" uniqueCount=\"4000000000\">{texts}</sst>"),
    };
    let parts = [
        ("xl/workbook.xml", format!("<workbook><sheet name=\"{NAME}\" r:id=\"r1\"/></workbook>")),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"r1\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
                .to_owned(),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>{rows}</sheetData></worksheet>"),
        ),
        ("xl/sharedStrings.xml", texts),
    ];
    // Stored: packed, most of them would be refused for their ratio.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn far_columns(column: &str) -> String {
    (1..=100_000).map(|row| format!("<row r=\"{row}\"><c r=\"{column}{row}\"><v>1</v></c></row>")).collect()
}

fn row_of(cell: &str) -> String {
    format!("<row>{}</row>", cell.repeat(1_000))
}

fn long_text() -> Vec<u8> {
    let rows = row_of("<c t=\"s\"><v>0</v></c>").repeat(90);
    workbook(&rows, &format!("<si><t>{}</t></si>", "1".repeat(5_000_000)))
}

/// Each row would be a date and three numbers of a megabyte.
fn long_text_for_rows() -> Vec<u8> {
    let cells = "<c t=\"s\"><v>5</v></c>".repeat(4);
    let rows = format!("<row>{cells}</row>").repeat(60_000);
    let titles = (0..4).map(|n| format!("<c t=\"s\"><v>{n}</v></c>")).collect::<String>();
    let names = ["DAY", "GPRD", "GPRD_ACT", "GPRD_THREAT", "", &"1".repeat(1_000_000)];
    let texts: String = names.iter().map(|name| format!("<si><t>{name}</t></si>")).collect();
    workbook(&format!("<row>{titles}</row>{rows}"), &texts)
}

fn many_attributes() -> Vec<u8> {
    let attributes: String = (0..1_000_000).map(|n| format!(" a{n}=\"\"")).collect();
    workbook(&format!("<row{attributes}/><c{attributes}/>"), "")
}

const ENTITIES: &str = "<!DOCTYPE sst [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\
     <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\">]>\
     <sst><si><t>&d;&d;&d;&d;</t></si></sst>";
