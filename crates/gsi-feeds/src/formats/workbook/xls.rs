//! BIFF8, the binary format: a stream of records. The globals come first and name the sheets, then comes each sheet.

use super::{
    Budget, Cell, MAX_SHEETS, Sheet, array_at, bad, compound::workbook_stream, is_requested, u16_at, u32_at,
};
use gsi_model::PayloadRefusal;
use std::rc::Rc;

const BEGIN: u16 = 0x0809;
const END: u16 = 0x000a;
const ENCRYPTION: u16 = 0x002f;
const SHEET: u16 = 0x0085;
const SHARED_TEXTS: u16 = 0x00fc;
const CONTINUE: u16 = 0x003c;
const FORMULA: u16 = 0x0006;
const FORMULA_TEXT: u16 = 0x0207;
const NUMBER: u16 = 0x0203;
const COMPACT_NUMBER: u16 = 0x027e;
const COMPACT_NUMBERS: u16 = 0x00bd;
const SHARED_TEXT: u16 = 0x00fd;
const TEXT: u16 = 0x0204;
const FORMATTED_TEXT: u16 = 0x00d6;
const TRUTH_OR_ERROR: u16 = 0x0205;

/// The version that a stream's first record states.
const BIFF8: u16 = 0x0600;
/// The kind of sheet that has cells; others are charts and macros.
const WORKSHEET: u8 = 0;
/// A text's flag: two bytes for each UTF-16 unit instead of one.
const IS_WIDE: u8 = 0x01;
const HAS_PHONETICS: u8 = 0x04;
const HAS_FORMATS: u8 = 0x08;

pub fn read(file: &[u8], sheet: Option<&str>, budget: &mut Budget) -> Result<Sheet, PayloadRefusal> {
    let stream = workbook_stream(file, budget)?;
    let globals = read_globals(&stream, sheet, budget)?;
    read_sheet(&stream, &globals, budget)
}

/// Kind and content of each record.
struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.rest.split_at_checked(4)?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (content, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some((u16::from_le_bytes([head[0], head[1]]), content))
    }
}

struct Globals {
    /// Where the requested sheet begins.
    sheet: usize,
    texts: Vec<Rc<str>>,
}

fn read_globals(
    stream: &[u8],
    requested: Option<&str>,
    budget: &mut Budget,
) -> Result<Globals, PayloadRefusal> {
    let mut records = Records { rest: stream };
    match records.next() {
        Some((BEGIN, content)) if u16_at(content, 0)? == BIFF8 => {}
        _ => return Err(bad("not a workbook of Excel 97 or later")),
    }
    let (mut sheet, mut sheets) = (None, 0);
    let mut texts = Vec::new();
    while let Some((kind, content)) = records.next() {
        match kind {
            ENCRYPTION => return Err(bad("the workbook is encrypted")),
            SHEET => {
                sheets += 1;
                if sheets > MAX_SHEETS {
                    return Err(bad(format!("more than {MAX_SHEETS} sheets")));
                }
                let [kind, length, flags] = array_at(content, 5)?;
                let name = whole_text(content, 8, usize::from(length), flags)?;
                if sheet.is_none() && kind == WORKSHEET && is_requested(&name, requested) {
                    sheet = Some(u32_at(content, 0)? as usize);
                }
            }
            SHARED_TEXTS => texts = read_shared_texts(content, &mut records, budget)?,
            END => break,
            _ => {}
        }
    }
    let sheet = sheet.ok_or_else(|| bad("the sheet is missing"))?;
    Ok(Globals { sheet, texts })
}

fn read_sheet(stream: &[u8], globals: &Globals, budget: &mut Budget) -> Result<Sheet, PayloadRefusal> {
    let mut records = Records { rest: stream.get(globals.sheet..).unwrap_or_default() };
    if !matches!(records.next(), Some((BEGIN, _))) {
        return Err(bad("the sheet does not begin where the workbook says"));
    }
    let mut sheet = Sheet::default();
    // A chart inside a sheet has its own begin and end.
    let mut charts = 0;
    let mut formula = None;
    for (kind, content) in records {
        match kind {
            BEGIN => charts += 1,
            END if charts == 0 => return Ok(sheet),
            END => charts -= 1,
            _ if charts > 0 => {}
            NUMBER => put(&mut sheet, budget, content, Cell::Number(float_at(content, 6)?))?,
            COMPACT_NUMBER => put(&mut sheet, budget, content, Cell::Number(compact_number(content, 6)?))?,
            COMPACT_NUMBERS => put_compact_numbers(&mut sheet, budget, content)?,
            SHARED_TEXT => {
                let text = globals.texts.get(u32_at(content, 6)? as usize);
                let text = text.ok_or_else(|| bad("a cell has a text that the workbook lacks"))?;
                put(&mut sheet, budget, content, Cell::Text(Rc::clone(text)))?;
            }
            TEXT | FORMATTED_TEXT => {
                let text = budget.keep_text(&text_at(content, 6)?)?;
                put(&mut sheet, budget, content, Cell::Text(text))?;
            }
            TRUTH_OR_ERROR => put(&mut sheet, budget, content, Cell::Other)?,
            FORMULA => match formula_value(content, budget)? {
                Some(cell) => put(&mut sheet, budget, content, cell)?,
                None => formula = Some(content),
            },
            FORMULA_TEXT => {
                if let Some(formula) = formula.take() {
                    let text = budget.keep_text(&text_at(content, 0)?)?;
                    put(&mut sheet, budget, formula, Cell::Text(text))?;
                }
            }
            _ => {}
        }
    }
    Err(bad("the sheet has no end"))
}

/// A record of a cell begins with its row and its column.
fn put(sheet: &mut Sheet, budget: &mut Budget, content: &[u8], cell: Cell) -> Result<(), PayloadRefusal> {
    sheet.put(budget, u16_at(content, 0)?.into(), u16_at(content, 2)?.into(), cell)
}

/// A row, its first column, a format and a number for each column, and its last column.
fn put_compact_numbers(sheet: &mut Sheet, budget: &mut Budget, content: &[u8]) -> Result<(), PayloadRefusal> {
    const HEAD: usize = 4;
    const EACH: usize = 6;
    let (row, first) = (u16_at(content, 0)?, u16_at(content, 2)?);
    let cells = content.len().saturating_sub(HEAD + 2) / EACH;
    for n in 0..cells {
        let number = compact_number(content, HEAD + n * EACH + 2)?;
        sheet.put(budget, row.into(), u32::from(first) + n as u32, Cell::Number(number))?;
    }
    Ok(())
}

fn float_at(content: &[u8], at: usize) -> Result<f64, PayloadRefusal> {
    array_at(content, at).map(f64::from_le_bytes)
}

/// Thirty bits of a whole number or of the front of a float, and whether to divide by a hundred.
fn compact_number(content: &[u8], at: usize) -> Result<f64, PayloadRefusal> {
    let bits = u32_at(content, at)?;
    let (is_divided, is_whole) = (bits & 1 != 0, bits & 2 != 0);
    let value =
        if is_whole { f64::from(bits as i32 >> 2) } else { f64::from_bits(u64::from(bits & !3) << 32) };
    Ok(if is_divided { value / 100.0 } else { value })
}

/// A formula's last result. `None`: a text, which is in a later record.
fn formula_value(content: &[u8], budget: &mut Budget) -> Result<Option<Cell>, PayloadRefusal> {
    const NO_NUMBER: u16 = 0xffff;
    const TEXT_FOLLOWS: u8 = 0;
    const EMPTY_TEXT: u8 = 3;
    if u16_at(content, 12)? != NO_NUMBER {
        return Ok(Some(Cell::Number(float_at(content, 6)?)));
    }
    let [kind] = array_at(content, 6)?;
    Ok(match kind {
        TEXT_FOLLOWS => None,
        EMPTY_TEXT => Some(Cell::Text(budget.keep_text("")?)),
        _ => Some(Cell::Other),
    })
}

/// A text within one record: how many units it has, its flags, and its units.
fn text_at(content: &[u8], at: usize) -> Result<String, PayloadRefusal> {
    let length = usize::from(u16_at(content, at)?);
    if length == 0 {
        return Ok(String::new());
    }
    let [flags] = array_at(content, at + 2)?;
    whole_text(content, at + 3, length, flags)
}

fn whole_text(content: &[u8], at: usize, length: usize, flags: u8) -> Result<String, PayloadRefusal> {
    let mut units = Vec::new();
    let bytes = if flags & IS_WIDE == 0 { length } else { length * 2 };
    let text = content.get(at..).and_then(|rest| rest.get(..bytes));
    push_units(&mut units, text.ok_or_else(|| bad("a text exceeds its record"))?, flags);
    Ok(String::from_utf16_lossy(&units))
}

fn push_units(units: &mut Vec<u16>, bytes: &[u8], flags: u8) {
    if flags & IS_WIDE == 0 {
        units.extend(bytes.iter().map(|byte| u16::from(*byte)));
    } else {
        units.extend(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
    }
}

/// The table of shared texts, which may continue in further records.
fn read_shared_texts(
    content: &[u8],
    records: &mut Records<'_>,
    budget: &mut Budget,
) -> Result<Vec<Rc<str>>, PayloadRefusal> {
    let distinct = u32_at(content, 4)?;
    let mut table = SharedTexts { records, piece: &content[8..], units: Vec::new() };
    let mut texts = Vec::new();
    // The count is a claim. A text takes at least three bytes, so a table that ends early is refused.
    for _ in 0..distinct {
        texts.push(budget.keep_text(&table.next_text()?)?);
    }
    Ok(texts)
}

struct SharedTexts<'r, 'a> {
    records: &'r mut Records<'a>,
    /// What is left of the present record.
    piece: &'a [u8],
    /// Of the present text.
    units: Vec<u16>,
}

impl SharedTexts<'_, '_> {
    fn next_text(&mut self) -> Result<String, PayloadRefusal> {
        let length = self.number(2)?;
        let flags = self.byte()?;
        let formats = if flags & HAS_FORMATS == 0 { 0 } else { self.number(2)? };
        let phonetics = if flags & HAS_PHONETICS == 0 { 0 } else { self.number(4)? };
        self.read_units(length, flags)?;
        self.skip(formats * 4 + phonetics)?;
        Ok(String::from_utf16_lossy(&self.units))
    }

    /// Characters that continue in another record have their flags repeated there, and the width may change.
    fn read_units(&mut self, length: usize, mut flags: u8) -> Result<(), PayloadRefusal> {
        self.units.clear();
        while self.units.len() < length {
            if self.piece.is_empty() {
                flags = self.byte()?;
            }
            let width = if flags & IS_WIDE == 0 { 1 } else { 2 };
            let bytes = (length - self.units.len()).min(self.piece.len() / width) * width;
            if bytes == 0 && !self.piece.is_empty() {
                return Err(bad("a character is cut in two"));
            }
            let (text, rest) = self.piece.split_at(bytes);
            push_units(&mut self.units, text, flags);
            self.piece = rest;
        }
        Ok(())
    }

    /// A number of that many bytes, at most four.
    fn number(&mut self, bytes: usize) -> Result<usize, PayloadRefusal> {
        let mut number = 0;
        for n in 0..bytes {
            number |= usize::from(self.byte()?) << (8 * n);
        }
        Ok(number)
    }

    fn byte(&mut self) -> Result<u8, PayloadRefusal> {
        loop {
            if let Some((byte, rest)) = self.piece.split_first() {
                self.piece = rest;
                return Ok(*byte);
            }
            self.next_piece()?;
        }
    }

    fn skip(&mut self, mut bytes: usize) -> Result<(), PayloadRefusal> {
        while bytes > 0 {
            if self.piece.is_empty() {
                self.next_piece()?;
            }
            let skipped = bytes.min(self.piece.len());
            self.piece = &self.piece[skipped..];
            bytes -= skipped;
        }
        Ok(())
    }

    fn next_piece(&mut self) -> Result<(), PayloadRefusal> {
        match self.records.next() {
            Some((CONTINUE, content)) => {
                self.piece = content;
                Ok(())
            }
            _ => Err(bad("the table of texts ends early")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, content: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
    }

    fn budget() -> Budget {
        Budget { cells: 100, bytes: 1_000 }
    }

    fn texts(records: &[Vec<u8>]) -> Result<Vec<String>, PayloadRefusal> {
        let stream = records.concat();
        let mut records = Records { rest: &stream };
        let (_, content) = records.next().unwrap();
        let texts = read_shared_texts(content, &mut records, &mut budget())?;
        Ok(texts.iter().map(|text| text.to_string()).collect())
    }

    #[test]
    fn texts_go_on_in_other_records() {
        let head = |distinct: u32| [&9u32.to_le_bytes()[..], &distinct.to_le_bytes()].concat();
        // Five units: two narrow ones here, three wide ones in the next record.
        let first = [&head(3)[..], &[5, 0, 0], b"ab"].concat();
        // Then a text with two formats, of which one is in the third record, and an empty text.
        let second = [&[1u8][..], b"c\0d\0\xe9\0", &[1, 0, 8, 2, 0], b"x", &[0; 4]].concat();
        let third = [&[0u8; 4][..], &[0, 0, 0]].concat();
        let table = [
            record(SHARED_TEXTS, &first),
            record(CONTINUE, &second),
            record(CONTINUE, &[]),
            record(CONTINUE, &third),
        ];
        assert_eq!(texts(&table).unwrap(), ["abcdé", "x", ""]);
        assert!(texts(&table[..2]).is_err(), "the rest is missing");
        assert!(texts(&[record(SHARED_TEXTS, &head(u32::MAX))]).is_err(), "a claim without texts");
        let many = [&head(200)[..], &[0; 600]].concat();
        assert!(texts(&[record(SHARED_TEXTS, &many)]).is_err(), "more texts than the budget has");
    }

    fn sheet(records: &[Vec<u8>]) -> Result<Vec<(u32, u32, Cell)>, PayloadRefusal> {
        let stream = [record(BEGIN, &[0; 16]), records.concat(), record(END, &[])].concat();
        let globals = Globals { sheet: 0, texts: vec![Rc::from("shared")] };
        let mut sheet = read_sheet(&stream, &globals, &mut budget())?;
        sheet.sort();
        Ok(sheet.cells.into_iter().map(|placed| (placed.row, placed.column, placed.cell)).collect())
    }

    #[test]
    fn cells_of_every_kind() {
        let at = |row: u16, column: u16| [row.to_le_bytes(), column.to_le_bytes(), [0, 0]].concat();
        let cell =
            |kind: u16, column: u16, content: &[u8]| record(kind, &[&at(7, column)[..], content].concat());
        let text = |text: &str| Cell::Text(Rc::from(text));
        let compact = |bits: u32| [&[0, 0][..], &bits.to_le_bytes()].concat();
        let whole = (1_234 << 2) | 2;
        let float = (2.5f64.to_bits() >> 32) as u32;
        let minus = ((-5i32 as u32) << 2) | 2;
        let several =
            [&at(7, 2)[..4], &compact(whole | 1), &compact(float), &compact(minus), &[4, 0]].concat();
        let found = sheet(&[
            cell(SHARED_TEXT, 1, &[0; 4]),
            cell(NUMBER, 0, &1.5f64.to_le_bytes()),
            record(COMPACT_NUMBERS, &several),
            cell(COMPACT_NUMBER, 5, &whole.to_le_bytes()),
            cell(TEXT, 6, &[2, 0, 1, b'h', 0, b'i', 0]),
            cell(TRUTH_OR_ERROR, 7, &[1, 0]),
            cell(FORMULA, 8, &[&3.5f64.to_le_bytes()[..], &[0; 6]].concat()),
            cell(FORMULA, 9, &[0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0]),
            record(0x04bc, &[0; 8]),
            record(FORMULA_TEXT, &[2, 0, 0, b'o', b'k']),
            cell(FORMULA, 10, &[2, 0, 7, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0]),
            record(BEGIN, &[0; 16]),
            cell(NUMBER, 11, &9.0f64.to_le_bytes()),
            record(END, &[]),
            cell(NUMBER, 0, &2.0f64.to_le_bytes()),
        ]);
        let number = Cell::Number;
        let want: [(u32, Cell); 11] = [
            (0, number(2.0)),
            (1, text("shared")),
            (2, number(12.34)),
            (3, number(2.5)),
            (4, number(-5.0)),
            (5, number(1_234.0)),
            (6, text("hi")),
            (7, Cell::Other),
            (8, number(3.5)),
            (9, text("ok")),
            (10, Cell::Other),
        ];
        assert_eq!(found.unwrap(), want.map(|(column, cell)| (7u32, column, cell)));
    }

    #[test]
    fn damaged_and_excessive_sheets_are_refused() {
        let far = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let near = [0; 14];
        for (what, records) in [
            ("a column beyond the limit", vec![record(NUMBER, &far)]),
            ("a short record", vec![record(NUMBER, &near[..9])]),
            ("a text that is not there", vec![record(SHARED_TEXT, &[0, 0, 0, 0, 0, 0, 1, 0, 0, 0])]),
            ("a text longer than its record", vec![record(TEXT, &[0, 0, 0, 0, 0, 0, 9, 0, 0, b'a'])]),
            ("more cells than the budget has", vec![record(NUMBER, &near); 101]),
        ] {
            assert!(sheet(&records).is_err(), "{what}");
        }
        let endless = record(BEGIN, &[0; 16]);
        let globals = Globals { sheet: 0, texts: Vec::new() };
        assert!(read_sheet(&endless, &globals, &mut budget()).is_err());
        assert!(read_sheet(&endless, &Globals { sheet: 99, ..globals }, &mut budget()).is_err());
    }
}
