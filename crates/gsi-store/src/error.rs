//! The errors of a store.

use crate::PrunableKind;
use gsi_model::Timestamp;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// This tick or a later one is already committed.
    #[error("tick {0} is already committed")]
    TickDone(Timestamp),
    #[error("a row contradicts what is stored: {0}")]
    Conflict(String),
    /// The database answers and refuses.
    #[error("the store refused: {0}")]
    Refused(String),
    /// The disk is full. The refused write was rolled back; everything before it is kept.
    #[error("the store is full: {0}")]
    Full(String),
    /// Another replica has taken the lead, so this one's write is void.
    #[error("the lead was lost: {0}")]
    Fenced(String),
    /// The database does not answer.
    #[error("the store cannot be reached: {0}")]
    Unavailable(String),
    /// A read missed the deadline of its [`ReadLimit`](crate::ReadLimit), or found no free connection.
    #[error("the store is busy: {0}")]
    Overloaded(String),
    #[error("stored data cannot be read: {0}")]
    Corrupt(String),
    /// The data were removed after the operator's retention time.
    #[error("{kind} from before {before} are no longer kept")]
    Pruned { kind: PrunableKind, before: Timestamp },
}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
