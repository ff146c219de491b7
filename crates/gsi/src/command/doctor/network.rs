//! The network: whether each host that the feeds request is reachable, and whether their clocks agree with this machine's clock.

use super::Finding;
use crate::config::{Config, FeedsConfig};
use crate::setup;
use gsi_feeds::Connector;
use gsi_model::{Clock, SystemClock, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const TIMEOUT: Duration = Duration::from_secs(8);
/// With a larger difference the service asks for files that do not exist yet.
const CLOCK_SECONDS: i64 = 60;

/// The answer of a publisher's host.
struct Reached {
    /// How far this machine's clock is ahead of the host's.
    ahead_seconds: Option<i64>,
}

pub fn findings(config: &Config, offline: bool) -> anyhow::Result<Vec<Finding>> {
    if offline {
        return Ok(vec![Finding::sound("network", "not checked (--offline)")]);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let connectors = setup::active_connectors(config).unwrap_or_default();
    let sites = requested_sites(&config.feeds, &connectors, SystemClock.now());
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
        findings.insert(0, Finding::sound("network", format!("{reached} hosts of publishers answer")));
    }
    findings.extend(clock(ahead));
    Ok(findings)
}

/// Returns every site that the feeds request, with the names of the feeds: the mirror if there is one, else the publishers' hosts.
fn requested_sites(
    config: &FeedsConfig,
    connectors: &[Arc<dyn Connector>],
    now: Timestamp,
) -> BTreeMap<String, Vec<&'static str>> {
    let mut sites: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for connector in connectors {
        let requested = match config.mirror.as_str() {
            "" => connector.sites(now),
            mirror => BTreeSet::from([site(mirror)]),
        };
        for site in requested {
            if site.starts_with("https://") || config.allow_plain_http || !config.mirror.is_empty() {
                sites.entry(site).or_default().push(connector.origin().feed);
            }
        }
    }
    sites
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
    fn the_hosts_that_feeds_request_are_checked() {
        let config = |lines: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("gsi.toml");
            std::fs::write(&path, format!("[feeds]\n{lines}")).unwrap();
            Config::load(vec![], Some(&path), [], vec![]).unwrap()
        };
        let requested = |config: &Config| {
            let connectors = setup::active_connectors(config).unwrap();
            requested_sites(&config.feeds, &connectors, "2026-11-15T12:00:00Z".parse().unwrap())
        };
        let sites = requested(&config(""));
        assert!(sites["https://storage.googleapis.com"].contains(&"gdelt"), "{sites:?}");
        assert!(sites["https://api.gdeltproject.org"].contains(&"gdelt_doc"), "{sites:?}");
        assert!(!sites.contains_key("https://blog.gdeltproject.org"), "{sites:?}");
        assert!(sites.keys().all(|site| site.starts_with("https://")), "{sites:?}");

        let sites = requested(&config("allow_plain_http = true"));
        assert_eq!(sites["http://data.gdeltproject.org"], ["gdelt"]);
        let sites = requested(&config("mirror = \"http://10.0.0.7:8000/files\""));
        assert_eq!(sites.keys().collect::<Vec<_>>(), ["http://10.0.0.7:8000"]);
    }

    #[test]
    fn one_wrong_clock_of_a_publisher_is_ignored() {
        assert!(clock(Vec::new()).is_none());
        assert_eq!(clock(vec![1, -2, 90_000]).unwrap().verdict, super::super::Verdict::Sound);
        let wrong = clock(vec![-3601, -3600, 0]).unwrap();
        assert_eq!(wrong.verdict, super::super::Verdict::Bad);
        assert!(wrong.found.contains("3600 s behind"), "{}", wrong.found);
    }
}
