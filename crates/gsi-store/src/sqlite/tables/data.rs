//! Received data: observations, news slots and rows, and the state of each feed.

use super::cells::{blob, time};
use crate::rows::body::{Packer, read_json, unpack_json, write_json};
use crate::rows::check;
use crate::sqlite::Writer;
use crate::sqlite::connection::error::conflict_on;
use crate::sqlite::connection::lead;
use crate::{Ingest, IngestReport, ObservationScope, PendingBatch, Result, StoreError};
use gsi_model::{FeedId, FeedState, NewsRow, NewsSlot, Observation, Timestamp};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Rows, TransactionBehavior, params};
use std::collections::HashMap;

pub fn ingest(writer: &mut Writer, ingest: &Ingest) -> Result<IngestReport> {
    check::data(&ingest.observations, &ingest.slots, &ingest.rows)?;
    writer.choose_durability()?;
    let Writer { conn, packer, fence, .. } = writer;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    lead::check(&tx, *fence)?;
    let mut report = IngestReport::default();
    if ticks_begun(&tx)? {
        stage(&tx, packer, ingest)?;
        report.waiting = ingest.row_count();
    } else {
        let mut log = ObservationLog::new(&tx);
        for observation in &ingest.observations {
            match log.append_vintage(observation)? {
                true => report.inserted += 1,
                false => report.unchanged += 1,
            }
        }
        let news = ingest.news();
        stage(&tx, packer, &news)?;
        report.waiting = news.row_count();
    }
    tx.commit()?;
    Ok(report)
}

fn ticks_begun(conn: &Connection) -> Result<bool> {
    let begun = conn
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM engine_state)
                 OR EXISTS (SELECT 1 FROM counter WHERE name = 'ticks_begun' AND value > 0)",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(begun)
}

pub fn begin_ticks(writer: &mut Writer) -> Result<()> {
    writer.choose_durability()?;
    writer.conn.execute("UPDATE counter SET value = 1 WHERE name = 'ticks_begun' AND value = 0", [])?;
    Ok(())
}

pub fn stage(conn: &Connection, packer: &mut Packer, ingest: &Ingest) -> Result<()> {
    for batch in ingest.batches() {
        conn.prepare_cached("INSERT INTO pending (rows, body) VALUES (?1, ?2)")?
            .execute(params![batch.row_count() as i64, packer.json(&batch)?])?;
    }
    Ok(())
}

pub fn pending(conn: &Connection, most_rows: u64) -> Result<Vec<PendingBatch>> {
    let mut statement = conn.prepare_cached("SELECT key, rows, body FROM pending ORDER BY key")?;
    let mut found = statement.query([])?;
    let (mut batches, mut total) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        total += row.get::<_, i64>(1)?.unsigned_abs();
        if total > most_rows && !batches.is_empty() {
            break;
        }
        batches.push(PendingBatch { number: row.get(0)?, data: unpack_json(blob(row, 2)?)? });
    }
    Ok(batches)
}

/// Stores a slot of the current tick.
pub fn take_batch(conn: &Connection, number: i64) -> Result<()> {
    match conn.prepare_cached("DELETE FROM pending WHERE key = ?1")?.execute([number])? {
        1 => Ok(()),
        _ => Err(StoreError::Conflict(format!("batch {number} no longer waits"))),
    }
}

/// Appends observations, and caches the numbers of names for this transaction.
pub struct ObservationLog<'c, 'o> {
    conn: &'c Connection,
    series: HashMap<(&'o str, &'o str), i64>,
    payloads: HashMap<(&'o str, &'o str), i64>,
}

impl<'c, 'o> ObservationLog<'c, 'o> {
    pub fn new(conn: &'c Connection) -> Self {
        ObservationLog { conn, series: HashMap::new(), payloads: HashMap::new() }
    }

    /// Appends with the caller's revision.
    pub fn append(&mut self, o: &'o Observation) -> Result<()> {
        let series = self.series_key(o)?;
        self.insert(series, o, o.revision)
    }

    /// Appends with the next revision, unless the newest revision of the period has the same value.
    fn append_vintage(&mut self, o: &'o Observation) -> Result<bool> {
        let series = self.series_key(o)?;
        let newest: Option<(u32, f64)> = self
            .conn
            .prepare_cached(
                "SELECT revision, value FROM observation WHERE series = ?1 AND period_end = ?2
                 ORDER BY revision DESC LIMIT 1",
            )?
            .query_row(params![series, o.period_end.unix()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let revision = match newest {
            Some((_, value)) if value == o.value => return Ok(false),
            Some((revision, _)) => revision + 1,
            None => 0,
        };
        self.insert(series, o, revision)?;
        Ok(true)
    }

    fn insert(&mut self, series: i64, o: &'o Observation, revision: u32) -> Result<()> {
        let names = (o.feed.as_str(), o.raw.as_str());
        let payload = match self.payloads.get(&names) {
            Some(&key) => key,
            None => {
                let key = intern(
                    self.conn,
                    "SELECT key FROM payload WHERE feed = ?1 AND raw = ?2",
                    "INSERT INTO payload (feed, raw) VALUES (?1, ?2)",
                    names,
                )?;
                self.payloads.insert(names, key);
                key
            }
        };
        self.conn
            .prepare_cached(
                "INSERT INTO observation (series, period_end, revision, period_start, value, known_at,
                                          ingested_at, quality, payload)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                series,
                o.period_end.unix(),
                revision,
                o.period_start.unix(),
                o.value,
                o.known_at.unix(),
                o.ingested_at.unix(),
                o.quality,
                payload,
            ])
            .map_err(|e| {
                conflict_on(e, || {
                    format!("{} {} {} revision {revision} exists", o.series, o.entity, o.period_end)
                })
            })?;
        Ok(())
    }

    fn series_key(&mut self, o: &'o Observation) -> Result<i64> {
        let names = (o.series.as_str(), o.entity.as_str());
        if let Some(&key) = self.series.get(&names) {
            return Ok(key);
        }
        let key = intern(
            self.conn,
            "SELECT key FROM series WHERE series = ?1 AND entity = ?2",
            "INSERT INTO series (series, entity) VALUES (?1, ?2)",
            names,
        )?;
        self.series.insert(names, key);
        Ok(key)
    }
}

fn intern(conn: &Connection, find: &str, add: &str, names: (&str, &str)) -> Result<i64> {
    let found = conn.prepare_cached(find)?.query_row(names, |row| row.get(0)).optional()?;
    match found {
        Some(key) => Ok(key),
        None => Ok(conn.prepare_cached(add)?.insert(names)?),
    }
}

pub fn observations(
    conn: &Connection,
    scope: &ObservationScope<'_>,
    each: &mut dyn FnMut(Observation),
) -> Result<()> {
    // CROSS JOIN makes SQLite keep this nesting, in which the keys give the order without a sort.
    let mut statement = conn.prepare_cached(
        "SELECT s.series, s.entity, o.period_start, o.period_end, o.value, o.known_at, o.ingested_at, o.revision,
                o.quality, p.feed, p.raw
         FROM series s CROSS JOIN observation o ON o.series = s.key CROSS JOIN payload p ON p.key = o.payload
         WHERE o.known_at <= ?1
           AND o.period_end > CASE WHEN s.series IN (SELECT value FROM json_each(?2))
                                   THEN min(?3, (SELECT n.period_end - 1 FROM observation n
                                                 WHERE n.series = s.key AND n.known_at <= ?1
                                                 ORDER BY n.period_end DESC LIMIT 1))
                                   ELSE ?4 END
         ORDER BY s.series, s.entity, o.period_end, o.revision",
    )?;
    let recent = write_json(&scope.recent_series)?;
    let bounds = params![scope.known_until.unix(), recent, scope.recent_after.unix(), i64::MIN];
    each_observation(statement.query(bounds)?, each)
}

pub fn observations_of(
    conn: &Connection,
    series: &[&str],
    period_after: Timestamp,
    known_until: Timestamp,
    each: &mut dyn FnMut(Observation),
) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "SELECT s.series, s.entity, o.period_start, o.period_end, o.value, o.known_at, o.ingested_at, o.revision,
                o.quality, p.feed, p.raw
         FROM series s CROSS JOIN observation o ON o.series = s.key CROSS JOIN payload p ON p.key = o.payload
         WHERE s.series IN (SELECT value FROM json_each(?1)) AND o.period_end > ?2 AND o.known_at <= ?3
         ORDER BY s.series, s.entity, o.period_end, o.revision",
    )?;
    let names = write_json(&series)?;
    each_observation(statement.query(params![names, period_after.unix(), known_until.unix()])?, each)
}

fn each_observation(mut rows: Rows<'_>, each: &mut dyn FnMut(Observation)) -> Result<()> {
    while let Some(row) = rows.next()? {
        each(Observation {
            series: row.get(0)?,
            entity: row.get(1)?,
            period_start: time(row, 2)?,
            period_end: time(row, 3)?,
            value: row.get(4)?,
            known_at: time(row, 5)?,
            ingested_at: time(row, 6)?,
            revision: row.get(7)?,
            quality: row.get(8)?,
            feed: FeedId(row.get(9)?),
            raw: row.get(10)?,
        });
    }
    Ok(())
}

/// Returns `false` if the slot is stored already.
fn insert_slot(conn: &Connection, s: &NewsSlot) -> Result<bool> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO news_slot (stamp, known_at, rows, articles, conflict, threat, cyber, supply, countries)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (stamp) DO NOTHING",
        )?
        .execute(params![
            s.stamp.unix(),
            s.known_at.unix(),
            s.rows,
            s.articles,
            s.conflict,
            s.threat,
            s.cyber,
            s.supply,
            write_json(&s.countries)?,
        ])?;
    Ok(inserted == 1)
}

/// Stores a slot of the current tick. A slot that is stored already must have the same content.
pub fn commit_slot(conn: &Connection, slot: &NewsSlot) -> Result<()> {
    if insert_slot(conn, slot)? {
        return Ok(());
    }
    let mut stored = None;
    slots(conn, slot.stamp.minus(1), slot.stamp, Timestamp::MAX, &mut |found| stored = Some(found))?;
    let same = stored.map(|found| NewsSlot { known_at: slot.known_at, ..found }).as_ref() == Some(slot);
    match same {
        true => Ok(()),
        false => Err(StoreError::Conflict(format!("another news slot of {} is stored", slot.stamp))),
    }
}

pub fn slots(
    conn: &Connection,
    from: Timestamp,
    to: Timestamp,
    known_until: Timestamp,
    each: &mut dyn FnMut(NewsSlot),
) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "SELECT stamp, known_at, rows, articles, conflict, threat, cyber, supply, countries FROM news_slot
         WHERE stamp > ?1 AND stamp <= ?2 AND known_at <= ?3 ORDER BY stamp",
    )?;
    let mut rows = statement.query([from.unix(), to.unix(), known_until.unix()])?;
    while let Some(row) = rows.next()? {
        each(NewsSlot {
            stamp: time(row, 0)?,
            known_at: time(row, 1)?,
            rows: row.get(2)?,
            articles: row.get(3)?,
            conflict: row.get(4)?,
            threat: row.get(5)?,
            cyber: row.get(6)?,
            supply: row.get(7)?,
            countries: json(row, 8)?,
        });
    }
    Ok(())
}

/// Stores rows; the first row of a number stays.
pub fn insert_row(conn: &Connection, r: &NewsRow) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO news_row (id, added, day, code, is_root, quad_class, goldstein, mentions, sources,
                                   articles, tone, actor1, actor2, geo, url)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT (id) DO NOTHING",
    )?
    .execute(params![
        check::stored_id(r.id)?,
        r.added.unix(),
        r.day,
        &*r.code,
        r.is_root,
        r.quad_class,
        r.goldstein,
        r.mentions,
        r.sources,
        r.articles,
        r.tone,
        write_json(&r.actor1)?,
        write_json(&r.actor2)?,
        r.geo.as_ref().map(write_json).transpose()?,
        r.url.as_str(),
    ])?;
    Ok(())
}

const ROW_COLUMNS: &str =
    "id, added, day, code, is_root, quad_class, goldstein, mentions, sources, articles, tone,
                           actor1, actor2, geo, url";

fn read_row(row: &Row<'_>) -> Result<NewsRow> {
    let id: i64 = row.get(0)?;
    Ok(NewsRow {
        id: id.unsigned_abs(),
        added: time(row, 1)?,
        day: row.get(2)?,
        code: text(row, 3)?.into(),
        is_root: row.get(4)?,
        quad_class: row.get(5)?,
        goldstein: row.get(6)?,
        mentions: row.get(7)?,
        sources: row.get(8)?,
        articles: row.get(9)?,
        tone: row.get(10)?,
        actor1: json(row, 11)?,
        actor2: json(row, 12)?,
        geo: match row.get_ref(13)? {
            ValueRef::Null => None,
            _ => Some(json(row, 13)?),
        },
        url: text(row, 14)?.into(),
    })
}

fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    read_json(text(row, column)?.as_bytes())
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str> {
    row.get_ref(column)?.as_str().map_err(|e| StoreError::Corrupt(e.to_string()))
}

pub fn rows(conn: &Connection, from: Timestamp, to: Timestamp, each: &mut dyn FnMut(NewsRow)) -> Result<()> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {ROW_COLUMNS} FROM news_row WHERE added > ?1 AND added <= ?2 ORDER BY added, id"
    ))?;
    let mut rows = statement.query([from.unix(), to.unix()])?;
    while let Some(row) = rows.next()? {
        each(read_row(row)?);
    }
    Ok(())
}

pub fn row(conn: &Connection, id: u64) -> Result<Option<NewsRow>> {
    let Ok(id) = i64::try_from(id) else { return Ok(None) };
    let mut statement = conn.prepare_cached(&format!("SELECT {ROW_COLUMNS} FROM news_row WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(read_row).transpose()
}

pub fn put_feed(conn: &Connection, feed: &FeedState) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO feed_state (feed, body) VALUES (?1, ?2) ON CONFLICT (feed) DO UPDATE SET body = excluded.body",
    )?
    .execute((&feed.feed, write_json(feed)?))?;
    Ok(())
}

pub fn feed_states(conn: &Connection) -> Result<Vec<FeedState>> {
    let mut statement = conn.prepare_cached("SELECT body FROM feed_state ORDER BY feed")?;
    let mut rows = statement.query([])?;
    let mut feeds = Vec::new();
    while let Some(row) = rows.next()? {
        feeds.push(json(row, 0)?);
    }
    Ok(feeds)
}
