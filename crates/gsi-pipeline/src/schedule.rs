//! When ticks happen: at every quarter of an hour of the clock, the missed ones first when they are few.

use crate::{Pipeline, PipelineError};
use gsi_model::{Clock, TICK, Timestamp};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// After a short absence (a restart, a takeover) the missed ticks are done in order. After a longer one they are not
/// invented: nobody published them, and the history shows the gap.
pub const MAX_LATE_TICKS: i64 = 8;

/// How long to wait before trying a tick again whose commit failed (full disk, database away).
const RETRY: Duration = Duration::from_secs(5);
/// Sleeps are cut into steps of this length, so that a clock that jumps is noticed.
const STEP: Duration = Duration::from_secs(1);

/// Does ticks until `shutdown` resolves; a tick under way is finished first.
pub async fn run(
    pipeline: &mut Pipeline,
    clock: Arc<dyn Clock>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), PipelineError> {
    tokio::pin!(shutdown);
    loop {
        let due = next_due(pipeline.done(), clock.now());
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
            Ok(_) => {}
            Err(PipelineError::Store(gsi_store::StoreError::TickDone(done))) => {
                tracing::warn!(tick = %done, "somebody else has done this tick");
                pipeline.reload()?;
            }
            // Another replica leads by now; what this one knows is of no use any more.
            Err(error @ PipelineError::Store(gsi_store::StoreError::Fenced(_))) => return Err(error),
            Err(error) => {
                tracing::error!(tick = %due, %error, "the tick failed and will be tried again");
                tokio::select! {
                    () = tokio::time::sleep(RETRY) => {}
                    () = &mut shutdown => return Ok(()),
                }
                pipeline.reload_when_possible();
            }
        }
    }
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
