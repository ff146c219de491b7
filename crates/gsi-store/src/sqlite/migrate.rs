//! The schema's history: numbered files, applied in order, each in a transaction with its number.

use crate::{Result, StoreError, StoreFormat};
use rusqlite::{Connection, TransactionBehavior};

/// Never edit an entry that was released: databases out there have it applied. Append the next one.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_base", include_str!("migrations/0001_base.sql")),
    ("0002_leader", include_str!("migrations/0002_leader.sql")),
    ("0003_event_body", include_str!("migrations/0003_event_body.sql")),
    ("0004_event_filters", include_str!("migrations/0004_event_filters.sql")),
    ("0005_corrections", include_str!("migrations/0005_corrections.sql")),
    ("0006_pending", include_str!("migrations/0006_pending.sql")),
    ("0007_published_at", include_str!("migrations/0007_published_at.sql")),
    ("0008_key_records", include_str!("migrations/0008_key_records.sql")),
    ("0009_countries", include_str!("migrations/0009_countries.sql")),
    ("0010_alerts", include_str!("migrations/0010_alerts.sql")),
];

pub fn format(conn: &Connection) -> Result<StoreFormat> {
    let names: Vec<&'static str> = MIGRATIONS.iter().map(|(name, _)| *name).collect();
    Ok(StoreFormat::new(version(conn)?, &names))
}

pub fn to_newest(conn: &mut Connection) -> Result<()> {
    to(conn, MIGRATIONS.len())
}

/// As a program does that knows only the first `formats` formats.
pub fn to(conn: &mut Connection, formats: usize) -> Result<()> {
    let migrations = MIGRATIONS.get(..formats).unwrap_or(MIGRATIONS);
    if version(conn)? == migrations.len() {
        return Ok(());
    }
    // Another process may be starting on the same file: the version is read again under the write lock.
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = version(&tx)?;
    let Some(missing) = migrations.get(from..) else {
        return Err(StoreError::Refused(format!(
            "the database has format {from}, this program knows up to {}; run the newer program",
            migrations.len()
        )));
    };
    for (_, sql) in missing {
        tx.execute_batch(sql)?;
    }
    tx.pragma_update(None, "user_version", migrations.len() as i64)?;
    tx.commit()?;
    Ok(())
}

fn version(conn: &Connection) -> Result<usize> {
    let found: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    usize::try_from(found).map_err(|_| StoreError::Corrupt(format!("format number {found}")))
}
