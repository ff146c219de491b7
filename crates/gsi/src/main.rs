//! The binary: reads the configuration, wires the rooms together, and answers on the command line.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 not understood, 3 compared and
//! found different, 4 what was to be computed again is no longer kept.

// These panic when nobody reads any more: `results` says it instead.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cli;
mod clock;
mod command;
mod config;
mod dashboard;
mod descriptors;
mod fetching;
mod hooks;
mod leading;
mod logging;
mod model;
mod observations;
mod operator_key;
mod past;
mod plot;
mod pruning;
mod request_log;
mod results;
mod running;
mod supervise;
mod validation;

use results::notice;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    match command::run(arguments) {
        Ok(code) => code,
        Err(error) => {
            notice!("gsi: {error:#}");
            let unusable = error.downcast_ref::<config::ConfigError>().is_some();
            ExitCode::from(if unusable { 2 } else { 1 })
        }
    }
}
