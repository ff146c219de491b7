//! Bytes of public feeds become observations: one fetcher, one folder per feed.
//!
//! A connector is an origin record, a pure `decode` and a `poll` that takes one polite look at the publisher.
//! Nothing here writes to a store, and no connector can harm another.

mod connector;
mod fetch;
mod files;
pub mod gdelt;
pub mod kev;
pub mod ofr;
pub mod oil;
#[cfg(test)]
mod real_data;
pub mod refusal;
mod series;
mod table;
pub mod text;
mod unpack;

pub use connector::{Connector, Payload, Poll, PollFuture, SeriesSpec};
pub use fetch::{Fetched, Fetcher, FetcherError, FetcherSettings, Request};
pub use unpack::unpack;

use std::sync::Arc;

/// Every connector this build knows, on or off by default.
pub fn all_connectors() -> Vec<Arc<dyn Connector>> {
    vec![Arc::new(gdelt::Gdelt::default()), Arc::new(kev::Kev), Arc::new(oil::Oil), Arc::new(ofr::Ofr)]
}

/// The connectors that need no key and are on unless the operator says otherwise.
pub fn default_connectors() -> Vec<Arc<dyn Connector>> {
    all_connectors().into_iter().filter(|c| c.origin().default_on).collect()
}

/// The connector of that feed name.
pub fn connector(name: &str) -> Option<Arc<dyn Connector>> {
    all_connectors().into_iter().find(|c| c.origin().feed == name)
}
