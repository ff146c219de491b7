//! The feeds that are switched on, and the method over them.

use crate::config::{Config, ConfigError};
use anyhow::{Context, bail};
use gsi_feeds::Connector;
use gsi_index::{BaselineFile, Method};
use std::sync::Arc;

/// Returns the connectors of the feeds that the configuration switches on.
pub fn active_connectors(config: &Config) -> anyhow::Result<Vec<Arc<dyn Connector>>> {
    let all = gsi_feeds::all_connectors();
    let is_known = |name: &String| all.iter().any(|c| c.origin().feed == name);
    for name in config.feeds.disabled.iter().chain(&config.feeds.enabled) {
        if !is_known(name) {
            let names: Vec<_> = all.iter().map(|c| c.origin().feed).collect();
            bail!(ConfigError::Invalid(format!("there is no feed `{name}`; there are {}", names.join(", "))));
        }
    }
    let is_active = |c: &Arc<dyn Connector>| {
        let origin = c.origin();
        let name = origin.feed.to_owned();
        (origin.default_on || config.feeds.enabled.contains(&name)) && !config.feeds.disabled.contains(&name)
    };
    let active: Vec<_> = all.into_iter().filter(is_active).collect();
    for connector in &active {
        require_key(config, &**connector)?;
    }
    Ok(active)
}

/// Returns an error for a feed whose publisher requires a key that is not configured.
pub(crate) fn require_key(config: &Config, connector: &dyn Connector) -> anyhow::Result<()> {
    if let Some(key) = config.feeds.keys.find_missing(connector.keys()) {
        let feed = connector.origin().feed;
        bail!(ConfigError::Invalid(format!("the feed `{feed}` needs `feeds.keys.{key}`")));
    }
    Ok(())
}

/// Returns the connector of a feed, whether it is switched on or not.
pub(crate) fn find_connector(name: &str) -> anyhow::Result<Arc<dyn Connector>> {
    gsi_feeds::connector(name).with_context(|| {
        let names: Vec<_> = gsi_feeds::all_connectors().iter().map(|c| c.origin().feed).collect();
        format!("there is no feed {name:?}; there are {}", names.join(", "))
    })
}

/// Loads the catalogue, reduced to the feeds that are on, with the baseline that the configuration names.
pub fn load_method(config: &Config, connectors: &[Arc<dyn Connector>]) -> anyhow::Result<Arc<Method>> {
    let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
    let method = Method::load(Method::default_text(), &feeds)?;
    let path = config.method.baseline.as_str();
    if path.is_empty() {
        return Ok(Arc::new(method));
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the baseline {path}"))?;
    let baseline = BaselineFile::parse(&text).with_context(|| path.to_owned())?;
    let method = method.with_baseline(&baseline).with_context(|| path.to_owned())?;
    tracing::info!(as_of = baseline.manifest.as_of, digest = baseline.digest, "the baseline is loaded");
    Ok(Arc::new(method))
}
