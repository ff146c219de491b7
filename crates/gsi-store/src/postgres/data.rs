//! What came in: observations, news slots and rows, and where each feed stands.
//!
//! Batches of any size are streamed into a table of the session first and moved on by one statement, so that a
//! backfill of a million rows costs round trips by the handful.

use super::session::Session;
use crate::body::{read_json, write_json};
use crate::{Ingest, IngestReport, Result, StoreError, check};
use gsi_model::{FeedId, FeedState, NewsRow, NewsSlot, Observation, Timestamp};
use postgres::Row;
use postgres::types::Type;

pub fn ingest(session: &mut Session, ingest: &Ingest) -> Result<IngestReport> {
    let mut inserted = 0;
    if !ingest.observations.is_empty() {
        stage_observations(session, &ingest.observations)?;
        inserted += session.run(APPEND_VINTAGES, &[])?;
    }
    for slot in &ingest.slots {
        inserted += insert_slot(session, slot)?;
    }
    inserted += insert_rows(session, &ingest.rows)?;
    put_feeds(session, &ingest.feeds)?;
    let seen = (ingest.observations.len() + ingest.slots.len() + ingest.rows.len()) as u64;
    Ok(IngestReport { inserted, unchanged: seen - inserted })
}

/// Appends with the revisions that the tick assigned.
pub fn append_observations(session: &mut Session, observations: &[Observation]) -> Result<()> {
    if observations.is_empty() {
        return Ok(());
    }
    stage_observations(session, observations)?;
    session.run(
        "INSERT INTO observation (series, period_end, revision, period_start, value, known_at, ingested_at,
                                  quality, payload)
         SELECT s.key, i.period_end, i.revision, i.period_start, i.value, i.known_at, i.ingested_at, i.quality, p.key
         FROM incoming_observation i
         JOIN series s ON s.series = i.series AND s.entity = i.entity
         JOIN payload p ON p.feed = i.feed AND p.raw = i.raw",
        &[],
    )?;
    Ok(())
}

/// A row is a new vintage when it differs from the one before it in the batch, or, for the first of its period,
/// from the newest stored. Vintages count on from there in the batch's order.
const APPEND_VINTAGES: &str = "
    WITH keyed AS (
        SELECT i.*, s.key AS series_key, p.key AS payload_key, newest.revision AS last_revision,
               coalesce(lag(i.value) OVER same_period, newest.value) AS known_value
        FROM incoming_observation i
        JOIN series s ON s.series = i.series AND s.entity = i.entity
        JOIN payload p ON p.feed = i.feed AND p.raw = i.raw
        LEFT JOIN LATERAL (SELECT o.revision, o.value FROM observation o
                           WHERE o.series = s.key AND o.period_end = i.period_end
                           ORDER BY o.revision DESC LIMIT 1) newest ON true
        WINDOW same_period AS (PARTITION BY s.key, i.period_end ORDER BY i.position)
    )
    INSERT INTO observation (series, period_end, revision, period_start, value, known_at, ingested_at, quality,
                             payload)
    SELECT series_key, period_end,
           coalesce(last_revision, -1)
               + row_number() OVER (PARTITION BY series_key, period_end ORDER BY position),
           period_start, value, known_at, ingested_at, quality, payload_key
    FROM keyed WHERE value IS DISTINCT FROM known_value";

fn stage_observations(session: &mut Session, observations: &[Observation]) -> Result<()> {
    session.batch(
        "CREATE TEMPORARY TABLE IF NOT EXISTS incoming_observation (
             position BIGINT, series TEXT COLLATE \"C\", entity TEXT COLLATE \"C\", period_start BIGINT,
             period_end BIGINT, value DOUBLE PRECISION, known_at BIGINT, ingested_at BIGINT, revision BIGINT,
             quality DOUBLE PRECISION, feed TEXT COLLATE \"C\", raw TEXT COLLATE \"C\") ON COMMIT DELETE ROWS",
    )?;
    const TYPES: [Type; 12] = [
        Type::INT8,
        Type::TEXT,
        Type::TEXT,
        Type::INT8,
        Type::INT8,
        Type::FLOAT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::FLOAT8,
        Type::TEXT,
        Type::TEXT,
    ];
    session.copy(
        "COPY incoming_observation FROM STDIN BINARY",
        &TYPES,
        (0i64..).zip(observations),
        |(position, o), write| {
            write(&[
                &position,
                &o.series,
                &o.entity,
                &o.period_start.unix(),
                &o.period_end.unix(),
                &o.value,
                &o.known_at.unix(),
                &o.ingested_at.unix(),
                &i64::from(o.revision),
                &o.quality,
                &o.feed.as_str(),
                &o.raw,
            ])
        },
    )?;
    session.run(
        "INSERT INTO series (series, entity) SELECT DISTINCT i.series, i.entity FROM incoming_observation i
         WHERE NOT EXISTS (SELECT 1 FROM series s WHERE s.series = i.series AND s.entity = i.entity)",
        &[],
    )?;
    session.run(
        "INSERT INTO payload (feed, raw) SELECT DISTINCT i.feed, i.raw FROM incoming_observation i
         WHERE NOT EXISTS (SELECT 1 FROM payload p WHERE p.feed = i.feed AND p.raw = i.raw)",
        &[],
    )?;
    Ok(())
}

pub fn observations(
    session: &mut Session,
    known_until: Timestamp,
    each: &mut dyn FnMut(Observation),
) -> Result<()> {
    session.each(
        "SELECT s.series, s.entity, o.period_start, o.period_end, o.value, o.known_at, o.ingested_at, o.revision,
                o.quality, p.feed, p.raw
         FROM observation o JOIN series s ON s.key = o.series JOIN payload p ON p.key = o.payload
         WHERE o.known_at <= $1
         ORDER BY s.series, s.entity, o.period_end, o.revision",
        &[&known_until.unix()],
        |row| {
            each(Observation {
                series: row.try_get(0)?,
                entity: row.try_get(1)?,
                period_start: time(row, 2)?,
                period_end: time(row, 3)?,
                value: row.try_get(4)?,
                known_at: time(row, 5)?,
                ingested_at: time(row, 6)?,
                revision: count(row, 7)?,
                quality: row.try_get(8)?,
                feed: FeedId(row.try_get(9)?),
                raw: row.try_get(10)?,
            });
            Ok(())
        },
    )
}

pub fn time(row: &Row, column: usize) -> Result<Timestamp> {
    Ok(Timestamp::from_unix(row.try_get(column)?))
}

fn count(row: &Row, column: usize) -> Result<u32> {
    let stored: i64 = row.try_get(column)?;
    u32::try_from(stored).map_err(|_| StoreError::Corrupt(format!("a count of {stored}")))
}

fn json<T: serde::de::DeserializeOwned>(row: &Row, column: usize) -> Result<T> {
    read_json(row.try_get::<_, &str>(column)?.as_bytes())
}

/// How many were inserted: none when the slot is already there.
fn insert_slot(session: &mut Session, s: &NewsSlot) -> Result<u64> {
    session.run(
        "INSERT INTO news_slot (stamp, known_at, rows, articles, conflict, threat, cyber, supply, countries)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (stamp) DO NOTHING",
        &[
            &s.stamp.unix(),
            &s.known_at.unix(),
            &i64::from(s.rows),
            &i64::from(s.articles),
            &s.conflict,
            &s.threat,
            &i64::from(s.cyber),
            &i64::from(s.supply),
            &write_json(&s.countries)?,
        ],
    )
}

/// As part of a tick: a slot that is there already must say the same.
pub fn commit_slot(session: &mut Session, slot: &NewsSlot) -> Result<()> {
    if insert_slot(session, slot)? == 1 {
        return Ok(());
    }
    let mut stored = None;
    slots(session, slot.stamp.minus(1), slot.stamp, Timestamp::MAX, &mut |found| stored = Some(found))?;
    let same = stored.map(|found| NewsSlot { known_at: slot.known_at, ..found }).as_ref() == Some(slot);
    match same {
        true => Ok(()),
        false => Err(StoreError::Conflict(format!("another news slot of {} is stored", slot.stamp))),
    }
}

pub fn slots(
    session: &mut Session,
    from: Timestamp,
    to: Timestamp,
    known_until: Timestamp,
    each: &mut dyn FnMut(NewsSlot),
) -> Result<()> {
    session.each(
        "SELECT stamp, known_at, rows, articles, conflict, threat, cyber, supply, countries FROM news_slot
         WHERE stamp > $1 AND stamp <= $2 AND known_at <= $3 ORDER BY stamp",
        &[&from.unix(), &to.unix(), &known_until.unix()],
        |row| {
            each(NewsSlot {
                stamp: time(row, 0)?,
                known_at: time(row, 1)?,
                rows: count(row, 2)?,
                articles: count(row, 3)?,
                conflict: row.try_get(4)?,
                threat: row.try_get(5)?,
                cyber: count(row, 6)?,
                supply: count(row, 7)?,
                countries: json(row, 8)?,
            });
            Ok(())
        },
    )
}

/// How many were new; the first row of a number stays.
pub fn insert_rows(session: &mut Session, rows: &[NewsRow]) -> Result<u64> {
    if rows.is_empty() {
        return Ok(0);
    }
    session.batch(
        "CREATE TEMPORARY TABLE IF NOT EXISTS incoming_row
             (LIKE news_row, position BIGINT) ON COMMIT DELETE ROWS",
    )?;
    const TYPES: [Type; 16] = [
        Type::INT8,
        Type::INT8,
        Type::INT4,
        Type::TEXT,
        Type::BOOL,
        Type::INT4,
        Type::FLOAT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::FLOAT8,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::TEXT,
        Type::INT8,
    ];
    session.copy(
        "COPY incoming_row (id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles, tone,
                            actor1, actor2, geo, url, position) FROM STDIN BINARY",
        &TYPES,
        (0i64..).zip(rows),
        |(position, r), write| {
            write(&[
                &check::stored_id(r.id)?,
                &r.added.unix(),
                &r.day,
                &r.code,
                &r.is_root,
                &i32::from(r.quad_class),
                &r.goldstein,
                &i64::from(r.mentions),
                &i64::from(r.sources),
                &i64::from(r.articles),
                &r.tone,
                &write_json(&r.actor1)?,
                &write_json(&r.actor2)?,
                &r.geo.as_ref().map(write_json).transpose()?,
                &r.url,
                &position,
            ])
        },
    )?;
    session.run(
        "INSERT INTO news_row (id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles,
                               tone, actor1, actor2, geo, url)
         SELECT id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles,
                tone, actor1, actor2, geo, url
         FROM incoming_row ORDER BY position ON CONFLICT (id) DO NOTHING",
        &[],
    )
}

fn read_row(row: &Row) -> Result<NewsRow> {
    let id: i64 = row.try_get(0)?;
    let quad_class: i32 = row.try_get(5)?;
    let geo: Option<&str> = row.try_get(13)?;
    Ok(NewsRow {
        id: id.unsigned_abs(),
        added: time(row, 1)?,
        day: row.try_get(2)?,
        code: row.try_get(3)?,
        is_root: row.try_get(4)?,
        quad_class: u8::try_from(quad_class).map_err(|_| StoreError::Corrupt("a quad class".to_owned()))?,
        goldstein: row.try_get(6)?,
        mentions: count(row, 7)?,
        sources: count(row, 8)?,
        articles: count(row, 9)?,
        tone: row.try_get(10)?,
        actor1: json(row, 11)?,
        actor2: json(row, 12)?,
        geo: geo.map(|text| read_json(text.as_bytes())).transpose()?,
        url: row.try_get(14)?,
    })
}

pub fn rows(
    session: &mut Session,
    from: Timestamp,
    to: Timestamp,
    each: &mut dyn FnMut(NewsRow),
) -> Result<()> {
    session.each(
        "SELECT id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles, tone, actor1,
                actor2, geo, url
         FROM news_row WHERE added > $1 AND added <= $2 ORDER BY added, id",
        &[&from.unix(), &to.unix()],
        |row| {
            each(read_row(row)?);
            Ok(())
        },
    )
}

pub fn row(session: &mut Session, id: u64) -> Result<Option<NewsRow>> {
    let Ok(id) = i64::try_from(id) else { return Ok(None) };
    let found = session.first(
        "SELECT id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles, tone, actor1,
                actor2, geo, url
         FROM news_row WHERE id = $1",
        &[&id],
    )?;
    found.as_ref().map(read_row).transpose()
}

pub fn put_feeds(session: &mut Session, feeds: &[FeedState]) -> Result<()> {
    for feed in feeds {
        session.run(
            "INSERT INTO feed_state (feed, body) VALUES ($1, $2)
             ON CONFLICT (feed) DO UPDATE SET body = excluded.body",
            &[&feed.feed, &write_json(feed)?],
        )?;
    }
    Ok(())
}

pub fn feed_states(session: &mut Session) -> Result<Vec<FeedState>> {
    session.rows("SELECT body FROM feed_state ORDER BY feed", &[])?.iter().map(|row| json(row, 0)).collect()
}
