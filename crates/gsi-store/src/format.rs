//! Which format a store has, and who may change it: whoever serves, and `gsi store upgrade`. Everybody else works with a store
//! as it is, or says which command would make it usable.

use crate::{Result, StoreError};
use std::path::{Path, PathBuf};

/// What to do about a store of an earlier format. One that is not there yet is made in the newest either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OlderFormat {
    /// A file is copied first: the way back to the program before.
    CopyAndUpgrade,
    Upgrade,
    Refuse,
}

/// The format of a store, and what an upgrade would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFormat {
    /// 0 when nothing is there yet.
    pub found: usize,
    pub newest: usize,
    /// The names of the steps in between, in order.
    pub steps: Vec<&'static str>,
}

impl StoreFormat {
    pub(crate) fn new(found: usize, steps: &[&'static str]) -> Self {
        StoreFormat { found, newest: steps.len(), steps: steps.get(found..).unwrap_or(&[]).to_vec() }
    }

    /// An error with the way out for a store of an earlier format.
    pub(crate) fn refuse_older(&self) -> Result<()> {
        if self.found == 0 || self.steps.is_empty() {
            return Ok(());
        }
        Err(StoreError::Refused(format!(
            "the store has format {}, this program works with format {}; `gsi store upgrade` brings it there, as the next start \
             of `gsi serve` or `gsi demo` on it does",
            self.found, self.newest
        )))
    }
}

/// Where the copy of a file of this format is kept when the file is upgraded.
pub fn copy_before_upgrade(file: &Path, format: usize) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-format{format}.db"));
    file.with_file_name(name)
}
