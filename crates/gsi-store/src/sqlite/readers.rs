//! Read connections, opened when first needed. Requests share a bounded set and wait for one only as long as they have
//! time; the ticks, the keys and whoever follows them have another set, so that no request stands in their way.

use super::{DatabasePlace, READER_CACHE_KIB};
use crate::{ReadLimit, Result, StoreError};
use rusqlite::Connection;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Reads are short and two cores cannot run more of them at once; each connection costs up to its cache in memory.
const MAX_READERS: usize = 4;
/// How many of SQLite's steps a read under a limit does between two checks of the time: well under a millisecond of them.
const STEPS_BETWEEN_CHECKS: i32 = 1_000;
/// A cancellation is noticed this soon by whoever waits for a connection.
const CHECK_LIMIT_EVERY: Duration = Duration::from_millis(50);

pub struct Readers {
    place: DatabasePlace,
    requests: SharedReaders,
    others: SharedReaders,
}

#[derive(Default)]
struct SharedReaders {
    pool: Mutex<ReaderPool>,
    returned: Condvar,
}

#[derive(Default)]
struct ReaderPool {
    idle: Vec<Connection>,
    lent: usize,
}

/// Gives its connection back when it goes, also when the reader panicked.
struct LentReader<'a> {
    readers: &'a SharedReaders,
    conn: Option<Connection>,
    is_limited: bool,
}

impl Readers {
    pub fn new(place: DatabasePlace) -> Self {
        Readers { place, requests: SharedReaders::default(), others: SharedReaders::default() }
    }

    pub fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let limit = ReadLimit::current();
        limit.as_ref().map_or(Ok(()), ReadLimit::check)?;
        let readers = if limit.is_some() { &self.requests } else { &self.others };
        let mut lent = readers.borrow(limit.as_ref())?;
        if lent.conn.is_none() {
            let conn = self.place.connect()?;
            conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
            conn.pragma_update(None, "query_only", true)?;
            lent.conn = Some(conn);
        }
        let Some(conn) = &mut lent.conn else {
            return Err(StoreError::Unavailable("no connection".to_owned()));
        };
        if let Some(limit) = limit {
            lent.is_limited = true;
            conn.progress_handler(STEPS_BETWEEN_CHECKS, Some(move || limit.is_over()))?;
        }
        read(conn)
    }
}

impl SharedReaders {
    fn borrow(&self, limit: Option<&ReadLimit>) -> Result<LentReader<'_>> {
        let mut pool = self.pool();
        while pool.lent == MAX_READERS {
            let wait = match limit {
                Some(limit) => limit.left().min(CHECK_LIMIT_EVERY),
                None => CHECK_LIMIT_EVERY,
            };
            if wait.is_zero() {
                return Err(StoreError::Overloaded("all connections are in use".to_owned()));
            }
            pool = match self.returned.wait_timeout(pool, wait) {
                Ok((pool, _)) => pool,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        pool.lent += 1;
        Ok(LentReader { readers: self, conn: pool.idle.pop(), is_limited: false })
    }

    fn pool(&self) -> MutexGuard<'_, ReaderPool> {
        self.pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for LentReader<'_> {
    fn drop(&mut self) {
        let mut conn = self.conn.take();
        // One that would keep the limit of this reader is not lent again.
        if self.is_limited
            && conn.as_mut().is_some_and(|c| c.progress_handler(0, None::<fn() -> bool>).is_err())
        {
            conn = None;
        }
        let mut pool = self.readers.pool();
        pool.lent -= 1;
        pool.idle.extend(conn);
        drop(pool);
        self.readers.returned.notify_one();
    }
}
