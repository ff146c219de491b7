//! An answer before it has headers: what differs between answers, in fields. One place turns it into HTTP.

use bytes::Bytes;
use gsi_model::DataStatus;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub const GEOJSON: HeaderValue = HeaderValue::from_static("application/geo+json");
pub const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
pub const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
pub const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub const DATA_STATUS: HeaderName = HeaderName::from_static("gsi-data-status");
pub const SIMULATED: HeaderName = HeaderName::from_static("gsi-simulated");
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub content_type: Option<HeaderValue>,
    pub body: Bytes,
    pub encoding: Option<HeaderValue>,
    pub etag: Option<HeaderValue>,
    pub last_modified: Option<HeaderValue>,
    pub cache_control: HeaderValue,
    pub data_status: Option<DataStatus>,
    /// Whatever only this answer has.
    pub more: Vec<(HeaderName, HeaderValue)>,
    /// The connection cannot be used again.
    pub close: bool,
    /// Only the head is given here; the stream follows.
    pub streams: bool,
}

impl Reply {
    pub fn new(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Self {
        Reply {
            status,
            content_type: Some(content_type),
            body: body.into(),
            encoding: None,
            etag: None,
            last_modified: None,
            cache_control: NO_STORE,
            data_status: None,
            more: Vec::new(),
            close: false,
            streams: false,
        }
    }

    pub fn empty(status: StatusCode) -> Self {
        Reply { content_type: None, ..Reply::new(status, JSON, Bytes::new()) }
    }

    /// Moves the parts into a header map that is empty but may have room already.
    pub fn write_headers(&mut self, headers: &mut HeaderMap) {
        if let Some(value) = self.content_type.take() {
            headers.insert(header::CONTENT_TYPE, value);
        }
        if let Some(value) = self.encoding.take() {
            headers.insert(header::CONTENT_ENCODING, value);
        }
        if let Some(value) = self.etag.take() {
            headers.insert(header::ETAG, value);
        }
        if let Some(value) = self.last_modified.take() {
            headers.insert(header::LAST_MODIFIED, value);
        }
        headers.insert(header::CACHE_CONTROL, std::mem::replace(&mut self.cache_control, NO_STORE));
        if let Some(status) = self.data_status {
            headers.insert(DATA_STATUS, crate::prepared::status_header(status));
        }
        for (name, value) in self.more.drain(..) {
            headers.append(name, value);
        }
        if self.close {
            headers.insert(header::CONNECTION, const { HeaderValue::from_static("close") });
        }
    }
}
