//! Leadership: which of several processes computes the ticks.

use crate::Result;
use std::time::Duration;

/// How often a leader must call [`Leadership::lead`] to stay one.
pub const KEEP_EVERY: Duration = Duration::from_secs(2);

/// The lead, with its fencing number. Every write is checked against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Rises with every new leader.
    pub number: i64,
}

/// A store that at most one process at a time may lead.
///
/// After the first successful [`lead`](Leadership::lead), ticks and ingests of this handle fail with
/// [`StoreError::Fenced`](crate::StoreError::Fenced) once another process has led. A handle that never led is not
/// checked, because a single process needs no leader.
pub trait Leadership: Send + Sync {
    /// Takes or keeps the lead; `None` while another process has it. Call it every [`KEEP_EVERY`].
    ///
    /// A lost lead stays lost, even if no other process took it, until [`resign`](Leadership::resign) is called: the caller
    /// computes from memory and must read the store again before it writes under a new number.
    fn lead(&self) -> Result<Option<Lease>>;
    /// Gives up the lead, so that another process can take it at once.
    fn resign(&self);
}
