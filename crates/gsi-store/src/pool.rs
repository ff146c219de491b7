//! A bounded set of connections that threads share, for both backends.
//!
//! Not from a crate. r2d2 cannot end a wait when the request is cancelled ([`ReadLimit`]), and tests a connection with a query
//! before it lends it, which doubles a short read. deadpool-postgres pools asynchronous clients, whose connections are tasks of
//! a runtime. The store is blocking, because the tick calls it from plain threads; the pool would add a `block_on` and a
//! runtime handle to every call. Neither has a rule for a server that is away, where here one caller at a time tries to connect
//! and the others fail at once.

use crate::{ReadLimit, Result, StoreError};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A caller that waits for a connection notices a cancellation within this time.
const CHECK_LIMIT_EVERY: Duration = Duration::from_millis(50);

pub struct Pool<C> {
    max: usize,
    state: Mutex<PoolState<C>>,
    returned: Condvar,
}

struct PoolState<C> {
    idle: Vec<C>,
    lent: usize,
}

/// The right to use one connection. Dropping it, also in a panic, makes room for another caller.
pub struct Permit<'p, C> {
    pool: &'p Pool<C>,
}

impl<C> Pool<C> {
    /// A pool of at most `max` connections, none of which is open yet.
    pub fn new(max: usize) -> Self {
        let state = Mutex::new(PoolState { idle: Vec::new(), lent: 0 });
        Pool { max, state, returned: Condvar::new() }
    }

    /// Waits until fewer than `max` connections are lent; under a limit, only until its deadline.
    pub fn permit(&self, limit: Option<&ReadLimit>) -> Result<Permit<'_, C>> {
        let mut state = self.state();
        while state.lent == self.max {
            let wait = limit.map_or(CHECK_LIMIT_EVERY, |limit| limit.left().min(CHECK_LIMIT_EVERY));
            if wait.is_zero() {
                return Err(StoreError::Overloaded("all connections are in use".to_owned()));
            }
            state = match self.returned.wait_timeout(state, wait) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        state.lent += 1;
        Ok(Permit { pool: self })
    }

    /// Closes the connections that no caller uses.
    pub fn close_idle(&self) {
        let idle = std::mem::take(&mut self.state().idle);
        // Closing waits for the server, so the lock is free by now.
        drop(idle);
    }

    fn state(&self) -> MutexGuard<'_, PoolState<C>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl<C> Permit<'_, C> {
    /// Takes an open connection out of the pool. The caller opens one if there is none.
    pub fn take_idle(&self) -> Option<C> {
        self.pool.state().idle.pop()
    }

    /// Puts a connection that still works into the pool.
    pub fn give_back(self, connection: C) {
        self.pool.state().idle.push(connection);
    }
}

impl<C> Drop for Permit<'_, C> {
    fn drop(&mut self) {
        self.pool.state().lent -= 1;
        self.pool.returned.notify_one();
    }
}
