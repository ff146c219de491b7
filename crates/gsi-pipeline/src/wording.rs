//! The phrases that name indicators in texts, stored with the data. A snapshot names them by their digest, so a replay
//! phrases an old text as it was phrased then, even if the method's phrases have changed.

use gsi_index::Method;
use gsi_model::{Snapshot, WordsByIndicator};
use gsi_store::{Result, Store, StoreError};

fn name(digest: &str) -> String {
    format!("words.{digest}")
}

/// Stores the method's phrases unless the store has them already.
pub fn keep_words(store: &dyn Store, method: &Method) -> Result<()> {
    let name = name(method.words_digest());
    if store.meta(&name)?.is_none() {
        let text =
            serde_json::to_string(method.words()).map_err(|e| StoreError::Corrupt(format!("{name}: {e}")))?;
        store.set_meta(&name, &text)?;
    }
    Ok(())
}

/// Returns the phrases that a snapshot's texts used; the method's own if the snapshot is older than the stored phrases.
pub fn words_of(store: &dyn Store, method: &Method, snapshot: &Snapshot) -> Result<WordsByIndicator> {
    let digest = &snapshot.words_digest;
    if digest.is_empty() || digest == method.words_digest() {
        return Ok(method.words().clone());
    }
    let name = name(digest);
    let corrupt =
        |why: String| StoreError::Corrupt(format!("{name}, which snapshot {} names: {why}", snapshot.id));
    let text = store.meta(&name)?.ok_or_else(|| corrupt("it is missing".to_owned()))?;
    serde_json::from_str(&text).map_err(|e| corrupt(e.to_string()))
}
