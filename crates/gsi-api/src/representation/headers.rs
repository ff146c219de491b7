//! Names and values of headers that several modules write.

use http::{HeaderName, HeaderValue};

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub(crate) const GEOJSON: HeaderValue = HeaderValue::from_static("application/geo+json");
pub(crate) const ATOM: HeaderValue = HeaderValue::from_static("application/atom+xml; charset=utf-8");
pub(crate) const JSON_FEED: HeaderValue = HeaderValue::from_static("application/feed+json");
pub const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
pub const PNG: HeaderValue = HeaderValue::from_static("image/png");
pub const SVG: HeaderValue = HeaderValue::from_static("image/svg+xml");
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
pub const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
pub const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub const DATA_STATUS: HeaderName = HeaderName::from_static("gsi-data-status");
pub const SIMULATED: HeaderName = HeaderName::from_static("gsi-simulated");
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
