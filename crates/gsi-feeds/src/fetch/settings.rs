//! The fetcher's settings for all publishers: its user agent, the allowed addresses, time limits and retries.

use crate::Credentials;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// The settings of the fetcher. Limits of a single feed are in each [`crate::Request`].
#[derive(Clone, Debug)]
pub struct FetcherSettings {
    /// Product and version, for example `gsi/0.1`.
    pub user_agent: String,
    /// Where a publisher can complain; shown in the user agent.
    pub contact: String,
    /// If set, `https://HOST/PATH?Q` is fetched as `{base}/HOST/PATH?Q`. The simulated world uses this.
    pub rewrite_base: Option<Url>,
    /// Allows a private or loopback address for the rewrite base, and for nothing else.
    pub allow_private: bool,
    /// Allows plain HTTP to publishers that have no other route.
    pub allow_plain_http: bool,
    pub proxy: Option<Url>,
    /// PEM file with further certificate authorities, for proxies that intercept TLS.
    pub extra_ca: Option<PathBuf>,
    pub connect_timeout: Duration,
    /// Time limit for one request with its redirects and retries.
    pub total_timeout: Duration,
    /// Pause before the first retry. It doubles with each further one.
    pub retry_base: Duration,
    /// Number of retries after the first attempt.
    pub retries: u32,
    /// A `Retry-After` longer than this ends the poll instead of delaying it.
    pub max_retry_after: Duration,
    /// Pause between two requests to one host.
    pub spacing: Duration,
    /// Folder in which every payload is kept, compressed, so that it can be decoded again.
    pub archive: Option<PathBuf>,
    /// Archived payloads are removed after this many days.
    pub archive_days: u32,
    /// The archive's limit in bytes. One feed gets a quarter of it. Beyond either the oldest payloads are removed.
    pub archive_max_bytes: u64,
    /// Answers requests from the payloads recorded in this folder instead of the network.
    pub replay: Option<PathBuf>,
    /// The operator's keys, by name. Connectors send them in the form that their publishers require.
    pub credentials: Credentials,
    /// Answers requests from copies of the publishers' files below this folder, as `HOST/PATH`, instead of the network.
    pub folder: Option<PathBuf>,
    /// The publishers have history to fetch. A simulated world has none before the start of its clock.
    pub backfill: bool,
}

impl Default for FetcherSettings {
    fn default() -> Self {
        FetcherSettings {
            user_agent: concat!("gsi/", env!("CARGO_PKG_VERSION")).to_owned(),
            contact: String::new(),
            rewrite_base: None,
            allow_private: false,
            allow_plain_http: false,
            proxy: None,
            extra_ca: None,
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(60),
            retry_base: Duration::from_millis(500),
            retries: 2,
            max_retry_after: Duration::from_secs(20),
            spacing: Duration::from_millis(250),
            archive: None,
            archive_days: 30,
            archive_max_bytes: 4 << 30,
            replay: None,
            credentials: Credentials::default(),
            folder: None,
            backfill: true,
        }
    }
}

impl FetcherSettings {
    /// Returns settings for a publisher on this machine: no pauses and quick retries.
    pub fn simulated(base: Url) -> Self {
        FetcherSettings {
            rewrite_base: Some(base),
            allow_private: true,
            connect_timeout: Duration::from_secs(2),
            total_timeout: Duration::from_secs(10),
            retry_base: Duration::from_millis(20),
            max_retry_after: Duration::from_millis(200),
            spacing: Duration::ZERO,
            backfill: false,
            ..FetcherSettings::default()
        }
    }
}
