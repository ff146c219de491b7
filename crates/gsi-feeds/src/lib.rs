//! Bytes of public feeds become observations: one fetcher, one folder per feed.
//!
//! A connector is an origin record, a pure `decode` and a `poll` that takes one polite look at the publisher.
//! Nothing here writes to a store, and no connector can harm another.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::unwrap_used))]

pub mod acled;
mod arcgis;
pub mod ciss;
mod connector;
mod credentials;
pub mod ecb;
pub mod epss;
pub mod epu;
mod feed;
mod fetch;
mod file_source;
mod files;
pub mod fred;
pub mod gdacs;
pub mod gdelt;
pub mod gdelt_daily;
pub mod gdelt_doc;
pub mod gpr;
pub mod gscpi;
pub mod ioda;
mod json;
pub mod kev;
pub mod nvd;
pub mod ofr;
pub mod oil;
pub mod poc;
pub mod ports;
pub mod portwatch;
pub mod radar;
pub mod ransomware;
mod refusal;
pub mod reliefweb;
mod series;
mod table;
pub mod treasury;
pub mod ucdp;
pub mod ucdp_api;
mod unpack;
pub mod usgs;
pub mod vix;
mod workbook;

pub use connector::{Connector, Payload, Poll, PollFuture, SeriesSpec};
pub use credentials::{Credentials, FeedKey};
pub use feed::Feed;
pub use fetch::{
    ArchivePruned, Fetched, Fetcher, FetcherError, FetcherSettings, GuardedResolver, Request, is_private,
    prune_archive,
};
pub use file_source::FileSource;
pub use unpack::unpack;

use std::sync::Arc;

/// Every connector this build knows, on or off by default.
pub fn all_connectors() -> Vec<Arc<dyn Connector>> {
    vec![
        Arc::new(gdelt::Gdelt::default()),
        Arc::new(ucdp::FEED),
        Arc::new(gpr::FEED),
        Arc::new(kev::FEED),
        Arc::new(epss::FEED),
        Arc::new(ioda::FEED),
        Arc::new(poc::FEED),
        Arc::new(ransomware::FEED),
        Arc::new(portwatch::FEED),
        Arc::new(ports::FEED),
        Arc::new(gscpi::FEED),
        Arc::new(oil::FEED),
        Arc::new(usgs::FEED),
        Arc::new(gdacs::FEED),
        Arc::new(ofr::FEED),
        Arc::new(treasury::FEED),
        Arc::new(ecb::FEED),
        Arc::new(epu::FEED),
        Arc::new(gdelt_doc::FEED),
        Arc::new(vix::FEED),
        Arc::new(ciss::FEED),
        Arc::new(nvd::FEED),
        Arc::new(fred::FEED),
        Arc::new(radar::FEED),
        Arc::new(ucdp_api::FEED),
        Arc::new(acled::FEED),
        Arc::new(reliefweb::FEED),
    ]
}

/// The connectors that are on unless the operator says otherwise.
pub fn default_connectors() -> Vec<Arc<dyn Connector>> {
    all_connectors().into_iter().filter(|c| c.origin().default_on).collect()
}

/// The series whose values may not be passed on, of feeds that are on or off: what was imported is withheld too.
pub fn withheld_series() -> Vec<String> {
    let connectors = all_connectors();
    let series = connectors.iter().flat_map(|c| c.series()).filter(|s| s.is_withheld);
    series.map(|s| s.series.to_owned()).collect()
}

/// Readers of the past alone: a back-fill asks for them by name, the service never does.
pub fn history_connectors() -> Vec<Arc<dyn Connector>> {
    vec![Arc::new(gdelt_daily::FEED)]
}

/// The connector of that feed name.
pub fn connector(name: &str) -> Option<Arc<dyn Connector>> {
    all_connectors().into_iter().chain(history_connectors()).find(|c| c.origin().feed == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their licence does not let values be passed on, but what is kept of them is counted by us.
    const COUNTED: [&str; 4] = ["acled", "ioda", "radar", "ransomware"];

    #[test]
    fn what_may_not_be_passed_on_is_withheld_or_counted() {
        for connector in all_connectors() {
            let (origin, series) = (connector.origin(), connector.series());
            let must = !origin.licence.republish && !COUNTED.contains(&origin.feed);
            assert!(series.iter().all(|s| s.is_withheld == must), "{}: {series:?}", origin.feed);
        }
        assert!(withheld_series().contains(&"cboe.vix".to_owned()));
    }
}
