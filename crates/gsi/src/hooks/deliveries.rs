//! The leader's work on the outbox: sends waiting messages, in order for each hook, and stores the outcomes.

use super::{DeliveryOutcome, HookClient};
use gsi_model::{
    Clock, DAY, Delivery, DeliveryState, DeliveryTry, HOUR, Hook, HookState, SystemClock, Timestamp,
};
use gsi_store::{HookStore, Store, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, UNIX_EPOCH};
use tokio::runtime::Runtime;

/// Interval between two reads of the outbox.
const POLL_OUTBOX_EVERY: Duration = Duration::from_millis(500);
/// Time for running tries to finish when the service stops. The others are repeated later.
const END_WITHIN: Duration = Duration::from_secs(3);
/// Seconds until the next try after the first failure, the second, and so on. The last one repeats.
const PAUSES: [i64; 8] = [5, 30, 120, 600, 1_800, HOUR, 3 * HOUR, 6 * HOUR];
/// A message is not tried any more after this time.
const GIVE_UP_AFTER_SECONDS: i64 = 3 * DAY;

/// Sends until it is dropped.
pub struct Deliveries {
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Deliveries {
    pub fn start(store: Arc<dyn Store>, client: Arc<HookClient>) -> std::io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("send")
            .enable_all()
            .build()?;
        let done = Arc::clone(&over);
        let work = move || {
            let (report, reports) = channel();
            let mut worker = DeliveryWorker {
                store,
                client,
                runtime,
                report,
                reports,
                busy: BTreeSet::new(),
                troubled: false,
            };
            while !done.load(Ordering::Relaxed) && worker.poll_outbox() {}
            worker.end();
        };
        let thread = std::thread::Builder::new().name("deliveries".into()).spawn(work)?;
        Ok(Deliveries { over, thread: Some(thread) })
    }
}

impl Drop for Deliveries {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct DeliveryWorker {
    store: Arc<dyn Store>,
    client: Arc<HookClient>,
    runtime: Runtime,
    report: Sender<(Hook, Delivery, DeliveryOutcome)>,
    reports: Receiver<(Hook, Delivery, DeliveryOutcome)>,
    /// Hooks with a running try. Their next message waits for its end.
    busy: BTreeSet<String>,
    troubled: bool,
}

impl DeliveryWorker {
    /// Sends due messages once and stores the outcomes. Returns `false` when the lead is lost.
    fn poll_outbox(&mut self) -> bool {
        match self.send_due() {
            Ok(()) => self.troubled = false,
            Err(StoreError::Fenced(_)) => return false,
            Err(error) if !self.troubled => {
                self.troubled = true;
                tracing::warn!(%error, "cannot send to hooks now");
            }
            Err(_) => {}
        }
        let until = Instant::now() + POLL_OUTBOX_EVERY;
        while let Ok(report) = self.reports.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if !self.keep_outcome(report) {
                return false;
            }
            // The next message of the same hook need not wait for the next read of the outbox.
            let _ = self.send_due();
        }
        true
    }

    fn send_due(&mut self) -> Result<(), StoreError> {
        let now = real_time(&*self.store);
        let due = self.store.due_deliveries(now)?;
        if due.iter().all(|d| self.busy.contains(&d.hook)) {
            return Ok(());
        }
        let hooks = self.store.hooks()?;
        for delivery in due {
            let hook = hooks.iter().map(|kept| &kept.hook).find(|h| h.name == delivery.hook);
            let Some(hook) = hook.filter(|h| h.state == HookState::On && !self.busy.contains(&h.name)) else {
                continue;
            };
            self.busy.insert(hook.name.clone());
            let (hook, client, report) = (hook.clone(), Arc::clone(&self.client), self.report.clone());
            self.runtime.spawn(async move {
                let outcome = client.send(&hook, &delivery, now).await;
                let _ = report.send((hook, delivery, outcome));
            });
        }
        Ok(())
    }

    fn keep_outcome(&mut self, (hook, delivery, outcome): (Hook, Delivery, DeliveryOutcome)) -> bool {
        self.busy.remove(&hook.name);
        match keep(&*self.store, &hook, delivery, &outcome, real_time(&*self.store)) {
            Ok(()) => true,
            Err(StoreError::Fenced(_)) => false,
            Err(error) => {
                tracing::warn!(hook = hook.name, %error, "cannot store the outcome of a delivery; it is sent again");
                true
            }
        }
    }

    fn end(mut self) {
        let until = Instant::now() + END_WITHIN;
        while !self.busy.is_empty() {
            match self.reports.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(report) => drop(self.keep_outcome(report)),
                Err(_) => break,
            }
        }
        self.runtime.shutdown_background();
    }
}

/// Returns the time of the clock that all replicas share, so that pauses do not depend on the leader.
fn real_time(store: &dyn Store) -> Timestamp {
    let shared = store.time().ok().flatten().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    shared.map_or_else(|| SystemClock.now(), |since| Timestamp::from_unix(since.as_secs() as i64))
}

fn keep(
    store: &(impl HookStore + ?Sized),
    hook: &Hook,
    delivery: Delivery,
    outcome: &DeliveryOutcome,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut tries = delivery.tries;
    tries.push(DeliveryTry { at: now, result: outcome.result().to_owned() });
    let since_first = tries.first().map_or(0, |first| now.since(first.at));
    let (state, next_try_at) = match outcome {
        DeliveryOutcome::Accepted(_) => (DeliveryState::Delivered, now),
        DeliveryOutcome::Gone => (DeliveryState::Dropped, now),
        DeliveryOutcome::Failed(_) if since_first >= GIVE_UP_AFTER_SECONDS => (DeliveryState::Parked, now),
        DeliveryOutcome::Failed(_) => {
            let pause = PAUSES[(tries.len() - 1).min(PAUSES.len() - 1)];
            (DeliveryState::Waiting, now.plus(pause))
        }
    };
    let answer = outcome.result();
    match state {
        DeliveryState::Delivered => {
            tracing::debug!(hook = hook.name, message = delivery.message, "delivered")
        }
        DeliveryState::Waiting => {
            tracing::info!(hook = hook.name, message = delivery.message, answer, "not delivered yet")
        }
        DeliveryState::Parked => {
            tracing::error!(
                hook = hook.name,
                message = delivery.message,
                answer,
                "not delivered in three days: parked"
            );
        }
        DeliveryState::Dropped => {
            tracing::warn!(hook = hook.name, "the receiver answered 410: the hook ends")
        }
    }
    store.note_delivery(delivery.number, state, next_try_at, &tries)?;
    if *outcome == DeliveryOutcome::Gone {
        // Read again, because an operator may have changed the hook meanwhile.
        let current = store.hooks()?.into_iter().find(|kept| kept.hook.name == hook.name);
        if let Some(kept) = current.filter(|kept| kept.hook.state == HookState::On) {
            store.put_hook(&Hook { state: HookState::Gone, ..kept.hook })?;
        }
    }
    Ok(())
}
