//! Who may read: keys, what was done to them, how much they are used, and the secrets that seal cursors and sessions.

use crate::Result;
use crate::key_audit::{ChangeNote, KeyAction, KeyAuditEntry, PreviousSecret};
use crate::pulse::KeyUse;
use gsi_model::{ApiKey, KeyId, Timestamp};

pub trait KeyStore: Send + Sync + 'static {
    /// Adds a key or replaces what is known of it, and notes in the audit what that was. A revocation stays: whoever changes a
    /// key may have read it before. When it was last used stays as well.
    fn put_key(&self, key: &ApiKey, note: &ChangeNote) -> Result<()>;
    fn keys(&self) -> Result<Vec<ApiKey>>;
    /// Changes whenever any key does; cheap enough to ask every second.
    fn keys_version(&self) -> Result<i64>;
    /// Notes the day each of these keys was used on, as its first second; a later day that is known stays. No change of keys:
    /// nobody has to read them again.
    fn note_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> Result<()>;
    /// Everything that was done to keys, oldest first.
    fn key_audit(&self) -> Result<Vec<KeyAuditEntry>>;
    /// Adds what concerns no stored key, and is done elsewhere.
    fn add_to_key_audit(&self, action: KeyAction, note: &ChangeNote) -> Result<()>;
    /// A random 32-byte secret of this installation, made on first use and the same on every replica.
    fn secret(&self, name: &str) -> Result<[u8; 32]>;
    /// Makes a new one in its place, keeps the old one as the previous until then, and notes it in the audit. Counts as a change
    /// of keys, so that every replica reads it. The one before the old one is forgotten.
    fn rotate_secret(&self, name: &str, until: Timestamp, note: &ChangeNote) -> Result<()>;
    fn previous_secret(&self, name: &str) -> Result<Option<PreviousSecret>>;
    /// Tells how often each key was used on this replica since it started, and returns what the others told: all of it,
    /// or what changed in the last half minute. Approximate by design: no request waits for it, and a failover may
    /// forget it.
    fn share_usage(&self, _replica: &str, _taken: &[(KeyId, u64)], _all: bool) -> Result<Vec<KeyUse>> {
        Ok(Vec::new())
    }
}
