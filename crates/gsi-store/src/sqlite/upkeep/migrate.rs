//! The schema's history: numbered files, applied in order, in one transaction with the number of the last.

use crate::{Result, StoreError, StoreFormat};
use rusqlite::{Connection, TransactionBehavior};

/// Never edit a released entry: stores in use have it applied. Append the next one.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_base", include_str!("migrations/0001_base.sql")),
    ("0002_hooks", include_str!("migrations/0002_hooks.sql")),
];
/// Marks a file as a store of this program: "GSI1". Builds before the first release did not set it, and their format numbers
/// mean other schemas.
const APPLICATION_ID: i64 = 0x4753_4931;

pub fn format(conn: &Connection) -> Result<StoreFormat> {
    let names: Vec<&'static str> = MIGRATIONS.iter().map(|(name, _)| *name).collect();
    Ok(StoreFormat::new(version(conn)?, &names))
}

/// Creates the schema in an empty file, and migrates an earlier format to the newest.
pub fn to_newest(conn: &mut Connection) -> Result<()> {
    if version(conn)? == MIGRATIONS.len() {
        return Ok(());
    }
    // Another process may be starting on the same file, so the version is read again under the write lock.
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = version(&tx)?;
    let Some(missing) = MIGRATIONS.get(from..) else {
        return Err(StoreError::Refused(format!(
            "the database has format {from}, this program knows up to {}; run the newer program",
            MIGRATIONS.len()
        )));
    };
    for (_, sql) in missing {
        tx.execute_batch(sql)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    tx.commit()?;
    Ok(())
}

/// The format number, 0 for an empty file. Refuses a file that is not a store of this program.
fn version(conn: &Connection) -> Result<usize> {
    // In this order: another process may commit its first migration between these reads, and it sets the id in the same
    // transaction.
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let found: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let owner: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let is_new = tables == 0 && found == 0;
    if !is_new && owner != APPLICATION_ID {
        return Err(StoreFormat::foreign("the file"));
    }
    usize::try_from(found).map_err(|_| StoreError::Corrupt(format!("format number {found}")))
}
