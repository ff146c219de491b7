//! Reading without a key: which requests an operator has opened, and how many of them each address may send.

use crate::auth::endpoint::Endpoint;
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

/// The endpoints an operator has published, and the limits of requests that come without a key.
pub struct PublicReading {
    settings: PublicSettings,
    limit: AddressLimit,
    /// Places at the store for all requests without a key together: as many as one key has.
    pub places: KeyPlaces,
    /// The value of the header that states the quota.
    pub policy: HeaderValue,
}

impl PublicReading {
    /// `None` when nothing is published.
    pub fn new(settings: &PublicSettings, limits: &Limits) -> Option<Self> {
        if settings.resources.is_empty() {
            return None;
        }
        let per_minute = settings.requests_per_minute;
        let policy = format!("\"public\";q={per_minute};w=60;burst={per_minute}");
        Some(PublicReading {
            settings: settings.clone(),
            limit: AddressLimit::new(RateLimit { per_minute, burst: per_minute }),
            places: KeyPlaces {
                in_flight: Arc::new(Semaphore::new(limits.in_flight_per_key())),
                readers: Arc::new(Semaphore::new(limits.readers_per_key())),
            },
            policy: HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("\"public\"")),
        })
    }

    /// Whether the endpoint is published.
    pub(crate) fn opens(&self, endpoint: &Endpoint) -> bool {
        self.settings.opens(endpoint.public)
    }

    /// Whether the request needs no key. A request that carries a key is always judged by that key.
    pub(crate) fn admits(
        &self,
        endpoint: &Endpoint,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> bool {
        if !matches!(*method, Method::GET | Method::HEAD) || headers.contains_key(header::AUTHORIZATION) {
            return false;
        }
        self.opens(endpoint) && (!asks_for_the_past(uri) || self.settings.opens(&[PublicResource::History]))
    }

    /// Counts one request of this address.
    pub(crate) fn take(&self, address: IpAddr, nanos: u64) -> QuotaVerdict {
        self.limit.take(address, nanos)
    }
}

/// Whether the query has the parameter `as_of`. By it every past score can be read.
fn asks_for_the_past(uri: &Uri) -> bool {
    uri.query().is_some()
        && QueryReader::parse(uri.query()).into_pairs().iter().any(|(name, _)| name == "as_of")
}
