//! The schema's history: numbered files, applied in order, in a transaction with their number.
//!
//! Replicas are upgraded one by one, so a database is for a while newer than some of the programs on it. A migration
//! therefore first only adds (expand), and a later one removes what no program uses any more (contract). Each says which
//! programs can still work with its result; a program refuses only what says that it cannot.

use super::lead;
use super::session::Session;
use crate::format::{OlderFormat, StoreFormat};
use crate::{Result, StoreError};

struct Migration {
    name: &'static str,
    sql: &'static str,
    /// Programs that know this format, or a later one, can use the database afterwards.
    needs: i64,
}

/// Never edit an entry that was released: databases out there have it applied. Append the next one.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_base", sql: include_str!("migrations/0001_base.sql"), needs: 1 },
    Migration { name: "0002_replicas", sql: include_str!("migrations/0002_replicas.sql"), needs: 1 },
    Migration { name: "0003_partitions", sql: include_str!("migrations/0003_partitions.sql"), needs: 1 },
    Migration { name: "0004_corrections", sql: include_str!("migrations/0004_corrections.sql"), needs: 1 },
    Migration { name: "0005_pending", sql: include_str!("migrations/0005_pending.sql"), needs: 1 },
    Migration { name: "0006_published_at", sql: include_str!("migrations/0006_published_at.sql"), needs: 1 },
    Migration { name: "0007_key_records", sql: include_str!("migrations/0007_key_records.sql"), needs: 1 },
    Migration { name: "0008_countries", sql: include_str!("migrations/0008_countries.sql"), needs: 1 },
    Migration { name: "0009_alerts", sql: include_str!("migrations/0009_alerts.sql"), needs: 1 },
    Migration { name: "0010_news_parts", sql: include_str!("migrations/0010_news_parts.sql"), needs: 1 },
];
/// Replicas that start together take turns; the number only has to be ours alone in this database.
const TURN: i64 = 0x6773_695f_6d69_6772;

pub fn format(session: &mut Session) -> Result<StoreFormat> {
    let names: Vec<&'static str> = MIGRATIONS.iter().map(|migration| migration.name).collect();
    let exists = session.first("SELECT to_regclass('schema_version') IS NOT NULL", &[])?;
    let found = match exists.map_or(Ok(false), |row| row.try_get(0))? {
        true => session.first("SELECT coalesce(max(version), 0) FROM schema_version", &[])?,
        false => None,
    };
    let found: i64 = found.map_or(Ok(0), |row| row.try_get(0))?;
    Ok(StoreFormat::new(usize::try_from(found).unwrap_or(0), &names))
}

/// Makes the database where nothing is, and brings one of an earlier format to the newest, or refuses it.
pub fn to_newest(session: &mut Session, older: OlderFormat) -> Result<()> {
    if older == OlderFormat::Refuse {
        format(session)?.refuse_older()?;
    }
    to(session, MIGRATIONS.len())
}

/// Brings the database to at least this format, if the format it has allows that.
pub fn to(session: &mut Session, formats: usize) -> Result<()> {
    let migrations = MIGRATIONS.get(..formats).unwrap_or(MIGRATIONS);
    session.transaction(|session| {
        session.run("SELECT pg_advisory_xact_lock($1)", &[&TURN])?;
        session.batch(
            "CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY);
             ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS needs BIGINT NOT NULL DEFAULT 1",
        )?;
        let row = session
            .first("SELECT coalesce(max(version), 0), coalesce(max(needs), 0) FROM schema_version", &[])?
            .ok_or_else(|| StoreError::Corrupt("no format number".to_owned()))?;
        let (found, needs): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let known = migrations.len() as i64;
        if needs > known {
            return Err(StoreError::Refused(format!(
                "the database has format {found}, which programs before format {needs} cannot use; this one knows \
                 up to {known}; run the newer program"
            )));
        }
        let missing = usize::try_from(found).ok().and_then(|from| migrations.get(from..)).unwrap_or(&[]);
        if found > 0 && !missing.is_empty() {
            // Behind the tick under way, and before the next: a table taken from under a writer is a deadlock.
            lead::wait_in_line(session, None)?;
        }
        for (number, migration) in (found + 1..).zip(missing) {
            session.batch(migration.sql)?;
            session.run(
                "INSERT INTO schema_version (version, needs) VALUES ($1, $2)",
                &[&number, &migration.needs],
            )?;
        }
        Ok(())
    })
}
