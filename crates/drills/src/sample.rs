//! Small values for tests.

use gsi_model::{Day, FeedId, Observation};

/// Returns a value for one day that is known from the next midnight.
pub fn observation(series: &str, entity: &str, day: Day, value: f64) -> Observation {
    let known_at = day.plus(1).start();
    Observation {
        series: series.into(),
        entity: entity.into(),
        period_start: day.start(),
        period_end: known_at,
        value,
        known_at,
        ingested_at: known_at,
        revision: 0,
        quality: 1.0,
        feed: FeedId::new("test"),
        raw: "00".into(),
    }
}
