//! Read connections, opened when first needed. Requests share one bounded pool; ticks, keys and followers have another, so
//! that requests cannot delay them.

use crate::pool::Pool;
use crate::sqlite::{DatabasePlace, READER_CACHE_KIB};
use crate::{ReadLimit, Result};
use rusqlite::Connection;
use std::sync::Arc;

/// Reads are short and two cores cannot run more of them at once; each connection costs up to its cache in memory.
const MAX_READERS: usize = 4;
/// SQLite's virtual-machine steps between two checks of a read's limit; they take well under a millisecond.
const STEPS_BETWEEN_CHECKS: i32 = 1_000;

#[derive(Clone)]
pub struct Readers {
    place: DatabasePlace,
    requests: Arc<Pool<Connection>>,
    others: Arc<Pool<Connection>>,
    limit: Option<ReadLimit>,
}

impl Readers {
    pub fn new(place: DatabasePlace) -> Self {
        let pool = || Arc::new(Pool::new(MAX_READERS));
        Readers { place, requests: pool(), others: pool(), limit: None }
    }

    /// The readers of a request.
    pub fn limited(&self, limit: &ReadLimit) -> Self {
        Readers { limit: Some(limit.clone()), ..self.clone() }
    }

    pub fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.limit.as_ref().map_or(Ok(()), ReadLimit::check)?;
        let pool = if self.limit.is_some() { &self.requests } else { &self.others };
        let permit = pool.permit(self.limit.as_ref())?;
        let mut conn = match permit.take_idle() {
            Some(conn) => conn,
            None => self.connect()?,
        };
        if let Some(limit) = self.limit.clone() {
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
