//! Requests for corrections, and the ticks that published the corrections.

use crate::Result;
use crate::postgres::connection::session::Session;
use crate::rows::corrections::{CorrectionColumns, not_waiting, unknown};
use gsi_model::{BriefingId, Correction, CorrectionReason, Timestamp};
use postgres::Row;

/// Needs no lock of the writers: it changes nothing that a running tick has read.
pub fn ask(
    session: &mut Session,
    of: &BriefingId,
    because: CorrectionReason,
    asked_at: Timestamp,
) -> Result<bool> {
    if session.first("SELECT 1 FROM briefing WHERE id = $1", &[&of.as_str()])?.is_none() {
        return Err(unknown(of));
    }
    let added = session.run(
        "INSERT INTO correction (briefing, reason, asked_at) VALUES ($1, $2, $3) ON CONFLICT (briefing) DO NOTHING",
        &[&of.as_str(), &because.key(), &asked_at.unix()],
    )?;
    Ok(added > 0)
}

/// Answers a waiting request, once. Runs inside the tick's transaction.
pub fn mark_answered(
    session: &mut Session,
    tick: Timestamp,
    wrong: &BriefingId,
    by: &BriefingId,
) -> Result<()> {
    let answered = session.run(
        "UPDATE correction SET tick = $1, corrected_by = $2 WHERE briefing = $3 AND tick IS NULL",
        &[&tick.unix(), &by.as_str(), &wrong.as_str()],
    )?;
    if answered == 1 { Ok(()) } else { Err(not_waiting(wrong)) }
}

pub fn one(session: &mut Session, of: &BriefingId, as_of: Timestamp) -> Result<Option<Correction>> {
    let found = session.first(
        "SELECT briefing, reason, asked_at, tick, corrected_by FROM correction WHERE briefing = $1",
        &[&of.as_str()],
    )?;
    found.map(|row| columns(&row)?.read(as_of)).transpose()
}

pub fn of_tick(session: &mut Session, tick: Option<Timestamp>) -> Result<Vec<Correction>> {
    let rows = match tick {
        Some(tick) => session.rows(
            "SELECT briefing, reason, asked_at, tick, corrected_by FROM correction WHERE tick = $1
             ORDER BY asked_at, briefing",
            &[&tick.unix()],
        )?,
        None => session.rows(
            "SELECT briefing, reason, asked_at, tick, corrected_by FROM correction WHERE tick IS NULL
             ORDER BY asked_at, briefing",
            &[],
        )?,
    };
    rows.iter().map(|row| columns(row)?.read(Timestamp::MAX)).collect()
}

fn columns(row: &Row) -> Result<CorrectionColumns> {
    Ok(CorrectionColumns {
        briefing: row.try_get(0)?,
        reason: row.try_get(1)?,
        asked_at: row.try_get(2)?,
        tick: row.try_get(3)?,
        corrected_by: row.try_get(4)?,
    })
}
