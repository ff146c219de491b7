//! Good manners: few requests at once per host, a pause between them, and patience when a host is in trouble.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Two lets a manifest and a file overlap; more gains nothing on feeds of this size.
const PER_HOST: usize = 2;

#[derive(Debug)]
struct HostQueue {
    slots: Arc<Semaphore>,
    next_start: Mutex<Instant>,
}

/// One queue per host. Hosts come only from the connectors' fixed lists, so the map is bounded.
#[derive(Debug)]
pub struct Politeness {
    spacing: Duration,
    hosts: Mutex<HashMap<String, Arc<HostQueue>>>,
}

impl Politeness {
    pub fn new(spacing: Duration) -> Self {
        Politeness { spacing, hosts: Mutex::default() }
    }

    /// Waits for this host's turn, and for its own interval where that is longer than the usual one; publishers on this
    /// machine need neither. The turn ends when the returned permit is dropped.
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

/// Doubles from `base` with each attempt, spread by half so that many clients do not return in step.
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
    async fn a_publisher_may_ask_for_more_time_between_requests() {
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
        assert_eq!(began.elapsed().as_secs(), 0, "a publisher on this machine asks for nothing");
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
