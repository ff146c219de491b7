//! Alerts that began and ended, as of any tick.

use super::cells::blob;
use crate::rows::body::{Packer, unpack_json};
use crate::sqlite::connection::error::conflict_on;
use crate::{AlertQuery, Result};
use gsi_model::{Alert, AlertId, Timestamp};
use rusqlite::{Connection, params};

/// Runs inside the tick's transaction.
pub fn insert(conn: &Connection, packer: &mut Packer, tick: Timestamp, alert: &Alert) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO alert (id, tick, rule, country, began_at, ended_at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        alert.id.as_str(),
        tick.unix(),
        alert.rule.key(),
        alert.country.as_ref().map(|c| c.as_str()),
        alert.began_at.unix(),
        alert.ended_at.map(Timestamp::unix),
        packer.json(alert)?,
    ])
    .map_err(|e| conflict_on(e, || format!("alert {} exists at {tick}", alert.id)))?;
    Ok(())
}

pub fn page(conn: &Connection, query: &AlertQuery) -> Result<Vec<Alert>> {
    let after = query.after.as_ref();
    let mut statement = conn.prepare_cached(
        "SELECT a.body FROM alert a
         WHERE a.tick <= ?1 AND a.began_at >= ?2 AND a.began_at < ?3
           AND NOT EXISTS (SELECT 1 FROM alert n WHERE n.id = a.id AND n.tick > a.tick AND n.tick <= ?1)
           AND (?4 IS NULL OR (a.ended_at IS NULL) = ?4)
           AND (?5 IS NULL OR a.rule = ?5)
           AND (?6 IS NULL OR a.country = ?6)
           AND (?7 IS NULL OR a.began_at < ?7 OR (a.began_at = ?7 AND a.id > ?8))
         ORDER BY a.began_at DESC, a.id ASC LIMIT ?9",
    )?;
    let mut rows = statement.query(params![
        query.as_of.unix(),
        query.since.unix(),
        query.until.unix(),
        query.is_active,
        query.rule.map(|rule| rule.key()),
        query.country.as_ref().map(|c| c.as_str()),
        after.map(|a| a.at.unix()),
        after.map(|a| a.id.as_str()),
        i64::try_from(query.limit).unwrap_or(i64::MAX),
    ])?;
    let mut page = Vec::new();
    while let Some(row) = rows.next()? {
        page.push(unpack_json(blob(row, 0)?)?);
    }
    Ok(page)
}

pub fn one(conn: &Connection, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>> {
    let mut statement = conn
        .prepare_cached("SELECT body FROM alert WHERE id = ?1 AND tick <= ?2 ORDER BY tick DESC LIMIT 1")?;
    let mut rows = statement.query(params![id.as_str(), as_of.unix()])?;
    rows.next()?.map(|row| unpack_json(blob(row, 0)?)).transpose()
}

pub fn between(conn: &Connection, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>> {
    let mut statement =
        conn.prepare_cached("SELECT body FROM alert WHERE tick > ?1 AND tick <= ?2 ORDER BY tick, id")?;
    let mut rows = statement.query([after.unix(), until.unix()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(unpack_json(blob(row, 0)?)?);
    }
    Ok(found)
}
