//! What is served: the current publication, header values for this second, cached pages, the state of the feeds, and
//! the stream that announces them. Requests read each part without a lock; writers replace it as a whole.

use crate::prepared::pages::PageCache;
use crate::prepared::past::PreparedPast;
use crate::prepared::publication::{MomentHeaders, Prepared, Unpublishable};
use crate::problem::{ProblemCode, RequestRefusal};
use crate::representation::encoded_body::EncodedBody;
use crate::representation::json_bytes;
use crate::request::cursor::CursorSigner;
use crate::resources::method::changes::MethodChangesBody;
use crate::settings::RETRY_AFTER_NO_SNAPSHOT_SECONDS;
use crate::state::service::Service;
use crate::stream::StreamHub;
use crate::stream::body::StreamFeeds;
use arc_swap::{ArcSwap, ArcSwapOption, Guard};
use gsi_model::{
    Clock, FeedState, HOUR, MapLayer, MethodChange, Origin, Reconstruction, Snapshot, Summary, Timestamp,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// `Retry-After` until the past is computed, which takes a few seconds.
const RETRY_AFTER_PAST_SECONDS: u64 = 5;

pub struct PublishedState {
    current: ArcSwapOption<Prepared>,
    moment: ArcSwap<MomentHeaders>,
    publications: AtomicU64,
    pub pages: PageCache,
    pub signer: ArcSwap<CursorSigner>,
    pub origins: Vec<Origin>,
    /// The map layers of the feeds.
    pub layers: Vec<MapLayer>,
    pub feeds: ArcSwap<Vec<FeedState>>,
    /// Why there is no score yet, one sentence for each pillar without a number.
    pub waiting: ArcSwap<Vec<String>>,
    pub stream: StreamHub,
    /// The reconstructed past, once it is computed.
    pub past: ArcSwapOption<PreparedPast>,
    /// The feeds as the stream last sent them.
    pub(crate) feeds_sent: Mutex<Option<StreamFeeds>>,
    /// The method's document, with the sentence on forecasts once the past is computed.
    pub method: ArcSwap<EncodedBody>,
    pub method_digest: String,
    /// The changes of the method.
    pub method_changes: Arc<EncodedBody>,
    pub simulated: bool,
    /// Series whose values may not be published.
    pub withheld: Vec<String>,
    /// The listener uses TLS, so answers tell browsers to use only TLS.
    pub is_secure: AtomicBool,
}

/// What [`PublishedState`] starts with.
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
            feeds_sent: Mutex::default(),
            method: ArcSwap::from_pointee(EncodedBody::prepared(json_bytes(&settings.method))),
            method_changes: Arc::new(EncodedBody::prepared(json_bytes(&MethodChangesBody::of(
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
            .retry_after(RETRY_AFTER_PAST_SECONDS)
        })
    }

    /// Adds the sentence that the score does not forecast, with the figures that show it, to the method's document.
    fn add_forecast(&self, record: &Reconstruction) {
        let document =
            serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(self.method.load().plain());
        let Ok(mut document) = document else { return };
        document.insert("forecast".to_owned(), record.forecast().into());
        self.method.store(Arc::new(EncodedBody::prepared(json_bytes(&document))));
    }

    /// The refusal before the first snapshot, with what it waits for.
    pub fn no_snapshot(&self) -> RequestRefusal {
        let mut detail = "The first snapshot has not been published yet.".to_owned();
        for sentence in self.waiting.load().iter() {
            detail.push_str(&format!(" {sentence}."));
        }
        RequestRefusal::new(ProblemCode::NoSnapshot, detail).retry_after(RETRY_AFTER_NO_SNAPSHOT_SECONDS)
    }
}

impl Service {
    /// Sets the reconstructed past. One without a day is not served.
    pub fn set_reconstruction(&self, record: impl Into<Arc<Reconstruction>>) {
        let record = record.into();
        self.published.add_forecast(&record);
        self.published.past.store(PreparedPast::new(record).map(Arc::new));
    }

    /// Builds and compresses the answers of a publication, so that requests need not. One call at a time: see
    /// `publish`.
    pub(crate) fn show(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let serial = self.published.publications.fetch_add(1, Ordering::Relaxed) + 1;
        let prepared = Prepared::build(snapshot, summary, serial)?;
        let before = self.published.current.swap(Some(Arc::new(prepared)));
        self.announce(before.as_deref().map(|p| &p.snapshot), snapshot);
        Ok(())
    }

    /// Header values for this second, made by the first caller.
    pub fn moment(&self) -> Guard<Arc<MomentHeaders>> {
        self.moment_of(self.clock.now(), self.published.current().as_deref())
    }

    pub(crate) fn moment_of(&self, now: Timestamp, prepared: Option<&Prepared>) -> Guard<Arc<MomentHeaders>> {
        let moment = self.published.moment.load();
        if moment.now == now && moment.serial == prepared.map_or(0, |p| p.serial) {
            return moment;
        }
        let fresh = Arc::new(MomentHeaders::at(now, &*self.clock, prepared, self.store_is_gone()));
        // A request that began earlier does not replace newer values, but a clock that was set back does.
        let is_older = now < moment.now && moment.now.since(now) < HOUR;
        if !is_older || moment.serial != fresh.serial {
            self.published.moment.store(Arc::clone(&fresh));
        }
        Guard::from_inner(fresh)
    }
}
