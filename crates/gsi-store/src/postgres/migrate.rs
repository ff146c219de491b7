//! The schema's history: numbered files, applied in order, in a transaction with their number.

use super::session::Session;
use crate::{Result, StoreError};

/// Never edit an entry that was released: databases out there have it applied. Append the next one.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_base.sql")];
/// Replicas that start together take turns; the number only has to be ours alone in this database.
const TURN: i64 = 0x6773_695f_6d69_6772;

pub fn to_newest(session: &mut Session) -> Result<()> {
    session.transaction(|session| {
        session.run("SELECT pg_advisory_xact_lock($1)", &[&TURN])?;
        session.batch("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")?;
        let found: i64 = session
            .first("SELECT coalesce(max(version), 0) FROM schema_version", &[])?
            .map_or(Ok(0), |row| row.try_get(0))?;
        let Some(missing) = usize::try_from(found).ok().and_then(|from| MIGRATIONS.get(from..)) else {
            return Err(StoreError::Refused(format!(
                "the database has format {found}, this program knows up to {}; run the newer program",
                MIGRATIONS.len()
            )));
        };
        for (number, sql) in (found + 1..).zip(missing) {
            session.batch(sql)?;
            session.run("INSERT INTO schema_version (version) VALUES ($1)", &[&number])?;
        }
        Ok(())
    })
}
