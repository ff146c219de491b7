//! A bounded set of read connections, opened when first needed. Whoever comes when all are lent out waits.

use super::{Place, READER_CACHE_KIB};
use crate::{Result, StoreError};
use rusqlite::Connection;
use std::sync::{Condvar, Mutex, MutexGuard};

/// Reads are short and two cores cannot run more of them at once; each connection costs up to its cache in memory.
const MAX_READERS: usize = 4;

pub struct Readers {
    place: Place,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    lent: usize,
}

/// Gives its connection back when it goes, also when the reader panicked.
struct Lent<'a> {
    readers: &'a Readers,
    conn: Option<Connection>,
}

impl Readers {
    pub fn new(place: Place) -> Self {
        Readers { place, pool: Mutex::default(), returned: Condvar::new() }
    }

    pub fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut lent = self.borrow();
        if lent.conn.is_none() {
            let conn = self.place.connect()?;
            conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
            conn.pragma_update(None, "query_only", true)?;
            lent.conn = Some(conn);
        }
        match &lent.conn {
            Some(conn) => read(conn),
            None => Err(StoreError::Unavailable("no connection".to_owned())),
        }
    }

    fn borrow(&self) -> Lent<'_> {
        let mut pool = self
            .returned
            .wait_while(self.pool(), |pool| pool.lent == MAX_READERS)
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        pool.lent += 1;
        Lent { readers: self, conn: pool.idle.pop() }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.pool();
        pool.lent -= 1;
        pool.idle.extend(self.conn.take());
        drop(pool);
        self.readers.returned.notify_one();
    }
}
