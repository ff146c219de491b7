//! The length of source files.

use super::{Finding, TrackedFile};

/// A file that is longer has more than one job.
const MAX_LINES: usize = 580;

pub fn check(files: &[TrackedFile]) -> Vec<Finding> {
    let sources =
        files.iter().filter(|file| file.path.extension().is_some_and(|extension| extension == "rs"));
    let lengths = sources.map(|file| (file, file.text.lines().count()));
    lengths
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(file, lines)| format!("{} has {lines} lines, more than {MAX_LINES}", file.path.display()))
        .collect()
}
