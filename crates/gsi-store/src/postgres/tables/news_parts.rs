//! The partitions of news rows, by row number. A partition is made for its first row, and dropped when all of it is older
//! than the retention time.

use crate::postgres::connection::session::Session;
use crate::{Result, StoreError};
use gsi_model::Timestamp;

/// A reader of many rows locks their tables, and ticks wait behind a transaction that wants to drop one. This limits the
/// delay of ticks.
const SHORT_WAIT: &str = "SET LOCAL lock_timeout = '300ms'";

/// Creates the partitions for rows of these numbers.
pub fn make(session: &mut Session, numbers: &[i64]) -> Result<()> {
    session.rows("SELECT gsi_make_news_parts($1)", &[&numbers])?;
    Ok(())
}

/// The partitions without rows to keep: every news file between the first and the last row became known before that moment,
/// or all rows were removed one by one.
pub fn find_older(session: &mut Session, before: Timestamp) -> Result<Vec<String>> {
    let parts = session.rows(
        "SELECT relid::text FROM pg_partition_tree('news_row') WHERE isleaf AND relid <> 'news_row_other'::regclass",
        &[],
    )?;
    let parts: Vec<String> = parts.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?;
    let mut older = Vec::new();
    for part in parts {
        if is_older(session, &part, before)? {
            older.push(part);
        }
    }
    Ok(older)
}

fn is_older(session: &mut Session, part: &str, before: Timestamp) -> Result<bool> {
    let row = session.client().query_one(
        &format!(
            "SELECT NOT EXISTS (SELECT 1 FROM news_slot WHERE stamp BETWEEN first AND last AND known_at >= $1)
             FROM (SELECT min(added) AS first, max(added) AS last FROM {part}) span"
        ),
        &[&before.unix()],
    )?;
    Ok(row.try_get(0)?)
}

/// Drops a partition in the caller's transaction and returns the number of its rows; 0 if it has rows to keep after all.
pub fn drop_part(session: &mut Session, part: &str, before: Timestamp) -> Result<u64> {
    session.batch(SHORT_WAIT)?;
    if !is_older(session, part, before)? {
        return Ok(0);
    }
    let rows: i64 = session.client().query_one(&format!("SELECT count(*) FROM {part}"), &[])?.try_get(0)?;
    session.batch(&format!("DROP TABLE {part}"))?;
    u64::try_from(rows).map_err(|_| StoreError::Corrupt(format!("{rows} rows")))
}
