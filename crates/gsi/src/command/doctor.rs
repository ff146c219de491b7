//! `gsi doctor`: one screen that says whether this machine, this configuration and this store are fit to serve, and what to do
//! where they are not. It changes nothing and makes nothing.

mod machine;
mod network;
mod stored;

use super::load;
use crate::cli::{Common, DoctorArguments};
use crate::config::{Config, ConfigError};
use crate::results::result_line;
use crate::running;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Sound,
    /// It works, and an operator would want to know.
    Doubtful,
    Bad,
}

/// What was looked at, how it is, and what to do about it.
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

pub fn run(common: &Common, arguments: &DoctorArguments) -> anyhow::Result<ExitCode> {
    let config = match load(common, vec![]) {
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
    let method = running::active_connectors(config).and_then(|connectors| {
        running::load_method(config, &connectors).map(|method| (connectors.len(), method))
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
        findings.push(Finding::doubtful("contact", "publishers are not told whom to write to", fix));
    }
    if crate::dashboard::assets().is_none() {
        let fix = "build with Node at hand (`make run` does), or use the interface alone";
        findings.push(Finding::doubtful("dashboard", "this binary was built without it", fix));
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
            Verdict::Doubtful => "look",
            Verdict::Bad => "BAD ",
        };
        result_line!("{mark} {what:width$}  {found}");
        if let Some(fix) = fix {
            result_line!("     {:width$}  -> {fix}", "");
        }
    }
    Ok(())
}
