//! The tick's transaction and its results: engine states, snapshots, briefings.

use super::cells::{blob, time};
use super::{alerts, corrections, data, events, hooks};
use crate::rows::body::{Packer, unpack_bytes, unpack_json, write_json};
use crate::rows::check;
use crate::rows::country_points;
use crate::rows::event_versions;
use crate::sqlite::Writer;
use crate::sqlite::connection::error::conflict_on;
use crate::sqlite::connection::lead;
use crate::upkeep::retention;
use crate::{BriefingQuery, Frontier, HistoryPoint, Published, Result, StoreError, TickCommit};
use gsi_model::{
    Briefing, BriefingId, CountryCode, CountrySnapshot, Pillar, Snapshot, SnapshotId, Summary, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Params, Row, TransactionBehavior, params};

pub fn commit(writer: &mut Writer, commit: &TickCommit) -> Result<()> {
    check::commit(commit)?;
    if !commit.is_history {
        // A tick that readers see must survive a power cut.
        writer.synced = None;
    }
    writer.choose_durability()?;
    let Writer { conn, packer, fence, .. } = writer;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    lead::check(&tx, *fence)?;
    let last = newest_tick(&tx)?;
    if last.is_some_and(|last| last >= commit.tick) {
        return Err(StoreError::TickDone(commit.tick));
    }

    let mut log = data::ObservationLog::new(&tx);
    for observation in &commit.observations {
        log.append(observation)?;
    }
    for slot in &commit.slots {
        data::commit_slot(&tx, slot)?;
    }
    for row in &commit.rows {
        data::insert_row(&tx, row)?;
    }
    for feed in &commit.feeds {
        data::put_feed(&tx, feed)?;
    }
    for number in &commit.taken_batches {
        data::take_batch(&tx, *number)?;
    }
    let mut event_rows = events::SqliteEventRows { conn: &tx, packer: Some(&mut *packer) };
    event_versions::apply(&mut event_rows, commit.tick, &commit.events)?;
    for briefing in &commit.briefings {
        insert_briefing(&tx, packer, commit.tick, briefing)?;
    }
    for alert in &commit.alerts {
        alerts::insert(&tx, packer, commit.tick, alert)?;
    }
    hooks::address_all(&tx, commit.tick, &commit.messages, &commit.hook_states)?;
    if let (Some(snapshot), Some(summary)) = (&commit.snapshot, &commit.summary) {
        insert_snapshot(&tx, packer, snapshot, summary, commit.published_at)?;
        if let Some(countries) = &commit.countries {
            insert_countries(&tx, packer, countries, commit.published_at)?;
        }
    }
    tx.prepare_cached("INSERT INTO engine_state (tick, body) VALUES (?1, ?2)")?
        .execute(params![commit.tick.unix(), packer.bytes(&commit.state)?])?;
    if let Some(expired) = retention::expired_states(last, commit.tick) {
        tx.prepare_cached("DELETE FROM engine_state WHERE tick >= ?1 AND tick < ?2 AND tick % ?3 <> 0")?
            .execute([expired.start, expired.end, retention::KEPT_FOR_GOOD_EVERY_SECONDS])?;
    }
    tx.commit()?;
    Ok(())
}

fn newest_tick(conn: &Connection) -> Result<Option<Timestamp>> {
    let newest: Option<i64> =
        conn.prepare_cached("SELECT max(tick) FROM engine_state")?.query_row([], |row| row.get(0))?;
    Ok(newest.map(Timestamp::from_unix))
}

pub fn state_at(conn: &Connection, tick: Timestamp) -> Result<Option<Frontier>> {
    let mut statement = conn
        .prepare_cached("SELECT tick, body FROM engine_state WHERE tick <= ?1 ORDER BY tick DESC LIMIT 1")?;
    let mut rows = statement.query([tick.unix()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(Frontier { tick: time(row, 0)?, state: unpack_bytes(blob(row, 1)?)? }))
}

fn insert_snapshot(
    conn: &Connection,
    packer: &mut Packer,
    snapshot: &Snapshot,
    summary: &Summary,
    published_at: Timestamp,
) -> Result<()> {
    let tick = snapshot.tick.unix();
    let pillar = |p| snapshot.pillar(p).map(|s| s.score);
    conn.prepare_cached(
        "INSERT INTO snapshot (tick, id, score, conflict, cyber, supply_chain, macro, published_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        tick,
        snapshot.id.as_str(),
        snapshot.score,
        pillar(Pillar::Conflict),
        pillar(Pillar::Cyber),
        pillar(Pillar::SupplyChain),
        pillar(Pillar::Macro),
        published_at.unix(),
    ])
    .map_err(|e| conflict_on(e, || format!("snapshot {} exists", snapshot.id)))?;
    conn.prepare_cached(
        "INSERT INTO snapshot_body (tick, summary_as_of, summary, body) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![tick, summary.as_of.unix(), summary.text, packer.json(snapshot)?])?;
    Ok(())
}

const PUBLISHED: &str = "SELECT b.summary_as_of, b.summary, b.body, s.published_at
     FROM snapshot s JOIN snapshot_body b ON b.tick = s.tick";

pub fn published_at(conn: &Connection, tick: Timestamp) -> Result<Option<Published>> {
    first_published(conn, "WHERE s.tick <= ?1 ORDER BY s.tick DESC LIMIT 1", [tick.unix()])
}

pub fn published_by(conn: &Connection, moment: Timestamp) -> Result<Option<Published>> {
    // No snapshot is committed before its tick, so the query skips only the few late ones.
    first_published(
        conn,
        "WHERE s.tick <= ?1 AND s.published_at <= ?1 ORDER BY s.tick DESC LIMIT 1",
        [moment.unix()],
    )
}

pub fn snapshot_by_id(conn: &Connection, id: &SnapshotId) -> Result<Option<Published>> {
    first_published(conn, "WHERE s.id = ?1", [id.as_str()])
}

fn first_published(conn: &Connection, which: &str, params: impl Params) -> Result<Option<Published>> {
    let mut statement = conn.prepare_cached(&format!("{PUBLISHED} {which}"))?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read_published).transpose()
}

pub fn snapshots(
    conn: &Connection,
    from: Timestamp,
    to: Timestamp,
    each: &mut dyn FnMut(Published),
) -> Result<()> {
    let mut statement =
        conn.prepare_cached(&format!("{PUBLISHED} WHERE s.tick >= ?1 AND s.tick < ?2 ORDER BY s.tick"))?;
    let mut rows = statement.query([from.unix(), to.unix()])?;
    while let Some(row) = rows.next()? {
        each(read_published(row)?);
    }
    Ok(())
}

fn read_published(row: &Row<'_>) -> Result<Published> {
    let summary = Summary { as_of: time(row, 0)?, text: row.get(1)? };
    Ok(Published { summary, snapshot: unpack_json(blob(row, 2)?)?, published_at: time(row, 3)? })
}

pub fn history(
    conn: &Connection,
    pillar: Option<Pillar>,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<HistoryPoint>> {
    let column = pillar.map_or("score", Pillar::key);
    let mut statement = conn.prepare_cached(&format!(
        "SELECT tick, {column}, published_at FROM snapshot
         WHERE tick >= ?1 AND tick < ?2 AND {column} IS NOT NULL ORDER BY tick"
    ))?;
    let points = statement
        .query_map([from.unix(), to.unix()], |row| {
            Ok(HistoryPoint { tick: time(row, 0)?, score: row.get(1)?, published_at: time(row, 2)? })
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(points)
}

fn insert_countries(
    conn: &Connection,
    packer: &mut Packer,
    countries: &CountrySnapshot,
    published_at: Timestamp,
) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO country_snapshot (tick, published_at, points, body) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        countries.tick.unix(),
        published_at.unix(),
        country_points::encode(countries),
        packer.json(countries)?
    ])?;
    Ok(())
}

pub fn countries(conn: &Connection, tick: Timestamp) -> Result<Option<CountrySnapshot>> {
    let mut statement =
        conn.prepare_cached("SELECT body FROM country_snapshot WHERE tick <= ?1 ORDER BY tick DESC LIMIT 1")?;
    let mut rows = statement.query([tick.unix()])?;
    rows.next()?.map(|row| unpack_json(blob(row, 0)?)).transpose()
}

pub fn country_history(
    conn: &Connection,
    country: CountryCode,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<HistoryPoint>> {
    let mut statement = conn.prepare_cached(
        "SELECT tick, published_at, points FROM country_snapshot WHERE tick >= ?1 AND tick < ?2 ORDER BY tick",
    )?;
    let mut rows = statement.query([from.unix(), to.unix()])?;
    let mut points = Vec::new();
    while let Some(row) = rows.next()? {
        points.extend(country_points::point(time(row, 0)?, time(row, 1)?, blob(row, 2)?, country)?);
    }
    Ok(points)
}

fn insert_briefing(
    conn: &Connection,
    packer: &mut Packer,
    tick: Timestamp,
    briefing: &Briefing,
) -> Result<()> {
    let key = conn
        .prepare_cached("INSERT INTO briefing (id, published_at, tick, body) VALUES (?1, ?2, ?3, ?4)")?
        .insert(params![
            briefing.id.as_str(),
            briefing.published_at.unix(),
            tick.unix(),
            packer.json(briefing)?,
        ])
        .map_err(|e| conflict_on(e, || format!("briefing {} exists", briefing.id)))?;
    for tag in &briefing.tags {
        conn.prepare_cached(
            "INSERT INTO briefing_tag (briefing, tag) VALUES (?1, ?2) ON CONFLICT (briefing, tag) DO NOTHING",
        )?
        .execute(params![key, tag])?;
    }
    match &briefing.corrects {
        Some(wrong) => corrections::mark_answered(conn, tick, wrong, &briefing.id),
        None => Ok(()),
    }
}

pub fn briefings(conn: &Connection, query: &BriefingQuery) -> Result<Vec<Briefing>> {
    let tags = (!query.tags.is_empty()).then(|| write_json(&query.tags)).transpose()?;
    let after = query.after.as_ref();
    let mut statement = conn.prepare_cached(
        "SELECT b.body FROM briefing b
         WHERE b.tick <= ?1 AND b.published_at >= ?2 AND b.published_at < ?3
           AND (?4 IS NULL OR b.published_at < ?4 OR (b.published_at = ?4 AND b.id > ?5))
           AND (?6 IS NULL OR EXISTS (SELECT 1 FROM briefing_tag t
                                      WHERE t.briefing = b.key AND t.tag IN (SELECT value FROM json_each(?6))))
         ORDER BY b.published_at DESC, b.id ASC LIMIT ?7",
    )?;
    let mut rows = statement.query(params![
        query.as_of.unix(),
        query.since.unix(),
        query.until.unix(),
        after.map(|a| a.at.unix()),
        after.map(|a| a.id.as_str()),
        tags,
        i64::try_from(query.limit).unwrap_or(i64::MAX),
    ])?;
    let mut page = Vec::new();
    while let Some(row) = rows.next()? {
        page.push(unpack_json(blob(row, 0)?)?);
    }
    Ok(page)
}

pub fn briefing(conn: &Connection, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>> {
    let packed: Option<Vec<u8>> = conn
        .prepare_cached("SELECT body FROM briefing WHERE id = ?1 AND tick <= ?2")?
        .query_row(params![id.as_str(), as_of.unix()], |row| row.get(0))
        .optional()?;
    packed.map(|p| unpack_json(&p)).transpose()
}
