//! How many events a day has, from `data/counts.toml`.

use crate::scenario::Timeline;
use crate::world::Rng;
use gsi_model::{Day, HOUR};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Rates that grow are stated for this day (2024-10-04).
const GROWTH_ORIGIN: i32 = 20_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    scenario: String,
    per_day: f64,
    /// Factors of weekdays and of weekends.
    #[serde(default = "even_week")]
    week: [f64; 2],
    #[serde(default)]
    mood: f64,
    yearly_growth: Option<f64>,
}

fn even_week() -> [f64; 2] {
    [1.0, 1.0]
}

static COUNTS: LazyLock<BTreeMap<String, Count>> =
    LazyLock::new(|| crate::data::parse("counts.toml", include_str!("../../data/counts.toml")));

/// Draws how many events of a kind `day` has.
pub fn draw_count(kind: &str, timeline: &Timeline, day: Day, rng: &mut Rng) -> u32 {
    let count = &COUNTS[kind];
    let factor = timeline.series(&count.scenario, day.start().plus(12 * HOUR)).factor;
    let mood = if count.mood > 0.0 { libm::exp(count.mood * rng.normal()) } else { 1.0 };
    let years = f64::from(day.0 - GROWTH_ORIGIN) / 365.25;
    let growth = count.yearly_growth.map_or(1.0, |growth| libm::pow(growth, years));
    let week = count.week[usize::from(day.is_weekend())];
    rng.poisson(count.per_day * growth * week * factor * mood)
}
