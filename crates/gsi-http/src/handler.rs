//! From a request to an answer. The order is fixed: credentials, rate, address, method, scope, body, form, question.
//! Prepared answers are given on the spot; whatever needs the store is moved off the event loop.

use crate::auth::{KeyEntry, lacks_scope, rate_header};
use crate::document::Document;
use crate::log::Line;
use crate::negotiate::{self, Encoding};
use crate::pages::Page;
use crate::params::Query;
use crate::prepared::http_date;
use crate::problem::{self, Code, Refusal};
use crate::rate::Verdict;
use crate::reply::{self, JSON, Reply};
use crate::resources::past::{self, Single};
use crate::resources::{briefings, events, explain, history, no_snapshot, outside};
use crate::router::{self, Route};
use crate::service::Service;
use crate::settings::{Cors, MAX_REQUEST_LINE, RETRY_AFTER_NO_SNAPSHOT, RETRY_AFTER_OVERLOAD};
use crate::wire;
use crate::wire::service::{Feeds, KeySelf};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use http_body_util::Full;
use hyper::body::Body;
use std::borrow::Cow;
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

pub type Answered = Response<Full<Bytes>>;

const VARY: HeaderValue = HeaderValue::from_static("Authorization, Accept-Encoding");
const VARY_ORIGIN: HeaderValue = HeaderValue::from_static("Authorization, Accept-Encoding, Origin");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD");
const ALLOW_PREFLIGHT: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "ETag, Link, GSI-Data-Status, GSI-Simulated, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
);
const PREFLIGHT_HEADERS: HeaderValue =
    HeaderValue::from_static("Authorization, Accept, If-None-Match, If-Modified-Since");
/// How long a browser may remember that it was allowed to ask.
const PREFLIGHT_AGE: HeaderValue = HeaderValue::from_static("600");

/// An answer that is ready, or one that waits for the store.
pub enum Answer {
    Ready(Option<Answered>),
    Waiting(Pin<Box<dyn Future<Output = Answered> + Send>>),
}

impl Future for Answer {
    type Output = Result<Answered, std::convert::Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Answer::Ready(answer) => match answer.take() {
                Some(answer) => Poll::Ready(Ok(answer)),
                None => Poll::Pending,
            },
            Answer::Waiting(future) => future.as_mut().poll(cx).map(Ok),
        }
    }
}

type Job = Box<dyn FnOnce(&Service) -> Result<Page, Refusal> + Send>;

enum Outcome {
    Done(Reply),
    Refused(Refusal),
    /// Needs the store; the encoding has been negotiated.
    Later(Job, Encoding),
}

impl From<Result<Outcome, Refusal>> for Outcome {
    fn from(result: Result<Outcome, Refusal>) -> Self {
        result.unwrap_or_else(Outcome::Refused)
    }
}

/// What is known of a request once its head has been looked at.
struct Standing {
    key: Option<(Arc<KeyEntry>, Verdict)>,
    guarded: bool,
    label: &'static str,
    has_body: bool,
}

/// Everything about a request that its answer repeats.
struct Asked {
    begun: Instant,
    id: [u8; 16],
    method: Method,
    path: Cow<'static, str>,
    origin: Option<HeaderValue>,
}

impl Service {
    pub fn handle<B: Body>(self: &Arc<Self>, request: Request<B>, peer: IpAddr) -> Answer {
        let begun = Instant::now();
        let (parts, body) = request.into_parts();
        let mut standing =
            Standing { key: None, guarded: true, label: "unknown", has_body: !body.is_end_stream() };
        let id = self.next_request_id();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.decide(&parts, peer, begun, &mut standing)));
        let context = Asked {
            begun,
            id,
            path: known_path(parts.uri.path()),
            origin: match self.cors {
                Cors::Off => None,
                _ => parts.headers.get(header::ORIGIN).cloned(),
            },
            method: parts.method,
        };
        let mut headers = parts.headers;
        match outcome {
            Ok(Outcome::Done(reply)) => {
                headers.clear();
                Answer::Ready(Some(self.respond(reply, headers, &context, &standing)))
            }
            Ok(Outcome::Refused(refusal)) => {
                headers.clear();
                Answer::Ready(Some(self.refuse(refusal, headers, &context, &standing)))
            }
            Ok(Outcome::Later(job, encoding)) => self.wait_for(job, encoding, headers, context, standing),
            Err(_) => {
                headers.clear();
                Answer::Ready(Some(self.refuse(self.panicked(), headers, &context, &standing)))
            }
        }
    }

    fn panicked(&self) -> Refusal {
        self.metrics.panics.fetch_add(1, Ordering::Relaxed);
        Refusal::new(Code::Internal, "The request could not be answered.")
    }

    fn decide(&self, parts: &Parts, peer: IpAddr, begun: Instant, standing: &mut Standing) -> Outcome {
        let path = parts.uri.path();
        let line = path.len() + parts.uri.query().map_or(0, str::len);
        if line > MAX_REQUEST_LINE - "OPTIONS  HTTP/1.1\r\n".len() {
            return Outcome::Refused(Refusal::new(
                Code::UriTooLong,
                format!("The request line may have {MAX_REQUEST_LINE} bytes."),
            ));
        }
        standing.guarded = router::is_guarded(path);
        if self.is_preflight(parts) {
            return Outcome::Done(preflight(parts));
        }
        if standing.guarded {
            self.inside(parts, peer, begun, standing).into()
        } else {
            standing.label = "outside";
            self.outside(parts, peer, standing).into()
        }
    }

    fn is_preflight(&self, parts: &Parts) -> bool {
        self.cors != Cors::Off
            && parts.method == Method::OPTIONS
            && parts.headers.contains_key(header::ORIGIN)
            && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
    }

    fn inside(
        &self,
        parts: &Parts,
        peer: IpAddr,
        begun: Instant,
        standing: &mut Standing,
    ) -> Result<Outcome, Refusal> {
        let now = self.nanos(begun);
        let entry = match self.keys().authenticate(&parts.headers, self.clock.now()) {
            Ok(entry) => entry,
            Err(refusal) => {
                let verdict = self.failures.failed(peer, now);
                if verdict.allowed {
                    return Err(refusal);
                }
                let detail = "Too many requests without a valid key came from this address.";
                return Err(Refusal::new(Code::RateLimited, detail).retry_after(verdict.retry_after));
            }
        };
        let verdict = entry.take(now);
        standing.key = Some((Arc::clone(&entry), verdict));
        if !verdict.allowed {
            let refusal = Refusal::new(Code::RateLimited, "The key has used up its quota for the moment.");
            return Err(refusal.retry_after(verdict.retry_after));
        }
        let route = Route::find(parts.uri.path())
            .ok_or_else(|| Refusal::not_found("No resource has this address."))?;
        standing.label = route.label();
        self.check_method(&parts.method)?;
        if let Some(scope) = route.scope()
            && !entry.covers(scope)
        {
            return Err(lacks_scope(scope));
        }
        check_head(parts, standing.has_body)?;
        self.resource(parts, route, &entry, now)
    }

    fn check_method(&self, method: &Method) -> Result<(), Refusal> {
        if *method == Method::GET || *method == Method::HEAD {
            return Ok(());
        }
        let allow = if self.cors == Cors::Off { ALLOW } else { ALLOW_PREFLIGHT };
        let refusal = Refusal::new(Code::MethodNotAllowed, "Resources here can only be read: GET or HEAD.");
        Err(refusal.with(header::ALLOW, allow))
    }

    fn resource(
        &self,
        parts: &Parts,
        route: Route<'_>,
        key: &KeyEntry,
        now: u64,
    ) -> Result<Outcome, Refusal> {
        let query = parts.uri.query();
        let pillar = |name: &str| router::pillar(name).ok_or_else(|| unknown_pillar(name));
        match route {
            Route::Overview => self.single(parts, Single::Overview),
            Route::Pillar(name) => self.single(parts, Single::Pillar(pillar(name)?)),
            Route::Summary => self.single(parts, Single::Summary),
            Route::History | Route::PillarHistory(_) => {
                let pillar = match route {
                    Route::PillarHistory(name) => Some(pillar(name)?),
                    _ => None,
                };
                let query = query.map(str::to_owned);
                self.later(parts, "json", move |s| history::page(s, pillar, query.as_deref()))
            }
            Route::Explain => {
                let as_of = past::read_as_of(query)?;
                self.later(parts, "json", move |s| explain::page(s, as_of))
            }
            Route::Events => {
                let form = if events::wants_geojson(query) { "geo+json" } else { "json" };
                let (path, query) = (parts.uri.path().to_owned(), query.map(str::to_owned));
                self.later(parts, form, move |s| events::list(s, &path, query.as_deref()))
            }
            Route::Briefings => {
                let (path, query) = (parts.uri.path().to_owned(), query.map(str::to_owned));
                self.later(parts, "json", move |s| briefings::list(s, &path, query.as_deref()))
            }
            Route::Event(id) => {
                let (id, as_of) = (id.to_owned(), past::read_as_of(query)?);
                self.later(parts, "json", move |s| events::one(s, &id, as_of))
            }
            Route::Briefing(id) => {
                let (id, as_of) = (id.to_owned(), past::read_as_of(query)?);
                self.later(parts, "json", move |s| briefings::one(s, &id, as_of))
            }
            Route::Feeds => {
                Query::parse(query).finish(&[])?;
                let body = wire::bytes(&Feeds::of(&self.origins, &self.feeds.load(), self.clock.now()));
                self.document(parts, &Document::new(body))
            }
            Route::Method => {
                Query::parse(query).finish(&[])?;
                self.document(parts, &self.method)
            }
            Route::KeySelf => {
                Query::parse(query).finish(&[])?;
                self.document(parts, &Document::new(wire::bytes(&KeySelf::of(key, key.look(now)))))
            }
        }
    }

    /// The hot path: nothing is parsed beyond the head, nothing is built beyond the headers.
    fn single(&self, parts: &Parts, single: Single) -> Result<Outcome, Refusal> {
        if let Some(query) = parts.uri.query()
            && !query.is_empty()
            && let Some(as_of) = past::read_as_of(Some(query))?
        {
            return self.later(parts, "json", move |s| past::page(s, single, as_of));
        }
        let encoding = acceptable(&parts.headers, "json")?;
        let current = self.current();
        let prepared = current.as_ref().ok_or_else(no_snapshot)?;
        let moment = self.moment(Some(prepared));
        let document = match single {
            Single::Overview => &prepared.overview,
            Single::Pillar(pillar) => &prepared.pillars[pillar.index()],
            Single::Summary => &prepared.summary,
        };
        let form = document.form(encoding);
        let modified = prepared.snapshot.tick.unix();
        let mut reply = if negotiate::not_modified(&parts.headers, &form.etag, modified) {
            Reply::empty(StatusCode::NOT_MODIFIED)
        } else {
            let mut reply = Reply::new(StatusCode::OK, JSON, form.body.clone());
            reply.encoding = encoding.header();
            reply
        };
        reply.etag = Some(form.etag.clone());
        reply.last_modified = Some(prepared.last_modified.clone());
        reply.cache_control = moment.cache_control.clone();
        reply.data_status = Some(moment.status);
        Ok(Outcome::Done(reply))
    }

    fn document(&self, parts: &Parts, document: &Document) -> Result<Outcome, Refusal> {
        let encoding = acceptable(&parts.headers, "json")?;
        let form = document.form(encoding);
        let mut reply = if negotiate::not_modified(&parts.headers, &form.etag, i64::MAX) {
            Reply::empty(StatusCode::NOT_MODIFIED)
        } else {
            let mut reply = Reply::new(StatusCode::OK, JSON, form.body.clone());
            reply.encoding = encoding.header();
            reply
        };
        reply.etag = Some(form.etag.clone());
        reply.cache_control = const { HeaderValue::from_static("private, max-age=1") };
        Ok(Outcome::Done(reply))
    }

    fn later(
        &self,
        parts: &Parts,
        form: &'static str,
        job: impl FnOnce(&Service) -> Result<Page, Refusal> + Send + 'static,
    ) -> Result<Outcome, Refusal> {
        let encoding = acceptable(&parts.headers, form)?;
        Ok(Outcome::Later(Box::new(job), encoding))
    }

    fn wait_for(
        self: &Arc<Self>,
        job: Job,
        encoding: Encoding,
        mut headers: HeaderMap,
        context: Asked,
        standing: Standing,
    ) -> Answer {
        let Some(place) = InFlight::enter(self) else {
            headers.clear();
            let refusal = Refusal::new(Code::Overloaded, "Too many requests are waiting already.")
                .retry_after(RETRY_AFTER_OVERLOAD);
            return Answer::Ready(Some(self.refuse(refusal, headers, &context, &standing)));
        };
        let service = Arc::clone(self);
        Answer::Waiting(Box::pin(async move {
            let _place = place;
            let permit = service.readers.acquire().await;
            let worker = Arc::clone(&service);
            let done = tokio::task::spawn_blocking(move || {
                let page = job(&worker)?;
                // Compressed here, where it may take its time.
                page.document.form(encoding);
                Ok(page)
            })
            .await;
            drop(permit);
            match done {
                Ok(Ok(page)) => {
                    let reply = service.page_reply(&page, encoding, &headers);
                    headers.clear();
                    service.respond(reply, headers, &context, &standing)
                }
                Ok(Err(refusal)) => {
                    headers.clear();
                    service.refuse(refusal, headers, &context, &standing)
                }
                Err(_) => {
                    headers.clear();
                    service.refuse(service.panicked(), headers, &context, &standing)
                }
            }
        }))
    }

    fn page_reply(&self, page: &Page, encoding: Encoding, headers: &HeaderMap) -> Reply {
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
        reply.cache_control = self.moment(self.current().as_deref()).cache_control.clone();
        reply.data_status = page.data_status;
        reply.more.extend(page.link.clone().map(|link| (header::LINK, link)));
        reply
    }

    fn outside(&self, parts: &Parts, peer: IpAddr, standing: &Standing) -> Result<Outcome, Refusal> {
        let path = parts.uri.path();
        let found = outside::answer(self, path, peer);
        if path == "/readyz" && found.is_none() {
            let refusal = Refusal::new(Code::NoSnapshot, "The first snapshot has not been published yet.");
            return Err(refusal.retry_after(RETRY_AFTER_NO_SNAPSHOT));
        }
        let mut reply = found.ok_or_else(|| Refusal::not_found("There is nothing at this address."))?;
        self.check_method(&parts.method)?;
        check_head(parts, standing.has_body)?;
        if let Some(etag) = &reply.etag
            && negotiate::not_modified(&parts.headers, etag, i64::MAX)
        {
            reply = Reply {
                etag: reply.etag,
                cache_control: reply.cache_control,
                ..Reply::empty(StatusCode::NOT_MODIFIED)
            };
        }
        Ok(Outcome::Done(reply))
    }

    fn refuse(&self, refusal: Refusal, headers: HeaderMap, context: &Asked, standing: &Standing) -> Answered {
        let id = std::str::from_utf8(&context.id).unwrap_or_default();
        let body = refusal.body(&context.path, id);
        let mut reply = Reply::new(refusal.status, problem::CONTENT_TYPE, body);
        reply.more = refusal.headers;
        self.respond(reply, headers, context, standing)
    }

    fn respond(
        &self,
        mut reply: Reply,
        mut headers: HeaderMap,
        context: &Asked,
        standing: &Standing,
    ) -> Answered {
        // A body that was announced but not read makes the rest of the connection unreadable.
        reply.close |= standing.has_body || self.draining.load(Ordering::Relaxed);
        reply.write_headers(&mut headers);
        headers.insert(header::DATE, self.moment(self.current().as_deref()).date.clone());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        let id = Bytes::copy_from_slice(&context.id);
        if let Ok(value) = HeaderValue::from_maybe_shared(id) {
            headers.insert(reply::REQUEST_ID, value);
        }
        if standing.guarded {
            let vary = if self.cors == Cors::Off { VARY } else { VARY_ORIGIN };
            headers.insert(header::VARY, vary);
        }
        if let Some((key, verdict)) = &standing.key {
            headers.insert(reply::RATE_LIMIT_POLICY, key.policy.clone());
            headers.insert(reply::RATE_LIMIT, rate_header(key, *verdict));
        }
        if self.simulated {
            headers.insert(reply::SIMULATED, const { HeaderValue::from_static("true") });
        }
        if let Some(origin) = self.allowed_origin(context.origin.as_ref()) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        self.account(&reply, context, standing);
        let mut response = Response::new(Full::new(reply.body));
        *response.status_mut() = reply.status;
        *response.headers_mut() = headers;
        response
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

    fn account(&self, reply: &Reply, context: &Asked, standing: &Standing) {
        let micros = context.begun.elapsed().as_micros() as u64;
        let status = reply.status.as_u16();
        let bytes = if context.method == Method::HEAD { 0 } else { reply.body.len() as u64 };
        self.metrics.request(standing.label, status, micros, bytes);
        if self.log.is_on() {
            self.log.push(Line {
                at: self.clock.now(),
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

/// The path for the log and for `instance`, without copying the ones that are asked for most.
fn known_path(path: &str) -> Cow<'static, str> {
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

fn check_head(parts: &Parts, has_body: bool) -> Result<(), Refusal> {
    if has_body {
        return Err(Refusal::new(Code::BodyNotAllowed, "Requests here carry no body."));
    }
    let hosts = parts.headers.get_all(header::HOST).iter().count();
    if hosts > 1 || (hosts == 0 && parts.version == Version::HTTP_11) {
        return Err(Refusal::new(Code::BadRequest, "A request carries exactly one Host header."));
    }
    Ok(())
}

fn acceptable(headers: &HeaderMap, form: &str) -> Result<Encoding, Refusal> {
    if !negotiate::accepts(headers, form, "json") {
        return Err(Refusal::new(Code::NotAcceptable, format!("The answer is application/{form}.")));
    }
    negotiate::encoding(headers).ok_or_else(|| {
        Refusal::new(Code::NotAcceptable, "Answers come plain or compressed with gzip, br or zstd.")
    })
}

fn unknown_pillar(name: &str) -> Refusal {
    let shown: String = crate::keys::redact(name).chars().take(40).collect();
    Refusal::new(
        Code::UnknownPillar,
        format!("There is no pillar {shown}; the pillars are conflict, cyber, supply_chain and macro."),
    )
}

fn preflight(parts: &Parts) -> Reply {
    let mut reply = Reply::empty(StatusCode::NO_CONTENT);
    let more: [(HeaderName, HeaderValue); 4] = [
        (header::ALLOW, ALLOW_PREFLIGHT),
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, PREFLIGHT_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE),
    ];
    reply.more.extend(more);
    debug_assert_eq!(parts.method, Method::OPTIONS);
    reply
}

/// One of the bounded places for requests that wait.
struct InFlight(Arc<Service>);

impl InFlight {
    fn enter(service: &Arc<Service>) -> Option<InFlight> {
        let before = service.in_flight.fetch_add(1, Ordering::AcqRel);
        let place = InFlight(Arc::clone(service));
        (before < service.limits.max_in_flight).then_some(place)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}
