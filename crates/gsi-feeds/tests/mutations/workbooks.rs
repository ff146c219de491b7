//! Small workbooks of one sheet in both formats; a text that is a number becomes one.

use std::io::{Cursor, Write};

type Sheet<'a> = [&'a [&'a str]];

/// BIFF8 records in a compound file. Padding makes the stream large enough for full sectors.
pub fn binary(sheet: &Sheet) -> Vec<u8> {
    const BOF: u16 = 0x0809;
    const EOF: u16 = 0x000A;
    const XF: u16 = 0x00E0;
    const BOUNDSHEET: u16 = 0x0085;
    const NUMBER: u16 = 0x0203;
    const LABEL: u16 = 0x0204;
    const SECTORS: usize = 4_096;
    let globals = |begin: u32| {
        let bound = [&begin.to_le_bytes()[..], &[0, 0, 2, 0], b"S1"].concat();
        [record(BOF, &bof(5)), record(XF, &[0; 20]), record(BOUNDSHEET, &bound), record(EOF, &[])].concat()
    };
    let mut stream = globals(globals(0).len() as u32);
    stream.extend(record(BOF, &bof(16)));
    for (r, row) in sheet.iter().enumerate() {
        for (c, text) in row.iter().enumerate() {
            let place = [r as u16, c as u16, 0].map(u16::to_le_bytes).concat();
            stream.extend(match text.parse::<f64>() {
                Ok(number) => record(NUMBER, &[&place[..], &number.to_le_bytes()].concat()),
                Err(_) => {
                    let length = (text.len() as u16).to_le_bytes();
                    record(LABEL, &[&place[..], &length, &[0], text.as_bytes()].concat())
                }
            });
        }
    }
    stream.extend(record(EOF, &[]));
    stream.resize(stream.len().max(SECTORS), 0);
    let mut file = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).unwrap();
    file.create_stream("/Workbook").unwrap().write_all(&stream).unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn bof(kind: u8) -> [u8; 16] {
    let mut data = [0; 16];
    (data[1], data[2]) = (0x06, kind);
    data
}

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
}

/// The least that a reader of the modern format asks for.
pub fn modern(sheet: &Sheet) -> Vec<u8> {
    let mut cells = String::new();
    for (r, row) in sheet.iter().enumerate() {
        cells += &format!("<row r=\"{}\">", r + 1);
        for (c, text) in row.iter().enumerate() {
            let at = format!("{}{}", char::from(b'A' + c as u8), r + 1);
            cells += &match text.parse::<f64>() {
                Ok(number) => format!("<c r=\"{at}\"><v>{number}</v></c>"),
                Err(_) => format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"),
            };
        }
        cells += "</row>";
    }
    let (main, rel, packages) = (
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "http://schemas.openxmlformats.org/package/2006",
    );
    let relation = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns=\"{packages}/relationships\"><Relationship Id=\"r1\" Type=\"{rel}/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let parts = [
        ("[Content_Types].xml", format!("<Types xmlns=\"{packages}/content-types\"/>")),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{rel}\"><sheets><sheet name=\"S1\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{main}\"><sheetData>{cells}</sheetData></worksheet>"),
        ),
    ];
    // Stored, so that damage falls on what is inside and not on the packing.
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
