//! Where tests and measurements find the publishers' own files, if they are at hand: in `GSI_REAL_DATA`, else in
//! `../shared/data` beside the repository.

use std::path::{Path, PathBuf};

/// The folder. `None` where there is none, which is said in the words that `make test` counts; one that was named by the
/// variable is taken at its word.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("GSI_REAL_DATA").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = named.or_else(|| Some(beside()).filter(|folder| folder.is_dir()));
    if found.is_none() {
        println!("skipped: no real data");
    }
    found
}

/// The files of one of its folders, sorted; none without real data. Real data without such files is a failure, or a test would
/// pass by looking at nothing.
pub fn files(of: &str) -> Vec<PathBuf> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join(of))
        .map(|entries| entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_file()).collect())
        .unwrap_or_default();
    assert!(!files.is_empty(), "there is real data in {}, but nothing in {of}", folder.display());
    files.sort();
    files
}
