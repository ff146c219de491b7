//! The output of commands.

use std::process::{Command, Output};

/// Runs a command that must succeed, and returns its stdout, trimmed.
pub fn succeed(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}: {}", text_of(&done));
    String::from_utf8(done.stdout).expect("the output is UTF-8").trim().to_owned()
}

/// Returns stdout followed by stderr.
pub fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
