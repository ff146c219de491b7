//! The SQLite store of a data folder.

use gsi_model::Timestamp;
use gsi_store::Store;
use std::path::Path;
use std::sync::Arc;

pub fn open(data: &Path) -> Arc<dyn Store> {
    gsi_store::open(&format!("sqlite:{}", data.join("gsi.db").display())).expect("the store opens")
}

/// Returns the last committed tick, or `None` before the first one.
pub fn last_tick(data: &Path) -> Option<Timestamp> {
    let exists = data.join("gsi.db").exists();
    exists.then(|| open(data).frontier().expect("a frontier").map(|frontier| frontier.tick)).flatten()
}
