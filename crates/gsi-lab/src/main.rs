//! The program `gsi-lab`: judges the method on the past, and writes its data.

use std::process::ExitCode;

fn main() -> ExitCode {
    gsi_lab::run()
}
