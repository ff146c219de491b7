//! The financial stress index: five categories that add to the index, and three regions that add to it too.
//!
//! Calm levels, day-to-day scatter and tails follow the published table of 2000–2024: calm near −1.1, a daily change of
//! about 0.25, one day in twenty above 7 in a history that holds a few great crises.

use super::{Walk, noon};
use crate::calendar::Calendar;
use crate::chance::{Chance, Stream};
use crate::scenario::Timeline;
use gsi_model::{Day, Timestamp};
use std::sync::Arc;

/// (name, calm level, share of a crisis, innovation of its own noise)
const CATEGORIES: [(&str, f64, f64, f64); 5] = [
    ("credit", -0.25, 0.33, 0.036),
    ("equity", -0.10, 0.10, 0.060),
    ("safe", -0.12, 0.08, 0.017),
    ("funding", -0.20, 0.22, 0.036),
    ("volatility", -0.43, 0.27, 0.155),
];
/// Own noise returns to the calm level in about a month.
const RETURN: f64 = 0.965;
/// The business cycle: a slow wave shared by all.
const CYCLE_RETURN: f64 = 0.998;
const CYCLE_STEP: f64 = 0.075;
/// Crises: one in three years, log-normal in size, a fortnight up, half gone after a quarter.
const CRISES_PER_YEAR: f64 = 0.35;
const CRISIS_MEDIAN: f64 = 4.5;
const CRISIS_SCATTER: f64 = 0.8;
const CRISIS_LIMIT: f64 = 30.0;
const RISE_DAYS: f64 = 12.0;
const DECAY: f64 = 0.9885;
/// No crisis of chance begins this near the world's start: from there on the scenario tells the story.
const QUIET_BEFORE_START: i32 = 200;

#[derive(Clone, Debug, PartialEq)]
pub struct StressDay {
    /// In the order of the published columns.
    pub categories: [f64; 5],
    /// United States, other advanced economies, emerging markets.
    pub regions: [f64; 3],
    pub index: f64,
}

pub struct Stress {
    seed: u64,
    timeline: Arc<Timeline>,
    quiet_from: Day,
    day: Day,
    own: [f64; 5],
    cycle: f64,
    /// The crisis still to be felt, and what has been.
    pending: f64,
    felt: f64,
    tilt: [f64; 2],
}

impl Stress {
    /// The published table begins on 2000-01-03.
    pub const FIRST: Day = Day(10_959);

    pub fn new(seed: u64, timeline: Arc<Timeline>, start: Timestamp) -> Self {
        Stress {
            seed,
            timeline,
            quiet_from: start.day().plus(-QUIET_BEFORE_START),
            day: Self::FIRST.plus(-1),
            own: [0.0; 5],
            cycle: 0.6,
            pending: 0.0,
            felt: 2.0,
            tilt: [0.0; 2],
        }
    }
}

impl Walk for Stress {
    type Value = StressDay;

    fn step(&mut self) -> (Day, Option<StressDay>) {
        self.day = self.day.plus(1);
        let day = self.day;
        if !Calendar::UnitedStates.is_open(day) {
            return (day, None);
        }
        let mut c = Chance::of(self.seed, Stream::Ofr, i64::from(day.0));
        self.cycle = CYCLE_RETURN * self.cycle + CYCLE_STEP * c.normal();
        let crisis = c.hit(CRISES_PER_YEAR / 252.0);
        let size = CRISIS_MEDIAN * libm::exp(CRISIS_SCATTER * c.normal());
        if crisis && day < self.quiet_from {
            self.pending += size.min(CRISIS_LIMIT);
        }
        let arriving = self.pending / RISE_DAYS;
        self.pending -= arriving;
        self.felt = (self.felt + arriving) * DECAY;
        // Markets swing harder while stressed.
        let heat = 1.0 + 0.25 * self.felt;
        let mut categories = [0.0; 5];
        for (i, (name, calm, share, innovation)) in CATEGORIES.into_iter().enumerate() {
            let push = self.timeline.push(&format!("ofr.{name}"), noon(day));
            self.own[i] = RETURN * self.own[i] + innovation * heat.min(4.0) * push.volatility * c.normal();
            categories[i] = calm + share * (self.felt + self.cycle) + self.own[i] + push.shift;
        }
        let index: f64 = categories.iter().sum();
        for tilt in &mut self.tilt {
            *tilt = 0.98 * *tilt + 0.03 * c.normal();
        }
        let us = 0.46 * index - 0.25 + self.tilt[0];
        let emerging = 0.08 * index + 0.3 * self.tilt[1];
        let regions = [us, index - us - emerging, emerging];
        (day, Some(StressDay { categories, regions, index }))
    }
}
