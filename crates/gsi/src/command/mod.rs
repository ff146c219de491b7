//! One file per subcommand.

mod backfill;
mod backtest;
mod briefing;
mod calibrate;
mod compare;
mod demo;
mod doctor;
mod events;
mod examples;
mod export;
mod feeds;
mod history;
mod hook;
mod import;
mod key;
mod manual;
mod mcp;
mod narrate;
mod prune;
mod recompute;
mod replay;
mod reprocess;
mod retrace;
mod serve;
mod store;

use crate::cli::{Arguments, Command, Common, ConfigAction};
use crate::config::{Config, ConfigError, Override};
use crate::fetching;
use crate::results::{result_line, result_text};
use crate::running;
use anyhow::Context;
use gsi_model::Timestamp;
use std::path::Path;
use std::process::ExitCode;
use toml::Value;

/// A span that ends before it begins was not meant: that nothing lies in it would be no answer.
fn check_span(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(), ConfigError> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(ConfigError::Invalid("--from lies after --to".into())),
        _ => Ok(()),
    }
}

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let common = arguments.common;
    match arguments.command {
        Command::Config(arguments) => match arguments.action {
            None => {
                result_text!("{}", crate::config::DEFAULT);
                Ok(ExitCode::SUCCESS)
            }
            Some(ConfigAction::Check) => check_config(&load(&common, Vec::new())?),
        },
        Command::Doctor(arguments) => doctor::run(&common, &arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Completions { shell } => {
            manual::print_completions(shell);
            Ok(ExitCode::SUCCESS)
        }
        Command::Man { folder } => manual::write_pages(&folder),
        Command::Openapi => {
            result_line!("{}", gsi_api::openapi::pretty());
            Ok(ExitCode::SUCCESS)
        }
        Command::Demo(demo) => {
            let mut flags = Vec::new();
            flags.extend(demo.seed.map(|n| ("demo.seed", Value::Integer(n as i64))));
            flags.extend(demo.days.map(|n| ("demo.days", Value::Integer(n.into()))));
            flags.extend(demo.time_scale.map(|n| ("demo.time_scale", Value::Float(n))));
            flags.extend(demo.scenario.clone().map(|s| ("demo.scenario", Value::String(s))));
            // Apart from the live service's folder and configuration, so that both can be tried in one place.
            let defaults = vec![("data", Value::String("./gsi-demo".into()))];
            demo::run(&load_over(defaults, None, &common, flags)?, &demo)
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
        Command::Export(arguments) => {
            let names_a_store = common.store.is_some() || common.data.is_some();
            export::run(&load(&common, vec![])?, &arguments, names_a_store)
        }
        Command::Backfill(arguments) => backfill::run(&load(&common, vec![])?, &arguments),
        Command::Hook(command) => hook::run(&load(&common, vec![])?, command),
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

/// Read where it is and no other file is named, by all but the demo.
const SYSTEM_CONFIG: &str = "/etc/gsi/gsi.toml";

/// All that can be known to be wrong before anything is opened.
fn check_config(config: &Config) -> anyhow::Result<ExitCode> {
    let connectors = running::active_connectors(config)?;
    running::load_method(config, &connectors)?;
    fetching::fetcher_settings(config)?;
    config.operator_key()?;
    for file in [&config.tls.certificate, &config.tls.private_key, &config.feeds.ca_file] {
        if !file.is_empty() {
            std::fs::metadata(file).with_context(|| format!("cannot read {file}"))?;
        }
    }
    result_line!("sound: {} feeds, store {}", connectors.len(), config.shown_store_url());
    Ok(ExitCode::SUCCESS)
}

fn load(common: &Common, flags: Vec<Override>) -> anyhow::Result<Config> {
    let system = Path::new(SYSTEM_CONFIG);
    load_over(Vec::new(), system.exists().then_some(system), common, flags)
}

/// The configuration as all its layers have it, and the log started by it. `otherwise` is read when no file is named.
fn load_over(
    defaults: Vec<Override>,
    otherwise: Option<&Path>,
    common: &Common,
    mut flags: Vec<Override>,
) -> anyhow::Result<Config> {
    flags.extend(common.listen.clone().map(|s| ("listen", Value::String(s))));
    flags.extend(common.data.as_ref().map(|p| ("data", Value::String(p.display().to_string()))));
    flags.extend(common.store.clone().map(|s| ("store", Value::String(s))));
    flags.extend(common.log.clone().map(|s| ("log.level", Value::String(s))));
    let file = common.config.as_deref().or(otherwise);
    let config = Config::load(defaults, file, std::env::vars(), flags)?;
    crate::logging::start(&config.log)?;
    Ok(config)
}
