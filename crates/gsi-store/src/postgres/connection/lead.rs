//! The lead: an advisory lock on a separate session, and a number that rises with every new leader.
//!
//! The server ends that session after a few silent seconds, so a frozen leader loses the lock although its machine still
//! answers. When it wakes, its number is outdated and its writes are refused.

use super::connector::PostgresConnector;
use super::session::Session;
use crate::interface::leadership::{KEEP_EVERY, Lease};
use crate::{Result, StoreError};
use std::time::Duration;

/// An arbitrary number, different from the program's other advisory locks.
const LOCK: i64 = 0x6773_695f_6c65_6164;
/// The lead is free after three missed calls. With the next replica's call, a takeover needs well under ten seconds.
const LOST_AFTER_MILLIS: u128 = 3 * KEEP_EVERY.as_millis();

/// The timeout of a test. A slower server would cost the lead anyway.
const ANSWER_WITHIN: Duration = KEEP_EVERY.saturating_mul(2);

#[derive(Default)]
pub struct PostgresLead {
    /// Open while leading, and between the tries of a candidate.
    session: Option<Session>,
    /// Kept after the lead is lost, because the outdated number stops a late write.
    lease: Option<Lease>,
    state: LeadState,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum LeadState {
    #[default]
    Candidate,
    Leading,
    /// Lasts until the caller resigns.
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
        match (self.state, alive) {
            (LeadState::Leading, true) => return Ok(self.lease),
            (LeadState::Leading, false) => self.state = LeadState::Lost,
            _ => {}
        }
        if self.state == LeadState::Lost {
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
        self.state = LeadState::Leading;
        Ok(self.lease)
    }

    pub fn resign(&mut self) {
        if let Some(mut session) = self.session.take() {
            // If this fails, closing the session releases the lock a moment later.
            let _ = session.rows("SELECT pg_advisory_unlock($1)", &[&LOCK]);
        }
        self.state = LeadState::Candidate;
    }
}

/// Locks the fencing number until the transaction ends, and compares it with this replica's number, if it has one.
pub fn lock_writes(session: &mut Session, held: Option<i64>) -> Result<()> {
    let row = session
        .first("SELECT value FROM counter WHERE name = 'leader' FOR UPDATE", &[])?
        .ok_or_else(|| StoreError::Corrupt("the fencing number is missing".to_owned()))?;
    let current: i64 = row.try_get(0)?;
    match held {
        Some(held) if held != current => Err(StoreError::Fenced(format!(
            "this replica led with number {held}, and number {current} leads now"
        ))),
        _ => Ok(()),
    }
}
