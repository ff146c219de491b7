//! Daily market series: stochastic processes walked day by day from a fixed first day, so that a value depends only on the
//! seed, the scenario and its day. Paths are extended on demand and kept; decades of all of them take about a megabyte.

mod energy;
mod press;
mod pressure;
mod rates;
mod stress;
mod uncertainty;

use crate::scenario::Timeline;
pub use energy::{Energy, Fuel};
use gsi_model::{Day, Timestamp};
pub use press::{Measure, Press, SUBJECTS};
pub use pressure::{Pressure, month_end, month_of, vintage};
pub use rates::{CURRENCIES, Curve, ReferenceRates, TENORS};
use std::sync::{Arc, Mutex};
pub use stress::{Stress, StressDay};
pub use uncertainty::{GeopoliticalRisk, GprDay, PolicyUncertainty};

/// The business moment of a day that scenario effects are read at.
pub fn noon(day: Day) -> Timestamp {
    day.start().plus(16 * gsi_model::HOUR)
}

/// A value per day, made by a walker that goes forward only.
pub struct Path<W: Walk> {
    walked: Mutex<Walked<W>>,
}

struct Walked<W: Walk> {
    walker: W,
    values: Vec<(Day, W::Value)>,
}

pub trait Walk {
    type Value: Clone;
    /// Takes the next day; `None` when the series has no value on it.
    fn step(&mut self) -> (Day, Option<Self::Value>);
}

impl<W: Walk> Path<W> {
    pub fn new(walker: W) -> Self {
        Path { walked: Mutex::new(Walked { walker, values: Vec::new() }) }
    }

    /// Reads the values of all days up to and including `last`.
    pub fn upto<R>(&self, last: Day, read: impl FnOnce(&[(Day, W::Value)]) -> R) -> R {
        let mut walked = self.walked.lock().unwrap_or_else(|p| p.into_inner());
        let Walked { walker, values } = &mut *walked;
        // A quiet tail (weekend, holiday) is walked again at most until the next value.
        while values.last().is_none_or(|(day, _)| *day < last) {
            let (day, value) = walker.step();
            if let Some(value) = value {
                values.push((day, value));
            }
        }
        let end = values.partition_point(|(day, _)| *day <= last);
        read(&values[..end])
    }
}

pub struct Markets {
    pub stress: Path<Stress>,
    pub brent: Path<Energy>,
    pub wti: Path<Energy>,
    pub henry_hub: Path<Energy>,
    pub policy: Path<PolicyUncertainty>,
    pub geopolitical: Path<GeopoliticalRisk>,
    pub curve: Path<Curve>,
    pub reference_rates: Path<ReferenceRates>,
    pub pressure: Path<Pressure>,
    /// In the order of [`SUBJECTS`].
    pub press: Vec<Path<Press>>,
}

impl Markets {
    pub fn new(seed: u64, timeline: Arc<Timeline>, start: Timestamp) -> Self {
        let energy = |fuel| Path::new(Energy::new(seed, timeline.clone(), fuel));
        Markets {
            stress: Path::new(Stress::new(seed, timeline.clone(), start)),
            brent: energy(Fuel::Brent),
            wti: energy(Fuel::Wti),
            henry_hub: energy(Fuel::HenryHub),
            policy: Path::new(PolicyUncertainty::new(seed, timeline.clone())),
            geopolitical: Path::new(GeopoliticalRisk::new(seed, timeline.clone(), start.day())),
            curve: Path::new(Curve::new(seed, timeline.clone())),
            reference_rates: Path::new(ReferenceRates::new(seed, timeline.clone())),
            press: (0..SUBJECTS.len()).map(|i| Path::new(Press::new(seed, timeline.clone(), i))).collect(),
            pressure: Path::new(Pressure::new(seed, timeline)),
        }
    }
}
