//! The only path to a publisher: guarded, polite and bounded, with checks of what a success status claims.

mod archive;
mod counts;
mod folder;
mod guard;
mod polite;
mod recording;
mod request;
mod settings;
#[cfg(test)]
mod tests;

pub use archive::{ArchivePruned, prune_archive};
pub use guard::{GuardedResolver, is_private};
pub use request::{Fetched, FetcherError, Request};
pub use settings::FetcherSettings;

use crate::Credentials;
use crate::refusal::{self, refuse};
use archive::Archive;
use bytes::{Bytes, BytesMut};
use counts::FetchCounts;
use gsi_model::{PayloadRefusal, RefusalCode, Timestamp};
use polite::Politeness;
use prometheus_client::registry::Registry;
use recording::Recording;
use reqwest::header::{self, HeaderMap, HeaderValue};
use std::error::Error as _;
use std::time::{Duration, UNIX_EPOCH};
use url::Url;

const MAX_REDIRECTS: usize = 5;
/// Validators are stored in every checkpoint, so longer ones are dropped.
const MAX_VALIDATOR: usize = 256;

#[derive(Debug)]
pub struct Fetcher {
    client: reqwest::Client,
    settings: FetcherSettings,
    polite: Politeness,
    archive: Option<Archive>,
    recording: Option<Recording>,
    counts: FetchCounts,
}

impl Fetcher {
    pub fn new(settings: FetcherSettings) -> Result<Self, FetcherError> {
        // The process may have installed the same provider already, which is no error.
        let _ = rustls::crypto::ring::default_provider().install_default();
        if let Some(base) = &settings.rewrite_base {
            check_base(base, settings.allow_private)?;
        }
        let trusted_host = settings.rewrite_base.as_ref().or(settings.proxy.as_ref());
        let trusted_host = trusted_host.and_then(|u| u.host_str()).map(str::to_owned);
        let agent = match settings.contact.as_str() {
            "" => settings.user_agent.clone(),
            contact => format!("{} (+{contact})", settings.user_agent),
        };
        let mut builder = reqwest::Client::builder()
            .user_agent(agent)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(settings.connect_timeout)
            .dns_resolver(guard::GuardedResolver { trusted_host })
            .tcp_nodelay(true)
            .no_proxy();
        if let Some(proxy) = &settings.proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy.clone())?);
        }
        if let Some(path) = &settings.extra_ca {
            let pem = std::fs::read(path)
                .map_err(|source| FetcherError::File { path: path.display().to_string(), source })?;
            builder = builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(&pem)?);
        }
        let open = |dir| Archive::open(dir, settings.archive_days, settings.archive_max_bytes);
        let archive = settings.archive.as_deref().map(open).transpose()?;
        let recording = settings.replay.as_ref().map(|dir| Recording::open(dir)).transpose()?;
        let polite = Politeness::new(settings.spacing);
        let counts = FetchCounts::default();
        Ok(Fetcher { client: builder.build()?, settings, polite, archive, recording, counts })
    }

    /// Returns the operator's keys.
    pub fn credentials(&self) -> &Credentials {
        &self.settings.credentials
    }

    /// Tells whether the publishers have history to fetch.
    pub fn has_past(&self) -> bool {
        self.settings.backfill
    }

    /// Returns the first and the last moment of the replayed recording.
    pub fn recorded_span(&self) -> Option<(Timestamp, Timestamp)> {
        self.recording.as_ref().and_then(Recording::span)
    }

    /// Sends one request, and retries failures that may be temporary.
    pub async fn get(&self, request: &Request) -> Result<Fetched, PayloadRefusal> {
        if let Some(recording) = &self.recording {
            return recording.answer(request);
        }
        if let Some(folder) = &self.settings.folder {
            return folder::answer(folder, request);
        }
        let limit = self.settings.total_timeout.mul_f32(request.time_limit_factor);
        let outcome = match tokio::time::timeout(limit, self.get_with_retries(request)).await {
            Ok(outcome) => outcome,
            Err(_) => {
                refuse(RefusalCode::Timeout, format!("no complete answer within {} s", limit.as_secs_f32()))
            }
        };
        if let Some(archive) = &self.archive
            && request.form.is_empty()
        {
            // A full disk must not lose the data itself.
            let _ = archive.keep(request, &outcome);
        }
        self.counts.count(request.feed, &outcome);
        outcome
    }

    /// Registers the counts of network requests by result.
    pub fn register_metrics(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.counts.clone()));
    }

    async fn get_with_retries(&self, request: &Request) -> Result<Fetched, PayloadRefusal> {
        let mut attempt = 0;
        loop {
            let failure = match self.get_once(request).await {
                Ok(fetched) => return judge(request, fetched),
                Err(failure) => failure,
            };
            let is_throttled = failure.refusal.code == RefusalCode::Status429;
            let wait = match failure.retry {
                _ if is_throttled && !request.least_interval.is_zero() => return Err(failure.refusal),
                Retry::Never => return Err(failure.refusal),
                Retry::Backoff => polite::backoff(self.settings.retry_base, attempt),
                Retry::After(wait) if wait <= self.settings.max_retry_after => wait,
                Retry::After(_) => return Err(failure.refusal),
            };
            if attempt >= self.settings.retries {
                return Err(failure.refusal);
            }
            attempt += 1;
            tokio::time::sleep(wait).await;
        }
    }

    async fn get_once(&self, request: &Request) -> Result<Fetched, Failure> {
        let mut url: Url = request.url.parse().map_err(|_| {
            Failure::fatal(
                RefusalCode::Redirect,
                format!("not an address: {}", refusal::extract(request.url.as_bytes())),
            )
        })?;
        let first = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            guard::check(&url, request.hosts).map_err(Failure::from)?;
            self.check_secrecy(request, &first, &url)?;
            let response = {
                let _turn =
                    self.polite.turn(url.host_str().unwrap_or_default(), request.least_interval).await;
                self.send(request, &url).await?
            };
            let status = response.status();
            if status.is_redirection() && status != reqwest::StatusCode::NOT_MODIFIED {
                url = next_hop(&url, response.headers())?;
                continue;
            }
            return self.receive(request, response).await;
        }
        Err(Failure::fatal(RefusalCode::Redirect, format!("more than {MAX_REDIRECTS} redirects")))
    }

    /// Refuses plain HTTP unless the operator allows it, and keeps a key on the host it is for. A base address in place of the
    /// publishers (a mirror, the simulated world) is used as configured.
    fn check_secrecy(&self, request: &Request, first: &Url, url: &Url) -> Result<(), Failure> {
        let has_base = self.settings.rewrite_base.is_some();
        if url.scheme() == "http" && !has_base && !self.settings.allow_plain_http {
            let detail = "only without encryption, which feeds.allow_plain_http does not allow";
            return Err(Failure::fatal(RefusalCode::PlainHttp, detail.to_owned()));
        }
        if request.has_secrets() && (url.host() != first.host() || url.scheme() != first.scheme()) {
            let detail = "a redirect that would take a key to another host";
            return Err(Failure::fatal(RefusalCode::Redirect, detail.to_owned()));
        }
        Ok(())
    }

    async fn send(&self, request: &Request, url: &Url) -> Result<reqwest::Response, Failure> {
        let mut target = match &self.settings.rewrite_base {
            Some(base) => rewritten(base, url).map_err(Failure::from)?,
            None => url.clone(),
        };
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(header::ACCEPT, HeaderValue::from_static(request.accept));
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let mut put = |name: header::HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        if let Some(etag) = &request.etag {
            put(header::IF_NONE_MATCH, etag);
        }
        if let Some(at) = &request.last_modified {
            put(header::IF_MODIFIED_SINCE, at);
        }
        if let Some(tail) = request.tail {
            put(header::RANGE, &format!("bytes=-{tail}"));
            // A part of a compressed file cannot be unpacked.
            put(header::ACCEPT_ENCODING, "identity");
        }
        for (name, value) in &request.headers {
            if let Ok(name) = header::HeaderName::try_from(*name) {
                put(name, value);
            }
        }
        if !request.secret_query.is_empty() {
            target.query_pairs_mut().extend_pairs(&request.secret_query);
        }
        let call = if request.form.is_empty() {
            self.client.get(target)
        } else {
            let form =
                url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&request.form).finish();
            self.client
                .post(target)
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(form)
        };
        call.headers(headers).send().await.map_err(Failure::of_transport)
    }

    async fn receive(&self, request: &Request, mut response: reqwest::Response) -> Result<Fetched, Failure> {
        let status = response.status().as_u16();
        let text = |name: header::HeaderName, headers: &HeaderMap| {
            headers
                .get(name)
                .and_then(|v| v.to_str().ok())
                .filter(|v| v.len() <= MAX_VALIDATOR)
                .map(str::to_owned)
        };
        let last_modified = text(header::LAST_MODIFIED, response.headers());
        let mut fetched = Fetched {
            bytes: Bytes::new(),
            etag: text(header::ETAG, response.headers()),
            modified_at: last_modified.as_deref().and_then(parse_http_date),
            last_modified,
            fetched_at: request.now,
            not_modified: status == 304,
            partial: status == 206,
        };
        match status {
            200 => {}
            206 if request.tail.is_some() => {}
            304 if request.etag.is_some() || request.last_modified.is_some() => return Ok(fetched),
            _ => return Err(Failure::of_status(status, response.headers())),
        }
        let too_large =
            || Failure::fatal(RefusalCode::TooLarge, format!("more than {} bytes", request.max_bytes));
        if response.content_length().is_some_and(|n| n > request.max_bytes as u64) {
            return Err(too_large());
        }
        let mut body = BytesMut::with_capacity(response.content_length().unwrap_or(0) as usize);
        while let Some(chunk) = response.chunk().await.map_err(Failure::of_transport)? {
            if body.len() + chunk.len() > request.max_bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        fetched.bytes = body.freeze();
        Ok(fetched)
    }
}

/// Checks a body, because a success status proves nothing.
fn judge(request: &Request, fetched: Fetched) -> Result<Fetched, PayloadRefusal> {
    if fetched.not_modified {
        return Ok(fetched);
    }
    if fetched.bytes.is_empty() {
        return refuse(RefusalCode::Empty, "a success without content");
    }
    if !request.page && looks_like_html(&fetched.bytes) {
        return refuse(
            RefusalCode::HtmlWall,
            format!("a web page came: {}", refusal::extract(&fetched.bytes)),
        );
    }
    Ok(fetched)
}

fn check_base(base: &Url, allow_private: bool) -> Result<(), FetcherError> {
    if base.cannot_be_a_base() || !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
        return Err(FetcherError::BadBase(base.clone()));
    }
    let private = match base.host() {
        Some(url::Host::Ipv4(a)) => guard::is_private(a.into()),
        Some(url::Host::Ipv6(a)) => guard::is_private(a.into()),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => true,
    };
    if private && !allow_private { Err(FetcherError::PrivateBase(base.clone())) } else { Ok(()) }
}

/// Rewrites `https://HOST/PATH?Q` to `{base}/HOST/PATH?Q`.
fn rewritten(base: &Url, url: &Url) -> Result<Url, PayloadRefusal> {
    let mut target = base.clone();
    let path =
        format!("{}/{}{}", base.path().trim_end_matches('/'), url.host_str().unwrap_or_default(), url.path());
    target.set_path(&path);
    target.set_query(url.query());
    Ok(target)
}

fn next_hop(from: &Url, headers: &HeaderMap) -> Result<Url, Failure> {
    headers
        .get(header::LOCATION)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| from.join(v).ok())
        .ok_or_else(|| Failure::fatal(RefusalCode::Redirect, "a redirect to nowhere".to_owned()))
}

fn parse_http_date(text: &str) -> Option<Timestamp> {
    let at = httpdate::parse_http_date(text).ok()?;
    Some(Timestamp::from_unix(at.duration_since(UNIX_EPOCH).ok()?.as_secs() as i64))
}

pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    /// Block pages put comments or blank lines before the document type, but never kilobytes of them.
    const HEAD: usize = 512;
    let head = &bytes[..bytes.len().min(HEAD)];
    let start = head.iter().position(|b| !b.is_ascii_whitespace() && !matches!(b, 0xef | 0xbb | 0xbf));
    let Some(start) = start else { return false };
    let lower = head[start..].to_ascii_lowercase();
    lower.starts_with(b"<!doctype html")
        || lower.starts_with(b"<html")
        || lower.starts_with(b"<head")
        || (lower.starts_with(b"<!--") && memchr::memmem::find(&lower, b"<html").is_some())
}

enum Retry {
    Never,
    Backoff,
    After(Duration),
}

/// A refusal, and whether a retry may succeed.
struct Failure {
    refusal: PayloadRefusal,
    retry: Retry,
}

impl From<PayloadRefusal> for Failure {
    fn from(refusal: PayloadRefusal) -> Self {
        Failure { refusal, retry: Retry::Never }
    }
}

impl Failure {
    fn fatal(code: RefusalCode, detail: String) -> Self {
        PayloadRefusal::new(code, detail).into()
    }

    fn of_transport(error: reqwest::Error) -> Self {
        // An address may contain the operator's key.
        let error = error.without_url();
        let mut cause = error.source();
        let mut innermost = error.to_string();
        while let Some(inner) = cause {
            if inner.is::<guard::PrivateAddress>() {
                return Failure::fatal(RefusalCode::Address, inner.to_string());
            }
            innermost = inner.to_string();
            cause = inner.source();
        }
        let code = match () {
            () if error.is_timeout() => RefusalCode::Timeout,
            () if error.is_connect() => RefusalCode::Connect,
            () if error.is_body() || error.is_decode() => RefusalCode::ShortBody,
            () => RefusalCode::Connect,
        };
        let detail = gsi_model::text::neutral(&innermost, gsi_model::text::MAX_NAME);
        Failure { refusal: PayloadRefusal::new(code, detail), retry: Retry::Backoff }
    }

    fn of_status(status: u16, headers: &HeaderMap) -> Self {
        let code = match status {
            401 | 403 => RefusalCode::Status403,
            404 | 410 => RefusalCode::Status404,
            429 => RefusalCode::Status429,
            400..=499 => RefusalCode::Status4xx,
            500..=599 => RefusalCode::Status5xx,
            _ => RefusalCode::StatusOther,
        };
        let after = headers
            .get(header::RETRY_AFTER)
            .and_then(|v| v.to_str().ok())
            .and_then(|v| v.trim().parse().ok());
        let retry = match (status, after) {
            (408 | 425 | 429 | 500..=599, Some(seconds)) => Retry::After(Duration::from_secs(seconds)),
            (408 | 425 | 429 | 500..=599, None) => Retry::Backoff,
            _ => Retry::Never,
        };
        Failure { refusal: PayloadRefusal::new(code, format!("the publisher answered {status}")), retry }
    }
}
