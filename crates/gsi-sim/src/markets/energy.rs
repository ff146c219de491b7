//! Spot prices of oil and gas: the logarithm returns slowly to a level that itself rose until 2010, with days of varying
//! violence. Daily scatter is that of 1987–2024: 2.5 % for crude, 4 % for gas.

use super::{Walk, noon};
use crate::calendar::Calendar;
use crate::chance::{Chance, Stream};
use crate::scenario::Timeline;
use gsi_model::Day;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuel {
    Brent,
    Wti,
    HenryHub,
}

impl Fuel {
    /// First published day.
    fn first(self) -> Day {
        match self {
            Fuel::Brent => Day(6_348),    // 1987-05-20
            Fuel::Wti => Day(5_845),      // 1986-01-02
            Fuel::HenryHub => Day(9_868), // 1997-01-07
        }
    }

    fn series(self) -> &'static str {
        match self {
            Fuel::Brent => "brent",
            Fuel::Wti => "wti",
            Fuel::HenryHub => "henry_hub",
        }
    }

    fn calendar(self) -> Calendar {
        match self {
            Fuel::Brent => Calendar::London,
            Fuel::Wti | Fuel::HenryHub => Calendar::UnitedStates,
        }
    }
}

pub struct Energy {
    seed: u64,
    timeline: Arc<Timeline>,
    fuel: Fuel,
    day: Day,
    /// Logarithm of the price against its level; crude grades share one walk and differ by a spread.
    deviation: f64,
    spread: f64,
    unrest: f64,
}

/// Years 1987 to 2010: from 18 to 75 dollars.
const CRUDE_RISE: (i32, i32, f64, f64) = (6_348, 14_610, 2.9, 4.35);

impl Energy {
    pub fn new(seed: u64, timeline: Arc<Timeline>, fuel: Fuel) -> Self {
        Energy {
            seed,
            timeline,
            fuel,
            // The shared walk begins before either grade is published.
            day: Day(5_800),
            deviation: 0.0,
            spread: 0.0,
            unrest: 0.0,
        }
    }

    fn level(&self) -> f64 {
        if self.fuel == Fuel::HenryHub {
            return 1.22;
        }
        let (from, to, low, high) = CRUDE_RISE;
        let x = f64::from(self.day.0 - from) / f64::from(to - from);
        low + (high - low) * x.clamp(0.0, 1.0)
    }
}

impl Walk for Energy {
    type Value = f64;

    fn step(&mut self) -> (Day, Option<f64>) {
        self.day = self.day.plus(1);
        let day = self.day;
        if day.is_weekend() {
            return (day, None);
        }
        // Brent and WTI draw the same numbers for the walk and different ones for the spread.
        let gas = self.fuel == Fuel::HenryHub;
        let mut c = Chance::of_pair(self.seed, Stream::Energy, i64::from(day.0), i64::from(gas));
        let (step, back) = if gas { (0.034, 0.990) } else { (0.0185, 0.9965) };
        self.unrest = 0.975 * self.unrest + 0.11 * c.normal();
        let push = self.timeline.push(self.fuel.series(), noon(day));
        let shock = if c.hit(0.008) { 2.6 } else { 1.0 };
        self.deviation =
            back * self.deviation + step * shock * libm::exp(self.unrest) * push.volatility * c.normal();
        if self.fuel == Fuel::Wti {
            let mut own = Chance::of_pair(self.seed, Stream::Energy, i64::from(day.0), 2);
            self.spread = 0.97 * self.spread + 0.006 * own.normal();
        }
        if day < self.fuel.first() || !self.fuel.calendar().is_open(day) {
            return (day, None);
        }
        let grade = if self.fuel == Fuel::Wti { self.spread - 0.055 } else { 0.0 };
        let price = libm::exp(self.level() + self.deviation + grade + push.shift) * push.factor;
        (day, Some((price * 100.0).round() / 100.0))
    }
}
