//! Reads a column of a row as a timestamp or a blob, for the queries of all tables.

use crate::{Result, StoreError};
use gsi_model::Timestamp;
use rusqlite::Row;

pub fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    row.get(column).map(Timestamp::from_unix)
}

pub fn blob<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r [u8]> {
    row.get_ref(column)?.as_blob().map_err(|e| StoreError::Corrupt(e.to_string()))
}
