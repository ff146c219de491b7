//! The service as a program: it reads the configuration, connects the crates of the data pipeline with the HTTP interface, and runs
//! the commands of `gsi`. What `gsi-lab` needs as well is public: options, configuration, output, and the way to a store, its feeds
//! and a pipeline.
//!
//! Results are written to stdout, everything else to stderr. Exit codes: 0 success, 1 failure, 2 invalid arguments or configuration,
//! 3 a comparison found a difference, 4 the inputs of a computation were pruned.

// These panic when the reader has closed its end. The macros of `output` handle that.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cli;
mod command;
mod config;
mod hooks;
pub mod output;
mod service;
pub mod setup;

pub use cli::{CommonOptions, check_span, day, last_tick_or_day, time_or_day};
pub use config::{Config, ConfigError};

use clap::Parser;
use std::process::ExitCode;

/// Runs the command that the arguments of this process name.
pub fn run() -> ExitCode {
    let arguments = cli::Arguments::parse();
    exit_code("gsi", command::run(arguments))
}

/// Reports an error of a program on stderr and returns the exit code.
pub fn exit_code(program: &str, result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => {
            notice!("{program}: {error:#}");
            let is_invalid = error.downcast_ref::<ConfigError>().is_some();
            ExitCode::from(if is_invalid { 2 } else { 1 })
        }
    }
}
