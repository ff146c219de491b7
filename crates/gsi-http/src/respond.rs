//! From a decision to HTTP: the headers that every answer has, and the account of it in log and metrics.

use crate::auth::{KeyEntry, rate_header};
use crate::deprecation;
use crate::log::Line;
use crate::negotiate::{self, Encoding};
use crate::pages::Page;
use crate::prepared::{Moment, http_date};
use crate::problem::{self, Refusal};
use crate::rate::Verdict;
use crate::reply::{self, Reply};
use crate::service::Service;
use crate::settings::Cors;
use bytes::Bytes;
use gsi_model::Timestamp;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

pub type Answered = Response<Answering>;

/// A body that is at hand, or one that the HTTP library only begins: the stream goes on without it.
pub enum Answering {
    Whole(Full<Bytes>),
    Begun,
}

impl Body for Answering {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Answering::Whole(body) => Pin::new(body).poll_frame(cx),
            Answering::Begun => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Answering::Whole(body) => body.is_end_stream(),
            Answering::Begun => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Answering::Whole(body) => body.size_hint(),
            Answering::Begun => SizeHint::default(),
        }
    }
}

const VARY: HeaderValue = HeaderValue::from_static("Authorization, Accept-Encoding");
const VARY_ORIGIN: HeaderValue = HeaderValue::from_static("Authorization, Accept-Encoding, Origin");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Two years, as preload lists ask for.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=63072000");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "ETag, Link, GSI-Data-Status, GSI-Simulated, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
);

/// What is known of a request once its head has been looked at.
pub struct Standing {
    pub key: Option<(Arc<KeyEntry>, Verdict)>,
    pub guarded: bool,
    pub label: &'static str,
    pub has_body: bool,
}

/// Everything about a request that its answer repeats.
pub struct Asked {
    pub begun: Instant,
    pub id: [u8; 16],
    pub method: Method,
    pub path: Cow<'static, str>,
    pub origin: Option<HeaderValue>,
}

impl Service {
    pub fn refuse(
        &self,
        refusal: Refusal,
        headers: HeaderMap,
        context: &Asked,
        standing: &Standing,
        moment: &Moment,
    ) -> Answered {
        let id = std::str::from_utf8(&context.id).unwrap_or_default();
        let body = refusal.body(&context.path, id);
        let mut reply = Reply::new(refusal.status, problem::CONTENT_TYPE, body);
        reply.more = refusal.headers;
        self.respond(reply, headers, context, standing, moment)
    }

    pub fn respond(
        &self,
        mut reply: Reply,
        mut headers: HeaderMap,
        context: &Asked,
        standing: &Standing,
        moment: &Moment,
    ) -> Answered {
        // A body that was announced but not read makes the rest of the connection unreadable.
        reply.close |= standing.has_body || self.draining.load(Ordering::Relaxed);
        self.dress(&mut reply, &mut headers, standing, moment);
        personal(&mut headers, &context.id, standing.key.as_ref());
        if let Some(origin) = self.allowed_origin(context.origin.as_ref()) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        self.account(reply.status, reply.body.len(), context, standing, moment.now);
        let body = if reply.streams { Answering::Begun } else { Answering::Whole(Full::new(reply.body)) };
        let mut response = Response::new(body);
        *response.status_mut() = reply.status;
        *response.headers_mut() = headers;
        response
    }

    /// A prepared answer: its headers are copied whole and only the personal ones are put in place.
    pub fn hand_out(
        &self,
        mut headers: HeaderMap,
        body: Bytes,
        context: &Asked,
        standing: &Standing,
        moment: &Moment,
    ) -> Answered {
        personal(&mut headers, &context.id, standing.key.as_ref());
        self.account(StatusCode::OK, body.len(), context, standing, moment.now);
        let mut response = Response::new(Answering::Whole(Full::new(body)));
        *response.headers_mut() = headers;
        response
    }

    /// Everything but the personal headers.
    pub fn dress(&self, reply: &mut Reply, headers: &mut HeaderMap, standing: &Standing, moment: &Moment) {
        deprecation::announce(deprecation::ANNOUNCED, standing.label, reply);
        reply.write_headers(headers);
        headers.insert(header::DATE, moment.date.clone());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        if standing.guarded {
            let vary = if self.cors == Cors::Off { VARY } else { VARY_ORIGIN };
            headers.insert(header::VARY, vary);
        }
        if self.secure.load(Ordering::Relaxed) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
        }
        if self.simulated {
            headers.insert(reply::SIMULATED, const { HeaderValue::from_static("true") });
        }
    }

    fn allowed_origin(&self, origin: Option<&HeaderValue>) -> Option<HeaderValue> {
        let origin = origin?;
        match &self.cors {
            Cors::Off => None,
            Cors::Any => Some(HeaderValue::from_static("*")),
            Cors::Origins(list) => {
                list.iter().any(|o| o.as_bytes() == origin.as_bytes()).then(|| origin.clone())
            }
        }
    }

    fn account(
        &self,
        status: StatusCode,
        length: usize,
        context: &Asked,
        standing: &Standing,
        now: Timestamp,
    ) {
        let micros = context.begun.elapsed().as_micros() as u64;
        let status = status.as_u16();
        let bytes = if context.method == Method::HEAD { 0 } else { length as u64 };
        self.metrics.request(standing.label, status, micros, bytes);
        if self.log.is_on() {
            self.log.push(Line {
                at: now,
                method: context.method.clone(),
                path: context.path.clone(),
                status,
                key: standing.key.as_ref().map(|(key, _)| Arc::clone(key)),
                micros,
                bytes,
                request_id: context.id,
            });
        }
    }
}

/// The headers that belong to one request.
fn personal(headers: &mut HeaderMap, id: &[u8; 16], key: Option<&(Arc<KeyEntry>, Verdict)>) {
    if let Ok(value) = HeaderValue::from_maybe_shared(Bytes::copy_from_slice(id)) {
        headers.insert(reply::REQUEST_ID, value);
    }
    if let Some((key, verdict)) = key {
        headers.insert(reply::RATE_LIMIT_POLICY, key.policy.clone());
        headers.insert(reply::RATE_LIMIT, rate_header(key, *verdict));
    }
}

/// The path for the log and for `instance`, without copying the ones that are asked for most.
pub fn known_path(path: &str) -> Cow<'static, str> {
    const FREQUENT: [&str; 7] = [
        "/v1/global-stability",
        "/v1/global-stability/pillar/conflict",
        "/v1/global-stability/pillar/cyber",
        "/v1/global-stability/pillar/supply_chain",
        "/v1/global-stability/pillar/macro",
        "/v1/summaries",
        "/v1/conflict",
    ];
    match FREQUENT.iter().find(|known| **known == path) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(path.to_owned()),
    }
}

pub fn page_reply(page: &Page, encoding: Encoding, headers: &HeaderMap, moment: &Moment) -> Reply {
    let form = page.document.form(encoding);
    let modified = page.modified.map_or(i64::MAX, |t| t.unix());
    let mut reply = if negotiate::not_modified(headers, &form.etag, modified) {
        Reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let mut reply = Reply::new(StatusCode::OK, page.content_type.clone(), form.body.clone());
        reply.encoding = encoding.header();
        reply
    };
    reply.etag = Some(form.etag.clone());
    reply.last_modified = page.modified.map(http_date);
    reply.cache_control = moment.cache_control.clone();
    reply.data_status = page.data_status;
    reply.more.extend(page.link.clone().map(|link| (header::LINK, link)));
    reply
}
