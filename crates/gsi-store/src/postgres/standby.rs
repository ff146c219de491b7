//! Reading from a copy: allowed only while the copy shows the tick that is asked about.

use super::connector::PostgresConnector;
use super::session::{Session, Sessions};
use crate::pulse::StandbyState;
use crate::{Result, StoreError};
use gsi_model::Timestamp;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

pub struct Standby {
    sessions: Sessions,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    state: StandbyState,
    /// The newest tick the primary is known to have.
    announced: Option<Timestamp>,
}

impl Standby {
    pub fn new(connector: PostgresConnector, most: usize) -> Self {
        Standby { sessions: Sessions::new(connector, most), known: Mutex::default() }
    }

    /// `None` when the copy cannot answer for this moment, because it is behind or gone.
    pub fn read<T>(
        &self,
        as_of: Timestamp,
        work: &mut impl FnMut(&mut Session) -> Result<T>,
    ) -> Option<Result<T>> {
        if !self.shows(as_of) {
            // It may have caught up since it was last asked.
            self.look();
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

    /// The primary has this tick.
    pub fn announce(&self, frontier: Option<Timestamp>) {
        let mut known = self.known();
        known.announced = known.announced.max(frontier);
    }

    /// Asks the copy where it stands.
    pub fn look(&self) {
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
