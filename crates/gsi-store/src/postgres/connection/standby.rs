//! Reads from a standby, if it has the tick in question.

use super::connector::PostgresConnector;
use super::session::Session;
use super::sessions::Sessions;
use crate::interface::pulse::StandbyState;
use crate::{ReadLimit, Result, StoreError};
use gsi_model::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

#[derive(Clone)]
pub struct Standby {
    sessions: Sessions,
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    state: StandbyState,
    /// The newest tick of the primary, as far as this replica knows.
    announced: Option<Timestamp>,
}

impl Standby {
    pub fn new(connector: PostgresConnector, max: usize) -> Self {
        Standby { sessions: Sessions::new(connector, max), known: Arc::default() }
    }

    /// The same standby for a request.
    pub fn limited(&self, limit: &ReadLimit) -> Self {
        Standby { sessions: self.sessions.limited(limit), known: Arc::clone(&self.known) }
    }

    /// Returns `None` if the standby is behind this moment or does not answer.
    pub fn read<T>(
        &self,
        as_of: Timestamp,
        work: &mut impl FnMut(&mut Session) -> Result<T>,
    ) -> Option<Result<T>> {
        if !self.shows(as_of) {
            // It may have caught up since the last poll.
            self.poll();
            if !self.shows(as_of) {
                return None;
            }
        }
        match self.sessions.try_read(work) {
            Err(StoreError::Unavailable(_)) => {
                self.known().state.answers = false;
                None
            }
            done => Some(done),
        }
    }

    /// Records the primary's newest tick.
    pub fn announce(&self, frontier: Option<Timestamp>) {
        let mut known = self.known();
        known.announced = known.announced.max(frontier);
    }

    /// Asks the standby for its newest tick and its lag.
    pub fn poll(&self) {
        let found = self.sessions.try_read(&mut |session: &mut Session| {
            let row = session.first(
                "SELECT (SELECT max(tick) FROM engine_state),
                        CASE WHEN pg_is_in_recovery() AND pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()
                             THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8
                             ELSE 0 END",
                &[],
            )?;
            let Some(row) = row else { return Ok((None, None)) };
            let (tick, lag): (Option<i64>, Option<f64>) = (row.try_get(0)?, row.try_get(1)?);
            Ok((tick.map(Timestamp::from_unix), lag))
        });
        let mut known = self.known();
        match found {
            Ok((reached, lag)) => {
                known.state.answers = true;
                known.state.reached = reached;
                known.state.lag = Duration::try_from_secs_f64(lag.unwrap_or(0.0)).unwrap_or_default();
            }
            Err(_) => known.state.answers = false,
        }
    }

    pub fn state(&self) -> StandbyState {
        let known = self.known();
        let behind_seconds = match (known.announced, known.state.reached) {
            (Some(announced), Some(reached)) => announced.since(reached).max(0),
            _ => 0,
        };
        StandbyState { behind_seconds, ..known.state }
    }

    fn shows(&self, as_of: Timestamp) -> bool {
        let known = self.known();
        match known.announced {
            None => known.state.answers,
            Some(announced) => known.state.reached >= Some(announced.min(as_of)),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
