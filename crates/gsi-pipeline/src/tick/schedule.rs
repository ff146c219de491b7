//! Schedules ticks: one every quarter of an hour of the clock, after a few missed ones.

use crate::{Pipeline, PipelineError};
use gsi_model::{Clock, TICK, Timestamp};
use gsi_store::StoreError;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of missed ticks that are computed late, after a restart or a takeover. After a longer outage they are
/// skipped, and the history has a gap.
pub const MAX_LATE_TICKS: i64 = 8;

/// Pauses before a failed tick (full disk, database away) is tried again. They double each time up to a maximum at which a
/// repaired store is noticed soon.
const MIN_PAUSE: Duration = Duration::from_secs(2);
const MAX_PAUSE: Duration = Duration::from_secs(120);
/// Sleeps are divided into steps of this length, so that a jump of the clock is noticed.
const STEP: Duration = Duration::from_secs(1);
/// A contradiction that remains after this many tries ends the ticks, because further tries cannot help.
const MAX_CONTRADICTIONS: u32 = 3;

/// A failed tick.
#[derive(Debug)]
pub struct TickFailure<'a> {
    pub tick: Timestamp,
    pub error: &'a PipelineError,
    /// The number of tries so far.
    pub tries: u32,
    /// Whether it is not tried again.
    pub is_final: bool,
}

/// Computes ticks until `shutdown` resolves; a running tick is finished first. `report` receives every failure, and `None`
/// for every finished tick. The error is one that no further try can repair.
pub async fn run(
    pipeline: &mut Pipeline,
    clock: Arc<dyn Clock>,
    shutdown: impl Future<Output = ()>,
    report: impl Fn(Option<TickFailure<'_>>),
) -> Result<(), PipelineError> {
    tokio::pin!(shutdown);
    let (mut tries, mut contradictions) = (0, 0);
    loop {
        let due = pipeline.unstored().unwrap_or_else(|| next_due(pipeline.done(), clock.now()));
        loop {
            let wait = clock.until(due);
            if wait.is_zero() {
                break;
            }
            tokio::select! {
                () = tokio::time::sleep(wait.min(STEP)) => {}
                () = &mut shutdown => return Ok(()),
            }
        }
        // A pipeline that never catches up with its clock must still notice the shutdown.
        tokio::select! {
            biased;
            () = &mut shutdown => return Ok(()),
            () = std::future::ready(()) => {}
        }
        match pipeline.tick(due).await {
            Ok(_) => {
                (tries, contradictions) = (0, 0);
                report(None);
            }
            Err(PipelineError::Store(StoreError::TickDone(done))) => {
                tracing::warn!(tick = %done, "another process has computed this tick");
                pipeline.reload()?;
            }
            // Another replica leads, so this one's memory is outdated.
            Err(error @ PipelineError::Store(StoreError::Fenced(_))) => return Err(error),
            Err(error) => {
                tries += 1;
                contradictions += u32::from(is_contradiction(&error));
                let is_final = contradictions == MAX_CONTRADICTIONS;
                report(Some(TickFailure { tick: due, error: &error, tries, is_final }));
                if is_final {
                    tracing::error!(tick = %due, %error, "the tick failed for good; ticks stop");
                    return Err(error);
                }
                let pause = pause_after(tries);
                let seconds = pause.as_secs();
                tracing::error!(tick = %due, %error, seconds, "the tick failed; it is tried again");
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = &mut shutdown => return Ok(()),
                }
            }
        }
    }
}

/// Whether the store refuses the tick for a reason that waiting does not change.
fn is_contradiction(error: &PipelineError) -> bool {
    matches!(error, PipelineError::Store(StoreError::Conflict(_) | StoreError::Refused(_)))
}

fn pause_after(tries: u32) -> Duration {
    MIN_PAUSE.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(MAX_PAUSE)
}

/// The next tick: the one after the last, unless too many were missed.
fn next_due(frontier: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let current = now.floor_tick();
    match frontier {
        None => current,
        Some(done) if current.since(done) > MAX_LATE_TICKS * TICK => current,
        Some(done) => done.plus(TICK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit() {
        let seconds: Vec<u64> = [1, 2, 3, 6, 7, 99].map(|n| pause_after(n).as_secs()).to_vec();
        assert_eq!(seconds, [2, 4, 8, 64, 120, 120]);
    }

    #[test]
    fn a_few_missed_ticks_are_computed() {
        let now: Timestamp = "2026-11-14T12:05:00Z".parse().unwrap();
        let check = |frontier: Option<&str>, want: &str| {
            let frontier = frontier.map(|f| f.parse().unwrap());
            assert_eq!(next_due(frontier, now).to_string(), want, "{frontier:?}");
        };
        check(None, "2026-11-14T12:00:00Z");
        check(Some("2026-11-14T12:00:00Z"), "2026-11-14T12:15:00Z");
        check(Some("2026-11-14T10:00:00Z"), "2026-11-14T10:15:00Z");
        check(Some("2026-11-14T09:45:00Z"), "2026-11-14T12:00:00Z");
        // After a clock was set back, no tick is repeated.
        check(Some("2026-11-14T13:00:00Z"), "2026-11-14T13:15:00Z");
    }
}
