use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(20);

/// Waits until `done` returns true, and returns how long that took. Panics with `what` after `limit`.
pub fn wait_until(what: &str, limit: Duration, mut done: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::sleep(PAUSE);
    }
    begun.elapsed()
}
