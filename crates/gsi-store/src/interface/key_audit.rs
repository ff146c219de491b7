//! The audit of keys and of the secrets that sign cursors: which change, when and by whom. Entries are added in the transaction
//! of the change; both databases refuse to change or remove one.

use crate::{Result, StoreError};
use gsi_model::{ApiKey, KeyId, Timestamp};

/// A change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    Created,
    Revoked,
    /// The time of expiry changed, as for the old key of a rotation.
    ExpiryChanged,
    /// Any other field changed.
    Changed,
    CursorSecretRotated,
    OperatorKeyReplaced,
}

impl KeyAction {
    const ALL: [KeyAction; 6] = [
        KeyAction::Created,
        KeyAction::Revoked,
        KeyAction::ExpiryChanged,
        KeyAction::Changed,
        KeyAction::CursorSecretRotated,
        KeyAction::OperatorKeyReplaced,
    ];

    pub fn key(self) -> &'static str {
        match self {
            KeyAction::Created => "created",
            KeyAction::Revoked => "revoked",
            KeyAction::ExpiryChanged => "expiry_changed",
            KeyAction::Changed => "changed",
            KeyAction::CursorSecretRotated => "cursor_secret_rotated",
            KeyAction::OperatorKeyReplaced => "operator_key_replaced",
        }
    }

    pub(crate) fn from_key(key: &str) -> Result<Self> {
        KeyAction::ALL
            .into_iter()
            .find(|action| action.key() == key)
            .ok_or_else(|| StoreError::Corrupt(format!("unknown action {key:?} in the audit of keys")))
    }

    /// The action of replacing `old` by `new`. The store determines it, so that no caller can record another.
    pub(crate) fn between(old: Option<&ApiKey>, new: &ApiKey) -> KeyAction {
        match old {
            None => KeyAction::Created,
            Some(old) if old.revoked_at.is_none() && new.revoked_at.is_some() => KeyAction::Revoked,
            Some(old) if old.expires_at != new.expires_at => KeyAction::ExpiryChanged,
            Some(_) => KeyAction::Changed,
        }
    }
}

/// The author and time of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNote {
    pub at: Timestamp,
    /// A command or the service, with the person and the machine if they are known.
    pub by: String,
}

/// One entry of the audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAuditEntry {
    pub at: Timestamp,
    pub action: KeyAction,
    /// The key's public id; empty for an action without a key.
    pub key: KeyId,
    /// The key's name at that time.
    pub name: String,
    pub by: String,
}

impl KeyAuditEntry {
    pub(crate) fn of_key(action: KeyAction, key: &ApiKey, note: &ChangeNote) -> Self {
        let (id, name) = (key.id.clone(), key.name.clone());
        KeyAuditEntry { at: note.at, action, key: id, name, by: note.by.clone() }
    }

    pub(crate) fn of_none(action: KeyAction, note: &ChangeNote) -> Self {
        KeyAuditEntry { at: note.at, action, key: KeyId::new(), name: String::new(), by: note.by.clone() }
    }
}

/// A replaced secret, and the time until which its signatures are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PreviousSecret {
    pub value: [u8; 32],
    pub until: Timestamp,
}

/// Omits the secret.
impl std::fmt::Debug for PreviousSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a secret, accepted until {}", self.until)
    }
}

/// The name under which the predecessor of the secret `name` is stored.
pub(crate) fn previous_name(name: &str) -> String {
    format!("{name}.previous")
}
