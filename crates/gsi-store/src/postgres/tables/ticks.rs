//! The tick's transaction and its results: engine states, snapshots, briefings.

use super::{alerts, corrections, data, events, hooks};
use crate::postgres::connection::news;
use crate::postgres::connection::session::Session;
use crate::rows::body::{Packer, unpack_bytes, unpack_json};
use crate::rows::country_points;
use crate::rows::event_versions;
use crate::upkeep::retention;
use crate::{BriefingQuery, Frontier, HistoryPoint, Published, Result, StoreError, TickCommit};
use gsi_model::{
    Briefing, BriefingId, CountryCode, CountrySnapshot, Pillar, Snapshot, SnapshotId, Summary, Timestamp,
};
use postgres::Row;

pub fn commit(session: &mut Session, packer: &mut Packer, commit: &TickCommit) -> Result<()> {
    let newest = session.first("SELECT max(tick) FROM engine_state", &[])?;
    let last: Option<i64> = newest.map_or(Ok(None), |row| row.try_get(0))?;
    let last = last.map(Timestamp::from_unix);
    if last.is_some_and(|last| last >= commit.tick) {
        return Err(StoreError::TickDone(commit.tick));
    }

    data::append_observations(session, &commit.observations)?;
    for slot in &commit.slots {
        data::commit_slot(session, slot)?;
    }
    data::insert_rows(session, &commit.rows)?;
    data::put_feeds(session, &commit.feeds)?;
    data::take_batches(session, &commit.taken_batches)?;
    let mut event_rows = events::PostgresEventRows { session: &mut *session, packer: Some(&mut *packer) };
    event_versions::apply(&mut event_rows, commit.tick, &commit.events)?;
    for briefing in &commit.briefings {
        insert_briefing(session, packer, commit.tick, briefing)?;
    }
    for alert in &commit.alerts {
        alerts::insert(session, packer, commit.tick, alert)?;
    }
    hooks::address_all(session, commit.tick, &commit.messages, &commit.hook_states)?;
    if let (Some(snapshot), Some(summary)) = (&commit.snapshot, &commit.summary) {
        insert_snapshot(session, packer, snapshot, summary, commit.published_at)?;
        if let Some(countries) = &commit.countries {
            insert_countries(session, packer, countries, commit.published_at)?;
        }
    }
    session.run(
        "INSERT INTO engine_state (tick, body) VALUES ($1, $2)",
        &[&commit.tick.unix(), &packer.bytes(&commit.state)?],
    )?;
    if let Some(expired) = retention::expired_states(last, commit.tick) {
        session.run(
            "DELETE FROM engine_state WHERE tick >= $1 AND tick < $2 AND tick % $3 <> 0",
            &[&expired.start, &expired.end, &retention::KEPT_FOR_GOOD_EVERY_SECONDS],
        )?;
    }
    session.run(news::TICK_DONE, &[])?;
    Ok(())
}

pub fn state_at(session: &mut Session, tick: Timestamp) -> Result<Option<Frontier>> {
    let found = session.first(
        "SELECT tick, body FROM engine_state WHERE tick <= $1 ORDER BY tick DESC LIMIT 1",
        &[&tick.unix()],
    )?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(Frontier { tick: data::time(&row, 0)?, state: unpack_bytes(row.try_get(1)?)? }))
}

fn insert_snapshot(
    session: &mut Session,
    packer: &mut Packer,
    snapshot: &Snapshot,
    summary: &Summary,
    published_at: Timestamp,
) -> Result<()> {
    let tick = snapshot.tick.unix();
    let pillar = |p| snapshot.pillar(p).map(|s| s.score);
    session.run(
        "INSERT INTO snapshot (tick, id, score, conflict, cyber, supply_chain, macro, published_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &tick,
            &snapshot.id.as_str(),
            &snapshot.score,
            &pillar(Pillar::Conflict),
            &pillar(Pillar::Cyber),
            &pillar(Pillar::SupplyChain),
            &pillar(Pillar::Macro),
            &published_at.unix(),
        ],
    )?;
    session.run(
        "INSERT INTO snapshot_body (tick, summary_as_of, summary, body) VALUES ($1, $2, $3, $4)",
        &[&tick, &summary.as_of.unix(), &summary.text, &packer.json(snapshot)?],
    )?;
    Ok(())
}

pub fn published_at(session: &mut Session, tick: Timestamp) -> Result<Option<Published>> {
    let found = session.first(
        "SELECT b.summary_as_of, b.summary, b.body, s.published_at
         FROM snapshot s JOIN snapshot_body b ON b.tick = s.tick
         WHERE s.tick = (SELECT max(tick) FROM snapshot WHERE tick <= $1)",
        &[&tick.unix()],
    )?;
    found.as_ref().map(read_published).transpose()
}

pub fn published_by(session: &mut Session, moment: Timestamp) -> Result<Option<Published>> {
    // No snapshot is committed before its tick, so the query skips only the few late ones.
    let found = session.first(
        "SELECT b.summary_as_of, b.summary, b.body, s.published_at
         FROM snapshot s JOIN snapshot_body b ON b.tick = s.tick
         WHERE s.tick = (SELECT tick FROM snapshot WHERE tick <= $1 AND published_at <= $1
                         ORDER BY tick DESC LIMIT 1)",
        &[&moment.unix()],
    )?;
    found.as_ref().map(read_published).transpose()
}

pub fn snapshot_by_id(session: &mut Session, id: &SnapshotId) -> Result<Option<Published>> {
    let found = session.first(
        "SELECT b.summary_as_of, b.summary, b.body, s.published_at
         FROM snapshot s JOIN snapshot_body b ON b.tick = s.tick
         WHERE s.id = $1",
        &[&id.as_str()],
    )?;
    found.as_ref().map(read_published).transpose()
}

pub fn snapshots(
    session: &mut Session,
    from: Timestamp,
    to: Timestamp,
    each: &mut dyn FnMut(Published),
) -> Result<()> {
    session.each(
        "SELECT b.summary_as_of, b.summary, b.body, s.published_at
         FROM snapshot s JOIN snapshot_body b ON b.tick = s.tick
         WHERE s.tick >= $1 AND s.tick < $2 ORDER BY s.tick",
        &[&from.unix(), &to.unix()],
        |row| {
            each(read_published(row)?);
            Ok(())
        },
    )
}

fn read_published(row: &Row) -> Result<Published> {
    let summary = Summary { as_of: data::time(row, 0)?, text: row.try_get(1)? };
    Ok(Published { summary, snapshot: unpack_json(row.try_get(2)?)?, published_at: data::time(row, 3)? })
}

pub fn history(
    session: &mut Session,
    pillar: Option<Pillar>,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<HistoryPoint>> {
    let column = pillar.map_or(1, |p| 2 + p.index());
    let mut points = Vec::new();
    session.each(
        "SELECT tick, score, conflict, cyber, supply_chain, macro, published_at FROM snapshot
         WHERE tick >= $1 AND tick < $2 ORDER BY tick",
        &[&from.unix(), &to.unix()],
        |row| {
            let score: Option<f64> = row.try_get(column)?;
            let (tick, published_at) = (data::time(row, 0)?, data::time(row, 6)?);
            points.extend(score.map(|score| HistoryPoint { tick, score, published_at }));
            Ok(())
        },
    )?;
    Ok(points)
}

fn insert_countries(
    session: &mut Session,
    packer: &mut Packer,
    countries: &CountrySnapshot,
    published_at: Timestamp,
) -> Result<()> {
    session.run(
        "INSERT INTO country_snapshot (tick, published_at, points, body) VALUES ($1, $2, $3, $4)",
        &[
            &countries.tick.unix(),
            &published_at.unix(),
            &country_points::encode(countries),
            &packer.json(countries)?,
        ],
    )?;
    Ok(())
}

pub fn countries(session: &mut Session, tick: Timestamp) -> Result<Option<CountrySnapshot>> {
    let found = session.first(
        "SELECT body FROM country_snapshot WHERE tick <= $1 ORDER BY tick DESC LIMIT 1",
        &[&tick.unix()],
    )?;
    found.map(|row| unpack_json(row.try_get(0)?)).transpose()
}

pub fn country_history(
    session: &mut Session,
    country: CountryCode,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<HistoryPoint>> {
    let mut points = Vec::new();
    session.each(
        "SELECT tick, published_at, points FROM country_snapshot WHERE tick >= $1 AND tick < $2 ORDER BY tick",
        &[&from.unix(), &to.unix()],
        |row| {
            let (tick, published_at) = (data::time(row, 0)?, data::time(row, 1)?);
            points.extend(country_points::point(tick, published_at, row.try_get(2)?, country)?);
            Ok(())
        },
    )?;
    Ok(points)
}

fn insert_briefing(
    session: &mut Session,
    packer: &mut Packer,
    tick: Timestamp,
    briefing: &Briefing,
) -> Result<()> {
    session.run(
        "WITH added AS (INSERT INTO briefing (id, published_at, tick, body) VALUES ($1, $2, $3, $4) RETURNING key)
         INSERT INTO briefing_tag (briefing, tag)
         SELECT DISTINCT added.key, tag FROM added, unnest($5::text[]) AS tag",
        &[
            &briefing.id.as_str(),
            &briefing.published_at.unix(),
            &tick.unix(),
            &packer.json(briefing)?,
            &briefing.tags,
        ],
    )?;
    match &briefing.corrects {
        Some(wrong) => corrections::mark_answered(session, tick, wrong, &briefing.id),
        None => Ok(()),
    }
}

pub fn briefings(session: &mut Session, query: &BriefingQuery) -> Result<Vec<Briefing>> {
    let tags = (!query.tags.is_empty()).then_some(&query.tags);
    let after = query.after.as_ref();
    let rows = session.rows(
        "SELECT b.body FROM briefing b
         WHERE b.tick <= $1 AND b.published_at >= $2 AND b.published_at < $3
           AND ($4::bigint IS NULL OR b.published_at < $4 OR (b.published_at = $4 AND b.id > $5))
           AND ($6::text[] IS NULL OR EXISTS (SELECT 1 FROM briefing_tag t
                                              WHERE t.briefing = b.key AND t.tag = ANY ($6)))
         ORDER BY b.published_at DESC, b.id ASC LIMIT $7",
        &[
            &query.as_of.unix(),
            &query.since.unix(),
            &query.until.unix(),
            &after.map(|a| a.at.unix()),
            &after.map(|a| a.id.as_str()),
            &tags,
            &i64::try_from(query.limit).unwrap_or(i64::MAX),
        ],
    )?;
    rows.iter().map(|row| unpack_json(row.try_get(0)?)).collect()
}

pub fn briefing(session: &mut Session, id: &BriefingId, as_of: Timestamp) -> Result<Option<Briefing>> {
    let found = session
        .first("SELECT body FROM briefing WHERE id = $1 AND tick <= $2", &[&id.as_str(), &as_of.unix()])?;
    found.map(|row| unpack_json(row.try_get(0)?)).transpose()
}
