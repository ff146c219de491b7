//! Where tests find the publishers' own files, if they are at hand.

use std::path::PathBuf;

/// Files of a folder under the real data, sorted. None where there is no real data, which is said in the words that
/// `make test` counts; real data without such files is a failure, or a test would pass by looking at nothing.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let given = std::env::var_os("GSI_REAL_DATA").map(PathBuf::from);
    let root = given
        .clone()
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    if given.is_none() && !root.is_dir() {
        println!("skipped: no real data");
        return Vec::new();
    }
    let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
        .map(|entries| entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_file()).collect())
        .unwrap_or_default();
    assert!(!files.is_empty(), "there is real data in {}, but nothing in {folder}", root.display());
    files.sort();
    files
}
