//! When ticks happen: at every quarter of an hour of the clock, the missed ones first when they are few.

use crate::{Pipeline, PipelineError};
use gsi_model::{Clock, TICK, Timestamp};
use gsi_store::StoreError;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// After a short absence (a restart, a takeover) the missed ticks are done in order. After a longer one they are not
/// invented: nobody published them, and the history shows the gap.
pub const MAX_LATE_TICKS: i64 = 8;

/// Pauses before a failed tick is tried again (full disk, database away): doubled each time, so that whoever mends it is
/// not in its way, and short enough that it is noticed soon.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// Sleeps are cut into steps of this length, so that a clock that jumps is noticed.
const STEP: Duration = Duration::from_secs(1);
/// A contradiction is met twice more from what the store says; if it is still there, no further try will help.
const PERMANENT_FAILURES: u32 = 3;

/// A tick that was tried in vain.
#[derive(Debug)]
pub struct TickFailure<'a> {
    pub tick: Timestamp,
    pub error: &'a PipelineError,
    /// Tries of it so far.
    pub tries: u32,
    /// It is not tried again.
    pub is_final: bool,
}

/// Does ticks until `shutdown` resolves; a tick under way is finished first. `tell` hears of every failure, and with `None`
/// of every tick that is done. An error is what no further try can mend.
pub async fn run(
    pipeline: &mut Pipeline,
    clock: Arc<dyn Clock>,
    shutdown: impl Future<Output = ()>,
    tell: impl Fn(Option<TickFailure<'_>>),
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
        // A pipeline that never catches up with its clock must still hear that it shall stop.
        tokio::select! {
            biased;
            () = &mut shutdown => return Ok(()),
            () = std::future::ready(()) => {}
        }
        match pipeline.tick(due).await {
            Ok(_) => {
                (tries, contradictions) = (0, 0);
                tell(None);
            }
            Err(PipelineError::Store(StoreError::TickDone(done))) => {
                tracing::warn!(tick = %done, "somebody else has done this tick");
                pipeline.reload()?;
            }
            // Another replica leads by now; what this one knows is of no use any more.
            Err(error @ PipelineError::Store(StoreError::Fenced(_))) => return Err(error),
            Err(error) => {
                tries += 1;
                contradictions += u32::from(is_contradiction(&error));
                let is_final = contradictions == PERMANENT_FAILURES;
                tell(Some(TickFailure { tick: due, error: &error, tries, is_final }));
                if is_final {
                    tracing::error!(tick = %due, %error, "the tick cannot be done; ticks stop here");
                    return Err(error);
                }
                let pause = pause_after(tries);
                let seconds = pause.as_secs();
                tracing::error!(tick = %due, %error, seconds, "the tick failed and will be tried again");
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = &mut shutdown => return Ok(()),
                }
            }
        }
    }
}

/// The store answered, and what it said will not change by waiting.
fn is_contradiction(error: &PipelineError) -> bool {
    matches!(error, PipelineError::Store(StoreError::Conflict(_) | StoreError::Refused(_)))
}

fn pause_after(tries: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(LONGEST_PAUSE)
}

/// The tick to do next: the one after the last one done, unless too many were missed.
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
    fn missed_ticks_are_done_when_few() {
        let now: Timestamp = "2026-11-14T12:05:00Z".parse().unwrap();
        let check = |frontier: Option<&str>, want: &str| {
            let frontier = frontier.map(|f| f.parse().unwrap());
            assert_eq!(next_due(frontier, now).to_string(), want, "{frontier:?}");
        };
        check(None, "2026-11-14T12:00:00Z");
        check(Some("2026-11-14T12:00:00Z"), "2026-11-14T12:15:00Z");
        check(Some("2026-11-14T10:00:00Z"), "2026-11-14T10:15:00Z");
        check(Some("2026-11-14T09:45:00Z"), "2026-11-14T12:00:00Z");
        // A clock that was set back never redoes a tick.
        check(Some("2026-11-14T13:00:00Z"), "2026-11-14T13:15:00Z");
    }
}
