//! How publishers are asked: the live ones as the configuration says, simulated ones without pauses.

use crate::config::Config;
use anyhow::Context;
use gsi_feeds::{Fetcher, FetcherSettings};
use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// Returns the fetcher of the live service.
pub(crate) fn fetcher(config: &Config) -> anyhow::Result<Fetcher> {
    Ok(Fetcher::new(fetcher_settings(config)?)?)
}

/// Returns the fetcher of a simulated world, whose publishers answer on this machine at `base`. It archives no payloads, because
/// these publishers can produce every file again.
pub fn simulated_fetcher(base: &str) -> anyhow::Result<Fetcher> {
    Ok(Fetcher::new(FetcherSettings::simulated(url::Url::parse(base)?))?)
}

/// Returns the fetcher of a rehearsal, which archives payloads as the live service does.
pub(crate) fn rehearsal_fetcher(config: &Config) -> anyhow::Result<Fetcher> {
    let live = fetcher_settings(config)?;
    Ok(Fetcher::new(FetcherSettings {
        archive: live.archive,
        archive_days: live.archive_days,
        archive_max_bytes: live.archive_max_bytes,
        ..FetcherSettings::simulated(url::Url::parse(&config.rehearsal.publishers)?)
    })?)
}

/// Returns the settings under `[feeds]` for a fetcher.
pub fn fetcher_settings(config: &Config) -> anyhow::Result<FetcherSettings> {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let address = |text: &str, key: &'static str| {
        given(text).map(|text| url::Url::parse(&text)).transpose().context(key)
    };
    let defaults = FetcherSettings::default();
    let has_mirror = !config.feeds.mirror.is_empty();
    Ok(FetcherSettings {
        contact: config.feeds.contact.clone(),
        proxy: address(&config.feeds.proxy, "feeds.proxy")?,
        rewrite_base: address(&config.feeds.mirror, "feeds.mirror")?,
        // A mirror belongs to the operator: it may have a private address and needs no pauses.
        allow_private: has_mirror,
        spacing: if has_mirror { Duration::ZERO } else { defaults.spacing },
        extra_ca: given(&config.feeds.ca_file).map(Into::into),
        archive: (config.feeds.archive_days > 0).then(|| config.data.join("archive")),
        archive_days: config.feeds.archive_days,
        archive_max_bytes: config.feeds.archive_max_mb.saturating_mul(MIB),
        allow_plain_http: config.feeds.allow_plain_http,
        credentials: config.feeds.keys.clone(),
        ..defaults
    })
}
