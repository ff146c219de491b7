//! One file of a feed: its addresses, its caps, and its requests.

use crate::{Connector, Fetcher, Payload, Request};
use gsi_model::{Decoded, PayloadRefusal, RefusalCode, Timestamp};
use std::time::Duration;
use url::Url;

/// A file of a feed, with its address and its mirrors.
#[derive(Clone, Debug)]
pub struct FileSource {
    /// The payload's name for the decoder, and the file's key in the checkpoint.
    pub name: String,
    /// Tried in order. A mirror is used only if all addresses before it fail.
    pub urls: Vec<String>,
    pub hosts: &'static [&'static str],
    pub max_bytes: usize,
    pub accept: &'static str,
    /// Content with less than this share of the previous rows is refused. Zero turns the check off.
    pub keeps: f64,
    /// The file is a table in order of time under one header line, so only its new rows need decoding.
    pub grows: bool,
    /// See [`Request::time_limit_factor`].
    pub time_limit_factor: f32,
    /// See [`Request::least_interval`].
    pub least_interval: Duration,
    /// Further headers, for example the operator's key.
    pub headers: Vec<(&'static str, String)>,
    /// Query parameters that are sent but never logged or archived.
    pub secret_query: Vec<(&'static str, String)>,
}

impl FileSource {
    pub fn new(
        name: impl Into<String>,
        url: impl Into<String>,
        hosts: &'static [&'static str],
        max_bytes: usize,
    ) -> Self {
        FileSource {
            name: name.into(),
            urls: vec![url.into()],
            hosts,
            max_bytes,
            accept: "*/*",
            keeps: 0.0,
            grows: false,
            time_limit_factor: 1.0,
            least_interval: Duration::ZERO,
            headers: Vec::new(),
            secret_query: Vec::new(),
        }
    }

    /// Makes a source that answers in JSON.
    pub fn json(
        name: impl Into<String>,
        url: impl Into<String>,
        hosts: &'static [&'static str],
        max_bytes: usize,
    ) -> Self {
        FileSource { accept: "application/json", ..FileSource::new(name, url, hosts, max_bytes) }
    }

    /// Returns scheme and host of each address, such as `https://example.org`.
    pub(crate) fn sites(&self) -> impl Iterator<Item = String> {
        self.urls.iter().filter_map(|url| Some(Url::parse(url).ok()?.origin().ascii_serialization()))
    }

    /// Returns the request for this file at one of its addresses.
    pub(crate) fn request(&self, feed: &'static str, url: &str, now: Timestamp) -> Request {
        let mut request = Request::new(feed, url, self.hosts, now).max_bytes(self.max_bytes);
        request.accept = self.accept;
        request.time_limit_factor = self.time_limit_factor;
        request.least_interval = self.least_interval;
        request.headers.clone_from(&self.headers);
        request.secret_query.clone_from(&self.secret_query);
        request
    }

    /// Fetches and decodes the file unconditionally, from the first address that answers.
    pub async fn fetch(
        &self,
        connector: &dyn Connector,
        fetcher: &Fetcher,
        now: Timestamp,
    ) -> Result<Decoded, PayloadRefusal> {
        let mut first_refusal = None;
        for url in &self.urls {
            let outcome = fetcher.get(&self.request(connector.origin().feed, url, now)).await;
            let decoded = outcome.and_then(|fetched| {
                let payload = Payload::new(&self.name, &fetched.bytes, now);
                connector.decode(&Payload { last_modified: fetched.modified_at, ..payload })
            });
            match decoded {
                Ok(decoded) => return Ok(decoded),
                Err(refusal) => first_refusal = first_refusal.or(Some(refusal)),
            }
        }
        Err(first_refusal.unwrap_or_else(no_address))
    }
}

pub(crate) fn no_address() -> PayloadRefusal {
    PayloadRefusal::new(RefusalCode::Manifest, "no address to ask")
}
