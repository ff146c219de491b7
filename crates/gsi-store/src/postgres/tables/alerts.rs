//! Alerts that began and ended, as of any tick.

use crate::postgres::connection::session::Session;
use crate::rows::body::{Packer, unpack_json};
use crate::{AlertQuery, Result};
use gsi_model::{Alert, AlertId, Timestamp};

/// Runs inside the tick's transaction.
pub fn insert(session: &mut Session, packer: &mut Packer, tick: Timestamp, alert: &Alert) -> Result<()> {
    session.run(
        "INSERT INTO alert (id, tick, rule, country, began_at, ended_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            &alert.id.as_str(),
            &tick.unix(),
            &alert.rule.key(),
            &alert.country.as_ref().map(|c| c.as_str()),
            &alert.began_at.unix(),
            &alert.ended_at.map(Timestamp::unix),
            &packer.json(alert)?,
        ],
    )?;
    Ok(())
}

pub fn page(session: &mut Session, query: &AlertQuery) -> Result<Vec<Alert>> {
    let after = query.after.as_ref();
    let rows = session.rows(
        "SELECT a.body FROM alert a
         WHERE a.tick <= $1 AND a.began_at >= $2 AND a.began_at < $3
           AND NOT EXISTS (SELECT 1 FROM alert n WHERE n.id = a.id AND n.tick > a.tick AND n.tick <= $1)
           AND ($4::boolean IS NULL OR (a.ended_at IS NULL) = $4)
           AND ($5::text IS NULL OR a.rule = $5)
           AND ($6::text IS NULL OR a.country = $6)
           AND ($7::bigint IS NULL OR a.began_at < $7 OR (a.began_at = $7 AND a.id > $8))
         ORDER BY a.began_at DESC, a.id ASC LIMIT $9",
        &[
            &query.as_of.unix(),
            &query.since.unix(),
            &query.until.unix(),
            &query.is_active,
            &query.rule.map(|rule| rule.key()),
            &query.country.as_ref().map(|c| c.as_str()),
            &after.map(|a| a.at.unix()),
            &after.map(|a| a.id.as_str()),
            &i64::try_from(query.limit).unwrap_or(i64::MAX),
        ],
    )?;
    rows.iter().map(|row| unpack_json(row.try_get(0)?)).collect()
}

pub fn one(session: &mut Session, id: &AlertId, as_of: Timestamp) -> Result<Option<Alert>> {
    let found = session.first(
        "SELECT body FROM alert WHERE id = $1 AND tick <= $2 ORDER BY tick DESC LIMIT 1",
        &[&id.as_str(), &as_of.unix()],
    )?;
    found.map(|row| unpack_json(row.try_get(0)?)).transpose()
}

pub fn between(session: &mut Session, after: Timestamp, until: Timestamp) -> Result<Vec<Alert>> {
    let rows = session.rows(
        "SELECT body FROM alert WHERE tick > $1 AND tick <= $2 ORDER BY tick, id",
        &[&after.unix(), &until.unix()],
    )?;
    rows.iter().map(|row| unpack_json(row.try_get(0)?)).collect()
}
