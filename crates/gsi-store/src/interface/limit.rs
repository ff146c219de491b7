//! The deadline and cancellation of a request's reads.

use crate::{Result, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A limit of reads. One answer needs several reads, which share one deadline. See [`Store::limited`](crate::Store::limited).
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
