//! The store: one interface, two backends, and one conformance suite that both pass.
//!
//! [`SqliteStore`] is the default: one file, no server. [`PostgresStore`] is for many machines. [`open`] chooses by
//! address. Both have the same tables and return the same answers; `conformance` defines them, case by case.
//!
//! Three ideas carry the rest. **A tick is one transaction**: data, checkpoints and the published snapshot appear
//! together or not at all, and a committed tick cannot be committed again. **Nothing is overwritten**: a changed value
//! is a new revision, a changed event a new version with the tick it holds from, so any answer can be given again.
//! **Records are bodies, columns are for searching**: a snapshot, event or briefing is compressed JSON, and its columns
//! hold the published, rounded values, so that a filter agrees with what a reader saw.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

#[cfg(feature = "conformance")]
#[allow(clippy::unwrap_used, reason = "a suite of tests")]
pub mod conformance;
mod error;
mod format;
mod interface;
mod open;
mod pool;
mod postgres;
mod rows;
mod sqlite;
mod upkeep;

pub use self::postgres::PostgresStore;
pub use error::{Result, StoreError};
pub use format::StoreFormat;
pub use interface::hooks::{HookStore, KeptHook};
pub use interface::key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret};
pub use interface::keys::KeyStore;
pub use interface::leadership::{KEEP_EVERY, Leadership, Lease};
pub use interface::limit::ReadLimit;
pub use interface::pulse::{KeyUse, Pulse, StandbyState};
pub use interface::queries::{AlertQuery, BriefingQuery, EventQuery, HistoryPoint, PageAfter};
pub use interface::reads::{EventRecord, Published, ReadStore};
pub use interface::store::Store;
pub use interface::ticks::{Frontier, IngestReport, ObservationScope, TickCommit, TickStore};
pub use open::{
    LedStore, Replica, copy_of, format_of, open, open_and_upgrade, open_and_upgrade_alone, open_led,
    open_replica,
};
pub use rows::pending::{Ingest, PendingBatch};
pub use sqlite::SqliteStore;
pub use upkeep::bulk;
pub use upkeep::prune::{
    KindSize, LEAST_DAYS_KEPT, PrunableKind, Prune, PrunedPart, RetentionDays, prune, prune_quietly,
    refuse_pruned,
};
pub use upkeep::repair::{Repair, SetBackReport};
pub use upkeep::replay_plan::{
    DERIVED_FEEDS, ReplayPlan, method_name, plan_replay, refuse_unless_replayable, unreplayable,
};
