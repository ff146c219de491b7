//! Interest rates and currencies: the par yield curve from three slow factors, and euro reference rates as random walks
//! that are pulled back to their level. Daily changes are those of 2015–2024: about 6 basis points at ten years.

use super::{Walk, noon};
use crate::calendar::Calendar;
use crate::chance::{Chance, Stream};
use crate::scenario::Timeline;
use gsi_model::Day;
use std::sync::Arc;

/// Column names of the published curve with their maturity in years.
pub const TENORS: [(&str, f64); 14] = [
    ("1 Mo", 1.0 / 12.0),
    ("1.5 Month", 0.125),
    ("2 Mo", 2.0 / 12.0),
    ("3 Mo", 0.25),
    ("4 Mo", 4.0 / 12.0),
    ("6 Mo", 0.5),
    ("1 Yr", 1.0),
    ("2 Yr", 2.0),
    ("3 Yr", 3.0),
    ("5 Yr", 5.0),
    ("7 Yr", 7.0),
    ("10 Yr", 10.0),
    ("20 Yr", 20.0),
    ("30 Yr", 30.0),
];

pub struct Curve {
    seed: u64,
    timeline: Arc<Timeline>,
    day: Day,
    level: f64,
    slope: f64,
    bend: f64,
}

impl Curve {
    pub fn new(seed: u64, timeline: Arc<Timeline>) -> Self {
        // 1989-12-31: the published table begins with 1990.
        Curve { seed, timeline, day: Day(7_304), level: 3.2, slope: -0.4, bend: -0.3 }
    }
}

impl Walk for Curve {
    type Value = [f64; 14];

    fn step(&mut self) -> (Day, Option<[f64; 14]>) {
        self.day = self.day.plus(1);
        let day = self.day;
        if !Calendar::UnitedStates.is_open(day) {
            return (day, None);
        }
        let mut c = Chance::of(self.seed, Stream::Treasury, i64::from(day.0));
        let push = self.timeline.push("treasury", noon(day));
        // From 8 % in 1990 to about 4 % now.
        let anchor = 4.6 + 3.4 * libm::exp(-f64::from(day.0 - 7_304) / 3_000.0);
        self.level += 0.0018 * (anchor - self.level) + 0.052 * push.volatility * c.normal();
        self.slope += 0.0025 * (-0.9 - self.slope) + 0.045 * push.volatility * c.normal();
        self.bend += 0.004 * (-0.8 - self.bend) + 0.05 * push.volatility * c.normal();
        let curve = TENORS.map(|(_, years)| {
            let x = years / 1.8;
            let load = (1.0 - libm::exp(-x)) / x;
            let y = self.level + push.shift + self.slope * load + self.bend * (load - libm::exp(-x));
            (y.max(0.01) * 100.0).round() / 100.0
        });
        (day, Some(curve))
    }
}

/// (currency, units per euro, daily scatter)
pub const CURRENCIES: [(&str, f64, f64); 12] = [
    ("USD", 1.09, 0.0048),
    ("JPY", 158.0, 0.0058),
    ("GBP", 0.85, 0.0041),
    ("CNY", 7.8, 0.0044),
    ("INR", 92.0, 0.0050),
    ("BRL", 5.9, 0.0098),
    ("MXN", 20.1, 0.0085),
    ("ZAR", 19.8, 0.0090),
    ("TRY", 38.0, 0.0075),
    ("CHF", 0.96, 0.0038),
    ("CAD", 1.48, 0.0050),
    ("AUD", 1.64, 0.0055),
];

pub struct ReferenceRates {
    seed: u64,
    timeline: Arc<Timeline>,
    day: Day,
    deviation: [f64; 12],
    unrest: f64,
}

impl ReferenceRates {
    pub fn new(seed: u64, timeline: Arc<Timeline>) -> Self {
        // 1999-01-03: the day before the first fixing.
        ReferenceRates { seed, timeline, day: Day(10_594), deviation: [0.0; 12], unrest: 0.0 }
    }
}

impl Walk for ReferenceRates {
    type Value = [f64; 12];

    fn step(&mut self) -> (Day, Option<[f64; 12]>) {
        self.day = self.day.plus(1);
        let day = self.day;
        if !Calendar::Target.is_open(day) {
            return (day, None);
        }
        let mut c = Chance::of(self.seed, Stream::Fx, i64::from(day.0));
        let push = self.timeline.push("fx", noon(day));
        self.unrest = 0.98 * self.unrest + 0.06 * c.normal();
        // All currencies share part of the euro's own move.
        let euro = 0.35 * c.normal();
        let heat = libm::exp(self.unrest) * push.volatility;
        for (deviation, (_, _, scatter)) in self.deviation.iter_mut().zip(CURRENCIES) {
            *deviation = 0.9985 * *deviation + scatter * heat * (euro + 0.9 * c.normal());
        }
        let mut rates = [0.0; 12];
        for (i, (_, level, _)) in CURRENCIES.into_iter().enumerate() {
            // Four decimals for small rates, two for large ones.
            let unit = if level > 50.0 { 100.0 } else { 10_000.0 };
            rates[i] = (level * libm::exp(self.deviation[i]) * unit).round() / unit;
        }
        (day, Some(rates))
    }
}
