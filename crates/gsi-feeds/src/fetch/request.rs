//! What is asked of a publisher, and what came back.

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

/// One thing to ask for, with the limits of the feed that asks.
#[derive(Clone, Debug)]
pub struct Request {
    pub feed: &'static str,
    pub url: String,
    /// The only hosts this request may touch, redirects included.
    pub hosts: &'static [&'static str],
    pub now: Timestamp,
    pub max_bytes: usize,
    pub accept: &'static str,
    /// Validators of the copy already known.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Ask only for the last so many bytes.
    pub tail: Option<u64>,
    /// The body is expected to be a web page.
    pub page: bool,
    /// Further headers, for example a key the operator configured.
    pub headers: Vec<(&'static str, String)>,
    /// How many times the usual time limit the publisher may take.
    pub time_limit_factor: f32,
    /// The least time between two requests to this host, where its publisher asks for more than the usual pause. Whoever
    /// does is not asked again within a poll after it has said that it was too much.
    pub least_interval: Duration,
    /// Parameters added to the address when it is sent and nowhere else: not logged, not archived.
    pub secret_query: Vec<(&'static str, String)>,
    /// Sent as a form with POST. Neither the form nor its answer is archived.
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

    /// It carries something that only the publisher may see.
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
    /// The header as sent, to be sent back.
    pub last_modified: Option<String>,
    pub modified_at: Option<Timestamp>,
    pub fetched_at: Timestamp,
    /// 304: the copy already known is still right; `bytes` is empty.
    pub not_modified: bool,
    /// Only the asked-for part of the file came.
    pub partial: bool,
}
