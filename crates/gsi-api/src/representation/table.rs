//! Rows for spreadsheets: RFC 4180, a header row, times in UTC, one unit per column.

use crate::representation::Number;
use bytes::Bytes;
use gsi_model::Timestamp;
use std::borrow::Cow;

/// A row of a table.
pub trait CsvRow {
    const COLUMNS: &'static [&'static str];

    /// One cell for each column, in order.
    fn cells(&self) -> Vec<CsvCell<'_>>;
}

/// One cell. An empty cell means that there is no value.
pub enum CsvCell<'a> {
    Empty,
    Text(Cow<'a, str>),
    /// A number, a time or a word from a closed set, written unchanged.
    Plain(Cow<'a, str>),
}

impl<'a> CsvCell<'a> {
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        CsvCell::Text(text.into())
    }

    pub fn plain(text: impl Into<Cow<'a, str>>) -> Self {
        CsvCell::Plain(text.into())
    }

    pub fn number(number: &'a Number) -> Self {
        CsvCell::Plain(number.as_str().into())
    }

    pub fn maybe(number: Option<&'a Number>) -> Self {
        number.map_or(CsvCell::Empty, CsvCell::number)
    }

    pub fn time(at: Timestamp) -> Self {
        CsvCell::Plain(at.to_string().into())
    }

    pub(crate) fn is_true(flag: bool) -> Self {
        CsvCell::plain(if flag { "true" } else { "false" })
    }

    fn written(&self) -> Cow<'_, str> {
        match self {
            CsvCell::Empty => "".into(),
            CsvCell::Plain(text) => Cow::Borrowed(text),
            CsvCell::Text(text) => spreadsheet_text(text),
        }
    }
}

/// Marks foreign text with an apostrophe where a spreadsheet would compute it as a formula.
pub fn spreadsheet_text(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Writes the table as CSV.
pub fn csv_bytes<R: CsvRow>(rows: &[R]) -> Bytes {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::with_capacity(4096));
    // Writing to memory does not fail.
    let _ = writer.write_record(R::COLUMNS);
    for row in rows {
        let cells = row.cells();
        let _ = writer.write_record(cells.iter().map(|cell| cell.written().into_owned()));
    }
    writer.into_inner().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Row(&'static str, Option<Number>);

    impl CsvRow for Row {
        const COLUMNS: &'static [&'static str] = &["label", "change"];

        fn cells(&self) -> Vec<CsvCell<'_>> {
            vec![CsvCell::text(self.0), CsvCell::maybe(self.1.as_ref())]
        }
    }

    #[test]
    fn cells_are_quoted_where_needed_and_never_formulas() {
        let rows = [
            Row("plain", Number::decimals(-1.5, 1)),
            Row("a \"quoted\", b\nand a line", None),
            Row("=HYPERLINK(\"x\")", Number::decimals(0.0, 1)),
        ];
        let text = String::from_utf8(csv_bytes(&rows).to_vec()).unwrap();
        assert_eq!(
            text,
            "label,change\r\nplain,-1.5\r\n\"a \"\"quoted\"\", b\nand a line\",\r\n\"'=HYPERLINK(\"\"x\"\")\",0.0\r\n"
        );
    }

    #[test]
    fn a_table_without_rows_still_has_its_columns() {
        assert_eq!(&csv_bytes::<Row>(&[])[..], b"label,change\r\n");
    }
}
