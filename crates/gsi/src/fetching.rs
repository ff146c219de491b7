//! How the publishers are asked: the live ones as the configuration says, simulated ones without manners.

use crate::config::Config;
use anyhow::Context;
use gsi_api::Service;
use gsi_feeds::{Fetcher, FetcherSettings};
use std::sync::Arc;
use std::time::Duration;

/// The fetcher of the live service.
pub fn fetcher(config: &Config) -> anyhow::Result<Fetcher> {
    Ok(Fetcher::new(fetcher_settings(config)?)?)
}

/// The fetcher of a simulated world, whose publishers are below `base`. They are on this machine: no need for manners.
pub fn simulated_fetcher(base: &str) -> anyhow::Result<Fetcher> {
    // They can make every file again, so there is no use for a second copy of it.
    Ok(Fetcher::new(FetcherSettings::simulated(url::Url::parse(base)?))?)
}

/// The same for a rehearsal, which keeps payloads as the live service does.
pub fn rehearsal_fetcher(config: &Config) -> anyhow::Result<Fetcher> {
    let live = fetcher_settings(config)?;
    Ok(Fetcher::new(FetcherSettings {
        archive: live.archive,
        archive_days: live.archive_days,
        ..FetcherSettings::simulated(url::Url::parse(&config.rehearsal.publishers)?)
    })?)
}

/// How the publishers are asked, as the configuration says.
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
        // A mirror is where the operator says it is, and nobody else's: it is asked without pauses.
        allow_private: has_mirror,
        spacing: if has_mirror { Duration::ZERO } else { defaults.spacing },
        extra_ca: given(&config.feeds.ca_file).map(Into::into),
        archive: (config.feeds.archive_days > 0).then(|| config.data.join("archive")),
        archive_days: config.feeds.archive_days,
        allow_plain_http: config.feeds.allow_plain_http,
        credentials: config.feeds.keys.clone(),
        ..defaults
    })
}

/// Shows what the fetcher counts among the service's metrics.
pub fn count_fetches(service: &Service, fetcher: &Arc<Fetcher>) {
    let counted = Arc::clone(fetcher);
    service.add_metrics(Box::new(move || counted.metrics()));
}
