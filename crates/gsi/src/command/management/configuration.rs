//! `gsi config`: prints the default configuration, or checks the current one.

use crate::config::{Config, DEFAULT};
use crate::setup::{active_connectors, fetcher_settings, load_method};
use crate::{result_line, result_text};
use anyhow::Context;
use std::process::ExitCode;

pub fn print_default() -> ExitCode {
    result_text!("{DEFAULT}");
    ExitCode::SUCCESS
}

/// Checks everything that can be checked before a store or a listener is opened.
pub fn check(config: &Config) -> anyhow::Result<ExitCode> {
    let connectors = active_connectors(config)?;
    load_method(config, &connectors)?;
    fetcher_settings(config)?;
    config.operator_key()?;
    for file in [&config.tls.certificate, &config.tls.private_key, &config.feeds.ca_file] {
        if !file.is_empty() {
            std::fs::metadata(file).with_context(|| format!("cannot read {file}"))?;
        }
    }
    result_line!("sound: {} feeds, store {}", connectors.len(), config.shown_store_url());
    Ok(ExitCode::SUCCESS)
}
