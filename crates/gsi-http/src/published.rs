//! What is served: the current publication, header values for this second, pages made before, the state of the feeds,
//! and the stream that tells of all this. Everything a request reads is swapped in whole, without a lock.

use crate::cursor::CursorSigner;
use crate::encoded_body::EncodedBody;
use crate::form::AnswerForm;
use crate::headers::{DATA_STATUS, JSON, RATE_LIMIT, RATE_LIMIT_POLICY, REQUEST_ID, SIMULATED};
use crate::negotiate::{self, Encoding, HeadSummary};
use crate::pages::{PageCache, PageParts, name_of_first};
use crate::past::PreparedPast;
use crate::prepared::{
    Audience, FIRST_PAGES, FirstPage, MomentHeaders, Prepared, Single, Unpublishable, http_date,
    status_header,
};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::service::Service;
use crate::settings::RETRY_AFTER_NO_SNAPSHOT;
use crate::stream::StreamHub;
use crate::wire;
use crate::wire::method_changes::MethodChangesBody;
use crate::wire::stream::StreamFeeds;
use arc_swap::{ArcSwap, ArcSwapOption, Guard};
use axum::response::Response;
use gsi_model::{
    Clock, FeedState, MapLayer, MethodChange, Origin, Reconstruction, Snapshot, Summary, Timestamp,
};
use http::{HeaderMap, HeaderValue, header};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Two years, as preload lists ask for.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=63072000");
/// Computing the past takes a few seconds.
const RETRY_AFTER_PAST: u64 = 5;
/// More than an answer ever has, so that its map never grows.
const HEADER_ROOM: usize = 20;

pub struct PublishedState {
    current: ArcSwapOption<Prepared>,
    moment: ArcSwap<MomentHeaders>,
    publications: AtomicU64,
    pub pages: PageCache,
    pub signer: ArcSwap<CursorSigner>,
    pub origins: Vec<Origin>,
    /// What the feeds can show on a map.
    pub layers: Vec<MapLayer>,
    pub feeds: ArcSwap<Vec<FeedState>>,
    /// Why there is no score yet, one sentence for each pillar without a number.
    pub waiting: ArcSwap<Vec<String>>,
    pub stream: StreamHub,
    /// The reconstructed past, once it is computed.
    pub past: ArcSwapOption<PreparedPast>,
    /// What the stream last said of the feeds.
    pub feeds_told: Mutex<Option<StreamFeeds>>,
    /// With the sentence on forecasts, once the past is computed.
    pub method: ArcSwap<EncodedBody>,
    pub method_digest: String,
    /// The log of the method.
    pub method_changes: Arc<EncodedBody>,
    pub simulated: bool,
    /// Series that are read but may not be passed on.
    pub withheld: Vec<String>,
    /// Reached over TLS: browsers are told to stay with it.
    pub is_secure: AtomicBool,
}

/// What it is made of at the start.
pub struct PublishedSettings {
    pub origins: Vec<Origin>,
    pub layers: Vec<MapLayer>,
    pub method: serde_json::Value,
    pub method_changes: Vec<MethodChange>,
    pub simulated: bool,
    pub withheld: Vec<String>,
    pub feeds: Vec<FeedState>,
    pub signer: CursorSigner,
}

/// What a request has to agree in for a kept answer to be its answer: `Accept` where that chose the form, `Origin` where some
/// origins are told that they may read it.
pub fn vary(by_accept: bool, by_origin: bool) -> HeaderValue {
    match (by_accept, by_origin) {
        (false, false) => const { HeaderValue::from_static("Authorization, Accept-Encoding") },
        (false, true) => const { HeaderValue::from_static("Authorization, Accept-Encoding, Origin") },
        (true, false) => const { HeaderValue::from_static("Authorization, Accept, Accept-Encoding") },
        (true, true) => const { HeaderValue::from_static("Authorization, Accept, Accept-Encoding, Origin") },
    }
}

impl PublishedState {
    pub fn new(settings: PublishedSettings, clock: &dyn Clock) -> Self {
        PublishedState {
            current: ArcSwapOption::empty(),
            moment: ArcSwap::from_pointee(MomentHeaders::at(clock.now(), clock, None, false)),
            publications: AtomicU64::new(0),
            pages: PageCache::default(),
            signer: ArcSwap::from_pointee(settings.signer),
            origins: settings.origins,
            layers: settings.layers,
            feeds: ArcSwap::from_pointee(settings.feeds),
            waiting: ArcSwap::default(),
            stream: StreamHub::new(),
            past: ArcSwapOption::empty(),
            feeds_told: Mutex::default(),
            method: ArcSwap::from_pointee(EncodedBody::prepared(wire::bytes(&settings.method))),
            method_changes: Arc::new(EncodedBody::prepared(wire::bytes(&MethodChangesBody::of(
                &settings.method,
                &settings.method_changes,
            )))),
            method_digest: settings.method["digest"].as_str().unwrap_or_default().to_owned(),
            simulated: settings.simulated,
            withheld: settings.withheld,
            is_secure: AtomicBool::new(false),
        }
    }

    pub fn current(&self) -> Guard<Option<Arc<Prepared>>> {
        self.current.load()
    }

    pub fn past(&self) -> Result<Arc<PreparedPast>, RequestRefusal> {
        self.past.load_full().ok_or_else(|| {
            RequestRefusal::new(
                ProblemCode::Overloaded,
                "The past is still being computed from its observations.",
            )
            .retry_after(RETRY_AFTER_PAST)
        })
    }

    /// Adds to the method's document that the score does not forecast, with the figures that show it.
    fn tell_forecast(&self, record: &Reconstruction) {
        let told =
            serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(self.method.load().plain());
        let Ok(mut document) = told else { return };
        document.insert("forecast".to_owned(), record.forecast().into());
        self.method.store(Arc::new(EncodedBody::prepared(wire::bytes(&document))));
    }

    /// Nothing was ever published, and what is waited for.
    pub fn no_snapshot(&self) -> RequestRefusal {
        let mut detail = "The first snapshot has not been published yet.".to_owned();
        for sentence in self.waiting.load().iter() {
            detail.push_str(&format!(" {sentence}."));
        }
        RequestRefusal::new(ProblemCode::NoSnapshot, detail).retry_after(RETRY_AFTER_NO_SNAPSHOT)
    }
}

impl Service {
    /// Shows the past from now on. One without a day is not shown.
    pub fn set_reconstruction(&self, record: impl Into<Arc<Reconstruction>>) {
        let record = record.into();
        self.published.tell_forecast(&record);
        self.published.past.store(PreparedPast::new(record).map(Arc::new));
    }

    /// The work of building and compressing happens here, not in requests. One call at a time: see `publish`.
    pub(crate) fn show(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let serial = self.published.publications.fetch_add(1, Ordering::Relaxed) + 1;
        let prepared = Prepared::build(snapshot, summary, serial)?;
        let before = self.published.current.swap(Some(Arc::new(prepared)));
        self.announce(before.as_deref().map(|p| &p.snapshot), snapshot);
        Ok(())
    }

    /// Header values for this second, made by whoever asks first.
    pub(crate) fn moment(&self) -> Guard<Arc<MomentHeaders>> {
        self.moment_of(self.published.current().as_deref())
    }

    fn moment_of(&self, prepared: Option<&Prepared>) -> Guard<Arc<MomentHeaders>> {
        let now = self.clock.now();
        let moment = self.published.moment.load();
        if moment.now == now && moment.serial == prepared.map_or(0, |p| p.serial) {
            return moment;
        }
        let fresh = Arc::new(MomentHeaders::at(now, &*self.clock, prepared, self.store_is_gone()));
        self.published.moment.store(Arc::clone(&fresh));
        Guard::from_inner(fresh)
    }

    /// The current answer of a prepared resource. Its head is made once a second and copied for each request.
    pub(crate) fn prepared_response(
        &self,
        single: Single,
        encoding: Encoding,
        audience: Audience,
        head: &HeadSummary,
        asked: &HeaderMap,
    ) -> Result<Response, RequestRefusal> {
        let current = self.published.current();
        let prepared = current.as_deref().ok_or_else(|| self.published.no_snapshot())?;
        let moment = self.moment_of(Some(prepared));
        let document = prepared.document(single);
        let form = document.form(encoding);
        let make = || {
            let mut headers = HeaderMap::with_capacity(HEADER_ROOM);
            headers.insert(header::LAST_MODIFIED, prepared.last_modified.clone());
            headers.insert(header::CACHE_CONTROL, moment.cache_control(audience).clone());
            headers.insert(DATA_STATUS, status_header(moment.status));
            headers
        };
        if head.conditional && negotiate::not_modified(asked, &form.etag, prepared.snapshot.tick.unix()) {
            return Ok(document.respond(JSON, encoding, make(), |_| true));
        }
        let headers = moment.head(audience, single, encoding, || {
            self.keep_head(document.respond(JSON, encoding, make(), |_| false), audience, &moment)
        });
        let mut response = Response::new(form.body.clone().into());
        *response.headers_mut() = headers.clone();
        Ok(response)
    }

    /// The head of an answer, completed with all that is the same for everybody in this second.
    fn keep_head(&self, response: Response, audience: Audience, moment: &MomentHeaders) -> HeaderMap {
        let mut headers = response.into_parts().0.headers;
        self.insert_common_headers(&mut headers, true, moment);
        // Room for what differs from request to request.
        let personal: &[_] = match audience {
            Audience::KeyHolder => &[REQUEST_ID, RATE_LIMIT_POLICY, RATE_LIMIT],
            Audience::Everybody => &[REQUEST_ID, RATE_LIMIT_POLICY],
        };
        for name in personal {
            headers.insert(name, const { HeaderValue::from_static("") });
        }
        headers
    }

    /// The answer with a page that is at hand; `asked` says what the caller has already.
    pub(crate) fn page_response(
        &self,
        page: PageParts<'_>,
        encoding: Encoding,
        audience: Audience,
        asked: &HeaderMap,
    ) -> Response {
        self.page_response_at(&self.moment(), page, encoding, audience, asked)
    }

    fn page_response_at(
        &self,
        moment: &MomentHeaders,
        page: PageParts<'_>,
        encoding: Encoding,
        audience: Audience,
        asked: &HeaderMap,
    ) -> Response {
        let PageParts { document, content_type, modified, status, link } = page;
        let mut headers = HeaderMap::with_capacity(HEADER_ROOM);
        headers.extend(modified.map(|at| (header::LAST_MODIFIED, http_date(at))));
        headers.extend(link.map(|link| (header::LINK, link)));
        headers.extend(status.map(|status| (DATA_STATUS, status_header(status))));
        headers.insert(header::CACHE_CONTROL, moment.cache_control(audience).clone());
        let since = modified.map_or(i64::MAX, Timestamp::unix);
        document.respond(content_type, encoding, headers, |etag| negotiate::not_modified(asked, etag, since))
    }

    /// The first page of a list of [`FIRST_PAGES`], in JSON and without a filter, if somebody has asked for it since the
    /// last publication. Its head is made once a second, like that of a prepared resource.
    pub(crate) fn first_page_response(
        &self,
        list: usize,
        encoding: Encoding,
        audience: Audience,
        head: &HeadSummary,
        asked: &HeaderMap,
    ) -> Option<Response> {
        let current = self.published.current();
        let prepared = current.as_deref()?;
        let moment = self.moment_of(Some(prepared));
        let FirstPage { page, head: kept } = moment.first_page(audience, list, encoding, || {
            let name = name_of_first(prepared.serial, AnswerForm::Json, FIRST_PAGES[list]);
            let page = self.published.pages.get(&name).filter(|page| page.document.has(encoding))?;
            let none = HeaderMap::new();
            let mut response = self.page_response_at(&moment, page.parts(), encoding, audience, &none);
            // Where the router would have put it.
            let length = page.document.form(encoding).body.len();
            response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
            let head = self.keep_head(response, audience, &moment);
            Some(FirstPage { page, head })
        })?;
        let form = page.document.form(encoding);
        let since = page.modified.map_or(i64::MAX, Timestamp::unix);
        if head.conditional && negotiate::not_modified(asked, &form.etag, since) {
            return Some(self.page_response_at(&moment, page.parts(), encoding, audience, asked));
        }
        let mut response = Response::new(form.body.clone().into());
        *response.headers_mut() = kept.clone();
        Some(response)
    }

    /// What every answer has, whatever it says.
    pub(crate) fn insert_common_headers(
        &self,
        headers: &mut HeaderMap,
        is_guarded: bool,
        moment: &MomentHeaders,
    ) {
        headers.insert(header::DATE, moment.date.clone());
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        headers.entry(header::CACHE_CONTROL).or_insert(crate::headers::NO_STORE);
        if is_guarded {
            headers.insert(header::VARY, vary(false, self.cors.is_on()));
        }
        if self.published.is_secure.load(Ordering::Relaxed) {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
        }
        if self.published.simulated {
            headers.insert(SIMULATED, const { HeaderValue::from_static("true") });
        }
    }
}
