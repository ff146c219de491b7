//! The words that indicators are told with, kept with the data: a snapshot names them by their digest, and a text is
//! written again with the words it was written with, whatever the method says today.

use gsi_index::Method;
use gsi_model::{Snapshot, WordsByIndicator};
use gsi_store::{Result, Store, StoreError};

fn name(digest: &str) -> String {
    format!("words.{digest}")
}

/// Keeps the method's words, unless the store has them.
pub fn keep_words(store: &dyn Store, method: &Method) -> Result<()> {
    let name = name(method.words_digest());
    if store.meta(&name)?.is_none() {
        let text =
            serde_json::to_string(method.words()).map_err(|e| StoreError::Corrupt(format!("{name}: {e}")))?;
        store.set_meta(&name, &text)?;
    }
    Ok(())
}

/// The words that a snapshot's texts were told with; the method's own for one from before they were kept.
pub fn words_of(store: &dyn Store, method: &Method, snapshot: &Snapshot) -> Result<WordsByIndicator> {
    let digest = &snapshot.words_digest;
    if digest.is_empty() || digest == method.words_digest() {
        return Ok(method.words().clone());
    }
    let name = name(digest);
    let lost =
        |why: String| StoreError::Corrupt(format!("{name}, which snapshot {} names: {why}", snapshot.id));
    let text = store.meta(&name)?.ok_or_else(|| lost("it is not there".to_owned()))?;
    serde_json::from_str(&text).map_err(|e| lost(e.to_string()))
}
