//! Where tests find the publishers' own files, if they are at hand.

use std::path::PathBuf;

/// Files of a folder under the real data, sorted; none when there is no real data.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let root = std::env::var_os("GSI_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
        .map(|entries| entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_file()).collect())
        .unwrap_or_default();
    files.sort();
    files
}
