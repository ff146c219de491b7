//! The deadline and cancellation of a request's reads.
//!
//! Requests read under a limit; ticks, keys and followers read without one. The limit belongs to the thread that answers a
//! request: one answer needs several reads, which share one deadline, and a parameter would go through every method of
//! [`Store`](crate::Store) and every handler that calls one.

use crate::{Result, StoreError};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    static CURRENT: RefCell<Option<ReadLimit>> = const { RefCell::new(None) };
}

#[derive(Debug, Clone)]
pub struct ReadLimit {
    deadline: Instant,
    cancelled: Arc<AtomicBool>,
}

impl ReadLimit {
    pub fn within(time: Duration) -> Self {
        ReadLimit { deadline: Instant::now() + time, cancelled: Arc::default() }
    }

    /// Ends the reads under this limit, from any thread, because the client has gone.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Does the work. A read of this thread that misses the deadline is [`StoreError::Overloaded`].
    pub fn apply<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<ReadLimit>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _restore = Restore(CURRENT.replace(Some(self.clone())));
        work()
    }

    /// The limit of the calling thread, if there is one.
    pub(crate) fn current() -> Option<ReadLimit> {
        CURRENT.with_borrow(Clone::clone)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }

    pub(crate) fn left(&self) -> Duration {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.deadline.saturating_duration_since(Instant::now()),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.is_over() {
            true => Err(StoreError::Overloaded("the read took too long".to_owned())),
            false => Ok(()),
        }
    }
}
