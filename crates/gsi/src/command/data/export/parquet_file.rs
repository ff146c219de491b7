//! Parquet: collects rows into groups of bounded size and writes them column by column.

use super::files::HashedFile;
use super::row::{ExportCell, ExportColumn, ExportRow, FieldKind};
use anyhow::Context;
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// Maximum rows and bytes of a group in memory. Readers skip whole groups, and texts are long.
const GROUP_ROWS: usize = 50_000;
const GROUP_BYTES: usize = 16 << 20;
const MILLISECONDS: i64 = 1_000;

pub struct ParquetFile {
    writer: SerializedFileWriter<HashedFile>,
    columns: &'static [ExportColumn],
    group: Vec<ExportRow>,
    weight: usize,
}

impl ParquetFile {
    pub fn begin(file: HashedFile, name: &str, columns: &'static [ExportColumn]) -> anyhow::Result<Self> {
        let fields: String = columns.iter().map(field).collect();
        let schema = parse_message_type(&format!("message {name} {{ {fields} }}"))?;
        let settings = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("gsi ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(settings))?;
        Ok(ParquetFile { writer, columns, group: Vec::new(), weight: 0 })
    }

    pub fn row(&mut self, row: ExportRow) -> anyhow::Result<()> {
        self.weight += row.iter().map(ExportCell::weight).sum::<usize>();
        self.group.push(row);
        if self.group.len() >= GROUP_ROWS || self.weight >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.group);
        self.weight = 0;
        let mut group = self.writer.next_row_group()?;
        for (n, column) in self.columns.iter().enumerate() {
            let mut open = group.next_column()?.context("a column is missing")?;
            let cells = || rows.iter().map(|row| &row[n]);
            let levels = levels(column, cells());
            let levels = levels.as_deref();
            match column.kind {
                FieldKind::Text => {
                    let values = typed(cells(), |cell| match cell {
                        ExportCell::Text(text) => Some(ByteArray::from(text.as_bytes().to_vec())),
                        _ => None,
                    });
                    open.typed::<ByteArrayType>().write_batch(&values, levels, None)?
                }
                FieldKind::Number(_) => {
                    let values = typed(cells(), |cell| match cell {
                        ExportCell::Number(number) => Some(*number),
                        _ => None,
                    });
                    open.typed::<DoubleType>().write_batch(&values, levels, None)?
                }
                FieldKind::Whole | FieldKind::Time => {
                    let values = typed(cells(), |cell| match cell {
                        ExportCell::Whole(number) => Some(*number),
                        ExportCell::Time(at) => Some(at.unix() * MILLISECONDS),
                        _ => None,
                    });
                    open.typed::<Int64Type>().write_batch(&values, levels, None)?
                }
                FieldKind::Flag => {
                    let values = typed(cells(), |cell| match cell {
                        ExportCell::Flag(flag) => Some(*flag),
                        _ => None,
                    });
                    open.typed::<BoolType>().write_batch(&values, levels, None)?
                }
            };
            open.close()?;
        }
        group.close()?;
        Ok(())
    }

    pub fn finish(mut self) -> anyhow::Result<HashedFile> {
        if !self.group.is_empty() {
            self.write_group()?;
        }
        Ok(self.writer.into_inner()?)
    }
}

fn field(column: &ExportColumn) -> String {
    let presence = if column.is_optional { "optional" } else { "required" };
    let name = column.name;
    match column.kind {
        FieldKind::Text => format!("{presence} binary {name} (STRING); "),
        FieldKind::Number(_) => format!("{presence} double {name}; "),
        FieldKind::Whole => format!("{presence} int64 {name}; "),
        FieldKind::Flag => format!("{presence} boolean {name}; "),
        FieldKind::Time => format!("{presence} int64 {name} (TIMESTAMP(MILLIS,true)); "),
    }
}

fn typed<'a, T>(
    cells: impl Iterator<Item = &'a ExportCell>,
    read: impl Fn(&ExportCell) -> Option<T>,
) -> Vec<T> {
    cells.filter_map(read).collect()
}

/// Returns which rows have a value, for a column where it may be missing.
fn levels<'a>(column: &ExportColumn, cells: impl Iterator<Item = &'a ExportCell>) -> Option<Vec<i16>> {
    column.is_optional.then(|| cells.map(|cell| i16::from(*cell != ExportCell::Missing)).collect())
}
