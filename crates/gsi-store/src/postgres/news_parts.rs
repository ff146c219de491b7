//! The parts that news rows are kept in, by their number: made when the first row of one comes, dropped when all of one is older
//! than what is kept.

use super::session::Session;
use crate::{Result, StoreError};
use gsi_model::Timestamp;

/// Whoever reads many rows holds their tables; the ticks, which wait behind whoever wants to drop one, are not to feel it.
const SHORT_WAIT: &str = "SET LOCAL lock_timeout = '300ms'";

/// Makes the parts that rows of these numbers belong to, where the database keeps rows in parts.
pub fn make(session: &mut Session, numbers: &[i64]) -> Result<()> {
    let known = session.first("SELECT to_regproc('gsi_make_news_parts') IS NOT NULL", &[])?;
    if known.map_or(Ok(false), |row| row.try_get(0))? {
        session.rows("SELECT gsi_make_news_parts($1)", &[&numbers])?;
    }
    Ok(())
}

/// The parts of which nothing is kept: every news file between the first and the last of a part became known before that moment,
/// or all its rows have gone one by one.
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

/// How many rows left the database with the part, in the transaction of the caller; none if there is something to keep after all.
pub fn drop_part(session: &mut Session, part: &str, before: Timestamp) -> Result<u64> {
    session.batch(SHORT_WAIT)?;
    if !is_older(session, part, before)? {
        return Ok(0);
    }
    let rows: i64 = session.client().query_one(&format!("SELECT count(*) FROM {part}"), &[])?.try_get(0)?;
    session.batch(&format!("DROP TABLE {part}"))?;
    u64::try_from(rows).map_err(|_| StoreError::Corrupt(format!("{rows} rows")))
}
