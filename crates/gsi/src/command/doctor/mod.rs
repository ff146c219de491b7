//! `gsi doctor`: checks whether machine, configuration, store and network are ready to serve, and prints what to fix. It changes and
//! creates nothing.

mod machine;
mod network;
mod stored;

use crate::cli::DoctorArguments;
use crate::config::{Config, ConfigError};
use crate::result_line;
use crate::service;
use crate::setup;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Sound,
    /// The service works, and the operator should know.
    Doubtful,
    Bad,
}

/// The result of one check, and what to do about it.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    what: &'static str,
    verdict: Verdict,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn sound(what: &'static str, found: impl Into<String>) -> Self {
        Finding { what, verdict: Verdict::Sound, found: found.into(), fix: None }
    }

    fn doubtful(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Finding { what, verdict: Verdict::Doubtful, found: found.into(), fix: Some(fix.into()) }
    }

    fn bad(what: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Finding { what, verdict: Verdict::Bad, found: found.into(), fix: Some(fix.into()) }
    }
}

/// `loaded` is the configuration, or the reason why it cannot be used, which is a finding as well.
pub fn run(loaded: anyhow::Result<Config>, arguments: &DoctorArguments) -> anyhow::Result<ExitCode> {
    let config = match loaded {
        Ok(config) => config,
        Err(error) => {
            let fix = "correct it; `gsi config` prints every key with its default";
            show(&[Finding::bad("configuration", format!("{error:#}"), fix)], arguments.json)?;
            let unusable = error.downcast_ref::<ConfigError>().is_some();
            return Ok(ExitCode::from(if unusable { 2 } else { 1 }));
        }
    };
    let mut findings = vec![Finding::sound("version", env!("CARGO_PKG_VERSION"))];
    findings.extend(configuration(&config));
    findings.extend(machine::findings(&config));
    findings.extend(stored::findings(&config));
    findings.extend(network::findings(&config, arguments.offline)?);
    show(&findings, arguments.json)?;
    let is_bad = findings.iter().any(|finding| finding.verdict == Verdict::Bad);
    Ok(ExitCode::from(u8::from(is_bad)))
}

fn configuration(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    let method = setup::active_connectors(config).and_then(|connectors| {
        setup::load_method(config, &connectors).map(|method| (connectors.len(), method))
    });
    findings.push(match method {
        Ok((feeds, method)) => {
            Finding::sound("configuration", format!("{feeds} feeds, method {}", method.version()))
        }
        Err(error) => Finding::bad(
            "configuration",
            format!("{error:#}"),
            "correct `feeds` and `method` in the configuration",
        ),
    });
    if config.feeds.contact.is_empty() {
        let fix = "set feeds.contact to an address at which publishers can reach you";
        findings.push(Finding::doubtful("contact", "publishers cannot contact you", fix));
    }
    if service::dashboard_assets().is_none() {
        let fix = "install Node and build again with `make run`, or use only the interface";
        findings.push(Finding::doubtful("dashboard", "this binary does not contain it", fix));
    }
    findings
}

fn show(findings: &[Finding], as_json: bool) -> anyhow::Result<()> {
    if as_json {
        result_line!("{}", serde_json::to_string_pretty(findings)?);
        return Ok(());
    }
    let width = findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0);
    for Finding { what, verdict, found, fix } in findings {
        let mark = match verdict {
            Verdict::Sound => "ok  ",
            Verdict::Doubtful => "warn",
            Verdict::Bad => "BAD ",
        };
        result_line!("{mark} {what:width$}  {found}");
        if let Some(fix) = fix {
            result_line!("     {:width$}  -> {fix}", "");
        }
    }
    Ok(())
}
