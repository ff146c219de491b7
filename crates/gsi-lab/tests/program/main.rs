//! The program `gsi-lab` as its users run it. Every test starts it as a process.
//!
//! One test binary for all of them, because each one links the whole laboratory.

mod arguments;
mod backtest;
mod coded_histories;
mod narrate;
mod reprocess;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LAB: &str = env!("CARGO_BIN_EXE_gsi-lab");

/// Returns the laboratory's program on this data folder.
fn lab(data: &Path) -> Command {
    let mut command = Command::new(LAB);
    command.arg("--data").arg(data).stdin(Stdio::null());
    command
}

/// Returns the service's program on this data folder: `GSI_BINARY`, or the one that was built with the laboratory.
fn gsi(data: &Path) -> Command {
    let built = || Path::new(LAB).with_file_name("gsi");
    let program = std::env::var_os("GSI_BINARY").map_or_else(built, PathBuf::from);
    assert!(program.is_file(), "there is no {}; `cargo build -p gsi` builds it", program.display());
    let mut command = Command::new(program);
    command.arg("--data").arg(data).stdin(Stdio::null()).env("GSI_LOG_REQUESTS", "off");
    command
}

/// Returns a file or folder of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
