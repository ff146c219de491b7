//! The supply-chain pressure index: a monthly walk whose every release revises the whole past a little.

use super::{Walk, noon};
use crate::chance::{Chance, Stream};
use crate::scenario::Timeline;
use gsi_model::Day;
use std::sync::Arc;

/// Months are counted from January 1970.
pub fn month_of(day: Day) -> i32 {
    let (y, m, _) = day.ymd();
    (i32::from(y) - 1970) * 12 + i32::from(m) - 1
}

pub fn month_end(month: i32) -> Day {
    let next = month + 1;
    let first = Day::from_ymd((1970 + next.div_euclid(12)) as i16, (next.rem_euclid(12) + 1) as i8, 1);
    first.map_or(Day(0), |d| d.plus(-1))
}

pub struct Pressure {
    seed: u64,
    timeline: Arc<Timeline>,
    month: i32,
    value: f64,
}

impl Pressure {
    pub fn new(seed: u64, timeline: Arc<Timeline>) -> Self {
        // The month before September 1997.
        Pressure { seed, timeline, month: 27 * 12 + 7, value: -0.6 }
    }
}

impl Walk for Pressure {
    type Value = f64;

    fn step(&mut self) -> (Day, Option<f64>) {
        self.month += 1;
        let mut c = Chance::of(self.seed, Stream::Gscpi, i64::from(self.month));
        let shock = if c.hit(0.008) { 1.6 } else { 0.0 };
        self.value = 0.94 * self.value + 0.3 * c.normal() + shock;
        let day = month_end(self.month);
        let push = self.timeline.push("gscpi", noon(day));
        (day, Some((self.value + push.shift).clamp(-4.0, 5.9)))
    }
}

/// The estimate for a month as it stood in a later release.
pub fn vintage(seed: u64, month: i32, release: i32, value: f64) -> f64 {
    let mut c = Chance::of_pair(seed, Stream::Gscpi, i64::from(month), i64::from(release));
    let age = f64::from((release - month).max(0));
    let drift = 0.12 * libm::exp(-age / 4.0) + 0.02;
    ((value + drift * c.normal()) * 100.0).round() / 100.0
}
