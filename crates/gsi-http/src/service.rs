//! The service as the rest of the program sees it: what is published, which keys hold, what the feeds do.
//! Everything a request reads is swapped in whole; nothing here is locked on the way to an answer.

use crate::auth::{KeyEntry, KeyTable};
use crate::cursor::CursorSigner;
use crate::document::Document;
use crate::follow::{self, Following};
use crate::log::RequestLog;
use crate::metrics::{Gauges, Metrics};
use crate::pages::PageCache;
use crate::prepared::{Moment, Prepared, Unpublishable};
use crate::rate::FailureLimit;
use crate::settings::{Cors, Limits, MIN_OPERATOR_KEY, MetricsExposure, Settings};
use crate::shelf::Shelf;
use crate::stream::Hub;
use crate::wire;
use crate::wire::stream::StreamFeeds;
use arc_swap::{ArcSwap, ArcSwapOption};
use gsi_model::{Clock, FeedState, Origin, Snapshot, Summary, Timestamp};
use gsi_store::{Store, StoreError};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::Semaphore;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the store does not answer: {0}")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Unpublishable(#[from] Unpublishable),
    #[error("the operator's key needs at least {MIN_OPERATOR_KEY} visible ASCII characters")]
    OperatorKey,
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    #[error("no source of randomness: {0}")]
    Random(String),
}

pub struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: Limits,
    pub(crate) cors: Cors,
    pub(crate) simulated: bool,
    pub(crate) metrics_exposure: MetricsExposure,
    pub(crate) shelf: Option<Shelf>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) method: Arc<Document>,
    pub(crate) method_digest: String,
    /// Series that are read but may not be passed on.
    pub(crate) withheld: Vec<String>,
    /// Inputs are large: one answer is put together at a time.
    pub(crate) inputs: std::sync::Mutex<()>,
    pub(crate) openapi: Document,
    pub(crate) signer: CursorSigner,
    pub(crate) metrics: Metrics,
    pub(crate) log: RequestLog,
    pub(crate) failures: FailureLimit,
    pub(crate) pages: PageCache,
    pub(crate) readers: Semaphore,
    pub(crate) in_flight: AtomicUsize,
    pub(crate) draining: AtomicBool,
    /// Reached over TLS: browsers are told to stay with it.
    pub(crate) secure: AtomicBool,
    pub(crate) feeds: ArcSwap<Vec<FeedState>>,
    pub(crate) stream: Hub,
    /// What the stream last said of the feeds.
    pub(crate) feeds_told: Mutex<Option<StreamFeeds>>,
    pub(crate) following: Following,
    publications: AtomicU64,
    current: ArcSwapOption<Prepared>,
    moment: ArcSwap<Moment>,
    keys: ArcSwap<KeyTable>,
    keys_version: AtomicI64,
    operator: Option<Arc<KeyEntry>>,
    started: Instant,
    started_at: Timestamp,
    request_ids: RequestIds,
    more_metrics: Mutex<Vec<MoreMetrics>>,
}

/// Tells counters in Prometheus' text form when asked.
pub type MoreMetrics = Box<dyn Fn() -> String + Send + Sync>;

impl Service {
    pub fn new(
        settings: Settings,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        origins: Vec<Origin>,
        method_document: serde_json::Value,
    ) -> Result<Arc<Service>, StartError> {
        let operator = match &settings.operator_key {
            Some(key) if key.len() < MIN_OPERATOR_KEY || !key.bytes().all(|b| b.is_ascii_graphic()) => {
                return Err(StartError::OperatorKey);
            }
            Some(key) => Some(Arc::new(KeyEntry::operator(key, settings.operator_rate))),
            None => None,
        };
        let now = clock.now();
        let request_ids = RequestIds::new()?;
        let (alive, over) = std::sync::mpsc::channel();
        let service = Arc::new(Service {
            signer: CursorSigner::new(store.secret("cursor")?),
            feeds: ArcSwap::from_pointee(store.feed_states()?),
            method: Arc::new(Document::prepared(wire::bytes(&method_document))),
            method_digest: method_document["digest"].as_str().unwrap_or_default().to_owned(),
            withheld: settings.withheld,
            inputs: std::sync::Mutex::default(),
            openapi: Document::prepared(wire::bytes(&crate::openapi::document())),
            metrics: Metrics::default(),
            log: RequestLog::start(settings.request_log)?,
            failures: FailureLimit::new(settings.limits.failed_auth_per_minute),
            pages: PageCache::default(),
            readers: Semaphore::new(settings.limits.store_readers.max(1)),
            in_flight: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            secure: AtomicBool::new(false),
            stream: Hub::new(),
            feeds_told: Mutex::default(),
            following: Following::new(request_ids.name(), settings.follows, alive),
            publications: AtomicU64::new(0),
            current: ArcSwapOption::empty(),
            moment: ArcSwap::from_pointee(Moment::at(now, &*clock, None, false)),
            keys: ArcSwap::from_pointee(KeyTable::default()),
            keys_version: AtomicI64::new(i64::MIN),
            operator,
            started: Instant::now(),
            started_at: now,
            more_metrics: Mutex::new(Vec::new()),
            request_ids,
            limits: settings.limits,
            cors: settings.cors,
            simulated: settings.simulated,
            metrics_exposure: settings.metrics,
            shelf: settings.assets.map(Shelf::new),
            origins,
            store,
            clock,
        });
        service.refresh_keys()?;
        if let Some(last) = service.store.published_at(Timestamp::MAX)? {
            service.publish(&last.snapshot, &last.summary)?;
            service.greets_with_feeds();
        }
        follow::start(&service, over)?;
        Ok(service)
    }

    /// The work of building and compressing happens here, not in requests. One call at a time: see `publish`.
    pub(crate) fn show(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let serial = self.publications.fetch_add(1, Ordering::Relaxed) + 1;
        let prepared = Prepared::build(snapshot, summary, serial)?;
        let before = self.current.swap(Some(Arc::new(prepared)));
        self.announce(before.as_deref().map(|p| &p.snapshot), snapshot);
        Ok(())
    }

    /// Reads the keys again if any changed since the last time.
    pub fn refresh_keys(&self) -> Result<(), StoreError> {
        let version = self.store.keys_version()?;
        if version == self.keys_version.load(Ordering::Acquire) {
            return Ok(());
        }
        let keys = self.store.keys()?;
        let table = KeyTable::build(&keys, self.operator.clone(), &self.keys.load());
        self.keys.store(Arc::new(table));
        self.keys_version.store(version, Ordering::Release);
        self.stream.keys_changed();
        Ok(())
    }

    pub(crate) fn keys_are(&self, version: i64) -> bool {
        version == self.keys_version.load(Ordering::Acquire)
    }

    pub fn set_feeds(&self, feeds: Vec<FeedState>) {
        self.feeds.store(Arc::new(feeds));
        self.announce_feeds();
    }

    pub fn is_ready(&self) -> bool {
        self.current.load().is_some()
    }

    /// When the service was made, by its own clock.
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    pub(crate) fn current(&self) -> arc_swap::Guard<Option<Arc<Prepared>>> {
        self.current.load()
    }

    pub(crate) fn keys(&self) -> arc_swap::Guard<Arc<KeyTable>> {
        self.keys.load()
    }

    /// Header values for this second, made by whoever asks first.
    pub(crate) fn moment(&self, prepared: Option<&Prepared>) -> arc_swap::Guard<Arc<Moment>> {
        let now = self.clock.now();
        let moment = self.moment.load();
        if moment.now == now && moment.serial == prepared.map_or(0, |p| p.serial) {
            return moment;
        }
        let fresh = Arc::new(Moment::at(now, &*self.clock, prepared, self.store_is_gone()));
        self.moment.store(Arc::clone(&fresh));
        arc_swap::Guard::from_inner(fresh)
    }

    /// Nanoseconds since the service started, for rate limits.
    pub(crate) fn nanos(&self, instant: Instant) -> u64 {
        instant.duration_since(self.started).as_nanos() as u64
    }

    pub(crate) fn next_request_id(&self) -> [u8; 16] {
        self.request_ids.next()
    }

    /// Counters of other rooms, in Prometheus' text form, shown after the service's own.
    pub fn add_metrics(&self, more: MoreMetrics) {
        self.more_metrics.lock().unwrap_or_else(PoisonError::into_inner).push(more);
    }

    pub(crate) fn render_metrics(&self) -> String {
        let now = self.clock.now();
        let mut out = self.metrics.render(&Gauges {
            snapshot_age: self.current.load().as_ref().map(|p| now.since(p.snapshot.tick)),
            log_lost: self.log.lost(),
            keys: self.keys.load().len(),
            in_flight: self.in_flight.load(Ordering::Relaxed),
            streams: self.stream.open.load(Ordering::Relaxed),
        });
        self.render_following(&mut out);
        for more in &*self.more_metrics.lock().unwrap_or_else(PoisonError::into_inner) {
            out.push_str(&more());
        }
        out
    }
}

/// Request ids: a counter behind a bijective mixer, so that they are unique in a process, differ between
/// processes, and do not tell how many there were.
struct RequestIds {
    next: AtomicU64,
}

impl RequestIds {
    fn new() -> Result<Self, StartError> {
        let seed = getrandom::u64().map_err(|e| StartError::Random(e.to_string()))?;
        Ok(RequestIds { next: AtomicU64::new(seed) })
    }

    /// A name for this process, unlike any other's.
    fn name(&self) -> String {
        String::from_utf8_lossy(&self.next()).into_owned()
    }

    fn next(&self) -> [u8; 16] {
        let mut z = self.next.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        let mut text = [0; 16];
        for (i, place) in text.iter_mut().enumerate() {
            *place = b"0123456789abcdef"[(z >> (60 - 4 * i)) as usize & 15];
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_ids_do_not_repeat() {
        let ids = RequestIds::new().unwrap();
        let many: std::collections::HashSet<_> = (0..10_000).map(|_| ids.next()).collect();
        assert_eq!(many.len(), 10_000);
    }
}
