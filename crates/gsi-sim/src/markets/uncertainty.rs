//! Newspaper counts: policy uncertainty, and geopolitical acts and threats. Both are a slow tide under heavy daily noise,
//! with quiet weekends; levels, scatter and persistence are those of 1985–2024.

use super::{Walk, noon};
use crate::chance::{Chance, Stream};
use crate::scenario::Timeline;
use gsi_model::Day;
use std::sync::Arc;

/// 1985-01-01: both series begin here and have a value on every calendar day.
pub const FIRST: Day = Day(5_479);

/// Daily policy uncertainty: mean of the logarithm 4.49, deviation 0.67, half of it lasting.
pub struct PolicyUncertainty {
    seed: u64,
    timeline: Arc<Timeline>,
    day: Day,
    tide: f64,
}

impl PolicyUncertainty {
    pub fn new(seed: u64, timeline: Arc<Timeline>) -> Self {
        PolicyUncertainty { seed, timeline, day: FIRST.plus(-1), tide: 0.0 }
    }
}

impl Walk for PolicyUncertainty {
    type Value = f64;

    fn step(&mut self) -> (Day, Option<f64>) {
        self.day = self.day.plus(1);
        let mut c = Chance::of(self.seed, Stream::Epu, i64::from(self.day.0));
        self.tide = 0.9945 * self.tide + 0.045 * c.normal();
        let push = self.timeline.push("epu", noon(self.day));
        let value =
            libm::exp(4.45 + self.tide + 0.46 * push.volatility * c.normal()) * push.factor + push.shift;
        (self.day, Some(value.clamp(3.32, 1_500.0)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GprDay {
    /// Articles counted.
    pub articles: f64,
    pub total: f64,
    pub acts: f64,
    pub threats: f64,
}

pub struct GeopoliticalRisk {
    seed: u64,
    timeline: Arc<Timeline>,
    day: Day,
    /// From this day on great shocks come from the scenario alone, so that papers and news tell of the same world.
    last_shock: Day,
    tide: [f64; 2],
    shock: f64,
}

impl GeopoliticalRisk {
    pub fn new(seed: u64, timeline: Arc<Timeline>, start: Day) -> Self {
        let last_shock = start.plus(-SHOCKS_END_DAYS);
        GeopoliticalRisk { seed, timeline, day: FIRST.plus(-1), last_shock, tide: [0.0; 2], shock: 0.0 }
    }
}

/// Great shocks: about one in four years, half gone after three weeks.
const SHOCKS_PER_DAY: f64 = 1.0 / 1_460.0;
/// Days before the world's start after which none happens by chance.
const SHOCKS_END_DAYS: i32 = 180;
/// Weekend papers carry about a third less.
const WEEKEND: f64 = 0.65;

impl Walk for GeopoliticalRisk {
    type Value = GprDay;

    fn step(&mut self) -> (Day, Option<GprDay>) {
        self.day = self.day.plus(1);
        let day = self.day;
        let mut c = Chance::of(self.seed, Stream::Gpr, i64::from(day.0));
        for tide in &mut self.tide {
            *tide = 0.99 * *tide + 0.045 * c.normal();
        }
        if day < self.last_shock && c.hit(SHOCKS_PER_DAY) {
            self.shock += c.between(0.5, 1.5);
        }
        self.shock *= 0.967;
        let week = if day.is_weekend() { WEEKEND } else { 1.13 };
        let mut part = |name: &str, base: f64, tide: f64, noise: f64| {
            let push = self.timeline.push(name, noon(day));
            let wobble = noise * push.volatility * c.normal();
            libm::exp(base + tide + self.shock + wobble) * week * push.factor + push.shift
        };
        let acts = part("gpr.acts", 4.42, self.tide[0], 0.48);
        let threats = part("gpr.threats", 4.48, 0.5 * self.tide[0] + 0.8 * self.tide[1], 0.42);
        let articles = (450.0 * week).round();
        (day, Some(GprDay { articles, total: 0.55 * threats + 0.45 * acts, acts, threats }))
    }
}
