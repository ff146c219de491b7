//! Retention of the engine's memory: every recent tick, then one tick a day.

use gsi_model::{DAY, Timestamp};
use std::ops::Range;

/// A recent tick can be recomputed from its predecessor. Eight days cover the default event window and one more day.
const EVERY_TICK_FOR_SECONDS: i64 = 8 * DAY;
/// States at midnight UTC are kept, so that any tick can be reached by replaying at most a day.
pub const KEPT_FOR_GOOD_EVERY_SECONDS: i64 = DAY;

/// The range of states, except midnights, that expire when `tick` follows `last`.
///
/// It starts at the end of the previous commit's range, so it is one tick wide for any history.
pub fn expired_states(last: Option<Timestamp>, tick: Timestamp) -> Option<Range<i64>> {
    let last = last?;
    Some(last.unix() - EVERY_TICK_FOR_SECONDS..tick.unix() - EVERY_TICK_FOR_SECONDS)
}
