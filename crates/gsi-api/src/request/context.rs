//! Data about a request while it is answered. The layers fill it in; handlers, log and metrics read it.

use crate::auth::key_ring::AuthContext;
use crate::auth::public_reading::PublicReading;
use crate::prepared::pages::{self, Page, PageParts};
use crate::prepared::publication::{Audience, Single};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::encoding::Encoding;
use crate::representation::form::AnswerForm;
use crate::representation::headers::JSON;
use crate::representation::negotiate::{self, HeadSummary};
use crate::request::service::RequestService;
use crate::settings::{ANSWER_DEADLINE, READER_WAIT, RETRY_AFTER_OVERLOAD_SECONDS};
use crate::state::service::Service;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::Response;
use gsi_model::{Scope, Timestamp};
use gsi_store::ReadLimit;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Uri, Version, header};
use hyper::body::Body as _;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::time::timeout;

/// The metrics label of requests that are refused before they reach an endpoint, or that name none.
pub(crate) const UNKNOWN: &str = "unknown";

/// One request, from its head to the end of its answer.
pub struct RequestContext {
    pub service: Arc<Service>,
    pub begun: Instant,
    /// The same on the service's clock, in seconds: one reading for authentication and for prepared answers.
    at: AtomicI64,
    pub id: [u8; 16],
    /// The client: the peer, or the address that a trusted proxy names.
    pub client: IpAddr,
    pub method: Method,
    uri: Uri,
    pub version: Version,
    /// The `Origin` header, where other origins may be allowed.
    pub origin: Option<HeaderValue>,
    /// A body was announced, which no request here may have.
    pub(crate) has_body: bool,
    /// The endpoint needs a key, or is published.
    is_guarded: AtomicBool,
    pub head: HeadSummary,
    auth: OnceLock<AuthContext>,
    /// The request was admitted without a key, because the endpoint is published.
    is_public: AtomicBool,
    refused_key: OnceLock<String>,
    /// What the request cost of its key's quota beyond one.
    charged: AtomicU64,
    /// `Accept` has chosen the form of the answer.
    formed_by_accept: AtomicBool,
    label: OnceLock<&'static str>,
}

impl RequestContext {
    pub(crate) fn begin(service: &Arc<Service>, request: &Request<Body>, peer: IpAddr) -> Self {
        let headers = request.headers();
        let head = HeadSummary::of(headers);
        let address_header = &service.exposure.client_address_header;
        let client = service.exposure.trusted_proxies.client(peer, headers, address_header);
        RequestContext {
            method: request.method().clone(),
            version: request.version(),
            origin: service.exposure.cors.is_on().then(|| headers.get(header::ORIGIN).cloned()).flatten(),
            has_body: !request.body().is_end_stream(),
            ..RequestContext::simple(service, client, request.uri(), head)
        }
    }

    /// A request on behalf of another one, by the same client with the same key.
    pub fn within(outer: &RequestContext, uri: &Uri) -> Self {
        let head = HeadSummary { hosts: 1, ..HeadSummary::default() };
        RequestContext {
            auth: outer.auth.clone(),
            ..RequestContext::simple(&outer.service, outer.client, uri, head)
        }
    }

    /// A GET without a body.
    fn simple(service: &Arc<Service>, client: IpAddr, uri: &Uri, head: HeadSummary) -> Self {
        RequestContext {
            service: Arc::clone(service),
            begun: Instant::now(),
            at: AtomicI64::new(service.clock.now().unix()),
            id: service.next_request_id(),
            client,
            method: Method::GET,
            uri: uri.clone(),
            version: Version::HTTP_11,
            origin: None,
            has_body: false,
            is_guarded: AtomicBool::new(false),
            head,
            auth: OnceLock::new(),
            is_public: AtomicBool::new(false),
            refused_key: OnceLock::new(),
            charged: AtomicU64::new(0),
            formed_by_accept: AtomicBool::new(false),
            label: OnceLock::new(),
        }
    }

    pub fn path(&self) -> &str {
        self.uri.path()
    }

    pub(crate) fn is_guarded(&self) -> bool {
        self.is_guarded.load(Ordering::Relaxed)
    }

    pub(crate) fn set_guarded(&self) {
        self.is_guarded.store(true, Ordering::Relaxed);
    }

    pub(crate) fn at(&self) -> Timestamp {
        Timestamp::from_unix(self.at.load(Ordering::Relaxed))
    }

    /// Reads the clock again, after the request has waited.
    pub(crate) fn read_clock(&self) {
        self.at.store(self.service.clock.now().unix(), Ordering::Relaxed);
    }

    pub fn auth(&self) -> Option<&AuthContext> {
        self.auth.get()
    }

    /// Whether the request's key has this scope. A request without a key has none.
    pub(crate) fn covers(&self, scope: Scope) -> bool {
        self.auth().is_some_and(|auth| auth.key.covers(scope))
    }

    pub(crate) fn set_auth(&self, auth: AuthContext) {
        let _ = self.auth.set(auth);
    }

    /// What requests without a key share, when this one was admitted without a key.
    pub fn public(&self) -> Option<&PublicReading> {
        let is_public = self.is_public.load(Ordering::Relaxed);
        self.service.exposure.public_reading.as_ref().filter(|_| is_public)
    }

    pub(crate) fn audience(&self) -> Audience {
        if self.public().is_some() { Audience::Everybody } else { Audience::KeyHolder }
    }

    pub(crate) fn set_public(&self) {
        self.is_public.store(true, Ordering::Relaxed);
    }

    /// Charges `more` further requests to the key's quota.
    pub fn charge(&self, more: u64) {
        if let (Some(auth), 1..) = (self.auth(), more) {
            auth.key.charge(self.service.nanos(self.begun), more);
            self.charged.fetch_add(more, Ordering::Relaxed);
        }
    }

    pub(crate) fn charged(&self) -> u64 {
        self.charged.load(Ordering::Relaxed)
    }

    pub(crate) fn is_formed_by_accept(&self) -> bool {
        self.formed_by_accept.load(Ordering::Relaxed)
    }

    /// `Vary` then tells caches that another `Accept` may get another form.
    pub(crate) fn set_formed_by_accept(&self) {
        self.formed_by_accept.store(true, Ordering::Relaxed);
    }

    /// The public id of a key that was refused, for the log.
    pub(crate) fn refused_key(&self) -> Option<&String> {
        self.refused_key.get()
    }

    pub(crate) fn set_refused_key(&self, id: String) {
        let _ = self.refused_key.set(id);
    }

    /// A bounded name for metrics.
    pub fn label(&self) -> &'static str {
        self.label.get().copied().unwrap_or(UNKNOWN)
    }

    pub fn set_label(&self, label: &'static str) {
        let _ = self.label.set(label);
    }

    pub fn request_id(&self) -> &str {
        std::str::from_utf8(&self.id).unwrap_or_default()
    }

    /// What holds for every request that is answered with a representation.
    pub fn check_head(&self) -> Result<(), RequestRefusal> {
        if self.has_body {
            return Err(RequestRefusal::new(ProblemCode::BodyNotAllowed, "Requests here carry no body."));
        }
        if self.head.hosts > 1 || (self.head.hosts == 0 && self.version == Version::HTTP_11) {
            return Err(RequestRefusal::new(
                ProblemCode::BadRequest,
                "A request carries exactly one Host header.",
            ));
        }
        Ok(())
    }
}

/// What an answer depends on apart from its content: the form that the client accepts and the version that it already has.
pub struct ResponseContext {
    pub service: Arc<Service>,
    pub request: Arc<RequestContext>,
    encoding: Encoding,
    headers: HeaderMap,
}

/// Refuses with 406 when the caller does not take JSON.
impl FromRequestParts<Arc<Service>> for ResponseContext {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, RequestRefusal> {
        ResponseContext::negotiate(parts, service, AnswerForm::Json)
    }
}

impl ResponseContext {
    /// For an answer in this form.
    pub fn negotiate(
        parts: &mut Parts,
        service: &Arc<Service>,
        form: AnswerForm,
    ) -> Result<Self, RequestRefusal> {
        let request = parts.extensions.get::<Arc<RequestContext>>().cloned();
        let request =
            request.ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The request is not known."))?;
        let encoding = match negotiate::acceptable(&request.head, &parts.headers, form)? {
            _ if form.is_compressed() => Encoding::Identity,
            encoding => encoding,
        };
        let headers = std::mem::take(&mut parts.headers);
        Ok(ResponseContext { service: Arc::clone(service), request, encoding, headers })
    }

    /// The current answer of a prepared resource.
    pub fn prepared(&self, single: Single) -> Result<Response, RequestRefusal> {
        let response = self.service.prepared_response(single, self.encoding, &self.request, &self.headers)?;
        Ok(response.map(Body::new))
    }

    /// A finished body that belongs to no tick.
    pub fn document(&self, document: &EncodedBody, modified: Timestamp) -> Response {
        let parts =
            PageParts { document, content_type: JSON, modified: Some(modified), status: None, link: None };
        self.page_of(parts)
    }

    /// A finished page.
    pub fn page(&self, page: &Page) -> Response {
        self.page_of(page.parts())
    }

    fn page_of(&self, parts: PageParts<'_>) -> Response {
        let audience = self.request.audience();
        self.service.page_response(parts, self.encoding, audience, &self.headers).map(Body::new)
    }

    /// A list's page. A first page of the present is cached for its publication and then answered without a place or a
    /// thread. Pages behind a cursor or of the past are not cached: cursors expire and the past is pruned in the meantime.
    pub async fn read_page(
        self,
        uri: Uri,
        form: AnswerForm,
        is_first_of_now: bool,
        job: impl FnOnce(&RequestService, &Uri) -> Result<Page, RequestRefusal> + Send + 'static,
    ) -> Result<Response, RequestRefusal> {
        let serial = self.service.published.current().as_ref().map_or(0, |p| p.serial);
        if !is_first_of_now {
            return self.read_store(move |service| job(service, &uri)).await;
        }
        let target = uri.path_and_query().map_or("", |target| target.as_str());
        let name = pages::name_of_first(serial, form, target);
        let made = self.service.published.pages.get(&name);
        if let Some(page) = made.filter(|page| page.document.has(self.encoding)) {
            return Ok(self.page(&page));
        }
        let keep = move |service: &RequestService| {
            let page = job(service, &uri)?;
            service.published.pages.put(name, &page);
            Ok(page)
        };
        self.read_store(keep).await
    }

    /// Reads the store off the event loop and answers with the page that `job` makes.
    ///
    /// The places belong to the job: when the client hangs up, they stay taken until the job ends.
    pub async fn read_store(
        self,
        job: impl FnOnce(&RequestService) -> Result<Page, RequestRefusal> + Send + 'static,
    ) -> Result<Response, RequestRefusal> {
        let overloaded = |detail: &'static str| {
            RequestRefusal::new(ProblemCode::Overloaded, detail).retry_after(RETRY_AFTER_OVERLOAD_SECONDS)
        };
        let (service, encoding) = (Arc::clone(&self.service), self.encoding);
        let own = match (self.request.auth(), self.request.public()) {
            (Some(auth), _) => auth.key.places(&service.limits).clone(),
            (None, Some(public)) => public.places.clone(),
            (None, None) => return Err(RequestRefusal::new(ProblemCode::Internal, "The key is not known.")),
        };
        let own_place = own.in_flight.try_acquire_owned().map_err(|_| match self.request.auth() {
            Some(_) => overloaded("Too many requests of this key are waiting already."),
            None => overloaded("Too many requests without a key are waiting already."),
        })?;
        let place = Arc::clone(&service.places.in_flight)
            .try_acquire_owned()
            .map_err(|_| overloaded("Too many requests are waiting already."))?;
        // The key's own place first: while a request waits for it, it holds no place that other keys could use.
        let reader = timeout(READER_WAIT, async {
            let own_reader = own.readers.acquire_owned().await?;
            Arc::clone(&service.places.readers).acquire_owned().await.map(|reader| (own_reader, reader))
        });
        let Ok(Ok(reader)) = reader.await else {
            return Err(overloaded("The data could not be read in time."));
        };
        let limit = ReadLimit::within(ANSWER_DEADLINE);
        let service = RequestService::new(service, &limit);
        // The reads end when the client hangs up.
        let _cancelled_with_the_request = CancelOnDrop(limit);
        let work = tokio::task::spawn_blocking(move || {
            let _places = (own_place, place, reader);
            let page = job(&service)?;
            // Compressed here, off the event loop.
            page.document.form(encoding);
            Ok(page)
        });
        match timeout(ANSWER_DEADLINE, work).await {
            Ok(Ok(page)) => page.map(|page| self.page(&page)),
            // The layer around the router catches, counts and answers it.
            Ok(Err(fault)) if fault.is_panic() => std::panic::resume_unwind(fault.into_panic()),
            _ => Err(overloaded("The answer could not be put together in time.")),
        }
    }
}

/// Ends the reads of a request when its future is dropped.
struct CancelOnDrop(ReadLimit);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
