//! Requests without a key: which of them pass, and how many. Which endpoint belongs to what an operator can publish is said in
//! the list of endpoints.

use crate::auth::key_ring::KeyPlaces;
use crate::auth::public::{PublicResource, PublicSettings};
use crate::auth::rate::{AddressLimit, QuotaVerdict};
use crate::request::query::QueryReader;
use crate::settings::Limits;
use gsi_model::RateLimit;
use http::{HeaderMap, HeaderValue, Method, Uri, header};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What all requests without a key share: places at the store as one key has them, and the quota they are told.
pub struct PublicReaders {
    settings: PublicSettings,
    pub places: KeyPlaces,
    pub policy: HeaderValue,
}

impl PublicReaders {
    pub(crate) fn may_read(&self, resources: &[PublicResource]) -> bool {
        self.settings.opens(resources)
    }
}

/// Decides which requests pass without a key.
pub struct PublicReading {
    /// The paths of public endpoints, matched as the router matches them.
    paths: matchit::Router<&'static [PublicResource]>,
    limit: AddressLimit,
    readers: Arc<PublicReaders>,
}

impl PublicReading {
    /// `None`: nothing is public. `endpoints` are the paths as the list of endpoints has them, with the resources of each.
    pub fn new<'a>(
        settings: &PublicSettings,
        limits: &Limits,
        endpoints: impl Iterator<Item = (&'a str, &'static [PublicResource])>,
    ) -> Option<Self> {
        if settings.resources.is_empty() {
            return None;
        }
        let mut paths = matchit::Router::new();
        for (path, resources) in endpoints.filter(|(_, resources)| settings.opens(resources)) {
            // The router has the same paths, so none contradicts another; one that did would stay closed.
            let _ = paths.insert(path, resources);
        }
        let per_minute = settings.requests_per_minute;
        let policy = format!("\"public\";q={per_minute};w=60;burst={per_minute}");
        Some(PublicReading {
            paths,
            limit: AddressLimit::new(RateLimit { per_minute, burst: per_minute }),
            readers: Arc::new(PublicReaders {
                settings: settings.clone(),
                places: KeyPlaces {
                    in_flight: Arc::new(Semaphore::new(limits.in_flight_per_key())),
                    readers: Arc::new(Semaphore::new(limits.readers_per_key())),
                },
                policy: HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("\"public\"")),
            }),
        })
    }

    /// Whether the path is public at all, for what a browser asks before it asks.
    pub(crate) fn has_path(&self, path: &str) -> bool {
        self.paths.at(path).is_ok()
    }

    /// Whether this request can do without a key. One that brings a key is judged by it.
    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Arc<PublicReaders>> {
        if !matches!(*method, Method::GET | Method::HEAD) || headers.contains_key(header::AUTHORIZATION) {
            return None;
        }
        let resources = *self.paths.at(uri.path()).ok()?.value;
        let is_open = self.readers.may_read(resources)
            && (!asks_for_the_past(uri) || self.readers.may_read(&[PublicResource::History]));
        is_open.then(|| Arc::clone(&self.readers))
    }

    /// Counts one request of this address.
    pub fn take(&self, address: IpAddr, nanos: u64) -> QuotaVerdict {
        self.limit.take(address, nanos)
    }
}

/// Any score there ever was could be asked for by its time.
fn asks_for_the_past(uri: &Uri) -> bool {
    uri.query().is_some()
        && QueryReader::parse(uri.query()).into_pairs().iter().any(|(name, _)| name == "as_of")
}
