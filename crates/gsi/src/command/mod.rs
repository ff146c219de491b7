//! One file per subcommand.

mod backfill;
mod backtest;
mod briefing;
mod calibrate;
mod compare;
mod demo;
mod events;
mod examples;
mod feeds;
mod history;
mod import;
mod key;
mod narrate;
mod recompute;
mod replay;
mod reprocess;
mod retrace;
mod serve;
mod store;

use crate::cli::{Arguments, Command, Common};
use crate::config::{Config, Override};
use crate::results::{result_line, result_text};
use std::process::ExitCode;
use toml::Value;

pub use backtest::{FROM as BACKTEST_FROM, TO as BACKTEST_TO};

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let common = arguments.common;
    match arguments.command {
        Command::Config => {
            result_text!("{}", crate::config::DEFAULT);
            Ok(ExitCode::SUCCESS)
        }
        Command::Openapi => {
            result_line!("{}", serde_json::to_string_pretty(&gsi_http::openapi::document())?);
            Ok(ExitCode::SUCCESS)
        }
        Command::Demo(demo) => {
            let mut flags = Vec::new();
            flags.extend(demo.seed.map(|n| ("demo.seed", Value::Integer(n as i64))));
            flags.extend(demo.days.map(|n| ("demo.days", Value::Integer(n.into()))));
            flags.extend(demo.time_scale.map(|n| ("demo.time_scale", Value::Float(n))));
            flags.extend(demo.scenario.clone().map(|s| ("demo.scenario", Value::String(s))));
            demo::run(&load(&common, flags)?, &demo)
        }
        Command::Serve(arguments) => {
            let mut flags = Vec::new();
            flags.extend(arguments.role.map(|s| ("role", Value::String(s))));
            flags.extend(arguments.read_store.map(|s| ("read_store", Value::String(s))));
            let config = load(&common, flags)?;
            match arguments.replay {
                None => serve::run(&config),
                Some(folder) => replay::run(&config, &folder),
            }
        }
        Command::Backfill(arguments) => backfill::run(&load(&common, vec![])?, &arguments),
        Command::Key(key) => key::run(&load(&common, vec![])?, key),
        Command::Import { folder, json } => import::run(&load(&common, vec![])?, &folder, json),
        Command::History(command) => {
            load(&common, vec![])?;
            history::run(&command)
        }
        Command::Calibrate(arguments) => calibrate::run(&load(&common, vec![])?, &arguments),
        Command::Backtest(arguments) => {
            load(&common, vec![])?;
            backtest::run(&arguments)
        }
        Command::Narrate(arguments) => match &arguments.examples {
            Some(folder) => examples::run(&load(&common, vec![])?, folder),
            None => narrate::run(&load(&common, vec![])?, &arguments),
        },
        Command::Reprocess(arguments) => reprocess::run(&load(&common, vec![])?, &arguments),
        Command::Compare(arguments) => {
            load(&common, vec![])?;
            compare::run(&arguments)
        }
        Command::Replay(arguments) => retrace::run(&load(&common, vec![])?, &arguments),
        Command::Recompute(arguments) => {
            load(&common, vec![])?;
            recompute::run(&arguments)
        }
        Command::Briefing(command) => briefing::run(&load(&common, vec![])?, command),
        Command::Store(command) => store::run(&load(&common, vec![])?, command),
        Command::Events(command) => {
            load(&common, vec![])?;
            events::run(&command)
        }
        Command::Feeds(feeds) => feeds::run(&load(&common, vec![])?, feeds),
    }
}

/// The configuration as all four layers have it, and the log started by it.
fn load(common: &Common, mut flags: Vec<Override>) -> anyhow::Result<Config> {
    flags.extend(common.listen.clone().map(|s| ("listen", Value::String(s))));
    flags.extend(common.data.as_ref().map(|p| ("data", Value::String(p.display().to_string()))));
    flags.extend(common.store.clone().map(|s| ("store", Value::String(s))));
    flags.extend(common.log.clone().map(|s| ("log.level", Value::String(s))));
    let config = Config::load(common.config.as_deref(), std::env::vars(), flags)?;
    crate::logging::start(&config.log)?;
    Ok(config)
}
