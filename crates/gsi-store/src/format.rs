//! The format of a store. Only the server and `gsi store upgrade` change it; all other commands use the store unchanged, or
//! refuse it and name the command that upgrades it.

use crate::{Result, StoreError};
use std::path::{Path, PathBuf};

/// What opening does with a store of an earlier format. A store that does not exist yet is made in the newest format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OlderFormat {
    /// Copies the file first, so that the earlier program can be used again.
    CopyAndUpgrade,
    Upgrade,
    Refuse,
}

/// The format of a store, and the steps of an upgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFormat {
    /// 0 when there is no store yet.
    pub found: usize,
    pub newest: usize,
    /// The names of the missing migrations, in order.
    pub steps: Vec<&'static str>,
}

impl StoreFormat {
    pub(crate) fn new(found: usize, steps: &[&'static str]) -> Self {
        StoreFormat { found, newest: steps.len(), steps: steps.get(found..).unwrap_or(&[]).to_vec() }
    }

    /// Refuses a store of an earlier format and names the command that upgrades it.
    pub(crate) fn refuse_older(&self) -> Result<()> {
        if self.found == 0 || self.steps.is_empty() {
            return Ok(());
        }
        Err(StoreError::Refused(format!(
            "the store has format {}, and this program needs format {}; `gsi store upgrade` upgrades it, and so does the next \
             start of `gsi serve` or `gsi demo`",
            self.found, self.newest
        )))
    }

    /// The error for tables that this program has not made.
    pub(crate) fn foreign(place: &str) -> StoreError {
        StoreError::Refused(format!(
            "{place} holds tables of another program, or of a build before the first release; use a new, empty store"
        ))
    }
}

/// The path of the copy that an upgrade from this format keeps.
pub fn copy_before_upgrade(file: &Path, format: usize) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-format{format}.db"));
    file.with_file_name(name)
}
