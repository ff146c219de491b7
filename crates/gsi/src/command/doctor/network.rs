//! The network: that each publisher's site can be reached, and that their clocks agree with this machine's.

use super::Finding;
use crate::config::Config;
use crate::running;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

const TIMEOUT: Duration = Duration::from_secs(8);
/// Beyond this, files would be asked for that are not there yet.
const CLOCK_SECONDS: i64 = 60;

/// What a publisher's site said.
struct Reached {
    /// How far this machine's clock is ahead of it.
    ahead_seconds: Option<i64>,
}

pub fn findings(config: &Config, offline: bool) -> anyhow::Result<Vec<Finding>> {
    if offline {
        return Ok(vec![Finding::sound("network", "not looked at (--offline)")]);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut sites: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for connector in running::active_connectors(config).unwrap_or_default() {
        let origin = connector.origin();
        let address =
            if config.feeds.mirror.is_empty() { origin.homepage } else { config.feeds.mirror.as_str() };
        sites.entry(site(address)).or_default().push(origin.feed);
    }
    let client = client(config)?;
    let asked: Vec<_> = sites
        .into_iter()
        .map(|(site, feeds)| {
            let client = client.clone();
            (runtime.spawn(ask(client, site.clone())), site, feeds)
        })
        .collect();
    let mut findings = Vec::new();
    let (mut ahead, mut reached) = (Vec::new(), 0);
    for (answer, site, feeds) in asked {
        match runtime.block_on(answer)? {
            Ok(Reached { ahead_seconds }) => {
                reached += 1;
                ahead.extend(ahead_seconds);
            }
            Err(why) => findings.push(unreachable(&site, &feeds, &why, config)),
        }
    }
    if reached > 0 {
        findings.insert(0, Finding::sound("network", format!("{reached} sites of publishers answer")));
    }
    findings.extend(clock(ahead));
    Ok(findings)
}

/// Scheme and host of an address.
fn site(address: &str) -> String {
    url::Url::parse(address).map_or_else(|_| address.to_owned(), |url| url.origin().ascii_serialization())
}

fn client(config: &Config) -> anyhow::Result<reqwest::Client> {
    // The process may have installed the same provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("gsi/", env!("CARGO_PKG_VERSION")))
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy();
    if !config.feeds.proxy.is_empty() {
        builder = builder.proxy(reqwest::Proxy::all(config.feeds.proxy.as_str())?);
    }
    if !config.feeds.ca_file.is_empty()
        && let Ok(pem) = std::fs::read(&config.feeds.ca_file)
    {
        builder = builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(&pem)?);
    }
    Ok(builder.build()?)
}

async fn ask(client: reqwest::Client, site: String) -> Result<Reached, String> {
    let answer = client.head(&site).send().await.map_err(|error| because(&error))?;
    let date = answer.headers().get("date").and_then(|value| value.to_str().ok());
    let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
    let ahead = |date: SystemTime| match SystemTime::now().duration_since(date) {
        Ok(ahead) => ahead.as_secs() as i64,
        Err(behind) => -(behind.duration().as_secs() as i64),
    };
    Ok(Reached { ahead_seconds: date.map(ahead) })
}

/// The innermost reason, which is the one that helps: not "error sending request".
fn because(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", TIMEOUT.as_secs());
    }
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

fn unreachable(site: &str, feeds: &[&str], why: &str, config: &Config) -> Finding {
    let fix = match (config.feeds.mirror.is_empty(), config.feeds.proxy.is_empty()) {
        (false, _) => "check feeds.mirror",
        (true, false) => "check feeds.proxy and feeds.ca_file",
        (true, true) => {
            "let this machine reach it, name a way with feeds.proxy or feeds.mirror, or turn the feed off (feeds.disabled)"
        }
    };
    Finding::doubtful("network", format!("{site} ({}): {why}", feeds.join(", ")), fix)
}

/// The middle of what the publishers' clocks say.
fn clock(mut ahead: Vec<i64>) -> Option<Finding> {
    const WHAT: &str = "clock";
    ahead.sort_unstable();
    let middle = *ahead.get(ahead.len() / 2)?;
    if middle.abs() > CLOCK_SECONDS {
        let word = if middle > 0 { "ahead of" } else { "behind" };
        let found = format!("{} s {word} the publishers' clocks", middle.abs());
        return Some(Finding::bad(WHAT, found, "set the clock right: chronyd or systemd-timesyncd"));
    }
    Some(Finding::sound(WHAT, format!("within {} s of the publishers' clocks", middle.abs().max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_clock_elsewhere_does_not_count() {
        assert!(clock(Vec::new()).is_none());
        assert_eq!(clock(vec![1, -2, 90_000]).unwrap().verdict, super::super::Verdict::Sound);
        let wrong = clock(vec![-3601, -3600, 0]).unwrap();
        assert_eq!(wrong.verdict, super::super::Verdict::Bad);
        assert!(wrong.found.contains("3600 s behind"), "{}", wrong.found);
    }
}
