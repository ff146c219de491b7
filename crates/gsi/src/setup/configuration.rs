//! Loads the configuration of a command and starts the log with it.

use crate::cli::CommonOptions;
use crate::config::{Config, Override};
use crate::output::logging;
use std::path::Path;
use toml::Value;

/// The configuration file of every command except the demo, unless another one is named.
const SYSTEM_CONFIG: &str = "/etc/gsi/gsi.toml";

/// Loads the configuration from its defaults, the file, the environment and `flags`, and starts the log.
pub fn load_config(common: &CommonOptions, flags: Vec<Override>) -> anyhow::Result<Config> {
    let system = Path::new(SYSTEM_CONFIG);
    load_config_over(Vec::new(), system.exists().then_some(system), common, flags)
}

/// Does the same with a command's own `defaults`. `fallback` is read when no file is named.
pub(crate) fn load_config_over(
    defaults: Vec<Override>,
    fallback: Option<&Path>,
    common: &CommonOptions,
    mut flags: Vec<Override>,
) -> anyhow::Result<Config> {
    flags.extend(common.data.as_ref().map(|p| ("data", Value::String(p.display().to_string()))));
    flags.extend(common.store.clone().map(|s| ("store", Value::String(s))));
    flags.extend(common.log.clone().map(|s| ("log.level", Value::String(s))));
    let file = common.config.as_deref().or(fallback);
    let config = Config::load(defaults, file, std::env::vars(), flags)?;
    logging::start(&config.log)?;
    Ok(config)
}
