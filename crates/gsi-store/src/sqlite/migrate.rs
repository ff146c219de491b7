//! The schema's history: numbered files, applied in order, each in a transaction with its number.

use crate::{Result, StoreError};
use rusqlite::{Connection, TransactionBehavior};

/// Never edit an entry that was released: databases out there have it applied. Append the next one.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_base.sql"),
    include_str!("migrations/0002_leader.sql"),
    include_str!("migrations/0003_event_body.sql"),
    include_str!("migrations/0004_event_filters.sql"),
    include_str!("migrations/0005_corrections.sql"),
    include_str!("migrations/0006_pending.sql"),
    include_str!("migrations/0007_published_at.sql"),
];

pub fn to_newest(conn: &mut Connection) -> Result<()> {
    if version(conn)? == MIGRATIONS.len() {
        return Ok(());
    }
    // Another process may be starting on the same file: the version is read again under the write lock.
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = version(&tx)?;
    let Some(missing) = MIGRATIONS.get(from..) else {
        return Err(StoreError::Refused(format!(
            "the database has format {from}, this program knows up to {}; run the newer program",
            MIGRATIONS.len()
        )));
    };
    for sql in missing {
        tx.execute_batch(sql)?;
    }
    tx.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    tx.commit()?;
    Ok(())
}

fn version(conn: &Connection) -> Result<usize> {
    let found: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    usize::try_from(found).map_err(|_| StoreError::Corrupt(format!("format number {found}")))
}
