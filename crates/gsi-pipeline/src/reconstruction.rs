//! The reconstructed daily series that scores are compared with, stored with the data. A snapshot refers to it by its digest,
//! so that its context can be recomputed after the program's reconstruction has changed.

use gsi_model::{ReconstructedLine, Snapshot};
use gsi_store::{Result, Store, StoreError};
use std::sync::Arc;

fn name(digest: &str) -> String {
    format!("reconstructed_line.{digest}")
}

/// Stores the series, unless the store has it.
pub fn keep_reconstruction(store: &dyn Store, line: &ReconstructedLine) -> Result<()> {
    let name = name(&line.name().digest);
    if store.meta(&name)?.is_none() {
        let text = serde_json::to_string(line).map_err(|e| StoreError::Corrupt(format!("{name}: {e}")))?;
        store.set_meta(&name, &text)?;
    }
    Ok(())
}

/// The stored series of a replay, with a cache of the last one.
#[derive(Default)]
pub struct StoredReconstructions {
    last: Option<(String, Arc<ReconstructedLine>)>,
}

impl StoredReconstructions {
    /// Returns the series that a snapshot's score was compared with, if there is one.
    pub fn of(&mut self, store: &dyn Store, snapshot: &Snapshot) -> Result<Option<Arc<ReconstructedLine>>> {
        let Some(named) = snapshot.context.as_ref().and_then(|context| context.line.as_ref()) else {
            return Ok(None);
        };
        if let Some((digest, line)) = &self.last
            && *digest == named.digest
        {
            return Ok(Some(Arc::clone(line)));
        }
        let name = name(&named.digest);
        let lost =
            |why: String| StoreError::Corrupt(format!("{name}, which snapshot {} names: {why}", snapshot.id));
        let text = store.meta(&name)?.ok_or_else(|| lost("it is missing".to_owned()))?;
        let line: ReconstructedLine = serde_json::from_str(&text).map_err(|e| lost(e.to_string()))?;
        if line.name() != *named {
            return Err(lost("it was changed".to_owned()));
        }
        let line = Arc::new(line);
        self.last = Some((named.digest.clone(), Arc::clone(&line)));
        Ok(Some(line))
    }
}
