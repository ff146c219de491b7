//! The commands of `gsi`: those that run the service, those that manage it, and those that move or recompute data.

mod data;
mod doctor;
mod management;
mod serving;

use crate::cli::{Arguments, Command, ConfigAction};
use crate::config::Override;
use crate::service::past;
use crate::setup::{load_config, load_config_over};
use data::{backfill, export, feeds, import, recompute, replay};
use management::{briefing, configuration, hook, key, manual, store};
use rustix::fs::Mode;
use rustix::process::umask;
use serving::{demo, mcp, serve, serve_recording};
use std::process::ExitCode;
use toml::Value;

pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if !matches!(arguments.command, Command::Export(_) | Command::Man { .. }) {
        // Stores, logs and keys are for the user that runs the program. Exports and manual pages are for other users as well.
        umask(Mode::RWXG | Mode::RWXO);
    }
    let common = arguments.common;
    let listen: Option<Override> = arguments.listen.map(|address| ("listen", Value::String(address)));
    let load = |mut flags: Vec<Override>| {
        flags.extend(listen.clone());
        load_config(&common, flags)
    };
    match arguments.command {
        Command::Config(arguments) => match arguments.action {
            None => Ok(configuration::print_default()),
            Some(ConfigAction::Check) => configuration::check(&load(Vec::new())?),
        },
        Command::Doctor(arguments) => doctor::run(load(Vec::new()), &arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Completions { shell } => Ok(manual::print_completions(shell)),
        Command::Man { folder } => manual::write_pages(&folder),
        Command::Openapi => Ok(manual::print_openapi()),
        Command::Reconstruct(arguments) => {
            past::compute_for(arguments.parent, &arguments.out)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Demo(demo) => {
            let mut flags = Vec::new();
            flags.extend(demo.seed.map(|n| ("demo.seed", Value::Integer(n as i64))));
            flags.extend(demo.days.map(|n| ("demo.days", Value::Integer(n.into()))));
            flags.extend(demo.time_scale.map(|n| ("demo.time_scale", Value::Float(n))));
            flags.extend(demo.scenario.clone().map(|s| ("demo.scenario", Value::String(s))));
            flags.extend(listen.clone());
            // The demo has its own data folder and reads no system configuration, so that it never touches a live service.
            let defaults = vec![("data", Value::String("./gsi-demo".into()))];
            demo::run(&load_config_over(defaults, None, &common, flags)?, &demo)
        }
        Command::Serve(arguments) => {
            let mut flags = Vec::new();
            flags.extend(arguments.role.map(|s| ("role", Value::String(s))));
            flags.extend(arguments.read_store.map(|s| ("read_store", Value::String(s))));
            let config = load(flags)?;
            match arguments.replay {
                None => serve::run(&config),
                Some(folder) => serve_recording::run(&config, &folder),
            }
        }
        Command::Export(arguments) => {
            let names_a_store = common.store.is_some() || common.data.is_some();
            export::run(&load(Vec::new())?, &arguments, names_a_store)
        }
        Command::Backfill(arguments) => backfill::run(&load(Vec::new())?, &arguments),
        Command::Hook(command) => hook::run(&load(Vec::new())?, command),
        Command::Key(key) => key::run(&load(Vec::new())?, key),
        Command::Import { folder, json } => import::run(&load(Vec::new())?, &folder, json),
        Command::Replay(arguments) => replay::run(&load(Vec::new())?, &arguments),
        Command::Recompute(arguments) => {
            load(Vec::new())?;
            recompute::run(&arguments)
        }
        Command::Briefing(command) => briefing::run(&load(Vec::new())?, command),
        Command::Store(command) => store::run(&load(Vec::new())?, command),
        Command::Feeds(feeds) => feeds::run(&load(Vec::new())?, feeds),
    }
}
