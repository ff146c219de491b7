//! Requests to publishers and their answers.

use bytes::Bytes;
use gsi_model::Timestamp;
use std::time::Duration;
use url::Url;

#[derive(Debug, thiserror::Error)]
pub enum FetcherError {
    #[error("the HTTP client cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
    #[error("cannot read {path}: {source}")]
    File { path: String, source: std::io::Error },
    #[error("the rewrite base {0} is a private address and allow_private is off")]
    PrivateBase(Url),
    #[error("{0} cannot be a rewrite base")]
    BadBase(Url),
}

/// One request, with the limits of its feed.
#[derive(Clone, Debug)]
pub struct Request {
    pub feed: &'static str,
    pub url: String,
    /// The only hosts that this request may use, redirects included.
    pub hosts: &'static [&'static str],
    pub now: Timestamp,
    pub max_bytes: usize,
    pub accept: &'static str,
    /// Validators of the known copy.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Requests only this number of bytes from the end.
    pub tail: Option<u64>,
    /// A web page is the expected body.
    pub page: bool,
    /// Further headers, for example the operator's key.
    pub headers: Vec<(&'static str, String)>,
    /// The time limit as a multiple of the usual one.
    pub time_limit_factor: f32,
    /// The least time between two requests to this host, if its publisher requires more than the usual pause. Such a host gets
    /// no further request in a poll after it answered that there were too many.
    pub least_interval: Duration,
    /// Query parameters that are added to the address only when it is sent, so they are neither logged nor archived.
    pub secret_query: Vec<(&'static str, String)>,
    /// A form to send with POST. The form and its answer are not archived.
    pub form: Vec<(&'static str, String)>,
}

impl Request {
    pub fn new(
        feed: &'static str,
        url: impl Into<String>,
        hosts: &'static [&'static str],
        now: Timestamp,
    ) -> Self {
        Request {
            feed,
            url: url.into(),
            hosts,
            now,
            max_bytes: 8 << 20,
            accept: "*/*",
            etag: None,
            last_modified: None,
            tail: None,
            page: false,
            headers: Vec::new(),
            time_limit_factor: 1.0,
            least_interval: Duration::ZERO,
            secret_query: Vec::new(),
            form: Vec::new(),
        }
    }

    /// Tells whether the request has a secret that only the publisher may see.
    pub(super) fn has_secrets(&self) -> bool {
        !(self.headers.is_empty() && self.secret_query.is_empty() && self.form.is_empty())
    }

    pub fn max_bytes(mut self, cap: usize) -> Self {
        self.max_bytes = cap;
        self
    }
}

#[derive(Clone, Debug)]
pub struct Fetched {
    pub bytes: Bytes,
    pub etag: Option<String>,
    /// The header's text, which the next conditional request sends unchanged.
    pub last_modified: Option<String>,
    pub modified_at: Option<Timestamp>,
    pub fetched_at: Timestamp,
    /// Status 304: the known copy is still current, and `bytes` is empty.
    pub not_modified: bool,
    /// The bytes are only the requested part of the file.
    pub partial: bool,
}
