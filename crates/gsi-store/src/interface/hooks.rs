//! Hooks and their outbox.

use crate::{Result, StoreError};
use gsi_model::{Alert, Delivery, DeliveryState, DeliveryTry, Hook, HookMessageKind, Timestamp};

/// A hook with the state of its own rule.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptHook {
    pub hook: Hook,
    /// The alert of its own rule while the rule holds.
    pub holds: Option<Alert>,
}

/// Operators set hooks from any process. The tick fills the outbox in its transaction, and the leader sends it. Of a hook's
/// snapshots only the newest waits: the tick marks the older ones as replaced.
pub trait HookStore {
    /// All hooks, by name.
    fn hooks(&self) -> Result<Vec<KeptHook>>;
    /// Adds or replaces a hook; the state of its rule stays.
    fn put_hook(&self, hook: &Hook) -> Result<()>;
    /// For every hook that is on, the first waiting message, if its next try is due. In the order of hooks.
    fn due_deliveries(&self, now: Timestamp) -> Result<Vec<Delivery>>;
    /// Records the result of a try. Refused if this replica has lost the lead or the delivery no longer waits. A message that
    /// was replaced during the try stays replaced, unless it was delivered.
    fn note_delivery(
        &self,
        number: i64,
        state: DeliveryState,
        next_try_at: Timestamp,
        tries: &[DeliveryTry],
    ) -> Result<()>;
    /// Puts the parked messages of a hook back to waiting and returns how many they were. Of its snapshots, only the newest is
    /// sent again.
    fn retry_parked(&self, hook: &str) -> Result<u64>;
    /// The newest deliveries of one hook or of all, newest first.
    fn deliveries(&self, hook: Option<&str>, limit: usize) -> Result<Vec<Delivery>>;
}

/// The columns of a delivery in both backends.
pub(crate) struct DeliveryColumns {
    pub number: i64,
    pub hook: String,
    pub message: String,
    pub tick: i64,
    pub kind: String,
    pub body: String,
    pub state: String,
    pub waiting_since: i64,
    pub next_try_at: i64,
    pub tries: String,
}

impl DeliveryColumns {
    pub fn read(self) -> Result<Delivery> {
        let strange = || StoreError::Corrupt(format!("delivery {}", self.number));
        Ok(Delivery {
            number: self.number,
            tick: Timestamp::from_unix(self.tick),
            kind: HookMessageKind::from_key(&self.kind).ok_or_else(strange)?,
            state: DeliveryState::from_key(&self.state).ok_or_else(strange)?,
            waiting_since: Timestamp::from_unix(self.waiting_since),
            next_try_at: Timestamp::from_unix(self.next_try_at),
            tries: read_text(&self.tries, "the tries of a delivery")?,
            hook: self.hook,
            message: self.message,
            body: self.body,
        })
    }
}

/// The order of the columns in both backends.
pub(crate) const DELIVERY_COLUMNS: &str =
    "d.key, d.hook, d.message, d.tick, d.kind, d.body, d.state, d.waiting_since, d.next_try_at, d.tries";

pub(crate) fn kept_hook(body: &str, holds: Option<&str>) -> Result<KeptHook> {
    let holds = holds.map(|text| read_text(text, "the state of a hook")).transpose()?;
    Ok(KeptHook { hook: read_text(body, "a hook")?, holds })
}

pub(crate) fn read_text<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| StoreError::Corrupt(what.to_owned()))
}

pub(crate) fn not_waiting(number: i64) -> StoreError {
    StoreError::Conflict(format!("delivery {number} is not waiting"))
}
