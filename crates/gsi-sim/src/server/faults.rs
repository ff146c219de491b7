//! Fault switches: every publisher can misbehave, at run time or by a scenario.
//!
//! Faults of content keep sizes and checksums consistent with the corrupted bytes, as a publisher's own mistake would. Only
//! `wrong_md5` and `truncated` break in transport.

use gsi_model::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    NotFound,
    /// 403 with an HTML page, as bot walls answer.
    Wall,
    ServerError,
    /// The headers come at once, the body in pieces over this long.
    Slow(Duration),
    /// The connection closes in the middle of the body.
    Truncated,
    /// Lists have wrong checksums. No effect on publishers without checksums.
    WrongMd5,
    /// Random bytes in place of the table, wrapped and listed correctly.
    Garbage,
    /// Every row or entry twice.
    Duplicate,
    /// Rows in reverse; lists in another order.
    OutOfOrder,
    /// The publisher answers as of two days from now.
    ClockAhead,
    /// One more column, in front; JSON one level deeper; a title above the table of a workbook.
    SchemaChange,
    /// 200 with the content of the moment the fault began.
    Frozen,
    /// 200, well-formed and empty.
    EmptySuccess,
    /// A small body that unpacks to far more than any cap.
    ZipBomb,
    /// 302 to an address that no feed may have.
    PrivateRedirect,
}

impl Fault {
    pub const ALL: [Fault; 15] = [
        Fault::NotFound,
        Fault::Wall,
        Fault::ServerError,
        Fault::Slow(Fault::SLOW),
        Fault::Truncated,
        Fault::WrongMd5,
        Fault::Garbage,
        Fault::Duplicate,
        Fault::OutOfOrder,
        Fault::ClockAhead,
        Fault::SchemaChange,
        Fault::Frozen,
        Fault::EmptySuccess,
        Fault::ZipBomb,
        Fault::PrivateRedirect,
    ];

    /// Longer than any sensible total timeout of a client.
    pub const SLOW: Duration = Duration::from_secs(120);

    pub fn name(self) -> &'static str {
        match self {
            Fault::NotFound => "not_found",
            Fault::Wall => "wall",
            Fault::ServerError => "server_error",
            Fault::Slow(_) => "slow",
            Fault::Truncated => "truncated",
            Fault::WrongMd5 => "wrong_md5",
            Fault::Garbage => "garbage",
            Fault::Duplicate => "duplicate",
            Fault::OutOfOrder => "out_of_order",
            Fault::ClockAhead => "clock_ahead",
            Fault::SchemaChange => "schema_change",
            Fault::Frozen => "frozen",
            Fault::EmptySuccess => "empty_success",
            Fault::ZipBomb => "zip_bomb",
            Fault::PrivateRedirect => "private_redirect",
        }
    }

    /// Returns whether the body arrives late or not whole.
    pub(crate) fn is_slow_or_cut(self) -> bool {
        matches!(self, Fault::Slow(_) | Fault::Truncated)
    }

    /// Returns whether the fault changes the content of a document rather than its transport.
    pub(crate) fn tampers(self) -> bool {
        matches!(
            self,
            Fault::Garbage
                | Fault::Duplicate
                | Fault::OutOfOrder
                | Fault::SchemaChange
                | Fault::EmptySuccess
                | Fault::ZipBomb
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault `{0}`")]
pub struct UnknownFault(String);

impl FromStr for Fault {
    type Err = UnknownFault;
    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        Fault::ALL.into_iter().find(|f| f.name() == text).ok_or_else(|| UnknownFault(text.to_owned()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The switches of one running server.
pub struct Faults {
    clock: Arc<dyn Clock>,
    set: Mutex<BTreeMap<String, (Fault, Timestamp)>>,
}

impl Faults {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Faults { clock, set: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Fault, Timestamp)>> {
        self.set.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Sets a fault. `publisher` is one of [`crate::PUBLISHERS`].
    pub fn set(&self, publisher: &str, fault: Fault) {
        debug_assert!(crate::PUBLISHERS.contains(&publisher), "there is no publisher {publisher}");
        let now = self.clock.now();
        self.lock().insert(publisher.to_owned(), (fault, now));
    }

    pub fn clear(&self, publisher: &str) {
        self.lock().remove(publisher);
    }

    pub fn clear_all(&self) {
        self.lock().clear();
    }

    /// Returns the fault in force and the moment it was set, at which frozen content stays.
    pub fn get(&self, publisher: &str) -> Option<(Fault, Timestamp)> {
        self.lock().get(publisher).copied()
    }
}
