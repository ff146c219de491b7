//! The service as the rest of the program uses it: publications, keys and the states of feeds.
//!
//! Requests read the state without locks; writers replace it as a whole.

use crate::auth::client_address::TrustedProxies;
use crate::auth::key_ring::{KeyEntry, KeyRing, KeySchemes, claimed_id};
use crate::auth::public::{PublicSettings, page_tags};
use crate::auth::public_reading::PublicReading;
use crate::prepared::publication::Unpublishable;
use crate::request::cursor::CursorSigner;
use crate::resources::site::assets::AssetCache;
use crate::settings::{Cors, Limits, MIN_OPERATOR_KEY, NEW_KEY_DEADLINE, NEW_KEY_PAUSE, ServiceSettings};
use crate::state::published::{PublishedSettings, PublishedState};
use crate::state::replica::{self, ReplicaStanding};
use crate::telemetry::log::RequestLog;
use crate::telemetry::metrics::HttpMetrics;
use gsi_model::{Clock, FeedState, Origin, RateLimit, Timestamp};
use gsi_store::{ChangeNote, KeyAction, Store, StoreError};
use http::{HeaderMap, HeaderName};
use prometheus_client::registry::Registry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
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

/// The HTTP service: what is published, the keys, this replica among the others, limits, access, and telemetry.
pub struct Service {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub published: PublishedState,
    pub keys: KeyRing,
    /// When the store was last read for a key that was refused.
    new_key_read: tokio::sync::Mutex<Option<Instant>>,
    pub(crate) replica: ReplicaStanding,
    pub limits: Limits,
    pub places: StorePlaces,
    pub exposure: Exposure,
    pub assets: Option<AssetCache>,
    pub telemetry: Telemetry,
    operator_rate: Option<RateLimit>,
    request_ids: RequestIds,
    /// The origin of durations and of the buckets' clock.
    started: Instant,
    started_at: Timestamp,
}

/// Who may read what: other origins, requests without a key, trusted proxies.
pub struct Exposure {
    pub cors: Cors,
    pub public: PublicSettings,
    /// Requests without a key; `None` when nothing is published.
    pub public_reading: Option<PublicReading>,
    pub trusted_proxies: TrustedProxies,
    /// The header in which trusted proxies name the client.
    pub client_address_header: HeaderName,
}

/// Metrics and the request log.
pub struct Telemetry {
    pub metrics: HttpMetrics,
    pub log: RequestLog,
}

/// Places for requests that need the store.
pub struct StorePlaces {
    pub(crate) in_flight: Arc<Semaphore>,
    pub readers: Arc<Semaphore>,
    /// Held while an answer with inputs is built. They are large, so only one is built at a time.
    pub inputs: Mutex<()>,
}

impl Service {
    pub fn new(
        settings: ServiceSettings,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        origins: Vec<Origin>,
        method_document: serde_json::Value,
    ) -> Result<Arc<Service>, StartError> {
        let operator_rate = settings.operator_rate;
        let operator =
            settings.operator_key.as_deref().map(|key| operator_entry(key, operator_rate)).transpose()?;
        let now = clock.now();
        let request_ids = RequestIds::new()?;
        let (alive, over) = std::sync::mpsc::channel();
        let limits = settings.limits;
        let metrics = HttpMetrics::new();
        let service = Arc::new(Service {
            published: PublishedState::new(
                PublishedSettings {
                    origins,
                    layers: settings.layers,
                    method: method_document,
                    method_changes: settings.method_changes,
                    simulated: settings.simulated,
                    withheld: settings.withheld,
                    feeds: store.feed_states()?,
                    signer: CursorSigner::of(&*store)?,
                },
                &*clock,
            ),
            keys: KeyRing::new(operator, limits.failed_auth_per_minute),
            new_key_read: tokio::sync::Mutex::default(),
            replica: ReplicaStanding::new(request_ids.name(), settings.follows, alive),
            places: StorePlaces {
                in_flight: Arc::new(Semaphore::new(limits.max_in_flight)),
                readers: Arc::new(Semaphore::new(limits.store_readers.max(1))),
                inputs: Mutex::default(),
            },
            telemetry: Telemetry {
                log: RequestLog::start(
                    settings.request_log,
                    metrics.log_lost.clone(),
                    metrics.log_left_out.clone(),
                )?,
                metrics,
            },
            started: Instant::now(),
            started_at: now,
            request_ids,
            operator_rate,
            assets: settings.assets.map(|assets| AssetCache::new(assets, page_tags(&settings.public))),
            exposure: Exposure {
                public_reading: PublicReading::new(&settings.public, &limits),
                cors: settings.cors,
                public: settings.public,
                trusted_proxies: settings.trusted_proxies,
                client_address_header: settings.client_address_header,
            },
            limits,
            store,
            clock,
        });
        service.refresh_keys()?;
        if let Some(last) = service.store.published_at(Timestamp::MAX)? {
            service.publish(&last.snapshot, &last.summary)?;
            service.note_feeds();
        }
        replica::start(&service, over)?;
        Ok(service)
    }

    /// Reads the keys and the secret behind cursors again if any has changed since the last time.
    pub fn refresh_keys(&self) -> Result<(), StoreError> {
        if self.keys.is_at(self.store.keys_version()?) {
            return Ok(());
        }
        let signer = CursorSigner::of(&*self.store)?;
        if **self.published.signer.load() != signer {
            self.published.signer.store(Arc::new(signer));
            // Their cursors are signed with the previous secret.
            self.published.pages.clear();
            tracing::info!("the cursor secret was replaced");
        }
        if self.keys.refresh(&*self.store)? {
            self.published.stream.keys_changed();
        }
        Ok(())
    }

    /// Reads the keys again for a well-formed key that was refused as invalid, and returns whether it is accepted now: another
    /// process may have just created it.
    ///
    /// A key whose id is known and whose secret is wrong waits for the same read. Otherwise the time of a refusal would show
    /// which ids exist. Under a flood that costs no more than unknown ids do, because one read serves all that wait.
    pub(crate) async fn finds_new_key(
        self: &Arc<Self>,
        headers: &HeaderMap,
        schemes: KeySchemes,
        asked: Instant,
    ) -> bool {
        if claimed_id(headers, schemes).is_none() {
            return false;
        }
        // A separate task: when this client hangs up, the others still wait for the end of the read.
        let service = Arc::clone(self);
        let _ = tokio::spawn(async move { service.read_new_keys(asked).await }).await;
        !self.keys.refuses(headers, schemes, self.clock.now())
    }

    /// Reads the keys again if any has changed. One read serves all requests that asked before it began.
    async fn read_new_keys(self: &Arc<Self>, asked: Instant) {
        let mut last_read = self.new_key_read.lock().await;
        if last_read.is_some_and(|at| at >= asked) || self.store_is_gone() {
            return;
        }
        if let Some(at) = *last_read {
            tokio::time::sleep_until((at + NEW_KEY_PAUSE).into()).await;
        }
        *last_read = Some(Instant::now());
        let service = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || service.refresh_keys());
        match tokio::time::timeout(NEW_KEY_DEADLINE, read).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => {
                tracing::warn!(%error, "the keys cannot be read; known keys stay valid")
            }
            Ok(Err(_)) | Err(_) => {
                tracing::warn!("the store did not answer in time whether there are new keys")
            }
        }
    }

    /// Replaces the operator's key and ends the streams of the previous one.
    pub fn set_operator_key(&self, key: &str) -> Result<(), StartError> {
        if self.keys.set_operator(operator_entry(key, self.operator_rate)?) {
            self.published.stream.keys_changed();
            let note =
                ChangeNote { at: self.clock.now(), by: format!("the service ({})", self.replica_name()) };
            self.store.add_to_key_audit(KeyAction::OperatorKeyReplaced, &note)?;
        }
        Ok(())
    }

    /// Writes to the store which keys were used today, unless it has that already.
    pub fn store_key_uses(&self) -> Result<(), StoreError> {
        self.keys.store_uses(&*self.store)
    }

    pub fn set_feeds(&self, feeds: Vec<FeedState>) {
        self.published.feeds.store(Arc::new(feeds));
        self.announce_feeds();
    }

    /// Sets why there is no score yet, one sentence for each pillar without a number; empty once there is one.
    pub fn set_waiting(&self, sentences: Vec<String>) {
        self.published.waiting.store(Arc::new(sentences));
    }

    pub fn is_ready(&self) -> bool {
        self.published.current().is_some()
    }

    /// When the service was created, by its own clock.
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Nanoseconds since the service started, for rate limits.
    pub fn nanos(&self, instant: Instant) -> u64 {
        instant.duration_since(self.started).as_nanos() as u64
    }

    pub fn next_request_id(&self) -> [u8; 16] {
        self.request_ids.next()
    }

    /// Registers metrics of another part of the program, which are shown after the service's own.
    pub fn register_metrics(&self, register: impl FnOnce(&mut Registry)) {
        register(&mut self.telemetry.metrics.registry());
    }

    pub fn render_metrics(&self) -> String {
        let metrics = &self.telemetry.metrics;
        metrics.keys.set(self.keys.load().count() as i64);
        let free = self.places.in_flight.available_permits();
        metrics.in_flight.set(self.limits.max_in_flight.saturating_sub(free) as i64);
        metrics.streams.set(self.published.stream.open.load(Ordering::Relaxed) as i64);
        self.measure_replica();
        metrics.render()
    }
}

fn operator_entry(key: &str, rate: Option<RateLimit>) -> Result<KeyEntry, StartError> {
    if key.len() < MIN_OPERATOR_KEY || !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(StartError::OperatorKey);
    }
    Ok(KeyEntry::operator(key, rate))
}

/// Request ids: a counter behind a bijective mixer. Ids are unique in a process, differ between processes, and do not
/// reveal how many there were.
struct RequestIds {
    next: AtomicU64,
}

impl RequestIds {
    fn new() -> Result<Self, StartError> {
        let seed = getrandom::u64().map_err(|e| StartError::Random(e.to_string()))?;
        Ok(RequestIds { next: AtomicU64::new(seed) })
    }

    /// A unique name for this process.
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
