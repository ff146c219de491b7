//! Who does the ticks when several processes could.

use crate::Result;
use std::time::Duration;

/// How often a leader must call [`Leadership::lead`] to stay one.
pub const KEEP_EVERY: Duration = Duration::from_secs(2);

/// The lead, and the number that every write under it is checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Rises with every new leader.
    pub number: i64,
}

/// A store that at most one process at a time may lead.
///
/// From the first successful [`lead`](Leadership::lead) on, every tick and ingest of this handle is refused with
/// [`StoreError::Fenced`](crate::StoreError::Fenced) once another leader has been. A handle that never led is not
/// checked: a single process needs no leader.
pub trait Leadership: Send + Sync {
    /// Takes the lead or keeps it; `None` while another process has it. Call it every [`KEEP_EVERY`].
    ///
    /// Once lost it stays lost, even if nobody else took it, until [`resign`](Leadership::resign) says that the loss was
    /// noticed: whoever computes from memory must read the store again before it writes under a new number.
    fn lead(&self) -> Result<Option<Lease>>;
    /// Gives it up, so that another can take it at once.
    fn resign(&self);
}
