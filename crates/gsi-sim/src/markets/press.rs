//! How the press writes: the tone and the volume of a day's articles about a subject, as a slow tide under daily noise.
//! Levels, scatter and persistence are those of the published timelines of 2017–2024.

use super::{Walk, noon};
use crate::chance::{Chance, Stream};
use crate::scenario::Timeline;
use gsi_model::Day;
use std::sync::Arc;

/// 2017-01-01: the publisher's archive begins here.
pub const FIRST: Day = Day(17_167);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Mean tone of the matching articles, mostly below zero.
    Tone,
    /// Percentage of all articles that match.
    Volume,
}

/// One subject, by the words it is asked for.
#[derive(Debug)]
pub struct PressSubject {
    pub query: &'static str,
    pub measure: Measure,
    /// The series' name in a scenario; a positive shift there is worse.
    name: &'static str,
    /// Mean of the negativity, or of the logarithm of the share.
    level: f64,
    persistence: f64,
    tide_step: f64,
    noise: f64,
}

const SANCTIONS: &str = r#"(tariffs OR "trade war" OR sanctions) sourcelang:english"#;

pub const SUBJECTS: [PressSubject; 6] = [
    PressSubject {
        query: r#"(nasdaq OR "stock market" OR "wall street") sourcelang:english"#,
        measure: Measure::Tone,
        name: "press.market",
        level: 0.4,
        persistence: 0.985,
        tide_step: 0.08,
        noise: 0.3,
    },
    PressSubject {
        query: SANCTIONS,
        measure: Measure::Tone,
        name: "press.sanctions",
        level: 2.76,
        persistence: 0.96,
        tide_step: 0.126,
        noise: 0.38,
    },
    PressSubject {
        query: SANCTIONS,
        measure: Measure::Volume,
        name: "press.sanctions_share",
        level: -0.5,
        persistence: 0.985,
        tide_step: 0.08,
        noise: 0.2,
    },
    PressSubject {
        query: "(economy OR recession OR unemployment) sourcelang:english",
        measure: Measure::Tone,
        name: "press.economy",
        level: 1.4,
        persistence: 0.985,
        tide_step: 0.075,
        noise: 0.28,
    },
    PressSubject {
        query: r#"("interest rates" OR "central bank" OR inflation) sourcelang:english"#,
        measure: Measure::Tone,
        name: "press.rates",
        level: 1.08,
        persistence: 0.98,
        tide_step: 0.09,
        noise: 0.29,
    },
    PressSubject {
        query: r#"("container ship" OR "shipping lines" OR "cargo ship") sourcelang:english"#,
        measure: Measure::Volume,
        name: "press.shipping_share",
        level: -3.0,
        persistence: 0.95,
        tide_step: 0.15,
        noise: 0.3,
    },
];

pub struct Press {
    seed: u64,
    timeline: Arc<Timeline>,
    subject: usize,
    day: Day,
    tide: f64,
}

impl Press {
    pub fn new(seed: u64, timeline: Arc<Timeline>, subject: usize) -> Self {
        Press { seed, timeline, subject, day: FIRST.plus(-1), tide: 0.0 }
    }
}

impl Walk for Press {
    type Value = f64;

    fn step(&mut self) -> (Day, Option<f64>) {
        self.day = self.day.plus(1);
        let subject = &SUBJECTS[self.subject];
        let mut c = Chance::of_pair(self.seed, Stream::Press, i64::from(self.day.0), self.subject as i64);
        self.tide = subject.persistence * self.tide + subject.tide_step * c.normal();
        let push = self.timeline.push(subject.name, noon(self.day));
        let moved = subject.level + self.tide + subject.noise * push.volatility * c.normal();
        let value = match subject.measure {
            Measure::Tone => -(moved + push.shift).clamp(-10.0, 10.0),
            Measure::Volume => (libm::exp(moved) * push.factor + push.shift).clamp(0.0, 100.0),
        };
        (self.day, Some(value))
    }
}
