//! The schema's history: numbered files, applied in order, in a transaction with their number.
//!
//! Replicas are upgraded one by one, so a database is for a while newer than some of the programs on it. A migration
//! therefore first only adds (expand), and a later one removes what no program uses any more (contract). Each names the
//! oldest format whose programs can work with its result; only older programs refuse the database.

use crate::format::{OlderFormat, StoreFormat};
use crate::postgres::connection::lead;
use crate::postgres::connection::session::Session;
use crate::{Result, StoreError};

struct Migration {
    name: &'static str,
    sql: &'static str,
    /// Programs that know this format, or a later one, can use the database afterwards.
    needs: i64,
}

/// Never edit a released entry: databases in use have it applied. Append the next one.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_base", sql: include_str!("migrations/0001_base.sql"), needs: 1 },
    Migration { name: "0002_hooks", sql: include_str!("migrations/0002_hooks.sql"), needs: 1 },
];
/// The advisory lock under which replicas that start together migrate one after the other. The number is this program's own
/// choice and must differ from its other locks in the database.
const MIGRATION_LOCK: i64 = 0x6773_695f_6d69_6772;

pub fn format(session: &mut Session) -> Result<StoreFormat> {
    let names: Vec<&'static str> = MIGRATIONS.iter().map(|migration| migration.name).collect();
    let found: i64 = match is_store(session)? {
        true => session
            .first("SELECT coalesce(max(version), 0) FROM store_format", &[])?
            .map_or(Ok(0), |row| row.try_get(0))?,
        false => 0,
    };
    Ok(StoreFormat::new(usize::try_from(found).unwrap_or(0), &names))
}

/// Whether the database has a store; `false` when it has none yet. Refuses tables of the same names that another program made.
fn is_store(session: &mut Session) -> Result<bool> {
    let row = session
        .first("SELECT to_regclass('meta') IS NOT NULL, to_regclass('store_format') IS NOT NULL", &[])?
        .ok_or_else(|| StoreError::Corrupt("no answer about the format".to_owned()))?;
    let (has_tables, has_format): (bool, bool) = (row.try_get(0)?, row.try_get(1)?);
    if has_tables && !has_format {
        return Err(StoreFormat::foreign("the database"));
    }
    Ok(has_format)
}

/// Creates the schema in an empty database. Migrates an earlier format to the newest, or refuses it.
pub fn to_newest(session: &mut Session, older: OlderFormat) -> Result<()> {
    if older == OlderFormat::Refuse {
        format(session)?.refuse_older()?;
    }
    to(session, MIGRATIONS.len())
}

/// Migrates the database to at least this format, if its present format allows that.
pub fn to(session: &mut Session, formats: usize) -> Result<()> {
    let migrations = MIGRATIONS.get(..formats).unwrap_or(MIGRATIONS);
    session.transaction(|session| {
        session.run("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK])?;
        if !is_store(session)? {
            session.batch("CREATE TABLE store_format (version BIGINT PRIMARY KEY, needs BIGINT NOT NULL)")?;
        }
        let row = session
            .first("SELECT coalesce(max(version), 0), coalesce(max(needs), 0) FROM store_format", &[])?
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
            // Waits for the current tick's transaction: changing a table under a writer would deadlock.
            lead::lock_writes(session, None)?;
        }
        for (number, migration) in (found + 1..).zip(missing) {
            session.batch(migration.sql)?;
            session.run("INSERT INTO store_format (version, needs) VALUES ($1, $2)", &[&number, &migration.needs])?;
        }
        Ok(())
    })
}
