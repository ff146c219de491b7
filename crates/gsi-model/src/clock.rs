//! The one source of time. Production reads the system clock, the demo runs it faster, and tests set it.

#![expect(
    clippy::disallowed_methods,
    reason = "the only module of the crates that compute that reads the time"
)]

use crate::Timestamp;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;

    /// How long to sleep, in real time, until the clock reads `then`. Zero when it already does.
    fn until(&self, then: Timestamp) -> Duration;
}

#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64);
        Timestamp::from_unix(unix)
    }

    fn until(&self, then: Timestamp) -> Duration {
        let target = UNIX_EPOCH + Duration::from_secs(then.unix().max(0) as u64);
        target.duration_since(SystemTime::now()).unwrap_or_default()
    }
}

/// Does not advance until `set` is called.
#[derive(Debug)]
pub struct HeldClock(AtomicI64);

impl HeldClock {
    pub fn at(now: Timestamp) -> Self {
        HeldClock(AtomicI64::new(now.unix()))
    }

    pub fn set(&self, now: Timestamp) {
        self.0.store(now.unix(), Ordering::SeqCst);
    }

    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for HeldClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix(self.0.load(Ordering::SeqCst))
    }

    fn until(&self, then: Timestamp) -> Duration {
        Duration::from_secs(then.since(self.now()).max(0) as u64)
    }
}

/// Does not advance while the demo fast-forwards its history; after that it runs `scale` simulated seconds a second.
#[derive(Debug)]
pub struct ScaledClock {
    state: Mutex<ScaledState>,
}

#[derive(Debug, Clone, Copy)]
struct ScaledState {
    origin: Timestamp,
    running: Option<(Instant, f64)>,
}

impl ScaledClock {
    pub fn held_at(now: Timestamp) -> Self {
        ScaledClock { state: Mutex::new(ScaledState { origin: now, running: None }) }
    }

    fn state(&self) -> ScaledState {
        *self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn hold_at(&self, now: Timestamp) {
        *self.state.lock().unwrap_or_else(|p| p.into_inner()) = ScaledState { origin: now, running: None };
    }

    pub fn run_from(&self, now: Timestamp, scale: f64) {
        *self.state.lock().unwrap_or_else(|p| p.into_inner()) =
            ScaledState { origin: now, running: Some((Instant::now(), scale)) };
    }
}

impl Clock for ScaledClock {
    fn now(&self) -> Timestamp {
        let s = self.state();
        let elapsed = s.running.map_or(0.0, |(since, scale)| since.elapsed().as_secs_f64() * scale);
        s.origin.plus(elapsed as i64)
    }

    fn until(&self, then: Timestamp) -> Duration {
        let s = self.state();
        match s.running {
            None => Duration::from_secs(then.since(s.origin).max(0) as u64),
            Some((since, scale)) => {
                let due = then.since(s.origin).max(0) as f64 / scale;
                Duration::from_secs_f64(due).saturating_sub(since.elapsed())
            }
        }
    }
}

/// Simulated time shared by several processes: it is `begins` at the real moment `since` and runs `scale` times as
/// fast from there. A rehearsal's service and its publishers share one.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedPace {
    pub begins: Timestamp,
    pub since: SystemTime,
    pub scale: f64,
}

impl SimulatedPace {
    /// Seconds since 1970 of the simulated moment at a real one.
    pub fn simulated(&self, real: SystemTime) -> f64 {
        let elapsed = match real.duration_since(self.since) {
            Ok(after) => after.as_secs_f64(),
            Err(before) => -before.duration().as_secs_f64(),
        };
        self.begins.unix() as f64 + elapsed * self.scale
    }

    /// Real time between a real moment and the simulated one.
    pub fn left_until(&self, then: Timestamp, real: SystemTime) -> Duration {
        let seconds = (then.unix() as f64 - self.simulated(real)).max(0.0) / self.scale;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// Reads the real time from this machine's clock.
impl Clock for SimulatedPace {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix(self.simulated(SystemTime::now()).floor() as i64)
    }

    fn until(&self, then: Timestamp) -> Duration {
        self.left_until(then, SystemTime::now())
    }
}
