//! The leader's work on the outbox: sends waiting messages, in order for each hook, and stores the outcomes.

use super::{DeliveryOutcome, HookClient};
use gsi_model::{
    Clock, DAY, Delivery, DeliveryState, DeliveryTry, HOUR, Hook, HookMessageKind, HookState, MINUTE,
    SystemClock, Timestamp,
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
const PAUSES: [i64; 5] = [5, 30, 2 * MINUTE, 10 * MINUTE, LONGEST_PAUSE_SECONDS];
/// Maximum pause, also if the receiver asks for a longer one, so that an alert is tried again soon after a recovery.
const LONGEST_PAUSE_SECONDS: i64 = 15 * MINUTE;
/// A message that its receiver refuses this many times is parked, so that it does not delay the messages behind it.
const MAX_REFUSALS: usize = 3;

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
                unstored: Vec::new(),
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
    /// Outcomes that could not be stored yet. Their hooks stay busy, so that no message is sent twice.
    unstored: Vec<(Hook, Delivery, DeliveryOutcome)>,
    troubled: bool,
}

impl DeliveryWorker {
    /// Sends due messages once and stores the outcomes. Returns `false` when the lead is lost.
    fn poll_outbox(&mut self) -> bool {
        for report in std::mem::take(&mut self.unstored) {
            if !self.keep_outcome(report) {
                return false;
            }
        }
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
            if is_too_old(&delivery, now) {
                let outcome = DeliveryOutcome::Failed("not sent: it waited too long".to_owned());
                keep(&*self.store, hook, &delivery, &outcome, now)?;
                continue;
            }
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
        match keep(&*self.store, &hook, &delivery, &outcome, real_time(&*self.store)) {
            // Conflict: the message no longer waits, so its outcome is not stored.
            Ok(()) | Err(StoreError::Conflict(_)) => {
                self.busy.remove(&hook.name);
                true
            }
            Err(StoreError::Fenced(_)) => false,
            Err(error) => {
                tracing::warn!(hook = hook.name, %error, "cannot store the outcome of a delivery yet");
                self.unstored.push((hook, delivery, outcome));
                true
            }
        }
    }

    fn end(mut self) {
        let until = Instant::now() + END_WITHIN;
        while self.busy.len() > self.unstored.len() {
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

/// Tells whether a message has waited too long. Its hook may have been paused, or its receiver does not accept it.
fn is_too_old(delivery: &Delivery, now: Timestamp) -> bool {
    let limit = match delivery.kind {
        HookMessageKind::SnapshotPublished => HOUR,
        _ => 3 * DAY,
    };
    now.since(delivery.waiting_since) >= limit
}

/// Chooses the state of a delivery that was not accepted, and the time of its next try.
fn after_failure(
    delivery: &Delivery,
    tries: &[DeliveryTry],
    outcome: &DeliveryOutcome,
    now: Timestamp,
) -> (DeliveryState, Timestamp) {
    // Tries from before `gsi hook retry` do not count.
    let recent: Vec<&DeliveryTry> = tries.iter().filter(|t| t.at >= delivery.waiting_since).collect();
    let refusals = recent.iter().filter(|t| t.refused).count();
    if refusals >= MAX_REFUSALS || is_too_old(delivery, now) {
        return (DeliveryState::Parked, now);
    }
    let usual = PAUSES[recent.len().saturating_sub(1).min(PAUSES.len() - 1)];
    let pause = match outcome {
        DeliveryOutcome::Busy { retry_after, .. } => {
            let asked = i64::try_from(retry_after.as_secs()).unwrap_or(i64::MAX);
            asked.clamp(usual, LONGEST_PAUSE_SECONDS)
        }
        _ => usual,
    };
    (DeliveryState::Waiting, now.plus(pause))
}

fn keep(
    store: &(impl HookStore + ?Sized),
    hook: &Hook,
    delivery: &Delivery,
    outcome: &DeliveryOutcome,
    now: Timestamp,
) -> Result<(), StoreError> {
    let answer = outcome.result();
    let refused = matches!(outcome, DeliveryOutcome::Refused(_));
    let mut tries = delivery.tries.clone();
    tries.push(DeliveryTry { at: now, result: answer.to_owned(), refused });
    let (state, next_try_at) = match outcome {
        DeliveryOutcome::Accepted(_) => (DeliveryState::Delivered, now),
        DeliveryOutcome::Gone => (DeliveryState::Dropped, now),
        _ => after_failure(delivery, &tries, outcome, now),
    };
    match state {
        DeliveryState::Delivered => {
            tracing::debug!(hook = hook.name, message = delivery.message, "delivered")
        }
        DeliveryState::Waiting | DeliveryState::Replaced => {
            tracing::info!(hook = hook.name, message = delivery.message, answer, "not delivered yet")
        }
        DeliveryState::Parked => {
            tracing::error!(
                hook = hook.name,
                message = delivery.message,
                answer,
                "not delivered: parked until `gsi hook retry`"
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::tests::{delivery, hook};
    use crate::hooks::webhook::WebhookSender;
    use crate::hooks::{HooksConfig, TryCounts};
    use gsi_model::HookMessage;
    use gsi_store::conformance::sample;
    use gsi_store::{SqliteStore, TickCommit, TickStore};

    const BEGAN: Timestamp = Timestamp::from_unix(1_793_491_200);

    fn tried(at: Timestamp, refused: bool) -> DeliveryTry {
        DeliveryTry { at, result: "tried".to_owned(), refused }
    }

    fn failed() -> DeliveryOutcome {
        DeliveryOutcome::Failed("503".to_owned())
    }

    fn busy(seconds: u64) -> DeliveryOutcome {
        DeliveryOutcome::Busy { result: "429".to_owned(), retry_after: Duration::from_secs(seconds) }
    }

    #[test]
    fn pauses_grow_to_a_quarter_of_an_hour_whatever_the_receiver_asks_for() {
        let waiting = Delivery { kind: HookMessageKind::AlertBegan, waiting_since: BEGAN, ..delivery() };
        let pause = |failures: usize, outcome: &DeliveryOutcome| {
            let tries = vec![tried(BEGAN, false); failures];
            let (state, next_try_at) = after_failure(&waiting, &tries, outcome, BEGAN);
            assert_eq!(state, DeliveryState::Waiting);
            next_try_at.since(BEGAN)
        };
        let usual: Vec<i64> = (1..=7).map(|failures| pause(failures, &failed())).collect();
        assert_eq!(usual, [5, 30, 120, 600, 900, 900, 900]);
        let asked = [0, 60, 86_400, u64::MAX].map(|seconds| pause(1, &busy(seconds)));
        assert_eq!(asked, [5, 60, 900, 900]);
    }

    #[test]
    fn messages_are_parked_by_age_and_by_refusals() {
        let state = |kind: HookMessageKind, age: i64, tries: &[DeliveryTry]| {
            let waiting = Delivery { kind, waiting_since: BEGAN, ..delivery() };
            after_failure(&waiting, tries, &failed(), BEGAN.plus(age)).0
        };
        let (alert, snapshot) = (HookMessageKind::AlertBegan, HookMessageKind::SnapshotPublished);
        let failures = vec![tried(BEGAN, false); 200];
        assert_eq!(state(alert, 3 * DAY - 1, &failures), DeliveryState::Waiting);
        assert_eq!(state(HookMessageKind::BriefingPublished, 3 * DAY - 1, &failures), DeliveryState::Waiting);
        assert_eq!(state(alert, 3 * DAY, &failures), DeliveryState::Parked);
        assert_eq!(state(snapshot, HOUR - 1, &failures), DeliveryState::Waiting);
        assert_eq!(state(snapshot, HOUR, &failures), DeliveryState::Parked);
        let mut tries = vec![tried(BEGAN, true), tried(BEGAN, false), tried(BEGAN, true)];
        assert_eq!(state(alert, MINUTE, &tries), DeliveryState::Waiting);
        tries.push(tried(BEGAN, true));
        assert_eq!(state(alert, MINUTE, &tries), DeliveryState::Parked);
        // These were before the operator asked for another try.
        let earlier = vec![tried(BEGAN.minus(1), true); 3];
        assert_eq!(state(alert, MINUTE, &earlier), DeliveryState::Waiting);
    }

    /// Adds a hook, a message `msg_1` of this kind and an alert `msg_2`.
    fn fill(store: &SqliteStore, kind: HookMessageKind) -> Hook {
        let desk = hook("https://example.org/");
        store.put_hook(&desk).unwrap();
        let message = |id: &str, kind: HookMessageKind| HookMessage {
            hook: desk.name.clone(),
            id: id.to_owned(),
            kind,
            body: "{}".to_owned(),
        };
        let messages = vec![message("msg_1", kind), message("msg_2", HookMessageKind::AlertBegan)];
        store.commit_tick(&TickCommit { messages, ..sample::publishing(sample::tick(0), 40.0) }).unwrap();
        desk
    }

    #[test]
    fn a_message_that_waited_too_long_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gsi.db");
        let store = Arc::new(SqliteStore::open(&path).unwrap());
        fill(&store, HookMessageKind::SnapshotPublished);
        let (report, reports) = channel();
        let mut worker = DeliveryWorker {
            store: Arc::clone(&store) as Arc<dyn Store>,
            client: Arc::new(HookClient {
                webhooks: WebhookSender::new(&HooksConfig::default()).unwrap(),
                mail: None,
                tries: TryCounts::default(),
            }),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            report,
            reports,
            busy: BTreeSet::new(),
            unstored: Vec::new(),
            troubled: false,
        };
        let file = rusqlite::Connection::open(&path).unwrap();
        file.execute("UPDATE delivery SET waiting_since = waiting_since - 3600", []).unwrap();
        worker.send_due().unwrap();
        assert!(worker.busy.is_empty());
        let due = store.due_deliveries(real_time(&*store)).unwrap();
        assert_eq!(due[0].message, "msg_2", "an alert may wait longer");
        let snapshot = store.deliveries(None, 2).unwrap().pop().unwrap();
        assert_eq!(snapshot.state, DeliveryState::Parked);
        assert_eq!(snapshot.tries[0].result, "not sent: it waited too long");
    }

    #[test]
    fn a_refused_message_does_not_hold_the_next_one() {
        let store = SqliteStore::in_memory().unwrap();
        let desk = fill(&store, HookMessageKind::AlertBegan);
        let mut now = real_time(&store);
        for number in 1..=MAX_REFUSALS {
            now = now.plus(LONGEST_PAUSE_SECONDS);
            let due = store.due_deliveries(now).unwrap();
            assert_eq!(due[0].message, "msg_1", "try {number}");
            keep(&store, &desk, &due[0], &DeliveryOutcome::Refused("413".to_owned()), now).unwrap();
        }
        assert_eq!(store.due_deliveries(now).unwrap()[0].message, "msg_2");
        let first = store.deliveries(None, 2).unwrap().pop().unwrap();
        assert_eq!((first.state, first.tries.len()), (DeliveryState::Parked, MAX_REFUSALS));
    }
}
