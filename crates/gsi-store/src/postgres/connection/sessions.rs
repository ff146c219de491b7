//! The sessions of one server. A broken session is closed and replaced.

use super::client::blocking;
use super::connector::PostgresConnector;
use super::session::Session;
use crate::pool::{Permit, Pool};
use crate::{ReadLimit, Result, StoreError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A session that was idle for longer is tested before its use: firewalls and restarts drop idle connections.
const TRUSTED_IDLE: Duration = Duration::from_secs(2);
const TEST_TIMEOUT: Duration = Duration::from_secs(2);
/// A restart or a failover takes seconds: a read waits this long for the server to come back.
const READ_PATIENCE: Duration = Duration::from_secs(4);
const READ_PAUSE: Duration = Duration::from_millis(100);
/// The pause between two tries to connect while the server is away for longer than `READ_PATIENCE`. Other callers fail at once.
const PROBE_EVERY: Duration = Duration::from_millis(500);

/// Clones share the sessions.
#[derive(Clone)]
pub struct Sessions {
    server: Arc<Server>,
    limit: Option<ReadLimit>,
}

struct Server {
    connector: PostgresConnector,
    pool: Pool<IdleSession>,
    outage: Mutex<Option<DatabaseOutage>>,
}

struct IdleSession {
    session: Session,
    since: Instant,
}

#[derive(Clone, Copy)]
struct DatabaseOutage {
    since: Instant,
    probed: Instant,
}

impl Sessions {
    pub fn new(connector: PostgresConnector, max: usize) -> Self {
        let server = Server { connector, pool: Pool::new(max), outage: Mutex::default() };
        Sessions { server: Arc::new(server), limit: None }
    }

    /// The same sessions for a request.
    pub fn limited(&self, limit: &ReadLimit) -> Self {
        Sessions { limit: Some(limit.clone()), ..self.clone() }
    }

    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    pub fn connector(&self) -> &PostgresConnector {
        &self.server.connector
    }

    pub fn with<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        blocking(|| {
            let limit = self.limit.as_ref();
            let permit = self.server.pool.permit(limit)?;
            let mut session = match usable(&permit) {
                Some(session) => session,
                None => self.server.connect()?,
            };
            let done = session.take_limit(limit).and_then(|()| work(&mut session));
            match &done {
                // What broke one connection most likely broke the others.
                Err(StoreError::Unavailable(_)) => self.server.pool.close_idle(),
                _ if session.is_broken() => {}
                _ => permit.give_back(IdleSession { session, since: Instant::now() }),
            }
            done
        })
    }

    /// Repeats a read until it succeeds or the server has been away for `READ_PATIENCE`.
    pub fn read<T>(&self, work: &mut impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        loop {
            let done = self.with(&mut *work);
            let is_patient = begun.elapsed() < READ_PATIENCE && self.server.outage_time() < READ_PATIENCE;
            match done {
                Err(StoreError::Unavailable(_)) if is_patient => std::thread::sleep(READ_PAUSE),
                done => return done,
            }
        }
    }

    /// Repeats a read once, for a connection that broke unnoticed. The caller can read from another server.
    pub fn try_read<T>(&self, work: &mut impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
        match self.with(&mut *work) {
            Err(StoreError::Unavailable(_)) => self.with(work),
            done => done,
        }
    }
}

impl Server {
    /// How long the server has been away; zero while it answers.
    fn outage_time(&self) -> Duration {
        self.outage().map_or(Duration::ZERO, |outage| outage.since.elapsed())
    }

    fn connect(&self) -> Result<Session> {
        if let Some(outage) = &mut *self.outage() {
            if outage.since.elapsed() > READ_PATIENCE && outage.probed.elapsed() < PROBE_EVERY {
                return Err(StoreError::Unavailable("the database does not answer".to_owned()));
            }
            outage.probed = Instant::now();
        }
        let made = Session::connect(&self.connector);
        let mut outage = self.outage();
        if made.is_ok() {
            *outage = None;
        } else if outage.is_none() {
            let now = Instant::now();
            *outage = Some(DatabaseOutage { since: now, probed: now });
        }
        drop(outage);
        made
    }

    fn outage(&self) -> MutexGuard<'_, Option<DatabaseOutage>> {
        self.outage.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The first idle session that is recent or passes a test.
fn usable(permit: &Permit<'_, IdleSession>) -> Option<Session> {
    loop {
        let IdleSession { mut session, since } = permit.take_idle()?;
        if since.elapsed() < TRUSTED_IDLE || session.is_alive(TEST_TIMEOUT) {
            return Some(session);
        }
    }
}
