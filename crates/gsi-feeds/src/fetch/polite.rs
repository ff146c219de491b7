//! Polite requests: few at once per host, a pause between them, and longer pauses after failures.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Two requests let a manifest and a file overlap. More gain nothing for feeds of this size.
const PER_HOST: usize = 2;

#[derive(Debug)]
struct HostQueue {
    slots: Arc<Semaphore>,
    next_start: Mutex<Instant>,
}

/// One queue per host. Hosts come from the connectors' fixed lists only, so the map is bounded.
#[derive(Debug)]
pub struct Politeness {
    spacing: Duration,
    hosts: Mutex<HashMap<String, Arc<HostQueue>>>,
}

impl Politeness {
    pub fn new(spacing: Duration) -> Self {
        Politeness { spacing, hosts: Mutex::default() }
    }

    /// Waits for the host's turn, and for the request's own interval if it is longer than the usual one. Publishers on this
    /// machine need no waiting. The turn ends when the returned permit is dropped.
    pub async fn turn(&self, host: &str, least_interval: Duration) -> Option<OwnedSemaphorePermit> {
        let host_queue = {
            let mut hosts = self.hosts.lock().unwrap_or_else(|p| p.into_inner());
            match hosts.get(host) {
                Some(host_queue) => host_queue.clone(),
                None => {
                    let host_queue = Arc::new(HostQueue {
                        slots: Arc::new(Semaphore::new(PER_HOST)),
                        next_start: Mutex::new(Instant::now()),
                    });
                    hosts.insert(host.to_owned(), host_queue.clone());
                    host_queue
                }
            }
        };
        let permit = host_queue.slots.clone().acquire_owned().await.ok();
        if !self.spacing.is_zero() {
            let start = {
                let mut next = host_queue.next_start.lock().unwrap_or_else(|p| p.into_inner());
                let start = (*next).max(Instant::now());
                *next = start + self.spacing.max(least_interval);
                start
            };
            tokio::time::sleep_until(start).await;
        }
        permit
    }
}

/// Returns a pause that doubles from `base` with each attempt. It varies by up to a quarter, so that clients do not retry at
/// the same time.
pub fn backoff(base: Duration, attempt: u32) -> Duration {
    let full = base.saturating_mul(1 << attempt.min(6));
    let random = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
    full.mul_f64(0.75 + random * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn hosts_are_spaced_and_independent() {
        let polite = Politeness::new(Duration::from_millis(200));
        let began = Instant::now();
        for _ in 0..3 {
            drop(polite.turn("a", Duration::ZERO).await);
        }
        assert_eq!(began.elapsed().as_millis() / 100, 4);
        let other = Instant::now();
        drop(polite.turn("b", Duration::ZERO).await);
        assert!(other.elapsed() < Duration::from_millis(50));
    }

    #[tokio::test(start_paused = true)]
    async fn a_longer_interval_of_the_publisher_is_kept() {
        let polite = Politeness::new(Duration::from_millis(200));
        let began = Instant::now();
        for _ in 0..3 {
            drop(polite.turn("slow", Duration::from_secs(5)).await);
        }
        assert_eq!(began.elapsed().as_secs(), 10);
        let local = Politeness::new(Duration::ZERO);
        let began = Instant::now();
        for _ in 0..3 {
            drop(local.turn("slow", Duration::from_secs(5)).await);
        }
        assert_eq!(began.elapsed().as_secs(), 0, "a publisher on this machine needs no pause");
    }

    #[tokio::test(start_paused = true)]
    async fn at_most_two_at_once() {
        let polite = Politeness::new(Duration::ZERO);
        let (_a, _b) = (polite.turn("a", Duration::ZERO).await, polite.turn("a", Duration::ZERO).await);
        assert!(
            tokio::time::timeout(Duration::from_secs(1), polite.turn("a", Duration::ZERO)).await.is_err()
        );
    }

    #[test]
    fn backoff_grows_within_bounds() {
        for attempt in 0..4 {
            let wait = backoff(Duration::from_millis(100), attempt).as_millis();
            let full = 100 << attempt;
            assert!(wait * 4 >= full * 3 && wait * 4 <= full * 5, "{attempt}: {wait}");
        }
    }
}
