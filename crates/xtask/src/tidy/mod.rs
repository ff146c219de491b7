//! Checks of the repository that neither the compiler nor clippy can make: `cargo xtask tidy`, a part of `make check`.

mod arrows;
mod lengths;
mod words;

use anyhow::{Context, bail};
use cargo_metadata::MetadataCommand;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A rule that is broken, as a sentence that says where.
type Finding = String;

/// A text file that git tracks.
struct TrackedFile {
    /// From the repository's root.
    path: PathBuf,
    text: String,
}

/// Runs every check and prints what it finds. Fails when there is any finding.
pub fn run() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let metadata = MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec();
    let packages = metadata.context("cannot run cargo metadata")?.packages;
    let files = tracked_files(&root)?;

    let mut findings = arrows::check(&packages);
    findings.extend(lengths::check(&files));
    findings.extend(words::check(&files));
    if findings.is_empty() {
        println!("tidy: {} crates and {} files", packages.len(), files.len());
        return Ok(());
    }
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    bail!("{} findings", findings.len());
}

/// Reads every file that git tracks and that is text. Removed files that are not yet committed are left out.
fn tracked_files(root: &Path) -> anyhow::Result<Vec<TrackedFile>> {
    let listed = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["ls-files", "-z"])
        .output()
        .context("cannot run git")?;
    if !listed.status.success() {
        bail!("git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr));
    }
    let names = String::from_utf8(listed.stdout).context("a file name that is not UTF-8")?;
    let files = names.split_terminator('\0').filter_map(|name| {
        let text = std::fs::read_to_string(root.join(name)).ok()?;
        Some(TrackedFile { path: PathBuf::from(name), text })
    });
    Ok(files.collect())
}
