//! The clock of a replica. Replicas that share a database use the database's clock, so that they agree on when a tick is due even if
//! their machines' clocks differ. A rehearsal runs that time faster.

use crate::config::{ConfigError, RehearsalConfig};
use gsi_api::Service;
use gsi_model::{Clock, SimulatedPace, SystemClock, Timestamp};
use gsi_store::Store;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Interval between two requests for the database's time.
const ASK_EVERY: Duration = Duration::from_secs(5);
/// A slower answer is too inaccurate to use.
const MAX_LATENCY: Duration = Duration::from_millis(250);
/// Difference in seconds from which the operator should correct the machine's clock.
const WARN_SECONDS: i64 = 5;

pub struct ReplicaClock {
    /// The store's time at a moment of this process. `None` when the store uses this machine's clock.
    anchor: Mutex<Option<(Instant, SystemTime)>>,
    pace: Option<SimulatedPace>,
}

/// Returns the pace of a rehearsal, if this is one.
fn pace_of(rehearsal: &RehearsalConfig) -> Result<Option<SimulatedPace>, ConfigError> {
    if rehearsal.publishers.is_empty() {
        return Ok(None);
    }
    let time = |name: &str, text: &str| -> Result<Timestamp, ConfigError> {
        text.parse().map_err(|_| {
            ConfigError::Invalid(format!("rehearsal.{name} must be a time such as 2026-11-14T00:00:00Z"))
        })
    };
    let since = time("since", &rehearsal.since)?;
    Ok(Some(SimulatedPace {
        begins: time("begins", &rehearsal.begins)?,
        since: UNIX_EPOCH + Duration::from_secs(since.unix().max(0) as u64),
        scale: rehearsal.scale,
    }))
}

impl ReplicaClock {
    pub fn start(store: &Arc<dyn Store>, rehearsal: &RehearsalConfig) -> anyhow::Result<Arc<ReplicaClock>> {
        let clock = Arc::new(ReplicaClock { anchor: Mutex::new(None), pace: pace_of(rehearsal)? });
        clock.ask(&**store)?;
        Ok(clock)
    }

    /// Reads the store's time repeatedly as long as the clock exists, and reports the error of this machine's clock to the service.
    pub fn keep(self: &Arc<Self>, store: Arc<dyn Store>, service: &Arc<Service>) -> std::io::Result<()> {
        if self.anchor().is_none() {
            return Ok(());
        }
        let (clock, service): (Weak<Self>, Weak<Service>) = (Arc::downgrade(self), Arc::downgrade(service));
        let keep = move || {
            let mut warned = false;
            while let (Some(clock), Some(service)) = (clock.upgrade(), service.upgrade()) {
                // Without an answer the last one stays valid: a machine's oscillator is accurate enough for days.
                if let Ok(Some(error)) = clock.ask(&*store) {
                    service.set_clock_error(error);
                    if error.abs() >= WARN_SECONDS && !warned {
                        tracing::warn!(
                            seconds = error,
                            "this machine's clock is wrong; the database's clock is used"
                        );
                        warned = true;
                    }
                }
                drop((clock, service));
                std::thread::sleep(ASK_EVERY);
            }
        };
        std::thread::Builder::new().name("clock".into()).spawn(keep).map(drop)
    }

    /// Returns how many seconds this machine is ahead of the store, if the store has its own clock.
    fn ask(&self, store: &dyn Store) -> Result<Option<i64>, gsi_store::StoreError> {
        let asked = Instant::now();
        let Some(time) = store.time()? else { return Ok(None) };
        let took = asked.elapsed();
        let mut anchor = self.anchor();
        if anchor.is_none() || took <= MAX_LATENCY {
            *anchor = Some((asked + took / 2, time));
        }
        let error = match SystemTime::now().duration_since(time) {
            Ok(ahead) => ahead.as_secs() as i64,
            Err(behind) => -(behind.duration().as_secs() as i64),
        };
        Ok(Some(error))
    }

    fn anchor(&self) -> MutexGuard<'_, Option<(Instant, SystemTime)>> {
        self.anchor.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn real(&self) -> SystemTime {
        self.anchor().map_or_else(SystemTime::now, |(then, time)| time + then.elapsed())
    }
}

impl Clock for ReplicaClock {
    fn now(&self) -> Timestamp {
        match &self.pace {
            Some(pace) => Timestamp::from_unix(pace.simulated(self.real()).floor() as i64),
            None if self.anchor().is_none() => SystemClock.now(),
            None => {
                let since = self.real().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::from_unix(since.as_secs() as i64)
            }
        }
    }

    fn until(&self, then: Timestamp) -> Duration {
        if let Some(pace) = &self.pace {
            return pace.left_until(then, self.real());
        }
        let target = UNIX_EPOCH + Duration::from_secs(then.unix().max(0) as u64);
        target.duration_since(self.real()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_runs_at_its_own_pace() {
        let since: Timestamp = "2026-11-14T12:00:00Z".parse().unwrap();
        let pace = SimulatedPace {
            begins: "2030-01-01T00:00:00Z".parse().unwrap(),
            since: UNIX_EPOCH + Duration::from_secs(since.unix() as u64),
            scale: 300.0,
        };
        let at = |seconds: u64| pace.simulated(pace.since + Duration::from_secs(seconds)) as i64;
        assert_eq!(at(0), pace.begins.unix());
        assert_eq!(at(3), pace.begins.plus(900).unix());
        // The anchor is the store's time. This machine's clock is not used.
        let clock = ReplicaClock { anchor: Mutex::new(Some((Instant::now(), pace.since))), pace: Some(pace) };
        assert!(clock.now().since(pace.begins) < 900);
        assert!(clock.until(pace.begins.plus(900)) <= Duration::from_secs(3));
        assert_eq!(clock.until(pace.begins.minus(1)), Duration::ZERO);
    }
}
