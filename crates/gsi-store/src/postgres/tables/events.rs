//! The rows of event versions, and the lists read from them.

use super::data::time;
use crate::postgres::connection::session::Session;
use crate::rows::body::{Packer, unpack_json};
use crate::rows::check;
use crate::rows::event_versions::{EventRows, NewestVersion, OPEN, event_record, resolve};
use crate::rows::events::{EventColumnFilter, EventColumns};
use crate::{EventQuery, EventRecord, PrunableKind, Result, StoreError};
use gsi_model::{Event, EventId, EventVersion, Timestamp};
use serde::de::DeserializeOwned;

/// The rows of event versions in the database. Reading them needs no packer.
pub struct PostgresEventRows<'a> {
    pub session: &'a mut Session,
    pub packer: Option<&'a mut Packer>,
}

impl EventRows for PostgresEventRows<'_> {
    fn newest(&mut self, id: &EventId) -> Result<Option<NewestVersion>> {
        let found = self.session.first(
            "SELECT key, occurred_at, valid_to FROM event_version WHERE id = $1 ORDER BY valid_from DESC LIMIT 1",
            &[&id.as_str()],
        )?;
        let Some(row) = found else { return Ok(None) };
        Ok(Some(NewestVersion {
            key: row.try_get(0)?,
            occurred_at: row.try_get(1)?,
            valid_to: row.try_get(2)?,
        }))
    }

    fn close(&mut self, key: i64, tick: Timestamp) -> Result<()> {
        self.session.run("UPDATE event_version SET valid_to = $1 WHERE key = $2", &[&tick.unix(), &key])?;
        Ok(())
    }

    fn put(&mut self, tick: Timestamp, version: &EventVersion, columns: &EventColumns) -> Result<()> {
        let event = &version.event;
        let Some(packer) = &mut self.packer else {
            return Err(StoreError::Refused("these rows can only be read".to_owned()));
        };
        self.session.run(
            "INSERT INTO event_version (id, valid_from, valid_to, occurred_at, last_activity, first_row, category,
                                        status, country, escalation, lat, lon, actors, body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
             ON CONFLICT (id, valid_from) DO UPDATE SET
                 valid_to = excluded.valid_to, last_activity = excluded.last_activity, category = excluded.category,
                 status = excluded.status, country = excluded.country, escalation = excluded.escalation,
                 lat = excluded.lat, lon = excluded.lon, actors = excluded.actors, body = excluded.body",
            &[
                &event.id.as_str(),
                &tick.unix(),
                &OPEN,
                &event.occurred_at.unix(),
                &event.last_activity.unix(),
                &check::stored_id(event.first_row)?,
                &columns.category,
                &columns.status,
                &columns.country,
                &columns.escalation,
                &columns.lat,
                &columns.lon,
                &columns.actors,
                &packer.json(version)?,
            ],
        )?;
        Ok(())
    }

    fn find_merger(&mut self, id: &EventId, as_of: Timestamp) -> Result<Option<String>> {
        let found = self.session.first(
            "SELECT kept FROM event_alias WHERE id = $1 AND tick <= $2",
            &[&id.as_str(), &as_of.unix()],
        )?;
        found.map(|row| Ok(row.try_get(0)?)).transpose()
    }

    fn add_merger(&mut self, gone: &EventId, kept: &EventId, tick: Timestamp) -> Result<()> {
        self.session.run(
            "INSERT INTO event_alias (id, kept, tick) VALUES ($1, $2, $3)",
            &[&gone.as_str(), &kept.as_str(), &tick.unix()],
        )?;
        Ok(())
    }
}

pub fn page(session: &mut Session, query: &EventQuery) -> Result<Vec<Event>> {
    let Some(filter) = EventColumnFilter::of(query) else { return Ok(Vec::new()) };
    let after = query.after.as_ref();
    let [west, south, east, north] = filter.bbox.map_or([None; 4], |b| b.map(Some));
    // The index is entered one second after the position.
    let until = after.map_or(query.until, |a| query.until.min(a.at.plus(1)));
    let rows = session.rows(
        "SELECT body FROM event_version
         WHERE occurred_at >= $1 AND occurred_at < $2 AND valid_from <= $3 AND valid_to > $3
           AND ($4::bigint IS NULL OR occurred_at < $4 OR (occurred_at = $4 AND id > $5))
           AND ($6::integer IS NULL OR ($6 >> category) & 1 = 1)
           AND ($7::integer IS NULL OR ($7 >> status) & 1 = 1)
           AND ($8::text[] IS NULL OR country = ANY ($8))
           AND ($9::text IS NULL OR strpos(actors, $9) > 0)
           AND ($10::double precision IS NULL OR escalation >= $10)
           AND ($11::double precision IS NULL
                OR (lat BETWEEN $12::double precision AND $14::double precision
                    AND CASE WHEN $11 <= $13::double precision THEN lon BETWEEN $11 AND $13
                             ELSE lon >= $11 OR lon <= $13 END))
           AND ($15::bigint IS NULL OR last_activity >= $15)
         ORDER BY occurred_at DESC, id ASC LIMIT $16",
        &[
            &query.since.unix(),
            &until.unix(),
            &query.as_of.unix(),
            &after.map(|a| a.at.unix()),
            &after.map(|a| a.id.as_str()),
            &filter.categories,
            &filter.statuses,
            &filter.countries,
            &filter.actor,
            &filter.min_escalation,
            &west,
            &south,
            &east,
            &north,
            &query.active_since.map(Timestamp::unix),
            &i64::try_from(query.limit).unwrap_or(i64::MAX),
        ],
    )?;
    rows.iter().map(|row| unpack_json(row.try_get(0)?)).collect()
}

/// Reads events or whole versions.
pub fn active<T: DeserializeOwned>(
    session: &mut Session,
    as_of: Timestamp,
    active_since: Timestamp,
) -> Result<Vec<T>> {
    let rows = session.rows(
        "SELECT body FROM event_version
         WHERE last_activity > $1 AND valid_from <= $2 AND valid_to > $2 ORDER BY occurred_at, first_row",
        &[&active_since.unix(), &as_of.unix()],
    )?;
    rows.iter().map(|row| unpack_json(row.try_get(0)?)).collect()
}

pub fn one(session: &mut Session, id: &EventId, as_of: Timestamp) -> Result<Option<EventRecord>> {
    let id = resolve(&mut PostgresEventRows { session: &mut *session, packer: None }, id, as_of)?;
    let rows = session.rows(
        "SELECT valid_from, body FROM event_version
         WHERE id = $1 AND valid_from <= $2 AND valid_to > valid_from ORDER BY valid_from",
        &[&id.as_str(), &as_of.unix()],
    )?;
    let mut versions: Vec<(Timestamp, EventVersion)> = Vec::new();
    for row in &rows {
        versions.push((time(row, 0)?, unpack_json(row.try_get(1)?)?));
    }
    Ok(event_record(versions, crate::postgres::upkeep::prune::note(session, PrunableKind::EventVersions)?))
}
