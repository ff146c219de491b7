//! The lead: an advisory lock on a session of its own, and a number that rises with every new leader.
//!
//! The server ends that session when it has not been heard for a few seconds, so a frozen leader loses the lock
//! although its machine still answers. When it wakes, its number is old and its writes are refused.

use super::connector::PostgresConnector;
use super::session::Session;
use crate::leadership::{KEEP_EVERY, Lease};
use crate::{Result, StoreError};
use std::time::Duration;

/// The number only has to be ours alone in this database.
const LOCK: i64 = 0x6773_695f_6c65_6164;
/// Three missed calls and the lead is free: with the next replica's call, well under ten seconds.
const LOST_AFTER_MILLIS: u128 = 3 * KEEP_EVERY.as_millis();

/// A server that takes longer is as good as gone: with the pause before it, the lead would be lost anyway.
const ANSWER_WITHIN: Duration = KEEP_EVERY.saturating_mul(2);

#[derive(Default)]
pub struct PostgresLead {
    /// Held while leading, and between the tries of a candidate.
    session: Option<Session>,
    /// Kept after the lead is lost: an old number is what stops a late write.
    lease: Option<Lease>,
    standing: LeadStanding,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum LeadStanding {
    #[default]
    Candidate,
    Leading,
    /// Until the loss has been noticed.
    Lost,
}

impl PostgresLead {
    pub fn number(&self) -> Option<i64> {
        self.lease.map(|lease| lease.number)
    }

    pub fn take_or_keep(&mut self, connector: &PostgresConnector) -> Result<Option<Lease>> {
        let alive = self.session.as_mut().is_some_and(|session| session.is_alive(ANSWER_WITHIN));
        if !alive {
            self.session = None;
        }
        match (self.standing, alive) {
            (LeadStanding::Leading, true) => return Ok(self.lease),
            (LeadStanding::Leading, false) => self.standing = LeadStanding::Lost,
            _ => {}
        }
        if self.standing == LeadStanding::Lost {
            return Ok(None);
        }
        let session = match &mut self.session {
            Some(session) => session,
            None => {
                let mut fresh = Session::connect(connector)?;
                fresh.batch(&format!("SET idle_session_timeout = {LOST_AFTER_MILLIS}"))?;
                self.session.insert(fresh)
            }
        };
        let taken = session.first("SELECT pg_try_advisory_lock($1)", &[&LOCK])?;
        if !taken.map_or(Ok(false), |row| row.try_get(0))? {
            return Ok(None);
        }
        let row = session
            .first("UPDATE counter SET value = value + 1 WHERE name = 'leader' RETURNING value", &[])?
            .ok_or_else(|| StoreError::Corrupt("the fencing number is missing".to_owned()))?;
        self.lease = Some(Lease { number: row.try_get(0)? });
        self.standing = LeadStanding::Leading;
        Ok(self.lease)
    }

    pub fn resign(&mut self) {
        if let Some(mut session) = self.session.take() {
            // Closing the session frees the lock as well, a moment later.
            let _ = session.rows("SELECT pg_advisory_unlock($1)", &[&LOCK]);
        }
        self.standing = LeadStanding::Candidate;
    }
}

/// Locks the fencing number until the transaction ends, and compares it with the one this replica holds, if any.
pub fn lock_writes(session: &mut Session, held: Option<i64>) -> Result<()> {
    let row = session
        .first("SELECT value FROM counter WHERE name = 'leader' FOR UPDATE", &[])?
        .ok_or_else(|| StoreError::Corrupt("the fencing number is missing".to_owned()))?;
    let current: i64 = row.try_get(0)?;
    match held {
        Some(held) if held != current => {
            Err(StoreError::Fenced(format!("this replica led as number {held}, now number {current} does")))
        }
        _ => Ok(()),
    }
}
