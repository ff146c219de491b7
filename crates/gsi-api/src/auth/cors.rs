//! Cross-origin requests: which origins may read answers, and the answer to a browser's preflight.
//!
//! This is not tower-http's `CorsLayer`, which takes every OPTIONS request for a preflight and answers it before
//! authentication. Here only a real preflight is answered, and only when an operator allows other origins or publishes
//! the resource. Any other OPTIONS request is authenticated like every request.

use crate::settings::Cors;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};

pub(crate) const EXPOSED: HeaderValue = HeaderValue::from_static(
    "ETag, Link, GSI-Data-Status, GSI-Simulated, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
);
pub(crate) const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD");
const ALLOW_PREFLIGHT: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const PREFLIGHT_HEADERS: HeaderValue =
    HeaderValue::from_static("Authorization, Accept, If-None-Match, If-Modified-Since, Last-Event-ID");
/// The headers for reading a public resource, which needs no key.
const PUBLIC_PREFLIGHT_HEADERS: HeaderValue =
    HeaderValue::from_static("Accept, If-None-Match, If-Modified-Since");
/// Seconds for which a browser may cache the answer to a preflight.
const PREFLIGHT_AGE: HeaderValue = HeaderValue::from_static("600");

impl Cors {
    pub(crate) fn is_on(&self) -> bool {
        *self != Cors::Off
    }

    /// The methods that are allowed.
    pub fn allow(&self) -> HeaderValue {
        if self.is_on() { ALLOW_PREFLIGHT } else { ALLOW }
    }

    pub(crate) fn allowed_origin(&self, origin: Option<&HeaderValue>) -> Option<HeaderValue> {
        let origin = origin?;
        match self {
            Cors::Off => None,
            Cors::Any => Some(ANY_ORIGIN),
            Cors::Origins(list) => {
                list.iter().any(|o| o.as_bytes() == origin.as_bytes()).then(|| origin.clone())
            }
        }
    }
}

/// Whether this is a browser's preflight.
pub(crate) fn is_preflight<B>(request: &Request<B>) -> bool {
    *request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ORIGIN)
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight for a public resource, which pages of any origin may read.
pub(crate) fn public_preflight() -> Response {
    let mut response = preflight();
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_HEADERS, PUBLIC_PREFLIGHT_HEADERS);
    response
}

/// The answer to a preflight. The allowed origin is added as to every answer.
pub fn preflight() -> Response {
    let headers: [(HeaderName, HeaderValue); 5] = [
        (header::ALLOW, ALLOW_PREFLIGHT),
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOW),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, PREFLIGHT_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE),
        (header::CACHE_CONTROL, crate::representation::headers::NO_STORE),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}
