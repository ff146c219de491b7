//! The column of a key's scopes, and new secrets; the same for every backend.

use crate::{Result, StoreError};
use gsi_model::Scope;

pub fn join_scopes(scopes: &[Scope]) -> String {
    scopes.iter().map(|s| s.key()).collect::<Vec<_>>().join(" ")
}

/// An unknown scope is an error, because a guess could grant rights.
pub fn split_scopes(text: &str) -> Result<Vec<Scope>> {
    text.split_ascii_whitespace()
        .map(|key| Scope::from_key(key).ok_or_else(|| StoreError::Corrupt(format!("unknown scope {key}"))))
        .collect()
}

pub fn random_secret() -> Result<[u8; 32]> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|e| StoreError::Unavailable(format!("the system has no randomness: {e}")))?;
    Ok(secret)
}
