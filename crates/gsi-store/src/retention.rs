//! How long the engine's memory of past ticks is kept: every tick for a while, then one a day.

use gsi_model::{DAY, Timestamp};
use std::ops::Range;

/// A recent tick can be recomputed from its own predecessor. Eight days cover the default event window and a day more.
const EVERY_TICK_FOR_SECONDS: i64 = 8 * DAY;
/// States at multiples of this (midnight UTC) stay, so that any tick can be reached by replaying at most a day.
pub const KEPT_FOR_GOOD_EVERY_SECONDS: i64 = DAY;

/// Seconds whose states, midnights aside, fall out of the window when `tick` follows `last`.
///
/// Starting where the previous commit stopped keeps the range one tick wide however long the history is.
pub fn expired_states(last: Option<Timestamp>, tick: Timestamp) -> Option<Range<i64>> {
    let last = last?;
    Some(last.unix() - EVERY_TICK_FOR_SECONDS..tick.unix() - EVERY_TICK_FOR_SECONDS)
}
