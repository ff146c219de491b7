//! Files that the publishers served, recorded outside the repository: in `GSI_REAL_DATA`, else in `../shared/data` next to the
//! repository.

use std::path::{Path, PathBuf};

/// Returns the folder of recorded files. Without one, prints the reason that `make test` counts and returns `None`.
pub fn folder() -> Option<PathBuf> {
    let configured = std::env::var_os("GSI_REAL_DATA").map(PathBuf::from);
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = configured.or_else(|| Some(usual()).filter(|folder| folder.is_dir()));
    if found.is_none() {
        println!("skipped: no real data");
    }
    found
}

/// Returns the files of one of the folders, sorted, or none without real data. Panics if there is real data without such files,
/// because a test would otherwise pass without reading any.
pub fn files(subfolder: &str) -> Vec<PathBuf> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join(subfolder))
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    files.retain(|path| path.is_file());
    assert!(!files.is_empty(), "there is real data in {}, but no file in {subfolder}", folder.display());
    files.sort();
    files
}
