//! What other processes did: a new snapshot, changed keys, requests answered elsewhere. One thread looks, woken by the
//! store's news and at least once a second; the rest of the service never waits for any of it.

use crate::prepared::Unpublishable;
use crate::service::Service;
use crate::settings::{KEY_POLL, STORE_GONE_AFTER};
use gsi_model::{FeedHealth, Snapshot, Summary, TICK, Timestamp};
use gsi_store::{KeyUse, Pulse, StoreError};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

/// Before asking a store again that did not answer.
const PAUSE: Duration = Duration::from_millis(250);
/// Usage is told to the other replicas this often; what a key can overdraw in between is the stated error of its quota.
const SHARE_EVERY: Duration = Duration::from_secs(1);
/// Counts of replicas that are long gone pile up; beyond this many it starts over.
const MOST_REMEMBERED: usize = 50_000;
/// No replica has led yet, or this one does not.
const NOT_LEADING: i64 = 0;

/// What this replica knows of the store and of the others.
pub struct Following {
    /// One publication at a time, so that an older one never replaces a newer.
    publishing: Mutex<()>,
    frontier: AtomicI64,
    gone_since: Mutex<Option<Instant>>,
    /// The same as a word, for every request to look at.
    gone: AtomicBool,
    leading: AtomicI64,
    ticks: AtomicU64,
    catch_ups: AtomicU64,
    clock_error: AtomicI64,
    replica: String,
    /// Others may publish; otherwise only keys and usage are looked at.
    follows: bool,
    /// What the others had used, by replica and key, when it was last charged; `None` until they were heard once.
    charged: Mutex<Option<HashMap<(String, String), u64>>>,
    /// Nothing is sent: its end is how the following thread learns of the service's.
    _alive: Sender<Infallible>,
}

impl Following {
    pub fn new(replica: String, follows: bool, alive: Sender<Infallible>) -> Self {
        Following {
            publishing: Mutex::default(),
            frontier: AtomicI64::new(i64::MIN),
            gone_since: Mutex::default(),
            gone: AtomicBool::new(false),
            leading: AtomicI64::new(NOT_LEADING),
            ticks: AtomicU64::new(0),
            catch_ups: AtomicU64::new(0),
            clock_error: AtomicI64::new(0),
            replica,
            follows,
            charged: Mutex::default(),
            _alive: alive,
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Service {
    /// Serves this snapshot from now on. Whoever did its tick and whoever heard of it may both say so: it is told once.
    pub fn publish(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let _one_at_a_time = locked(&self.following.publishing);
        if self.current().as_ref().is_some_and(|shown| shown.snapshot == *snapshot) {
            return Ok(());
        }
        self.show(snapshot, summary)
    }

    /// The same unless one of its tick or a newer one is shown.
    pub fn publish_newer(&self, snapshot: &Snapshot, summary: &Summary) -> Result<(), Unpublishable> {
        let _one_at_a_time = locked(&self.following.publishing);
        if self.shown().is_some_and(|shown| shown >= snapshot.tick) {
            return Ok(());
        }
        self.show(snapshot, summary)
    }

    /// This replica does the ticks, under this number; `None` when it does not.
    pub fn set_leading(&self, number: Option<i64>) {
        self.following.leading.store(number.unwrap_or(NOT_LEADING), Ordering::Relaxed);
    }

    /// For the metrics: a tick was done here.
    pub fn count_tick(&self) {
        self.following.ticks.fetch_add(1, Ordering::Relaxed);
    }

    /// For the metrics: this machine's clock is ahead of the one the ticks go by.
    pub fn set_clock_error(&self, seconds: i64) {
        self.following.clock_error.store(seconds, Ordering::Relaxed);
    }

    /// The store has not answered for a while. What is served may be older than it would be.
    pub(crate) fn store_is_gone(&self) -> bool {
        self.following.gone.load(Ordering::Relaxed)
    }

    fn shown(&self) -> Option<Timestamp> {
        self.current().as_ref().map(|p| p.snapshot.tick)
    }

    /// Takes over whatever is newer in the store.
    fn catch_up(&self) -> Result<(), StoreError> {
        let pulse = self.store.pulse()?;
        self.catch_up_with_keys(&pulse)?;
        if !self.following.follows {
            return Ok(());
        }
        // Before the snapshot, as whoever does the ticks does it.
        let frontier = pulse.frontier.map_or(i64::MIN, Timestamp::unix);
        if frontier > self.following.frontier.swap(frontier, Ordering::Relaxed) {
            self.set_feeds(self.store.feed_states()?);
        }
        if pulse.published > self.shown()
            && let Some(newest) = self.store.published_at(Timestamp::MAX)?
        {
            self.following.catch_ups.fetch_add(1, Ordering::Relaxed);
            if let Err(error) = self.publish_newer(&newest.snapshot, &newest.summary) {
                tracing::error!(%error, "the snapshot cannot be shown; the one before it stays");
            }
        }
        Ok(())
    }

    fn catch_up_with_keys(&self, pulse: &Pulse) -> Result<(), StoreError> {
        match self.keys_are(pulse.keys_version) {
            true => Ok(()),
            false => self.refresh_keys(),
        }
    }

    fn note_answer(&self, answer: Result<(), StoreError>) {
        let mut since = locked(&self.following.gone_since);
        match (answer, *since) {
            (Ok(()), None) => {}
            (Ok(()), Some(then)) => {
                tracing::info!(seconds = then.elapsed().as_secs(), "the store answers again");
                *since = None;
                self.following.gone.store(false, Ordering::Relaxed);
            }
            (Err(error), None) => {
                tracing::warn!(%error, "the store does not answer; what is known stays in force");
                *since = Some(Instant::now());
            }
            (Err(_), Some(then)) if then.elapsed() >= STORE_GONE_AFTER => {
                self.following.gone.store(true, Ordering::Relaxed);
            }
            (Err(_), Some(_)) => {}
        }
    }

    /// Tells the others what was answered here, and charges what was answered there.
    fn share_usage(&self) -> Result<(), StoreError> {
        let keys = self.keys();
        let mine: Vec<(String, u64)> = keys.limited().map(|key| (key.id.clone(), key.taken())).collect();
        let mut charged = locked(&self.following.charged);
        let first = charged.as_ref().is_none_or(|known| known.len() > MOST_REMEMBERED);
        let others = self.store.share_usage(&self.following.replica, &mine, first)?;
        let now = self.nanos(Instant::now());
        // What had passed before this replica began to listen is not charged.
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

    pub(crate) fn render_following(&self, out: &mut String) {
        let f = &self.following;
        let mut one = |name: &str, kind: &str, help: &str, value: String| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        let up = locked(&f.gone_since).is_none();
        one("gsi_store_up", "gauge", "The store answers.", u8::from(up).to_string());
        let number = f.leading.load(Ordering::Relaxed);
        one(
            "gsi_leader",
            "gauge",
            "This replica does the ticks.",
            u8::from(number != NOT_LEADING).to_string(),
        );
        one("gsi_leader_number", "gauge", "The fencing number it does them under.", number.to_string());
        let ticks = f.ticks.load(Ordering::Relaxed).to_string();
        one("gsi_ticks_total", "counter", "Ticks done by this replica.", ticks);
        let taken_over = f.catch_ups.load(Ordering::Relaxed).to_string();
        one("gsi_snapshots_taken_over_total", "counter", "Snapshots made by another replica.", taken_over);
        let error = f.clock_error.load(Ordering::Relaxed).to_string();
        one("gsi_clock_error_seconds", "gauge", "This machine's clock minus the store's.", error);
        if let Some(tick) = self.shown() {
            one("gsi_snapshot_tick_seconds", "gauge", "The tick being served.", tick.unix().to_string());
        }
        self.render_standby(out);
        self.render_feeds(out);
    }

    /// Described also where there is none, so that an operator can find the names.
    fn render_standby(&self, out: &mut String) {
        let standby = self.store.standby();
        let mut one = |name: &str, help: &str, value: Option<String>| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
            if let Some(value) = value {
                let _ = writeln!(out, "{name} {value}");
            }
        };
        let up = standby.map(|s| u8::from(s.answers).to_string());
        one("gsi_standby_up", "The standby that lists are read from answers.", up);
        let lag = standby.map(|s| s.lag.as_secs_f64().to_string());
        one("gsi_standby_lag_seconds", "Its replay lag, by its own account.", lag);
        let behind = standby.map(|s| (s.behind / TICK).to_string());
        one("gsi_standby_ticks_behind", "Ticks that it does not show yet.", behind);
    }

    fn render_feeds(&self, out: &mut String) {
        let now = self.clock.now();
        let states = self.feeds.load();
        let mut family = |name: &str, help: &str, value: &dyn Fn(&gsi_model::Origin) -> Option<i64>| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge");
            for origin in &self.origins {
                if let Some(value) = value(origin) {
                    let _ = writeln!(out, "{name}{{feed=\"{}\"}} {value}", origin.feed);
                }
            }
        };
        let state = |origin: &gsi_model::Origin| states.iter().find(|s| s.feed == origin.feed);
        family("gsi_feed_age_seconds", "Age of a feed's newest content.", &|o| {
            state(o)?.newest_content.map(|t| now.since(t))
        });
        family(
            "gsi_feed_stale",
            "The feed's content is older than its budget, or there never was any.",
            &|o| {
                let health = state(o).map_or(FeedHealth::Never, |s| s.health(o, now));
                Some(i64::from(health >= FeedHealth::Stale))
            },
        );
    }
}

/// Looks for news for as long as the service exists. Between two looks nothing is held on to but what a store needs to
/// be woken: a service that is done with takes its store along.
pub fn start(service: &Arc<Service>, over: Receiver<Infallible>) -> std::io::Result<()> {
    let service: Weak<Service> = Arc::downgrade(service);
    let follow = move || {
        let mut shared = Instant::now();
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
            service.note_answer(answer);
        }
    };
    std::thread::Builder::new().name("follow".into()).spawn(follow).map(drop)
}
