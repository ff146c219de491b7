//! The rows of event versions, and the lists read from them.

use super::cells::{blob, time};
use crate::rows::body::{Packer, unpack_json, write_json};
use crate::rows::check;
use crate::rows::event_versions::{EventRows, NewestVersion, OPEN, event_record, resolve};
use crate::rows::events::{EventColumnFilter, EventColumns};
use crate::sqlite::connection::error::conflict_on;
use crate::{EventQuery, EventRecord, PrunableKind, Result, StoreError};
use gsi_model::{Event, EventId, EventVersion, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;

/// The rows of event versions in a file. Reading them needs no packer.
pub struct SqliteEventRows<'a> {
    pub conn: &'a Connection,
    pub packer: Option<&'a mut Packer>,
}

impl EventRows for SqliteEventRows<'_> {
    fn newest(&mut self, id: &EventId) -> Result<Option<NewestVersion>> {
        let found = self
            .conn
            .prepare_cached(
                "SELECT key, occurred_at, valid_to FROM event_version WHERE id = ?1 ORDER BY valid_from DESC LIMIT 1",
            )?
            .query_row([id.as_str()], |row| {
                Ok(NewestVersion { key: row.get(0)?, occurred_at: row.get(1)?, valid_to: row.get(2)? })
            })
            .optional()?;
        Ok(found)
    }

    fn close(&mut self, key: i64, tick: Timestamp) -> Result<()> {
        self.conn
            .prepare_cached("UPDATE event_version SET valid_to = ?1 WHERE key = ?2")?
            .execute([tick.unix(), key])?;
        Ok(())
    }

    fn put(&mut self, tick: Timestamp, version: &EventVersion, columns: &EventColumns) -> Result<()> {
        let event = &version.event;
        let Some(packer) = &mut self.packer else {
            return Err(StoreError::Refused("these rows can only be read".to_owned()));
        };
        let key: i64 = self
            .conn
            .prepare_cached(
                "INSERT INTO event_version (id, valid_from, valid_to, occurred_at, last_activity, first_row, category,
                                            status, country, escalation, lat, lon, actors)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                 ON CONFLICT (id, valid_from) DO UPDATE SET
                     valid_to = excluded.valid_to, last_activity = excluded.last_activity,
                     category = excluded.category, status = excluded.status, country = excluded.country,
                     escalation = excluded.escalation, lat = excluded.lat, lon = excluded.lon,
                     actors = excluded.actors
                 RETURNING key",
            )?
            .query_row(
                params![
                    event.id.as_str(),
                    tick.unix(),
                    OPEN,
                    event.occurred_at.unix(),
                    event.last_activity.unix(),
                    check::stored_id(event.first_row)?,
                    columns.category,
                    columns.status,
                    columns.country,
                    columns.escalation,
                    columns.lat,
                    columns.lon,
                    columns.actors,
                ],
                |row| row.get(0),
            )?;
        self.conn
            .prepare_cached(
                "INSERT INTO event_body (key, body) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET body = excluded.body",
            )?
            .execute(params![key, packer.json(version)?])?;
        Ok(())
    }

    fn find_merger(&mut self, id: &EventId, as_of: Timestamp) -> Result<Option<String>> {
        let kept = self
            .conn
            .prepare_cached("SELECT kept FROM event_alias WHERE id = ?1 AND tick <= ?2")?
            .query_row(params![id.as_str(), as_of.unix()], |row| row.get(0))
            .optional()?;
        Ok(kept)
    }

    fn add_merger(&mut self, gone: &EventId, kept: &EventId, tick: Timestamp) -> Result<()> {
        self.conn
            .prepare_cached("INSERT INTO event_alias (id, kept, tick) VALUES (?1, ?2, ?3)")?
            .execute(params![gone.as_str(), kept.as_str(), tick.unix()])
            .map_err(|e| conflict_on(e, || format!("event {gone} was merged before")))?;
        Ok(())
    }
}

pub fn page(conn: &Connection, query: &EventQuery) -> Result<Vec<Event>> {
    let Some(filter) = EventColumnFilter::of(query) else { return Ok(Vec::new()) };
    let after = query.after.as_ref();
    let countries = filter.countries.as_ref().map(write_json).transpose()?;
    // The index is entered one second after the position.
    let until = after.map_or(query.until, |a| query.until.min(a.at.plus(1)));
    let [west, south, east, north] = filter.bbox.map_or([None; 4], |b| b.map(Some));
    let mut statement = conn.prepare_cached(
        "SELECT b.body FROM event_version v INDEXED BY event_version_in_list_order
         CROSS JOIN event_body b ON b.key = v.key
         WHERE occurred_at >= ?1 AND occurred_at < ?2 AND valid_from <= ?3 AND valid_to > ?3
           AND (?4 IS NULL OR occurred_at < ?4 OR (occurred_at = ?4 AND id > ?5))
           AND (?6 IS NULL OR (?6 >> category) & 1 = 1)
           AND (?7 IS NULL OR (?7 >> status) & 1 = 1)
           AND (?8 IS NULL OR country IN (SELECT value FROM json_each(?8)))
           AND (?9 IS NULL OR instr(actors, ?9) > 0)
           AND (?10 IS NULL OR escalation >= ?10)
           AND (?11 IS NULL OR (lat BETWEEN ?12 AND ?14
                AND CASE WHEN ?11 <= ?13 THEN lon BETWEEN ?11 AND ?13 ELSE lon >= ?11 OR lon <= ?13 END))
           AND (?15 IS NULL OR last_activity >= ?15)
         ORDER BY occurred_at DESC, id ASC LIMIT ?16",
    )?;
    let mut rows = statement.query(params![
        query.since.unix(),
        until.unix(),
        query.as_of.unix(),
        after.map(|a| a.at.unix()),
        after.map(|a| a.id.as_str()),
        filter.categories,
        filter.statuses,
        countries,
        filter.actor,
        filter.min_escalation,
        west,
        south,
        east,
        north,
        query.active_since.map(Timestamp::unix),
        i64::try_from(query.limit).unwrap_or(i64::MAX),
    ])?;
    let mut page = Vec::new();
    while let Some(row) = rows.next()? {
        page.push(unpack_json(blob(row, 0)?)?);
    }
    Ok(page)
}

/// Reads events or whole versions.
pub fn active<T: DeserializeOwned>(
    conn: &Connection,
    as_of: Timestamp,
    active_since: Timestamp,
) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(
        "SELECT b.body FROM event_version v INDEXED BY event_version_by_activity
         CROSS JOIN event_body b ON b.key = v.key
         WHERE last_activity > ?1 AND valid_from <= ?2 AND valid_to > ?2 ORDER BY occurred_at, first_row",
    )?;
    let mut rows = statement.query([active_since.unix(), as_of.unix()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(unpack_json(blob(row, 0)?)?);
    }
    Ok(found)
}

pub fn one(conn: &Connection, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>> {
    // Both queries read one snapshot of the database.
    let tx = conn.unchecked_transaction()?;
    let id = resolve(&mut SqliteEventRows { conn: &tx, packer: None }, id, as_of)?;
    let mut statement = tx.prepare_cached(
        "SELECT v.valid_from, b.body FROM event_version v JOIN event_body b ON b.key = v.key
         WHERE id = ?1 AND valid_from <= ?2 AND valid_to > valid_from ORDER BY valid_from",
    )?;
    let mut rows = statement.query(params![id.as_str(), as_of.unix()])?;
    let mut versions: Vec<(Timestamp, EventVersion)> = Vec::new();
    while let Some(row) = rows.next()? {
        versions.push((time(row, 0)?, unpack_json(blob(row, 1)?)?));
    }
    Ok(event_record(versions, crate::sqlite::upkeep::prune::note(&tx, PrunableKind::EventVersions)?))
}
