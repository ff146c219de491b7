//! Requests for corrections, and the ticks that published the corrections.

use crate::rows::corrections::{CorrectionColumns, not_waiting, unknown};
use crate::sqlite::Writer;
use crate::{Result, StoreError};
use gsi_model::{BriefingId, Correction, CorrectionReason, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

pub fn ask(
    writer: &mut Writer,
    of: &BriefingId,
    because: CorrectionReason,
    asked_at: Timestamp,
) -> Result<bool> {
    // A request that was reported as recorded must survive a power cut.
    writer.synced = None;
    writer.choose_durability()?;
    let tx = writer.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let known = tx.query_row("SELECT 1 FROM briefing WHERE id = ?1", [of.as_str()], |_| Ok(())).optional()?;
    if known.is_none() {
        return Err(unknown(of));
    }
    let added = tx.execute(
        "INSERT INTO correction (briefing, reason, asked_at) VALUES (?1, ?2, ?3) ON CONFLICT (briefing) DO NOTHING",
        params![of.as_str(), because.key(), asked_at.unix()],
    )?;
    tx.commit()?;
    Ok(added > 0)
}

/// Answers a waiting request, once. Runs inside the tick's transaction.
pub fn mark_answered(conn: &Connection, tick: Timestamp, wrong: &BriefingId, by: &BriefingId) -> Result<()> {
    let answered = conn
        .prepare_cached(
            "UPDATE correction SET tick = ?1, corrected_by = ?2 WHERE briefing = ?3 AND tick IS NULL",
        )?
        .execute(params![tick.unix(), by.as_str(), wrong.as_str()])?;
    if answered == 1 { Ok(()) } else { Err(not_waiting(wrong)) }
}

pub fn one(conn: &Connection, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>> {
    let found = conn
        .prepare_cached(
            "SELECT briefing, reason, asked_at, tick, corrected_by FROM correction WHERE briefing = ?1",
        )?
        .query_row([of.as_str()], columns)
        .optional()?;
    found.map(|c| c.read(as_of)).transpose()
}

pub fn of_tick(conn: &Connection, tick: Option<Timestamp>) -> Result<Vec<Correction>> {
    let mut statement = conn.prepare_cached(
        "SELECT briefing, reason, asked_at, tick, corrected_by FROM correction WHERE tick IS ?1
         ORDER BY asked_at, briefing",
    )?;
    let rows = statement.query_map([tick.map(Timestamp::unix)], columns)?;
    rows.map(|row| row.map_err(StoreError::from).and_then(|c| c.read(Timestamp::MAX))).collect()
}

fn columns(row: &Row<'_>) -> rusqlite::Result<CorrectionColumns> {
    Ok(CorrectionColumns {
        briefing: row.get(0)?,
        reason: row.get(1)?,
        asked_at: row.get(2)?,
        tick: row.get(3)?,
        corrected_by: row.get(4)?,
    })
}
