//! How the one fetcher behaves towards every publisher: who it says it is, where it may connect to, how long it waits and how
//! often it tries again.

use crate::Credentials;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// How the one fetcher behaves. Per-feed limits travel with each [`crate::Request`].
#[derive(Clone, Debug)]
pub struct FetcherSettings {
    /// Product and version, for example `gsi/0.1`.
    pub user_agent: String,
    /// Where a publisher can complain; shown in the user agent.
    pub contact: String,
    /// When set, `https://HOST/PATH?Q` is fetched as `{base}/HOST/PATH?Q`: the simulated world.
    pub rewrite_base: Option<Url>,
    /// The rewrite base may be a private or loopback address. Nothing else ever may.
    pub allow_private: bool,
    /// Publishers may be asked without encryption where they have no other route left.
    pub allow_plain_http: bool,
    pub proxy: Option<Url>,
    /// PEM file with further certificate authorities, for proxies that open TLS.
    pub extra_ca: Option<PathBuf>,
    pub connect_timeout: Duration,
    /// For one request with its redirects and retries.
    pub total_timeout: Duration,
    /// First pause before a retry; doubles from there.
    pub retry_base: Duration,
    /// Retries after the first attempt.
    pub retries: u32,
    /// A `Retry-After` longer than this ends the poll instead of holding it up.
    pub max_retry_after: Duration,
    /// Pause between two requests to one host.
    pub spacing: Duration,
    /// Keep every payload here, compressed, so that it can be decoded again.
    pub archive: Option<PathBuf>,
    /// Archived payloads are removed after this many days.
    pub archive_days: u32,
    /// Answer from payloads recorded in this folder instead of asking anybody.
    pub replay: Option<PathBuf>,
    /// The operator's keys, by name. Connectors send them where their publishers want them.
    pub credentials: Credentials,
    /// Answer from the publishers' own files below this folder, as `HOST/PATH`, instead of asking anybody.
    pub folder: Option<PathBuf>,
    /// The publishers have a past worth fetching. A simulated world has none before its own clock began.
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
            replay: None,
            credentials: Credentials::default(),
            folder: None,
            backfill: true,
        }
    }
}

impl FetcherSettings {
    /// Everything comes from a publisher on this machine: no pauses, quick retries.
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
