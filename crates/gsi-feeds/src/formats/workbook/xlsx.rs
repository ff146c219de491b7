//! XLSX: XML parts in a zip archive. The workbook names its sheets, its relations say which part each sheet is, and texts that
//! cells share are in a part of their own.

use super::{Budget, Cell, MAX_SHEETS, Sheet, bad, is_requested};
use crate::formats::unpack::{Archive, open_workbook, read_member};
use gsi_model::PayloadRefusal;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::rc::Rc;

/// Sheets nest about ten levels deep.
const MAX_DEPTH: usize = 64;

pub fn read(
    file: &[u8],
    cap: usize,
    requested: Option<&str>,
    budget: &mut Budget,
) -> Result<Sheet, PayloadRefusal> {
    let mut archive = open_workbook(file, cap)?;
    let relation = requested_relation(&required_part(&mut archive, "xl/workbook.xml", budget)?, requested)?;
    let path = target(&required_part(&mut archive, "xl/_rels/workbook.xml.rels", budget)?, &relation)?;
    let cells = required_part(&mut archive, &path, budget)?;
    let texts = match part(&mut archive, "xl/sharedStrings.xml", budget)? {
        Some(texts) => read_texts(&texts, budget)?,
        None => Vec::new(),
    };
    read_cells(&cells, &texts, budget)
}

/// A member of the archive as text.
fn part(
    archive: &mut Archive<'_>,
    path: &str,
    budget: &mut Budget,
) -> Result<Option<String>, PayloadRefusal> {
    let is_named = |index: &usize| {
        let name = archive.name_for_index(*index).and_then(Result::ok).unwrap_or_default();
        name.eq_ignore_ascii_case(path)
    };
    let Some(index) = (0..archive.len()).find(is_named) else { return Ok(None) };
    let bytes = read_member(archive, index, budget.bytes)?;
    budget.take_bytes(bytes.len())?;
    Ok(Some(String::from_utf8(bytes).map_err(bad)?))
}

fn required_part(
    archive: &mut Archive<'_>,
    path: &str,
    budget: &mut Budget,
) -> Result<String, PayloadRefusal> {
    part(archive, path, budget)?.ok_or_else(|| bad(format!("the part {path} is missing")))
}

/// Calls `take` with each event of a part. An empty element has a start and an end as well.
fn visit(
    xml: &str,
    mut take: impl FnMut(&Event<'_>) -> Result<(), PayloadRefusal>,
) -> Result<(), PayloadRefusal> {
    let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}'));
    reader.config_mut().expand_empty_elements = true;
    let mut depth = 0usize;
    loop {
        let event = reader.read_event().map_err(bad)?;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            // It could define entities. No workbook has one.
            Event::DocType(_) => return Err(bad("a part with a document type")),
            Event::Eof if depth > 0 => return Err(bad("a part breaks off")),
            Event::Eof => return Ok(()),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(bad(format!("elements nested more than {MAX_DEPTH} deep")));
        }
        take(&event)?;
    }
}

/// The value of the attribute with that local name.
fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, PayloadRefusal> {
    let mut attributes = element.attributes();
    // The check compares the name of each attribute with all before it.
    attributes.with_checks(false);
    for attribute in attributes {
        let attribute = attribute.map_err(bad)?;
        if attribute.key.local_name().as_ref() == name {
            return Ok(Some(unescape(&attribute.value).map_err(bad)?.into_owned()));
        }
    }
    Ok(None)
}

/// Adds what a text event says to `text`.
fn add_text(text: &mut String, event: &Event<'_>) -> Result<(), PayloadRefusal> {
    match event {
        Event::Text(part) => text.push_str(part),
        Event::CData(part) => text.push_str(part),
        Event::GeneralRef(name) => {
            let name: &str = name;
            text.push_str(&unescape(&format!("&{name};")).map_err(bad)?);
        }
        _ => {}
    }
    Ok(())
}

/// The id of the requested sheet's relation.
fn requested_relation(workbook: &str, requested: Option<&str>) -> Result<String, PayloadRefusal> {
    let (mut found, mut sheets) = (None, 0);
    visit(workbook, |event| {
        let Event::Start(element) = event else { return Ok(()) };
        if element.local_name().as_ref() != "sheet" {
            return Ok(());
        }
        sheets += 1;
        if sheets > MAX_SHEETS {
            return Err(bad(format!("more than {MAX_SHEETS} sheets")));
        }
        let name = attribute(element, "name")?.unwrap_or_default();
        if found.is_none() && is_requested(&name, requested) {
            found = attribute(element, "id")?;
        }
        Ok(())
    })?;
    found.ok_or_else(|| bad("the sheet is missing"))
}

/// The path of the part that a relation leads to.
fn target(relations: &str, id: &str) -> Result<String, PayloadRefusal> {
    let mut found = None;
    visit(relations, |event| {
        let Event::Start(element) = event else { return Ok(()) };
        if element.local_name().as_ref() == "Relationship" && attribute(element, "Id")?.as_deref() == Some(id)
        {
            found = attribute(element, "Target")?;
        }
        Ok(())
    })?;
    let target = found.ok_or_else(|| bad("the sheet has no part"))?;
    Ok(match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None if target.starts_with("xl/") => target,
        None => format!("xl/{target}"),
    })
}

fn read_texts(part: &str, budget: &mut Budget) -> Result<Vec<Rc<str>>, PayloadRefusal> {
    let mut texts = Vec::new();
    let mut text = String::new();
    let (mut is_text, mut is_phonetic) = (false, false);
    visit(part, |event| {
        match event {
            Event::Start(element) => match element.local_name().as_ref() {
                "si" => text.clear(),
                "t" => is_text = !is_phonetic,
                "rPh" => is_phonetic = true,
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "si" => texts.push(budget.keep_text(&text)?),
                "t" => is_text = false,
                "rPh" => is_phonetic = false,
                _ => {}
            },
            event if is_text => add_text(&mut text, event)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(texts)
}

/// The cell that is being read.
#[derive(Default)]
struct OpenCell {
    row: u32,
    column: u32,
    /// The attribute `t`.
    kind: String,
    value: Option<String>,
}

impl OpenCell {
    /// A place is optional: without one, a cell is to the right of the one before.
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), PayloadRefusal> {
        if let Some(place) = attribute(element, "r")? {
            let place = place_of(&place).ok_or_else(|| bad("a cell without a place"))?;
            (self.row, self.column) = place;
        }
        self.kind = attribute(element, "t")?.unwrap_or_default();
        self.value = None;
        Ok(())
    }

    fn content(&mut self, texts: &[Rc<str>], budget: &mut Budget) -> Result<Option<Cell>, PayloadRefusal> {
        let Some(value) = self.value.take() else { return Ok(None) };
        Ok(match self.kind.as_str() {
            "str" | "inlineStr" | "d" => Some(Cell::Text(budget.keep_text(&value)?)),
            _ if value.trim().is_empty() => None,
            "s" => {
                let text = value.trim().parse().ok().and_then(|index: usize| texts.get(index));
                let text = text.ok_or_else(|| bad("a cell has a text that the workbook lacks"))?;
                Some(Cell::Text(Rc::clone(text)))
            }
            "b" | "e" => Some(Cell::Other),
            _ => match value.trim().parse() {
                Ok(number) => Some(Cell::Number(number)),
                Err(_) => Some(Cell::Text(budget.keep_text(&value)?)),
            },
        })
    }
}

fn read_cells(part: &str, texts: &[Rc<str>], budget: &mut Budget) -> Result<Sheet, PayloadRefusal> {
    let mut sheet = Sheet::default();
    let mut cell = OpenCell::default();
    let (mut is_data, mut is_value, mut is_phonetic) = (false, false, false);
    visit(part, |event| {
        match event {
            Event::Start(element) => match element.local_name().as_ref() {
                "sheetData" => is_data = true,
                _ if !is_data => {}
                "row" => {
                    let number = attribute(element, "r")?.and_then(|number| number.parse::<u32>().ok());
                    cell.row = number.and_then(|number| number.checked_sub(1)).unwrap_or(cell.row);
                    cell.column = 0;
                }
                "c" => cell.open(element)?,
                "rPh" => is_phonetic = true,
                "v" | "t" => {
                    is_value = !is_phonetic;
                    cell.value.get_or_insert_default();
                }
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "sheetData" => is_data = false,
                _ if !is_data => {}
                "row" => cell.row = cell.row.saturating_add(1),
                "c" => {
                    if let Some(content) = cell.content(texts, budget)? {
                        sheet.put(budget, cell.row, cell.column, content)?;
                    }
                    cell.column = cell.column.saturating_add(1);
                }
                "rPh" => is_phonetic = false,
                "v" | "t" => is_value = false,
                _ => {}
            },
            event if is_value => add_text(cell.value.get_or_insert_default(), event)?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(sheet)
}

/// Row and column of `B7`, counted from zero.
fn place_of(reference: &str) -> Option<(u32, u32)> {
    const MAX_LETTERS: usize = 3;
    let digits = reference.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = reference.split_at(digits);
    if letters.is_empty() || letters.len() > MAX_LETTERS || !letters.bytes().all(|b| b.is_ascii_alphabetic())
    {
        return None;
    }
    let digit = |letter: u8| u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    let column = letters.bytes().fold(0, |column, letter| column * 26 + digit(letter));
    Some((number.parse::<u32>().ok()?.checked_sub(1)?, column - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> Budget {
        Budget { cells: 20, bytes: 1_000 }
    }

    fn cells(data: &str) -> Result<Vec<(u32, u32, Cell)>, PayloadRefusal> {
        let texts: [Rc<str>; 2] = [Rc::from("zero"), Rc::from("one")];
        let part = format!("<worksheet><c r=\"A1\"><v>1</v></c><sheetData>{data}</sheetData></worksheet>");
        let sheet = read_cells(&part, &texts, &mut budget())?;
        Ok(sheet.cells.into_iter().map(|placed| (placed.row, placed.column, placed.cell)).collect())
    }

    #[test]
    fn places() {
        let check = |reference: &str, want: Option<(u32, u32)>| {
            assert_eq!(place_of(reference), want, "{reference}");
        };
        check("A1", Some((0, 0)));
        check("ab12", Some((11, 27)));
        check("XFD1048576", Some((1_048_575, 16_383)));
        for bad in ["", "A", "7", "A0", "AAAA1", "É1", "A1A", "A99999999999"] {
            check(bad, None);
        }
    }

    #[test]
    fn cells_of_every_kind() {
        let text = |text: &str| Cell::Text(Rc::from(text));
        let found = cells(
            "<row r=\"3\"><c r=\"B3\" t=\"s\"><v>1</v></c><c><v> 2.5 </v></c><c r=\"E3\"/><c t=\"b\"><v>1</v></c>\
             <c t=\"str\"><f>A1</f><v>a&amp;b&#33;</v></c></row>\
             <row><c t=\"inlineStr\"><is><r><t>x</t></r><rPh><t>no</t></rPh><r><t><![CDATA[<y>]]></t></r></is></c>\
             <c t=\"e\"><v>#N/A</v></c><c><v>12 apples</v></c><c><v></v></c></row>",
        );
        let want: [(u32, u32, Cell); 7] = [
            (2, 1, text("one")),
            (2, 2, Cell::Number(2.5)),
            (2, 5, Cell::Other),
            (2, 6, text("a&b!")),
            (3, 0, text("x<y>")),
            (3, 1, Cell::Other),
            (3, 2, text("12 apples")),
        ];
        assert_eq!(found.unwrap(), want);
    }

    #[test]
    fn damaged_and_excessive_sheets_are_refused() {
        for (what, data) in [
            ("a text that is not there", "<c t=\"s\"><v>2</v></c>".to_owned()),
            ("no place", "<c r=\"1\"><v>2</v></c>".to_owned()),
            ("a column beyond the limit", "<c r=\"AMK1\"><v>2</v></c>".to_owned()),
            ("a row beyond the limit", "<c r=\"A100001\"><v>2</v></c>".to_owned()),
            ("more cells than the budget has", "<c><v>1</v></c>".repeat(21)),
            ("more text than the budget has", format!("<c t=\"str\"><v>{}</v></c>", "x".repeat(1_001))),
            ("an entity that is not XML's", "<c><v>&bomb;</v></c>".to_owned()),
            ("nested too deep", format!("{}{}", "<a>".repeat(99), "</a>".repeat(99))),
            ("not well-formed", "<c><v></c>".to_owned()),
        ] {
            assert!(cells(&data).is_err(), "{what}");
        }
        let entity = "<!DOCTYPE sst [<!ENTITY a \"x\">]><sst><si><t>a</t></si></sst>";
        assert!(read_texts(entity, &mut budget()).is_err());
        assert!(read_texts("<sst><si><t>a</t></si>", &mut budget()).is_err());
    }

    #[test]
    fn shared_texts() {
        let part = "\u{feff}<?xml version=\"1.0\"?><sst count=\"4000000000\"><si><t>one</t></si><si/>\
                    <si><r><t>t</t></r><r><t>wo</t></r><rPh><t>no</t></rPh></si></sst>";
        let texts = read_texts(part, &mut budget()).unwrap();
        assert_eq!(texts.iter().map(|text| &**text).collect::<Vec<_>>(), ["one", "", "two"]);
        let many = format!("<sst>{}</sst>", "<si/>".repeat(21));
        assert!(read_texts(&many, &mut budget()).is_err());
    }

    #[test]
    fn relations_lead_to_parts() {
        let check = |target_of: &str, want: &str| {
            let relations = format!(
                "<Relationships><Relationship Id=\"a\" Target=\"no\"/><Relationship Target=\"{target_of}\" Id=\"b\"/></Relationships>"
            );
            assert_eq!(target(&relations, "b").unwrap(), want);
        };
        check("worksheets/sheet1.xml", "xl/worksheets/sheet1.xml");
        check("/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml");
        check("xl/sheet&amp;1.xml", "xl/sheet&1.xml");
        let book = "<workbook><sheets><sheet name=\"One\" r:id=\"a\"/><sheet name=\" Two \" r:id=\"b\"/></sheets></workbook>";
        assert_eq!(requested_relation(book, None).unwrap(), "a");
        assert_eq!(requested_relation(book, Some("two")).unwrap(), "b");
        assert!(requested_relation(book, Some("three")).is_err());
        let many = format!("<sheets>{}</sheets>", "<sheet/>".repeat(257));
        assert!(requested_relation(&many, Some("x")).is_err());
    }
}
