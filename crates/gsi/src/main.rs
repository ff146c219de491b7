//! The program `gsi`: runs the service and manages its data.

use std::process::ExitCode;

fn main() -> ExitCode {
    gsi::run()
}
