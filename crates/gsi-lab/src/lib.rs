//! The laboratory: judges the index, the event filter and the texts on recorded data, and writes the data that the service contains.
//!
//! Results are written to stdout, everything else to stderr. Exit codes: 0 success, 1 failure, 2 invalid arguments or configuration.

// These panic when the reader has closed its end. The macros of `gsi::output` handle that.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod backtest;
mod calibrate;
mod cli;
mod compare;
pub mod event_training;
mod history;
mod judge;
mod narrate;
mod reprocess;

use clap::Parser;
use cli::{Arguments, Command, EventsCommand};
use gsi::setup::load_config;
use std::process::ExitCode;

/// Runs the command that the arguments of this process name.
pub fn run() -> ExitCode {
    gsi::exit_code("gsi-lab", run_command(Arguments::parse()))
}

fn run_command(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = load_config(&arguments.common, Vec::new())?;
    match arguments.command {
        Command::Backtest(arguments) => backtest::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&config, &arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Reprocess(arguments) => reprocess::run(&config, &arguments),
        Command::History(command) => history::run(&command),
        Command::Events(EventsCommand::Judge { files, json }) => judge::run(&files, json),
        Command::Narrate(arguments) => match &arguments.examples {
            Some(folder) => narrate::write_examples(&config, folder),
            None => narrate::run(&config, &arguments),
        },
        Command::TrainEvents(arguments) => event_training::run(&arguments),
    }
}
