//! API keys, their audit and use, and the secrets that sign cursors and sessions.

use crate::Result;
use crate::interface::key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret};
use crate::interface::pulse::KeyUse;
use gsi_model::{ApiKey, KeyId, Timestamp};

pub trait KeyStore: Send + Sync + 'static {
    /// Adds or replaces a key, and records the change in the audit. A revocation stays, because the caller may have read the
    /// key before it. The day of its last use stays as well.
    fn put_key(&self, key: &ApiKey, note: &ChangeNote) -> Result<()>;
    fn keys(&self) -> Result<Vec<ApiKey>>;
    /// A number that changes with every change of a key; cheap enough to poll every second.
    fn keys_version(&self) -> Result<i64>;
    /// Records the day each of these keys was used on, as its first second; a later recorded day stays. It does not change
    /// `keys_version`, so replicas need not read the keys again.
    fn note_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()>;
    /// All changes of keys, oldest first.
    fn key_audit(&self) -> Result<Vec<KeyAuditEntry>>;
    /// Records an action that concerns no stored key and happens outside the store.
    fn add_to_key_audit(&self, action: KeyAction, note: &ChangeNote) -> Result<()>;
    /// A random 32-byte secret of this installation, made on first use and the same on every replica.
    fn secret(&self, name: &str) -> Result<[u8; 32]>;
    /// Replaces a secret, keeps the old one as the previous secret until `until`, and records the change in the audit. It
    /// changes `keys_version`, so that every replica reads it. An earlier previous secret is dropped.
    fn rotate_secret(&self, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()>;
    fn previous_secret(&self, name: &str) -> Result<Option<PreviousSecret>>;
    /// Reports how often each key was used on this replica since it started, and returns the reports of the others: all, or
    /// those that changed in the last 30 seconds. Approximate by design: no request waits for it, and a failover may lose it.
    fn share_usage(&self, _replica: &str, _taken: &[(KeyId, u64)], _all: bool) -> Result<Vec<KeyUse>> {
        Ok(Vec::new())
    }
}
