//! The program `gsi` as operators, readers and agents use it: every test starts it as a process.
//!
//! One binary for all of them, because each test binary links the whole service.

mod agents;
mod alongside;
mod any_history;
mod correcting;
mod deployment;
mod disk;
mod doctor;
mod ending;
mod export;
mod first_start;
mod hooks;
mod keys;
mod lifecycle;
mod prometheus;
mod replay;
mod retention;
mod stores;
mod upgrades;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const GSI: &str = env!("CARGO_BIN_EXE_gsi");

/// The program on this data folder. Requests are not logged.
fn gsi(data: &Path) -> Command {
    let mut command = Command::new(GSI);
    command.arg("--data").arg(data).stdin(Stdio::null()).env("GSI_LOG_REQUESTS", "off");
    command
}

/// A file or folder of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
