//! The whole store.

use crate::upkeep::prune;
use crate::{HookStore, KeyStore, PrunableKind, Pulse, ReadLimit, ReadStore, Result, TickStore};
use gsi_model::{BriefingId, CorrectionReason, Timestamp};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// All operations of one database. Ticks, readers, keys and hooks each have their own trait.
///
/// Blocking by design: the tick is sequential, and the HTTP server calls it outside its event loop.
pub trait Store: TickStore + ReadStore + KeyStore + HookStore {
    /// A handle for the reads of one request. A read that misses the deadline is
    /// [`StoreError::Overloaded`](crate::StoreError::Overloaded). Such handles share a bounded set of connections, separate
    /// from those of ticks, keys and followers.
    fn limited(&self, limit: &ReadLimit) -> Arc<dyn Store>;

    /// Requests a correction of a briefing; a later tick publishes it. Any process may call this. Returns `false` if one was
    /// requested before; the first request stays. An unknown briefing is [`StoreError::Refused`](crate::StoreError::Refused).
    fn ask_correction(&self, of: &BriefingId, because: CorrectionReason, asked_at: Timestamp)
    -> Result<bool>;

    /// Returns a small named value. Not for data.
    fn meta(&self, name: &str) -> Result<Option<String>>;
    fn set_meta(&self, name: &str, value: &str) -> Result<()>;
    /// The time from which rows of this kind are complete; older ones were removed. `None` if none were.
    fn pruned_before(&self, kind: PrunableKind) -> Result<Option<Timestamp>> {
        prune::read_note(self.meta(kind.note())?)
    }
    /// The state that every replica polls, in one round trip.
    fn pulse(&self) -> Result<Pulse> {
        Ok(Pulse {
            frontier: self.frontier()?.map(|f| f.tick),
            published: self.published_at(Timestamp::MAX)?.map(|p| p.snapshot.tick),
            keys_version: self.keys_version()?,
        })
    }
    /// Waits until another process may have changed something, or for `at_most`. Returns `false` at once if the store
    /// cannot notify; the caller then polls.
    fn wait_for_news(&self, _at_most: Duration) -> Result<bool> {
        Ok(false)
    }
    /// The database server's clock; `None` if the store uses this machine's.
    fn time(&self) -> Result<Option<SystemTime>> {
        Ok(None)
    }
}
