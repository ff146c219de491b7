//! Connections: a bounded set, each with its prepared statements. One that broke is thrown away, not repaired.
//!
//! Not from a crate: r2d2, the pool for blocking clients, cannot end a wait when the caller hangs up ([`ReadLimit`]), asks
//! the server before it lends any connection, which doubles a short read, and lets every reader wait out its timeout while
//! the server is away, where here one in a while tries and the others fail at once. deadpool is for asynchronous clients,
//! and the store is blocking.
//!
//! What callers wait for is read within a [`ReadLimit`]. A tick and a command of the operator have none: a first start reads all
//! observations, which takes what it takes, and nobody hangs up on it.

use super::blocking::{Line, blocking};
use super::connector::PostgresConnector;
use crate::{ReadLimit, Result, StoreError};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{Client, Row, Statement};
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// After this long without use a connection is tried before it is trusted: firewalls and restarts drop idle ones.
const TRUSTED_IDLE: Duration = Duration::from_secs(2);
const TRIAL_TIMEOUT: Duration = Duration::from_secs(2);
/// A restart or a failover takes moments: a read waits this long for the server to come back before it gives up.
const READ_PATIENCE: Duration = Duration::from_secs(4);
const READ_PAUSE: Duration = Duration::from_millis(100);
/// While the server is gone for longer, one try in this time is enough; the others fail at once.
const PROBE_EVERY: Duration = Duration::from_millis(500);
/// A cancellation is noticed this soon by whoever waits for a connection.
const CHECK_LIMIT_EVERY: Duration = Duration::from_millis(50);
/// A writer that froze inside a transaction must not hold the others up; nor may one wait for a lock for ever.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '15s'; \
                        SET client_min_messages = 'warning'";

pub type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

pub struct Session {
    client: Line,
    statements: HashMap<&'static str, Statement>,
    /// A transaction could be neither finished nor undone: not to be used again.
    broken: bool,
    /// The server ends statements of this session after a while.
    limited: bool,
}

impl Session {
    pub fn connect(connector: &PostgresConnector) -> Result<Self> {
        let mut client = Line::new(connector.connect()?);
        client.batch_execute(SETTINGS)?;
        Ok(Session { client, statements: HashMap::new(), broken: false, limited: false })
    }

    /// Takes over the limit of whoever uses the session now.
    fn take_limit(&mut self, limit: Option<&ReadLimit>) -> Result<()> {
        match limit {
            Some(limit) => {
                limit.check()?;
                self.limited = true;
                // 0 would be no limit at all.
                let millis = limit.left().as_millis().max(1);
                self.batch(&format!("SET statement_timeout = {millis}"))
            }
            None if self.limited => {
                self.limited = false;
                self.batch("SET statement_timeout = 0")
            }
            None => Ok(()),
        }
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    pub fn batch(&mut self, sql: &str) -> Result<()> {
        Ok(self.client.batch_execute(sql)?)
    }

    pub fn run(&mut self, sql: &'static str, params: Params<'_>) -> Result<u64> {
        let statement = self.statement(sql)?;
        Ok(self.client.execute(&statement, params)?)
    }

    pub fn rows(&mut self, sql: &'static str, params: Params<'_>) -> Result<Vec<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.client.query(&statement, params)?)
    }

    pub fn first(&mut self, sql: &'static str, params: Params<'_>) -> Result<Option<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.client.query_opt(&statement, params)?)
    }

    /// Row by row, for results that should not be held at once.
    pub fn each(
        &mut self,
        sql: &'static str,
        params: Params<'_>,
        mut each: impl FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        let statement = self.statement(sql)?;
        let limit = ReadLimit::current();
        let mut rows = self.client.query_raw(&statement, params.iter().copied())?;
        while let Some(row) = rows.next()? {
            limit.as_ref().map_or(Ok(()), ReadLimit::check)?;
            each(&row)?;
        }
        Ok(())
    }

    /// Streams rows into a table.
    pub fn copy<'v, T: 'v>(
        &mut self,
        sql: &'static str,
        types: &[Type],
        values: impl Iterator<Item = T>,
        mut write: impl FnMut(T, &mut dyn FnMut(Params<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let mut writer = BinaryCopyInWriter::new(self.client.copy_in(sql)?, types);
        for value in values {
            write(value, &mut |row| Ok(writer.write(row)?))?;
        }
        writer.finish()?;
        Ok(())
    }

    /// Whole or not at all.
    pub fn transaction<T>(&mut self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        self.batch("BEGIN")?;
        let done = work(self).and_then(|value| {
            self.batch("COMMIT")?;
            Ok(value)
        });
        if done.is_err() {
            // The server undoes it on its own once the connection is gone.
            self.broken = self.batch("ROLLBACK").is_err();
        }
        done
    }

    pub fn is_alive(&mut self, within: Duration) -> bool {
        self.client.is_valid(within).is_ok()
    }

    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }
}

pub struct Sessions {
    connector: PostgresConnector,
    most: usize,
    pool: Mutex<SessionPool>,
    returned: Condvar,
}

#[derive(Default)]
struct SessionPool {
    idle: Vec<(Session, Instant)>,
    lent: usize,
    outage: Option<DatabaseOutage>,
}

#[derive(Clone, Copy)]
struct DatabaseOutage {
    since: Instant,
    probed: Instant,
}

struct SessionPermit<'a>(&'a Sessions);

impl Sessions {
    pub fn new(connector: PostgresConnector, most: usize) -> Self {
        Sessions { connector, most, pool: Mutex::default(), returned: Condvar::new() }
    }

    pub fn connector(&self) -> &PostgresConnector {
        &self.connector
    }

    pub fn with<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        blocking(|| self.with_here(work))
    }

    fn with_here<T>(&self, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        let limit = ReadLimit::current();
        let slot = self.slot(limit.as_ref())?;
        let mut session = match slot.0.idle() {
            Some(session) => session,
            None => self.connect()?,
        };
        let done = session.take_limit(limit.as_ref()).and_then(|()| work(&mut session));
        match &done {
            // What broke one connection most likely broke the others.
            Err(StoreError::Unavailable(_)) => self.pool().idle.clear(),
            _ if session.broken => {}
            _ => self.pool().idle.push((session, Instant::now())),
        }
        drop(slot);
        done
    }

    /// For work that may be done again: tries until it succeeds or the server has been away for too long.
    pub fn read<T>(&self, work: &mut impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        loop {
            let done = self.with(&mut *work);
            let patient = begun.elapsed() < READ_PATIENCE && self.outage() < READ_PATIENCE;
            match done {
                Err(StoreError::Unavailable(_)) if patient => std::thread::sleep(READ_PAUSE),
                done => return done,
            }
        }
    }

    /// For work that may be done again and can be done elsewhere: a connection that broke unnoticed gets a second chance.
    pub fn try_read<T>(&self, work: &mut impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
        match self.with(&mut *work) {
            Err(StoreError::Unavailable(_)) => self.with(work),
            done => done,
        }
    }

    /// How long the server has been away; nothing when it is there.
    fn outage(&self) -> Duration {
        self.pool().outage.map_or(Duration::ZERO, |o| o.since.elapsed())
    }

    fn connect(&self) -> Result<Session> {
        {
            let mut pool = self.pool();
            let now = Instant::now();
            match &mut pool.outage {
                Some(o) if o.since.elapsed() > READ_PATIENCE && o.probed.elapsed() < PROBE_EVERY => {
                    return Err(StoreError::Unavailable("the database does not answer".to_owned()));
                }
                Some(outage) => outage.probed = now,
                None => {}
            }
        }
        let made = Session::connect(&self.connector);
        let mut pool = self.pool();
        match &made {
            Ok(_) => pool.outage = None,
            Err(_) if pool.outage.is_none() => {
                let now = Instant::now();
                pool.outage = Some(DatabaseOutage { since: now, probed: now });
            }
            Err(_) => {}
        }
        drop(pool);
        made
    }

    fn idle(&self) -> Option<Session> {
        loop {
            let (mut session, since) = self.pool().idle.pop()?;
            if since.elapsed() < TRUSTED_IDLE || session.is_alive(TRIAL_TIMEOUT) {
                return Some(session);
            }
        }
    }

    /// Waits for a place, under a limit only as long as that allows.
    fn slot(&self, limit: Option<&ReadLimit>) -> Result<SessionPermit<'_>> {
        let mut pool = self.pool();
        while pool.lent == self.most {
            let wait = limit.map_or(CHECK_LIMIT_EVERY, |limit| limit.left().min(CHECK_LIMIT_EVERY));
            if wait.is_zero() {
                return Err(StoreError::Overloaded("all connections are in use".to_owned()));
            }
            pool = match self.returned.wait_timeout(pool, wait) {
                Ok((pool, _)) => pool,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        pool.lent += 1;
        Ok(SessionPermit(self))
    }

    fn pool(&self) -> MutexGuard<'_, SessionPool> {
        self.pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for SessionPermit<'_> {
    fn drop(&mut self) {
        self.0.pool().lent -= 1;
        self.0.returned.notify_one();
    }
}
