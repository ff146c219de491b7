//! Received data: observations, news slots and rows, and the state of each feed.
//!
//! Batches of any size are streamed by COPY, so that a back-fill of a million rows needs few round trips. Observations go
//! directly into their table, with numbers of names and revisions determined here. Writers run one after the other, so the
//! determined numbers stay valid.

use super::news_parts;
use crate::postgres::connection::session::Session;
use crate::rows::body::{Packer, read_json, unpack_json, write_json};
use crate::rows::check;
use crate::{Ingest, IngestReport, ObservationScope, PendingBatch, Result, StoreError};
use gsi_model::{FeedId, FeedState, NewsRow, NewsSlot, Observation, Text, Timestamp};
use postgres::Row;
use postgres::types::Type;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub fn ingest(session: &mut Session, packer: &mut Packer, ingest: &Ingest) -> Result<IngestReport> {
    if ticks_begun(session)? {
        stage(session, packer, ingest)?;
        return Ok(IngestReport { waiting: ingest.row_count(), ..IngestReport::default() });
    }
    let inserted = append_vintages(session, &ingest.observations)?;
    let news = ingest.news();
    stage(session, packer, &news)?;
    let unchanged = ingest.observations.len() as u64 - inserted;
    Ok(IngestReport { inserted, unchanged, waiting: news.row_count() })
}

fn ticks_begun(session: &mut Session) -> Result<bool> {
    let row = session.first(
        "SELECT EXISTS (SELECT 1 FROM engine_state)
             OR EXISTS (SELECT 1 FROM counter WHERE name = 'ticks_begun' AND value > 0)",
        &[],
    )?;
    row.map_or(Ok(false), |row| Ok(row.try_get(0)?))
}

pub fn begin_ticks(session: &mut Session) -> Result<()> {
    session.run("UPDATE counter SET value = 1 WHERE name = 'ticks_begun' AND value = 0", &[])?;
    Ok(())
}

pub fn stage(session: &mut Session, packer: &mut Packer, ingest: &Ingest) -> Result<()> {
    for batch in ingest.batches() {
        session.run(
            "INSERT INTO pending (rows, body) VALUES ($1, $2)",
            &[&(batch.row_count() as i64), &packer.json(&batch)?],
        )?;
    }
    Ok(())
}

pub fn pending(session: &mut Session, most_rows: u64) -> Result<Vec<PendingBatch>> {
    let rows = session.rows(
        "SELECT key, body FROM (SELECT key, body, sum(rows) OVER (ORDER BY key) AS total, min(key) OVER () AS first
                                FROM pending) waiting
         WHERE total <= $1::bigint OR key = first ORDER BY key",
        &[&i64::try_from(most_rows).unwrap_or(i64::MAX)],
    )?;
    rows.iter()
        .map(|row| Ok(PendingBatch { number: row.try_get(0)?, data: unpack_json(row.try_get(1)?)? }))
        .collect()
}

/// Stores observations of the current tick.
pub fn take_batches(session: &mut Session, numbers: &[i64]) -> Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    match session.run("DELETE FROM pending WHERE key = ANY ($1)", &[&numbers])? == numbers.len() as u64 {
        true => Ok(()),
        false => Err(StoreError::Conflict("a batch no longer waits".to_owned())),
    }
}

/// Appends with the tick's revisions.
pub fn append_observations(session: &mut Session, observations: &[Observation]) -> Result<()> {
    if observations.is_empty() {
        return Ok(());
    }
    let names = NameNumbers::resolve(session, observations)?;
    copy_observations(session, &names, observations.iter().map(|o| (o, i64::from(o.revision))))
}

/// Appends values that differ from the newest value of their period, in the store or earlier in the batch. Revisions count on
/// in the batch's order. Returns the number of new values.
fn append_vintages(session: &mut Session, observations: &[Observation]) -> Result<u64> {
    if observations.is_empty() {
        return Ok(0);
    }
    let names = NameNumbers::resolve(session, observations)?;
    let mut newest = newest_vintages(session, &names, observations)?;
    let mut vintages = Vec::with_capacity(observations.len());
    for o in observations {
        match newest.entry((names.series(o), o.period_end.unix())) {
            Entry::Occupied(mut known) => {
                let (revision, value) = *known.get();
                if value != o.value {
                    known.insert((revision + 1, o.value));
                    vintages.push((o, revision + 1));
                }
            }
            Entry::Vacant(place) => {
                place.insert((0, o.value));
                vintages.push((o, 0));
            }
        }
    }
    let count = vintages.len() as u64;
    copy_observations(session, &names, vintages.into_iter())?;
    Ok(count)
}

type Vintages = HashMap<(i64, i64), (i64, f64)>;

/// The newest revision and value of every stored period that the batch may contain.
fn newest_vintages(
    session: &mut Session,
    names: &NameNumbers<'_>,
    batch: &[Observation],
) -> Result<Vintages> {
    let ends = || batch.iter().map(|o| o.period_end.unix());
    let (first, last) = (ends().min().unwrap_or(0), ends().max().unwrap_or(0));
    let series: Vec<i64> = names.series.values().copied().collect();
    let mut newest = HashMap::with_capacity(batch.len());
    session.each(
        "SELECT DISTINCT ON (series, period_end) series, period_end, revision, value FROM observation
         WHERE series = ANY ($1) AND period_end BETWEEN $2 AND $3
         ORDER BY series, period_end, revision DESC",
        &[&series, &first, &last],
        |row| {
            newest.insert((row.try_get(0)?, row.try_get(1)?), (row.try_get(2)?, row.try_get(3)?));
            Ok(())
        },
    )?;
    Ok(newest)
}

/// The numbers of a batch's names, which are long and repeat.
struct NameNumbers<'o> {
    series: HashMap<(&'o str, &'o str), i64>,
    payloads: HashMap<(&'o str, &'o str), i64>,
}

impl<'o> NameNumbers<'o> {
    fn resolve(session: &mut Session, observations: &'o [Observation]) -> Result<Self> {
        let mut names = NameNumbers { series: HashMap::new(), payloads: HashMap::new() };
        for o in observations {
            names.series.entry((&o.series, &o.entity)).or_default();
            names.payloads.entry((o.feed.as_str(), &o.raw)).or_default();
        }
        number(
            session,
            "WITH wanted AS (SELECT * FROM unnest($1::text[], $2::text[])
                                            WITH ORDINALITY AS w (series, entity, place)),
                  added AS (INSERT INTO series (series, entity)
                            SELECT w.series, w.entity FROM wanted w
                            WHERE NOT EXISTS (SELECT 1 FROM series s WHERE s.series = w.series AND s.entity = w.entity)
                            RETURNING key, series, entity)
             SELECT place, key FROM added JOIN wanted USING (series, entity)
             UNION ALL SELECT place, s.key FROM series s JOIN wanted USING (series, entity)",
            &mut names.series,
        )?;
        number(
            session,
            "WITH wanted AS (SELECT * FROM unnest($1::text[], $2::text[])
                                            WITH ORDINALITY AS w (feed, raw, place)),
                  added AS (INSERT INTO payload (feed, raw)
                            SELECT w.feed, w.raw FROM wanted w
                            WHERE NOT EXISTS (SELECT 1 FROM payload p WHERE p.feed = w.feed AND p.raw = w.raw)
                            RETURNING key, feed, raw)
             SELECT place, key FROM added JOIN wanted USING (feed, raw)
             UNION ALL SELECT place, p.key FROM payload p JOIN wanted USING (feed, raw)",
            &mut names.payloads,
        )?;
        Ok(names)
    }

    fn series(&self, o: &Observation) -> i64 {
        self.series.get(&(o.series.as_str(), o.entity.as_str())).copied().unwrap_or_default()
    }

    fn payload(&self, o: &Observation) -> i64 {
        self.payloads.get(&(o.feed.as_str(), o.raw.as_str())).copied().unwrap_or_default()
    }
}

/// Looks up the numbers of all names and creates missing ones.
fn number<'o>(
    session: &mut Session,
    sql: &'static str,
    names: &mut HashMap<(&'o str, &'o str), i64>,
) -> Result<()> {
    let wanted: Vec<(&'o str, &'o str)> = names.keys().copied().collect();
    let (left, right): (Vec<&str>, Vec<&str>) = wanted.iter().copied().unzip();
    for row in session.rows(sql, &[&left, &right])? {
        // Positions count from 1.
        let place: i64 = row.try_get(0)?;
        if let Some(name) = usize::try_from(place - 1).ok().and_then(|place| wanted.get(place)) {
            names.insert(*name, row.try_get(1)?);
        }
    }
    // Numbers count from 1 as well.
    match names.values().all(|number| *number > 0) {
        true => Ok(()),
        false => Err(StoreError::Corrupt("a name has no number".to_owned())),
    }
}

fn copy_observations<'o>(
    session: &mut Session,
    names: &NameNumbers<'_>,
    vintages: impl Iterator<Item = (&'o Observation, i64)>,
) -> Result<()> {
    const TYPES: [Type; 9] = [
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::FLOAT8,
        Type::INT8,
        Type::INT8,
        Type::FLOAT8,
        Type::INT8,
    ];
    session.copy(
        "COPY observation (series, period_end, revision, period_start, value, known_at, ingested_at, quality, payload)
         FROM STDIN BINARY",
        &TYPES,
        vintages,
        |(o, revision), write| {
            write(&[
                &names.series(o),
                &o.period_end.unix(),
                &revision,
                &o.period_start.unix(),
                &o.value,
                &o.known_at.unix(),
                &o.ingested_at.unix(),
                &o.quality,
                &names.payload(o),
            ])
        },
    )
}

pub fn observations(
    session: &mut Session,
    scope: &ObservationScope<'_>,
    each: &mut dyn FnMut(Observation),
) -> Result<()> {
    session.each(
        "WITH recent AS (
             SELECT s.key, least($3::BIGINT, (SELECT n.period_end - 1 FROM observation n
                                              WHERE n.series = s.key AND n.known_at <= $1
                                              ORDER BY n.period_end DESC LIMIT 1)) AS after
             FROM series s WHERE s.series = ANY($2))
         SELECT s.series, s.entity, o.period_start, o.period_end, o.value, o.known_at, o.ingested_at, o.revision,
                o.quality, p.feed, p.raw
         FROM observation o JOIN series s ON s.key = o.series JOIN payload p ON p.key = o.payload
              LEFT JOIN recent r ON r.key = o.series
         WHERE o.known_at <= $1 AND (r.key IS NULL OR o.period_end > r.after)
         ORDER BY s.series, s.entity, o.period_end, o.revision",
        &[&scope.known_until.unix(), &scope.recent_series, &scope.recent_after.unix()],
        |row| observation(row).map(&mut *each),
    )
}

pub fn observations_of(
    session: &mut Session,
    series: &[&str],
    period_after: Timestamp,
    known_until: Timestamp,
    each: &mut dyn FnMut(Observation),
) -> Result<()> {
    session.each(
        "SELECT s.series, s.entity, o.period_start, o.period_end, o.value, o.known_at, o.ingested_at, o.revision,
                o.quality, p.feed, p.raw
         FROM observation o JOIN series s ON s.key = o.series JOIN payload p ON p.key = o.payload
         WHERE s.series = ANY($1) AND o.period_end > $2 AND o.known_at <= $3
         ORDER BY s.series, s.entity, o.period_end, o.revision",
        &[&series, &period_after.unix(), &known_until.unix()],
        |row| observation(row).map(&mut *each),
    )
}

fn observation(row: &Row) -> Result<Observation> {
    Ok(Observation {
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
    })
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

/// Returns the number of inserted slots: 0 if the slot is stored already.
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

/// Stores a slot of the current tick. A slot that is stored already must have the same content.
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

/// Stores rows; the first row of a number stays.
pub fn insert_rows(session: &mut Session, rows: &[NewsRow]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = rows.iter().map(|r| check::stored_id(r.id)).collect::<Result<_>>()?;
    news_parts::make(session, &numbers)?;
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
                &&*r.code,
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
                &r.url.as_str(),
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
    )?;
    Ok(())
}

fn read_row(row: &Row) -> Result<NewsRow> {
    let id: i64 = row.try_get(0)?;
    let quad_class: i32 = row.try_get(5)?;
    let geo: Option<&str> = row.try_get(13)?;
    Ok(NewsRow {
        id: id.unsigned_abs(),
        added: time(row, 1)?,
        day: row.try_get(2)?,
        code: row.try_get::<_, &str>(3)?.into(),
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
        url: Text::new(row.try_get::<_, &str>(14)?),
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
