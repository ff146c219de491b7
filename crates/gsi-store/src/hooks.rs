//! Hooks and the outbox they are told from.

use crate::{Result, StoreError};
use gsi_model::{Alert, Delivery, DeliveryState, DeliveryTry, Hook, HookMessageKind, Timestamp};

/// A hook with what its own rule remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptHook {
    pub hook: Hook,
    /// The alert of its own rule, while that holds.
    pub holds: Option<Alert>,
}

/// Operators set hooks from any process; the tick fills the outbox in its transaction, and whoever leads empties it.
pub trait HookStore {
    /// By name.
    fn hooks(&self) -> Result<Vec<KeptHook>>;
    /// Adds a hook or replaces what is known of it; what its rule remembers stays.
    fn put_hook(&self, hook: &Hook) -> Result<()>;
    /// For every hook that is on, the first message that waits, where its time has come. In the order of hooks.
    fn due_deliveries(&self, now: Timestamp) -> Result<Vec<Delivery>>;
    /// Keeps what came of a try. Refused when this replica has lost the lead, and when the delivery is no longer waiting.
    fn note_delivery(
        &self,
        number: i64,
        state: DeliveryState,
        next_try_at: Timestamp,
        tries: &[DeliveryTry],
    ) -> Result<()>;
    /// The newest deliveries, newest first; of one hook, or of all.
    fn deliveries(&self, hook: Option<&str>, limit: usize) -> Result<Vec<Delivery>>;
}

/// A delivery as both backends keep it.
pub(crate) struct DeliveryColumns {
    pub number: i64,
    pub hook: String,
    pub message: String,
    pub tick: i64,
    pub kind: String,
    pub body: String,
    pub state: String,
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
            next_try_at: Timestamp::from_unix(self.next_try_at),
            tries: read_text(&self.tries, "the tries of a delivery")?,
            hook: self.hook,
            message: self.message,
            body: self.body,
        })
    }
}

/// In this order in both backends.
pub(crate) const DELIVERY_COLUMNS: &str =
    "d.key, d.hook, d.message, d.tick, d.kind, d.body, d.state, d.next_try_at, d.tries";

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
