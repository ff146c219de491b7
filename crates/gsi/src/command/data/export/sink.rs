//! Writes rows into a file, counts them, and shows the progress on a terminal.

use super::files::HashedFile;
use super::parquet_file::ParquetFile;
use super::row::{ExportCell, ExportColumn, ExportRow, FieldKind};
use crate::cli::{ExportFormat, ExportKind};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::Write;

/// The progress bar counts thousandths.
const BAR_LENGTH: u64 = 1_000;

enum FormatWriter {
    Csv(Box<csv::Writer<HashedFile>>),
    Ndjson(HashedFile),
    Parquet(Box<ParquetFile>),
}

/// Rows of one series that are left out, with the reason.
#[derive(Debug, Clone, serde::Serialize)]
pub struct LeftOut {
    pub series: String,
    pub rows: u64,
    pub reason: String,
}

/// The finished file.
pub struct ExportDone {
    pub rows: u64,
    pub bytes: u64,
    pub sha256: String,
    pub left_out: Vec<LeftOut>,
}

pub struct ExportSink {
    columns: &'static [ExportColumn],
    writer: FormatWriter,
    rows: u64,
    left_out: BTreeMap<String, LeftOut>,
    bar: ProgressBar,
}

impl ExportSink {
    pub fn begin(
        what: ExportKind,
        columns: &'static [ExportColumn],
        format: ExportFormat,
        file: HashedFile,
    ) -> anyhow::Result<Self> {
        let writer = match format {
            ExportFormat::Csv => {
                let mut writer =
                    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(file);
                writer.write_record(columns.iter().map(|column| column.name))?;
                FormatWriter::Csv(Box::new(writer))
            }
            ExportFormat::Ndjson => FormatWriter::Ndjson(file),
            ExportFormat::Parquet => {
                FormatWriter::Parquet(Box::new(ParquetFile::begin(file, what.key(), columns)?))
            }
        };
        let style = ProgressStyle::with_template("exporting {msg} {bar:40} {percent}% {elapsed}")?;
        let bar = ProgressBar::new(BAR_LENGTH).with_style(style).with_message(what.key());
        Ok(ExportSink { columns, writer, rows: 0, left_out: BTreeMap::new(), bar })
    }

    pub fn row(&mut self, row: ExportRow) -> anyhow::Result<()> {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows += 1;
        match &mut self.writer {
            FormatWriter::Csv(writer) => {
                for (cell, column) in row.iter().zip(self.columns) {
                    let text = cell.written(column.kind);
                    match cell {
                        ExportCell::Text(_) => writer.write_field(&*gsi_api::spreadsheet_text(&text))?,
                        _ => writer.write_field(&text)?,
                    }
                }
                writer.write_record(None::<&[u8]>)?;
            }
            FormatWriter::Ndjson(file) => file.write_all(json_line(&row, self.columns).as_bytes())?,
            FormatWriter::Parquet(file) => file.row(row)?,
        }
        Ok(())
    }

    /// Counts a row that its publisher does not allow to be passed on.
    pub fn leave_out(&mut self, series: &str, reason: impl FnOnce() -> String) {
        let entry = self.left_out.entry(series.to_owned());
        entry.or_insert_with(|| LeftOut { series: series.to_owned(), rows: 0, reason: reason() }).rows += 1;
    }

    /// Shows the share that is done, 0 to 1.
    pub fn reached(&self, share: f64) {
        self.bar.set_position((share.clamp(0.0, 1.0) * BAR_LENGTH as f64) as u64);
    }

    pub fn finish(self) -> anyhow::Result<ExportDone> {
        self.bar.finish_and_clear();
        let file = match self.writer {
            FormatWriter::Csv(writer) => {
                writer.into_inner().map_err(|e| anyhow::Error::msg(e.error().to_string()))?
            }
            FormatWriter::Ndjson(file) => file,
            FormatWriter::Parquet(file) => file.finish()?,
        };
        let (bytes, sha256) = file.finish()?;
        Ok(ExportDone { rows: self.rows, bytes, sha256, left_out: self.left_out.into_values().collect() })
    }
}

fn json_line(row: &ExportRow, columns: &[ExportColumn]) -> String {
    let mut line = String::with_capacity(256);
    for (cell, column) in row.iter().zip(columns) {
        line.push(if line.is_empty() { '{' } else { ',' });
        line.push_str(&format!("\"{}\":", column.name));
        match cell {
            ExportCell::Missing => line.push_str("null"),
            ExportCell::Number(_) | ExportCell::Whole(_) | ExportCell::Flag(_) => {
                line.push_str(&cell.written(column.kind));
            }
            ExportCell::Text(_) | ExportCell::Time(_) => {
                line.push_str(&serde_json::Value::from(cell.written(FieldKind::Text)).to_string());
            }
        }
    }
    line.push_str("}\n");
    line
}
