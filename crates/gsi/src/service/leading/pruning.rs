//! The leader removes once a day what is older than the configuration allows, on a separate thread and between the ticks.

use super::wait;
use gsi_model::Clock;
use gsi_store::{LedStore, RetentionDays, prune_quietly};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum interval between checks for a new day, because a clock may be set, and the pause after a failure.
const CHECK_EVERY: Duration = Duration::from_secs(60);

/// Prunes until it is dropped. The drop waits for the end of the running transaction.
pub struct DailyPruning {
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl DailyPruning {
    pub fn start(
        store: Arc<dyn LedStore>,
        clock: Arc<dyn Clock>,
        keep: RetentionDays,
    ) -> std::io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&over);
        let work = move || {
            let mut pruned = None;
            while !done.load(Ordering::Relaxed) {
                let today = clock.now().day();
                let mut pause = CHECK_EVERY.min(clock.until(today.plus(1).start()));
                if pruned != Some(today) {
                    match prune_quietly(&*store, &keep, &|| done.load(Ordering::Relaxed)) {
                        Ok(removed) => {
                            tracing::info!(removed, "rows older than the retention were removed");
                            pruned = Some(today);
                        }
                        Err(error) => {
                            tracing::warn!(%error, "cannot prune now");
                            pause = CHECK_EVERY;
                        }
                    }
                }
                wait(pause, || done.load(Ordering::Relaxed));
            }
        };
        let thread = std::thread::Builder::new().name("prune".into()).spawn(work)?;
        Ok(DailyPruning { over, thread: Some(thread) })
    }
}

impl Drop for DailyPruning {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{DAY, ScaledClock, TICK, Timestamp};
    use gsi_store::conformance::sample;
    use gsi_store::{LEAST_DAYS_KEPT, SqliteStore, TickCommit, TickStore};
    use std::time::Instant;

    /// A day takes a tenth of a second.
    const SCALE: f64 = 10.0 * DAY as f64;

    #[test]
    fn old_rows_are_removed_at_the_next_midnight() {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let publish = |day: i64| {
            let at = sample::tick(day * DAY / TICK);
            let rows = vec![sample::row(day.unsigned_abs(), at)];
            let slots = vec![sample::slot(at)];
            store.commit_tick(&TickCommit { slots, rows, ..sample::publishing(at, 40.0) }).unwrap();
        };
        let oldest = || {
            let mut rows = Vec::new();
            store.rows(Timestamp::MIN, Timestamp::MAX, &mut |row| rows.push(row.id)).unwrap();
            rows[0]
        };
        let kept = i64::from(LEAST_DAYS_KEPT);
        (1..=kept).for_each(publish);
        let clock = Arc::new(ScaledClock::held_at(sample::tick(0)));
        clock.run_from(sample::tick(0), SCALE);
        let keep = RetentionDays { news_rows: LEAST_DAYS_KEPT, ..RetentionDays::default() };
        let _pruning = DailyPruning::start(Arc::clone(&store) as Arc<dyn LedStore>, clock, keep).unwrap();
        for day in 1..=3 {
            publish(kept + day);
            let begun = Instant::now();
            while oldest() != day.unsigned_abs() + 1 {
                assert!(begun.elapsed() < Duration::from_secs(60), "row {} is still there", oldest());
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
