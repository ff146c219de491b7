//! The network: whether each publisher's site is reachable, and whether their clocks agree with this machine's clock.

use super::Finding;
use crate::config::Config;
use crate::setup;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

const TIMEOUT: Duration = Duration::from_secs(8);
/// With a larger difference the service asks for files that do not exist yet.
const CLOCK_SECONDS: i64 = 60;

/// The answer of a publisher's site.
struct Reached {
    /// How far this machine's clock is ahead of the site's.
    ahead_seconds: Option<i64>,
}

pub fn findings(config: &Config, offline: bool) -> anyhow::Result<Vec<Finding>> {
    if offline {
        return Ok(vec![Finding::sound("network", "not checked (--offline)")]);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut sites: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for connector in setup::active_connectors(config).unwrap_or_default() {
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

/// Returns scheme and host of an address.
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
    let answer = client.head(&site).send().await.map_err(|error| reason(&error))?;
    let date = answer.headers().get("date").and_then(|value| value.to_str().ok());
    let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
    let ahead = |date: SystemTime| match SystemTime::now().duration_since(date) {
        Ok(ahead) => ahead.as_secs() as i64,
        Err(behind) => -(behind.duration().as_secs() as i64),
    };
    Ok(Reached { ahead_seconds: date.map(ahead) })
}

/// Returns the innermost reason, because the outer one only says "error sending request".
fn reason(error: &reqwest::Error) -> String {
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
            "allow this machine to reach it, set feeds.proxy or feeds.mirror, or switch the feed off (feeds.disabled)"
        }
    };
    Finding::doubtful("network", format!("{site} ({}): {why}", feeds.join(", ")), fix)
}

/// Compares this machine's clock with the median of the publishers' clocks.
fn clock(mut ahead: Vec<i64>) -> Option<Finding> {
    const WHAT: &str = "clock";
    ahead.sort_unstable();
    let median = *ahead.get(ahead.len() / 2)?;
    if median.abs() > CLOCK_SECONDS {
        let word = if median > 0 { "ahead of" } else { "behind" };
        let found = format!("{} s {word} the publishers' clocks", median.abs());
        return Some(Finding::bad(WHAT, found, "correct the clock with chronyd or systemd-timesyncd"));
    }
    Some(Finding::sound(WHAT, format!("within {} s of the publishers' clocks", median.abs().max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_clock_of_a_publisher_is_ignored() {
        assert!(clock(Vec::new()).is_none());
        assert_eq!(clock(vec![1, -2, 90_000]).unwrap().verdict, super::super::Verdict::Sound);
        let wrong = clock(vec![-3601, -3600, 0]).unwrap();
        assert_eq!(wrong.verdict, super::super::Verdict::Bad);
        assert!(wrong.found.contains("3600 s behind"), "{}", wrong.found);
    }
}
