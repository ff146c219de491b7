//! Follows the other processes: new snapshots, changed keys, and the usage of keys on other replicas. One thread reads the
//! store when it notifies, and at least once a second. Requests never wait for this thread.

use crate::prepared::publication::Unpublishable;
use crate::settings::{KEY_POLL, STORE_GONE_AFTER};
use crate::state::service::Service;
use crate::telemetry::metrics::{BuildLabels, FeedLabels, Maybe, PillarLabels, SubjectLabels};
use gsi_model::{FeedHealth, Pillar, Snapshot, Summary, TICK, Timestamp};
use gsi_store::{KeyUse, Pulse, StoreError};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

/// The pause before a store that did not answer is asked again.
const PAUSE: Duration = Duration::from_millis(250);
/// The interval at which usage is shared with the other replicas. A key can exceed its quota by its usage within this interval,
/// as the documentation says.
const SHARE_EVERY: Duration = Duration::from_secs(1);
/// The interval at which the days of the keys' last use are written. A crash loses at most this interval.
const STORE_USES_EVERY: Duration = Duration::from_secs(30);
/// The maximum number of counts. Counts of ended replicas accumulate, so beyond this number counting starts again.
const MOST_REMEMBERED: usize = 50_000;
/// The metric's value when this replica does not lead.
const NOT_LEADING: i64 = 0;

/// This replica's data about the store and the other replicas.
pub struct ReplicaStanding {
    /// Held while a snapshot is published, so that an older one never replaces a newer.
    publishing: Mutex<()>,
    frontier: AtomicI64,
    gone_since: Mutex<Option<Instant>>,
    /// Whether the store is gone. Every request reads this.
    gone: AtomicBool,
    tick_trouble: Mutex<Option<TickTrouble>>,
    replica: String,
    /// Whether other processes may publish. Otherwise only keys and usage are followed.
    follows: bool,
    /// The usage of other replicas, by replica and key, that has been charged; `None` before the first report.
    charged: Mutex<Option<HashMap<(String, String), u64>>>,
    /// Sends nothing. Dropping it ends the following thread.
    _alive: Sender<Infallible>,
}

impl ReplicaStanding {
    pub fn new(replica: String, follows: bool, alive: Sender<Infallible>) -> Self {
        ReplicaStanding {
            publishing: Mutex::default(),
            frontier: AtomicI64::new(i64::MIN),
            gone_since: Mutex::default(),
            gone: AtomicBool::new(false),
            tick_trouble: Mutex::default(),
            replica,
            follows,
            charged: Mutex::default(),
            _alive: alive,
        }
    }
}

/// The failure of a tick, described without details, because every client may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TickTrouble {
    pub tick: Timestamp,
    pub what: &'static str,
    pub tries: u32,
    /// Whether the tick is repeated only after an operator acts.
    pub is_final: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Service {
    /// Serves this snapshot from now on. A second call with the same snapshot does nothing: the tick and the following
    /// thread may both publish it.
    pub fn publish(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let _one_at_a_time = locked(&self.replica.publishing);
        if self.published.current().as_ref().is_some_and(|shown| shown.snapshot == *snapshot) {
            return Ok(());
        }
        self.show(snapshot, summary)
    }

    /// Publishes the snapshot unless one of its tick or a newer one is served.
    pub fn publish_newer(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let _one_at_a_time = locked(&self.replica.publishing);
        if self.shown().is_some_and(|shown| shown >= snapshot.tick) {
            return Ok(());
        }
        self.show(snapshot, summary)
    }

    /// Sets the fencing number under which this replica does the ticks; `None` when it does not lead.
    pub fn set_leading(&self, number: Option<i64>) {
        self.telemetry.metrics.leader.set(number.is_some().into());
        self.telemetry.metrics.leader_number.set(number.unwrap_or(NOT_LEADING));
    }

    /// Records a tick that this replica has done, and its duration, in the metrics.
    pub fn count_tick(&self, tick: Timestamp, took: Option<Duration>) {
        self.telemetry.metrics.ticks.inc();
        if let Some(took) = took {
            self.telemetry.metrics.tick_durations.observe(took.as_secs_f64());
        }
        self.telemetry.metrics.tick_lateness.get_or_create(&[]).set(self.clock.now().since(tick));
    }

    /// Sets the failure of the leader's last tick, or `None` after a success.
    pub fn set_tick_failure(&self, trouble: Option<TickTrouble>) {
        *locked(&self.replica.tick_trouble) = trouble;
    }

    /// Returns what is wrong with the ticks, for `/readyz`.
    pub fn tick_trouble(&self) -> Option<String> {
        let now = self.clock.now();
        if let Some(shown) = self.shown().filter(|shown| shown.since(now) > TICK) {
            return Some(format!("the newest tick {shown} lies in the future; see `gsi store repair`"));
        }
        let trouble = locked(&self.replica.tick_trouble).clone()?;
        let TickTrouble { tick, what, tries, is_final } = trouble;
        Some(match is_final {
            true => format!("ticks have stopped before {tick}: {what}"),
            false => format!("the tick {tick} failed {tries} times: {what}"),
        })
    }

    /// Sets the metric of how far this machine's clock is ahead of the clock of the ticks.
    pub fn set_clock_error(&self, seconds: i64) {
        self.telemetry.metrics.clock_error.set(seconds);
    }

    /// Returns this replica's name.
    pub(crate) fn replica_name(&self) -> &str {
        &self.replica.replica
    }

    /// Returns whether the store has not answered for `STORE_GONE_AFTER`, so that answers may be out of date.
    pub fn store_is_gone(&self) -> bool {
        self.replica.gone.load(Ordering::Relaxed)
    }

    fn shown(&self) -> Option<Timestamp> {
        self.published.current().as_ref().map(|p| p.snapshot.tick)
    }

    /// Loads newer data from the store.
    fn catch_up(&self) -> Result<(), StoreError> {
        let pulse = self.store.pulse()?;
        self.catch_up_with_keys(&pulse)?;
        if !self.replica.follows {
            return Ok(());
        }
        // The feeds come before the snapshot, as in the tick.
        let frontier = pulse.frontier.map_or(i64::MIN, Timestamp::unix);
        if frontier > self.replica.frontier.load(Ordering::Relaxed) {
            self.set_feeds(self.store.feed_states()?);
        }
        // Stored after the feeds were read, so that a read that failed is tried again.
        self.replica.frontier.store(frontier, Ordering::Relaxed);
        if pulse.published > self.shown()
            && let Some(newest) = self.store.published_at(Timestamp::MAX)?
        {
            self.telemetry.metrics.snapshots_taken_over.inc();
            if let Err(error) = self.publish_newer(&newest.snapshot, &newest.summary) {
                tracing::error!(%error, "the snapshot cannot be served; the previous one stays");
            }
        }
        Ok(())
    }

    fn catch_up_with_keys(&self, pulse: &Pulse) -> Result<(), StoreError> {
        match self.keys.is_at(pulse.keys_version) {
            true => Ok(()),
            false => self.refresh_keys(),
        }
    }

    fn note_answer(&self, answer: Result<(), StoreError>) {
        let mut since = locked(&self.replica.gone_since);
        match (answer, *since) {
            (Ok(()), None) => {}
            (Ok(()), Some(then)) => {
                tracing::info!(seconds = then.elapsed().as_secs(), "the store answers again");
                *since = None;
                self.replica.gone.store(false, Ordering::Relaxed);
            }
            (Err(error), None) => {
                tracing::warn!(%error, "the store does not answer; the published data and the known keys stay in use");
                *since = Some(Instant::now());
            }
            (Err(_), Some(then)) if then.elapsed() >= STORE_GONE_AFTER => {
                self.replica.gone.store(true, Ordering::Relaxed);
            }
            (Err(_), Some(_)) => {}
        }
    }

    /// Shares this replica's usage of keys, and charges the usage of other replicas.
    fn share_usage(&self) -> Result<(), StoreError> {
        let keys = self.keys.load();
        let mine: Vec<(String, u64)> = keys.limited().map(|key| (key.id.clone(), key.taken())).collect();
        let mut charged = locked(&self.replica.charged);
        let first = charged.as_ref().is_none_or(|known| known.len() > MOST_REMEMBERED);
        let others = self.store.share_usage(&self.replica.replica, &mine, first)?;
        let now = self.nanos(Instant::now());
        // Usage from before this replica's first report is not charged.
        let known = charged.get_or_insert_default();
        if first {
            known.clear();
        }
        for KeyUse { replica, key, taken } in others {
            let before = known.get(&(replica.clone(), key.clone())).copied();
            let before = before.unwrap_or(if first { taken } else { 0 });
            if let Some(entry) = keys.entry(&key) {
                entry.charge(now, taken.saturating_sub(before));
            }
            known.insert((replica, key), taken);
        }
        Ok(())
    }

    /// Updates the metrics that are derived from the replica's state.
    pub(crate) fn measure_replica(&self) {
        let (metrics, now) = (&self.telemetry.metrics, self.clock.now());
        metrics.store_up.set(locked(&self.replica.gone_since).is_none().into());
        let shown = self.shown().map(|tick| tick.unix());
        set(&metrics.snapshot_tick, shown, |gauge, tick| gauge.set(tick));
        set(&metrics.snapshot_age, shown, |gauge, tick| gauge.set(now.unix() - tick));
        self.measure_snapshot();
        self.measure_process();
        // These are described even without a standby, so that an operator can find the names.
        let standby = self.store.standby();
        set(&metrics.standby_up, standby, |gauge, s| gauge.set(s.answers.into()));
        set(&metrics.standby_lag, standby, |gauge, s| gauge.set(s.lag.as_secs_f64()));
        set(&metrics.standby_behind, standby, |gauge, s| gauge.set(s.behind_seconds / TICK));
        let states = self.published.feeds.load();
        for origin in &self.published.origins {
            let (labels, state) =
                (FeedLabels { feed: origin.feed }, states.iter().find(|s| s.feed == origin.feed));
            if let Some(newest) = state.and_then(|state| state.newest_content) {
                metrics.feed_age.get_or_create(&labels).set(now.since(newest));
            }
            let health = state.map_or(FeedHealth::Never, |s| s.health(origin, now));
            metrics.feed_stale.get_or_create(&labels).set((health >= FeedHealth::Stale).into());
        }
    }
}

impl Service {
    /// Sets the metrics of the served snapshot.
    fn measure_snapshot(&self) {
        let current = self.published.current();
        let Some(snapshot) = current.as_ref().map(|prepared| &prepared.snapshot) else { return };
        let metrics = &self.telemetry.metrics;
        metrics.score.get_or_create(&[]).set(snapshot.score);
        metrics.coverage.get_or_create(&[]).set(snapshot.coverage);
        metrics.confidence.get_or_create(&[]).set(snapshot.confidence.value);
        for pillar in &snapshot.pillars {
            let labels = PillarLabels { pillar: pillar.pillar.key() };
            metrics.pillar_score.get_or_create(&labels).set(pillar.score);
            metrics.pillar_coverage.get_or_create(&labels).set(pillar.coverage);
        }
        let subjects = Pillar::ALL.iter().map(|pillar| Some(*pillar)).chain([None]);
        for subject in subjects {
            let labels = SubjectLabels { subject: subject.map_or("composite", Pillar::key) };
            let is_on = snapshot.alerts.iter().any(|alert| alert.subject == labels.subject);
            metrics.on_alert.get_or_create(&labels).set(is_on.into());
        }
        let build =
            BuildLabels { version: env!("CARGO_PKG_VERSION"), method: snapshot.method_version.clone() };
        metrics.build_info.clear();
        metrics.build_info.get_or_create(&build).set(1);
    }

    /// Sets the metrics of the process, where the system provides them.
    fn measure_process(&self) {
        const PAGE_BYTES: i64 = 4096;
        let pages = std::fs::read_to_string("/proc/self/statm").ok();
        let resident = pages.and_then(|text| text.split(' ').nth(1)?.parse::<i64>().ok());
        set(&self.telemetry.metrics.resident_bytes, resident, |gauge, pages| gauge.set(pages * PAGE_BYTES));
        let files = std::fs::read_dir("/proc/self/fd").ok().map(|entries| entries.count() as i64);
        set(&self.telemetry.metrics.open_files, files, |gauge, files| gauge.set(files));
    }
}

/// Sets a gauge that has no sample before its first value.
fn set<G: Clone + Default, T, R>(gauge: &Maybe<G>, value: Option<T>, set: impl FnOnce(&G, T) -> R) {
    if let Some(value) = value {
        let _ = set(&gauge.get_or_create(&[]), value);
    }
}

/// Follows the store while the service exists. Between two reads the thread holds only the store, so that dropping the
/// service also drops the store.
pub fn start(service: &Arc<Service>, over: Receiver<Infallible>) -> std::io::Result<()> {
    let service: Weak<Service> = Arc::downgrade(service);
    let follow = move || {
        let (mut shared, mut stored) = (Instant::now(), Instant::now());
        loop {
            let Some(store) = service.upgrade().map(|service| Arc::clone(&service.store)) else { return };
            let heard = store.wait_for_news(KEY_POLL);
            drop(store);
            let pause = match heard {
                Ok(true) => Duration::ZERO,
                Ok(false) => KEY_POLL,
                Err(_) => PAUSE,
            };
            if over.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            let Some(service) = service.upgrade() else { return };
            let mut answer = service.catch_up();
            if answer.is_ok() && shared.elapsed() >= SHARE_EVERY {
                shared = Instant::now();
                answer = service.share_usage();
            }
            if answer.is_ok() && stored.elapsed() >= STORE_USES_EVERY {
                stored = Instant::now();
                // A full disk fails this, which does not mean that the store is gone.
                if let Err(error) = service.store_key_uses() {
                    tracing::warn!(%error, "the last use of keys cannot be stored");
                }
            }
            service.note_answer(answer);
        }
    };
    std::thread::Builder::new().name("follow".into()).spawn(follow).map(drop)
}
