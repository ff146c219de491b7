//! Read connections, opened when first needed. Requests share one bounded pool; ticks, keys and followers have another, so
//! that requests cannot delay them.

use crate::pool::Pool;
use crate::sqlite::{DatabasePlace, READER_CACHE_KIB};
use crate::{ReadLimit, Result};
use rusqlite::Connection;

/// Reads are short and two cores cannot run more of them at once; each connection costs up to its cache in memory.
const MAX_READERS: usize = 4;
/// SQLite's virtual-machine steps between two checks of a read's limit; they take well under a millisecond.
const STEPS_BETWEEN_CHECKS: i32 = 1_000;

pub struct Readers {
    place: DatabasePlace,
    requests: Pool<Connection>,
    others: Pool<Connection>,
}

impl Readers {
    pub fn new(place: DatabasePlace) -> Self {
        Readers { place, requests: Pool::new(MAX_READERS), others: Pool::new(MAX_READERS) }
    }

    pub fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let limit = ReadLimit::current();
        limit.as_ref().map_or(Ok(()), ReadLimit::check)?;
        let pool = if limit.is_some() { &self.requests } else { &self.others };
        let permit = pool.permit(limit.as_ref())?;
        let mut conn = match permit.take_idle() {
            Some(conn) => conn,
            None => self.connect()?,
        };
        if let Some(limit) = limit {
            // This replaces the handler of the previous request.
            conn.progress_handler(STEPS_BETWEEN_CHECKS, Some(move || limit.is_over()))?;
        }
        let done = read(&conn);
        permit.give_back(conn);
        done
    }

    fn connect(&self) -> Result<Connection> {
        let conn = self.place.connect()?;
        conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
        conn.pragma_update(None, "query_only", true)?;
        Ok(conn)
    }
}
