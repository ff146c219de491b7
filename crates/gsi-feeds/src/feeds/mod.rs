//! One file or folder per publisher: an origin record, a pure decoder, and the requests of a poll.

pub mod acled;
pub mod ciss;
pub mod ecb;
pub mod epss;
pub mod epu;
pub mod fred;
pub mod gdacs;
pub mod gdelt;
pub mod gdelt_daily;
pub mod gdelt_doc;
pub mod gpr;
pub mod gscpi;
pub mod ioda;
pub mod kev;
pub mod nvd;
pub mod ofr;
pub mod oil;
pub mod poc;
pub mod ports;
pub mod portwatch;
pub mod radar;
pub mod ransomware;
pub mod reliefweb;
pub mod treasury;
pub mod ucdp;
pub mod ucdp_api;
pub mod usgs;
pub mod vix;

use crate::Connector;
use std::sync::Arc;

/// Returns every connector of this build, on or off by default.
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

/// Returns the connectors that are on unless the operator turns them off.
pub fn default_connectors() -> Vec<Arc<dyn Connector>> {
    all_connectors().into_iter().filter(|c| c.origin().default_on).collect()
}

/// Returns the series whose values may not be passed on. Feeds that are off are included, because their values may have been
/// imported.
pub fn withheld_series() -> Vec<String> {
    let connectors = all_connectors();
    let series = connectors.iter().flat_map(|c| c.series()).filter(|s| s.is_withheld);
    series.map(|s| s.series.to_owned()).collect()
}

/// Returns the connectors that only read history. A backfill names them; the service never polls them.
pub fn history_connectors() -> Vec<Arc<dyn Connector>> {
    vec![Arc::new(gdelt_daily::FEED)]
}

/// Returns the connector of a feed.
pub fn connector(name: &str) -> Option<Arc<dyn Connector>> {
    all_connectors().into_iter().chain(history_connectors()).find(|c| c.origin().feed == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds whose licence forbids passing values on, and of which only our own counts are kept.
    const COUNTED: [&str; 4] = ["acled", "ioda", "radar", "ransomware"];

    #[test]
    fn values_under_a_restrictive_licence_are_withheld_or_counted() {
        for connector in all_connectors() {
            let (origin, series) = (connector.origin(), connector.series());
            let must = !origin.licence.republish && !COUNTED.contains(&origin.feed);
            assert!(series.iter().all(|s| s.is_withheld == must), "{}: {series:?}", origin.feed);
        }
        assert!(withheld_series().contains(&"cboe.vix".to_owned()));
    }
}
