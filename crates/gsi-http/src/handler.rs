//! From a request to an answer. The order is fixed: credentials, rate, address, method, scope, body, form, question.
//! Prepared answers are given on the spot; whatever needs the store is moved off the event loop.

use crate::auth::{KeyEntry, Memo, lacks_scope};
use crate::document::Document;
use crate::negotiate::{self, Encoding, Noted};
use crate::pages::Page;
use crate::params::Query;
use crate::prepared::{Moment, Prepared, Single, http_date};
use crate::problem::{Code, Refusal};
use crate::repeat::{Repeatable, Word};
use crate::reply::{JSON, RATE_LIMIT, RATE_LIMIT_POLICY, REQUEST_ID, Reply};
use crate::resources::{briefings, events, explain, history, inputs, no_snapshot, outside, past, stream};
use crate::respond::{Answered, Asked, Standing, known_path, page_reply};
use crate::router::{self, Route};
use crate::service::Service;
use crate::settings::{Cors, MAX_REQUEST_LINE, RETRY_AFTER_NO_SNAPSHOT, RETRY_AFTER_OVERLOAD};
use crate::stream::Subscription;
use crate::wire;
use crate::wire::service::{Feeds, KeySelf};
use bytes::Bytes;
use gsi_model::Timestamp;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Version, header};
use hyper::body::Body;
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD");
const ALLOW_PREFLIGHT: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const PREFLIGHT_HEADERS: HeaderValue =
    HeaderValue::from_static("Authorization, Accept, If-None-Match, If-Modified-Since, Last-Event-ID");
/// How long a browser may remember that it was allowed to ask.
const PREFLIGHT_AGE: HeaderValue = HeaderValue::from_static("600");

/// More than an answer ever has, so that its map never grows.
const PREPARED_HEADERS: usize = 20;

/// An answer that is ready, or one that waits for the store.
pub enum Answer {
    Ready(Option<Answered>),
    Waiting(Pin<Box<dyn Future<Output = Answered> + Send>>),
    /// The head of a stream, and whom it is for: whoever holds the connection takes that out before it is polled.
    Stream(Option<Answered>, Option<Box<Subscription>>),
}

impl Future for Answer {
    type Output = Result<Answered, std::convert::Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Answer::Ready(answer) | Answer::Stream(answer, _) => match answer.take() {
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
    /// Headers and body as prepared, and of what.
    Prepared(HeaderMap, Bytes, Single, Encoding),
    Refused(Refusal),
    /// Needs the store; the encoding has been negotiated.
    Later(Job, Encoding),
    Stream(Reply, Box<Subscription>),
}

impl From<Result<Outcome, Refusal>> for Outcome {
    fn from(result: Result<Outcome, Refusal>) -> Self {
        result.unwrap_or_else(Outcome::Refused)
    }
}

/// A request and the moment it is looked at.
struct Look<'a> {
    parts: &'a Parts,
    noted: &'a Noted<'a>,
    peer: IpAddr,
    begun: Instant,
    prepared: Option<&'a Prepared>,
    moment: &'a Moment,
}

impl Service {
    pub fn handle<B: Body>(
        self: &Arc<Self>,
        request: Request<B>,
        peer: IpAddr,
        memo: &mut Option<Memo>,
        word: &Word,
    ) -> Answer {
        let begun = Instant::now();
        let (parts, body) = request.into_parts();
        let mut standing =
            Standing { key: None, guarded: true, label: "unknown", has_body: !body.is_end_stream() };
        let id = self.next_request_id();
        let current = self.current();
        let moment = self.moment(current.as_deref());
        let noted = Noted::scan(&parts.headers);
        let look =
            Look { parts: &parts, noted: &noted, peer, begun, prepared: current.as_deref(), moment: &moment };
        let outcome = catch_unwind(AssertUnwindSafe(|| self.decide(&look, &mut standing, memo)));
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
            Ok(Outcome::Prepared(headers, body, single, encoding)) => {
                if context.method == Method::GET && parts.version == Version::HTTP_11 {
                    let key = standing.key.as_ref().zip(memo.as_ref());
                    word.leave(key.map(|((entry, _), memo)| Repeatable {
                        entry: Arc::clone(entry),
                        generation: memo.generation,
                        single,
                        encoding,
                        label: standing.label,
                        path: context.path.clone(),
                        body_length: body.len(),
                    }));
                }
                Answer::Ready(Some(self.hand_out(headers, body, &context, &standing, &moment)))
            }
            Ok(Outcome::Done(reply)) => {
                headers.clear();
                Answer::Ready(Some(self.respond(reply, headers, &context, &standing, &moment)))
            }
            Ok(Outcome::Refused(refusal)) => {
                headers.clear();
                Answer::Ready(Some(self.refuse(refusal, headers, &context, &standing, &moment)))
            }
            Ok(Outcome::Stream(reply, subscription)) => {
                headers.clear();
                let head = self.respond(reply, headers, &context, &standing, &moment);
                Answer::Stream(Some(head), Some(subscription))
            }
            Ok(Outcome::Later(job, encoding)) => self.wait_for(job, encoding, headers, context, standing),
            Err(_) => {
                headers.clear();
                Answer::Ready(Some(self.refuse(self.panicked(), headers, &context, &standing, &moment)))
            }
        }
    }

    fn panicked(&self) -> Refusal {
        self.metrics.panics.fetch_add(1, Ordering::Relaxed);
        Refusal::new(Code::Internal, "The request could not be answered.")
    }

    fn decide(
        self: &Arc<Self>,
        look: &Look<'_>,
        standing: &mut Standing,
        memo: &mut Option<Memo>,
    ) -> Outcome {
        if line_length(look.parts) > MAX_REQUEST_LINE {
            return Outcome::Refused(Refusal::new(
                Code::UriTooLong,
                format!("The request line may have {MAX_REQUEST_LINE} bytes."),
            ));
        }
        standing.guarded = router::is_guarded(look.parts.uri.path());
        if self.is_preflight(look.parts) {
            return Outcome::Done(preflight());
        }
        if standing.guarded {
            self.inside(look, standing, memo).into()
        } else {
            standing.label = "outside";
            self.outside(look, standing).into()
        }
    }

    fn is_preflight(&self, parts: &Parts) -> bool {
        self.cors != Cors::Off
            && parts.method == Method::OPTIONS
            && parts.headers.contains_key(header::ORIGIN)
            && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
    }

    fn inside(
        self: &Arc<Self>,
        look: &Look<'_>,
        standing: &mut Standing,
        memo: &mut Option<Memo>,
    ) -> Result<Outcome, Refusal> {
        let parts = look.parts;
        let now = self.nanos(look.begun);
        let entry = match self.keys().authenticate(look.noted, look.moment.now, memo) {
            Ok(entry) => entry,
            Err(refusal) => {
                let verdict = self.failures.failed(look.peer, now);
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
        check_head(look, standing.has_body)?;
        self.resource(look, route, &entry, now, standing)
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
        self: &Arc<Self>,
        look: &Look<'_>,
        route: Route<'_>,
        key: &Arc<KeyEntry>,
        now: u64,
        standing: &Standing,
    ) -> Result<Outcome, Refusal> {
        let parts = look.parts;
        let query = parts.uri.query();
        let pillar = |name: &str| router::pillar(name).ok_or_else(|| unknown_pillar(name));
        match route {
            Route::Overview => self.single(look, Single::Overview, standing),
            Route::Pillar(name) => self.single(look, Single::Pillar(pillar(name)?), standing),
            Route::Summary => self.single(look, Single::Summary, standing),
            Route::History | Route::PillarHistory(_) => {
                let pillar = match route {
                    Route::PillarHistory(name) => Some(pillar(name)?),
                    _ => None,
                };
                let query = query.map(str::to_owned);
                self.later(look, "json", move |s| history::page(s, pillar, query.as_deref()))
            }
            Route::Explain => {
                let as_of = past::read_as_of(query)?;
                self.later(look, "json", move |s| explain::page(s, as_of))
            }
            Route::Events => {
                let form = if events::wants_geojson(query) { "geo+json" } else { "json" };
                let (path, query) = (parts.uri.path().to_owned(), query.map(str::to_owned));
                self.later(look, form, move |s| events::list(s, &path, query.as_deref()))
            }
            Route::Briefings => {
                let (path, query) = (parts.uri.path().to_owned(), query.map(str::to_owned));
                self.later(look, "json", move |s| briefings::list(s, &path, query.as_deref()))
            }
            Route::Event(id) => {
                let (id, as_of) = (id.to_owned(), past::read_as_of(query)?);
                self.later(look, "json", move |s| events::one(s, &id, as_of))
            }
            Route::Briefing(id) => {
                let (id, as_of) = (id.to_owned(), past::read_as_of(query)?);
                self.later(look, "json", move |s| briefings::one(s, &id, as_of))
            }
            Route::Feeds => {
                Query::parse(query).finish(&[])?;
                let body = wire::bytes(&Feeds::of(&self.origins, &self.feeds.load(), self.clock.now()));
                self.document(look, &Document::new(body), look.moment.now)
            }
            Route::Method => match past::read_as_of(query)? {
                Some(as_of) => self.later(look, "json", move |s| past::method(s, as_of)),
                None => self.document(look, &self.method, self.started_at()),
            },
            Route::Inputs(id) => {
                Query::parse(query).finish(&[])?;
                let id = id.to_owned();
                self.later(look, "json", move |s| inputs::page(s, &id))
            }
            Route::KeySelf => {
                Query::parse(query).finish(&[])?;
                let body = wire::bytes(&KeySelf::of(key, key.look(now)));
                self.document(look, &Document::new(body), look.moment.now)
            }
            Route::Stream => {
                Query::parse(query).finish(&[])?;
                Ok(match stream::subscribe(self, parts, key)? {
                    (head, Some(subscription)) => Outcome::Stream(head, subscription),
                    (head, None) => Outcome::Done(head),
                })
            }
        }
    }

    /// The hot path: nothing is parsed beyond the head, nothing is built beyond the headers.
    fn single(&self, look: &Look<'_>, single: Single, standing: &Standing) -> Result<Outcome, Refusal> {
        let parts = look.parts;
        if let Some(query) = parts.uri.query()
            && !query.is_empty()
            && let Some(as_of) = past::read_as_of(Some(query))?
        {
            return self.later(look, "json", move |s| past::page(s, single, as_of));
        }
        let encoding = acceptable(look, "json")?;
        let prepared = look.prepared.ok_or_else(no_snapshot)?;
        let form = prepared.document(single).form(encoding);
        let unchanged = look.noted.conditional
            && negotiate::not_modified(&parts.headers, &form.etag, prepared.snapshot.tick.unix());
        let reply = || {
            let mut reply = match unchanged {
                true => Reply::empty(StatusCode::NOT_MODIFIED),
                false => Reply::new(StatusCode::OK, JSON, form.body.clone()),
            };
            reply.encoding = encoding.header().filter(|_| !unchanged);
            reply.etag = Some(form.etag.clone());
            reply.last_modified = Some(prepared.last_modified.clone());
            reply.cache_control = look.moment.cache_control.clone();
            reply.data_status = Some(look.moment.status);
            reply
        };
        if unchanged || self.cors != Cors::Off || self.draining.load(Ordering::Relaxed) {
            return Ok(Outcome::Done(reply()));
        }
        let headers = look.moment.head(single, encoding, || {
            let mut headers = HeaderMap::with_capacity(PREPARED_HEADERS);
            self.dress(&mut reply(), &mut headers, standing, look.moment);
            // Room for what differs from request to request.
            for personal in [REQUEST_ID, RATE_LIMIT_POLICY, RATE_LIMIT] {
                headers.insert(personal, const { HeaderValue::from_static("") });
            }
            headers
        });
        Ok(Outcome::Prepared(headers.clone(), form.body.clone(), single, encoding))
    }

    /// A body that is at hand but not tied to a tick.
    fn document(
        &self,
        look: &Look<'_>,
        document: &Document,
        modified: Timestamp,
    ) -> Result<Outcome, Refusal> {
        let encoding = acceptable(look, "json")?;
        let form = document.form(encoding);
        let mut reply = if negotiate::not_modified(&look.parts.headers, &form.etag, modified.unix()) {
            Reply::empty(StatusCode::NOT_MODIFIED)
        } else {
            let mut reply = Reply::new(StatusCode::OK, JSON, form.body.clone());
            reply.encoding = encoding.header();
            reply
        };
        reply.etag = Some(form.etag.clone());
        reply.last_modified = Some(http_date(modified));
        reply.cache_control = look.moment.cache_control.clone();
        Ok(Outcome::Done(reply))
    }

    fn later(
        &self,
        look: &Look<'_>,
        form: &'static str,
        job: impl FnOnce(&Service) -> Result<Page, Refusal> + Send + 'static,
    ) -> Result<Outcome, Refusal> {
        let encoding = acceptable(look, form)?;
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
            let moment = self.moment(self.current().as_deref());
            let refusal = Refusal::new(Code::Overloaded, "Too many requests are waiting already.")
                .retry_after(RETRY_AFTER_OVERLOAD);
            return Answer::Ready(Some(self.refuse(refusal, headers, &context, &standing, &moment)));
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
            let moment = service.moment(service.current().as_deref());
            match done {
                Ok(Ok(page)) => {
                    let reply = page_reply(&page, encoding, &headers, &moment);
                    headers.clear();
                    service.respond(reply, headers, &context, &standing, &moment)
                }
                Ok(Err(refusal)) => {
                    headers.clear();
                    service.refuse(refusal, headers, &context, &standing, &moment)
                }
                Err(_) => {
                    headers.clear();
                    service.refuse(service.panicked(), headers, &context, &standing, &moment)
                }
            }
        }))
    }

    fn outside(&self, look: &Look<'_>, standing: &Standing) -> Result<Outcome, Refusal> {
        let parts = look.parts;
        let path = parts.uri.path();
        let encoding = negotiate::encoding(&parts.headers).unwrap_or(Encoding::Identity);
        let found = outside::answer(self, path, parts.uri.query(), look.peer, encoding);
        if path == "/readyz" && found.is_none() {
            let refusal = Refusal::new(Code::NoSnapshot, "The first snapshot has not been published yet.");
            return Err(refusal.retry_after(RETRY_AFTER_NO_SNAPSHOT));
        }
        let mut reply = found.ok_or_else(|| Refusal::not_found("There is nothing at this address."))?;
        self.check_method(&parts.method)?;
        check_head(look, standing.has_body)?;
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
}

fn check_head(look: &Look<'_>, has_body: bool) -> Result<(), Refusal> {
    if has_body {
        return Err(Refusal::new(Code::BodyNotAllowed, "Requests here carry no body."));
    }
    let hosts = look.noted.hosts;
    if hosts > 1 || (hosts == 0 && look.parts.version == Version::HTTP_11) {
        return Err(Refusal::new(Code::BadRequest, "A request carries exactly one Host header."));
    }
    Ok(())
}

/// The request line as it was sent, line end included.
fn line_length(parts: &Parts) -> usize {
    let uri = &parts.uri;
    let origin = uri.scheme_str().map_or(0, |s| s.len() + "://".len())
        + uri.authority().map_or(0, |a| a.as_str().len());
    let target = origin + uri.path().len() + uri.query().map_or(0, |q| q.len() + 1);
    parts.method.as_str().len() + 1 + target + " HTTP/1.1\r\n".len()
}

fn acceptable(look: &Look<'_>, form: &str) -> Result<Encoding, Refusal> {
    if !look.noted.negotiates {
        return Ok(Encoding::Identity);
    }
    let headers = &look.parts.headers;
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

fn preflight() -> Reply {
    let mut reply = Reply::empty(StatusCode::NO_CONTENT);
    let more: [(HeaderName, HeaderValue); 4] = [
        (header::ALLOW, ALLOW_PREFLIGHT),
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, PREFLIGHT_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE),
    ];
    reply.more.extend(more);
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
