//! One group of series as it walks from step to step.

use super::business_time;
use super::table::{Column, Group, Scale, Shocks, Steps, Walk};
use crate::scenario::{SeriesEffect, Timeline};
use crate::world::{Calendar, Rng};
use gsi_model::Day;
use std::sync::Arc;

/// A shock raises the step of the noise at most this many times.
const HEAT_LIMIT: f64 = 4.0;

pub struct Walker {
    group: &'static Group,
    seed: u64,
    timeline: Arc<Timeline>,
    /// Shocks end here.
    last_shock: Day,
    day: Day,
    unrest: f64,
    walks: Vec<f64>,
    /// The part of the shocks that has not arrived, and what is felt of those that have.
    pending_shock: f64,
    shock: f64,
    noise: Vec<f64>,
}

impl Walker {
    pub fn new(group: &'static Group, seed: u64, timeline: Arc<Timeline>, start: Day) -> Self {
        let shocks = group.shocks.as_ref();
        Walker {
            group,
            seed,
            timeline,
            last_shock: start.plus(-shocks.map_or(0, |s| s.end_before_start)),
            day: group.begins,
            unrest: 0.0,
            walks: group.walks.iter().map(|w| w.start).collect(),
            pending_shock: 0.0,
            shock: shocks.map_or(0.0, |s| s.start),
            noise: vec![0.0; group.columns.len()],
        }
    }

    /// Takes the next step and appends the columns' values, unless its day has none. Returns the day of a value.
    pub fn step(&mut self, values: &mut Vec<f64>) -> Option<Day> {
        self.day = next_day(self.group.steps, self.day);
        let day = self.day;
        if !is_step(self.group.steps, day) {
            return None;
        }
        let (group, at) = (self.group, business_time(day));
        let mut rng = self.rng(group.key);
        let volatility = group.scenario.as_ref().map_or(1.0, |id| self.timeline.series(id, at).volatility);
        if let Some(unrest) = &group.unrest {
            self.unrest = unrest.keep * self.unrest + unrest.step * rng.normal();
        }
        let stir = libm::exp(self.unrest) * volatility;
        for (i, walk) in group.walks.iter().enumerate() {
            let mut own = walk.key.map(|key| self.rng(Some(key)));
            let rng = own.as_mut().unwrap_or(&mut rng);
            self.walks[i] = self.stepped(walk, self.walks[i], if walk.steady { 1.0 } else { stir }, rng);
        }
        if let Some(shocks) = &group.shocks {
            let mut own = shocks.key.map(|key| self.rng(Some(key)));
            self.step_shocks(shocks, own.as_mut().unwrap_or(&mut rng));
        }
        let published = group.first.is_none_or(|first| day >= first)
            && group.open.is_none_or(|calendar| calendar.is_open(day));
        for (i, column) in group.columns.iter().enumerate() {
            let effect = self.timeline.series(&column.id, at);
            if let Some(noise) = &column.noise {
                let heat = (1.0 + noise.heat * self.shock).min(HEAT_LIMIT);
                let step = noise.step * heat * stir * effect.volatility;
                self.noise[i] = noise.keep * self.noise[i] + step * rng.normal();
            }
            if published {
                values.push(self.value(column, self.noise[i], effect));
            }
        }
        published.then_some(day)
    }

    fn rng(&self, key: Option<i64>) -> Rng {
        let stream = self.group.stream;
        let index = match self.group.steps {
            Steps::MonthEnds => i64::from(super::month_of(self.day)),
            _ => i64::from(self.day.0),
        };
        key.map_or_else(
            || Rng::new(self.seed, stream, index),
            |key| Rng::with_pair(self.seed, stream, index, key),
        )
    }

    fn stepped(&self, walk: &Walk, at: f64, stir: f64, rng: &mut Rng) -> f64 {
        let (mut times, mut adds) = (1.0, 0.0);
        if let Some(jump) = &walk.jump
            && rng.chance(jump.chance)
        {
            (times, adds) = (jump.times, jump.adds);
        }
        let mean = walk.mean_after(self.day.0 - self.group.begins.0);
        mean + walk.keep * (at - mean) + walk.step * times * stir * rng.normal() + adds
    }

    fn step_shocks(&mut self, shocks: &Shocks, rng: &mut Rng) {
        let begins = rng.chance(shocks.chance);
        let size = shocks.median * libm::exp(shocks.scatter * rng.normal());
        if begins && self.day < self.last_shock {
            self.pending_shock += size.min(shocks.limit);
        }
        let arriving = self.pending_shock / shocks.rise;
        self.pending_shock -= arriving;
        self.shock = (self.shock + arriving) * shocks.keep;
    }

    fn value(&self, column: &Column, noise: f64, effect: SeriesEffect) -> f64 {
        let mut sum = column.level(self.day) + noise + effect.shift;
        for (i, walk) in self.walks.iter().enumerate() {
            sum += column.weight(i) * walk;
        }
        if self.group.shocks.is_some() {
            sum += column.weight(self.walks.len()) * self.shock;
        }
        let mut value = match column.scale {
            Scale::Linear => sum,
            Scale::Negated => -sum,
            Scale::Log => column.times * libm::exp(sum) * effect.factor,
        };
        if let Some([weekday, weekend]) = column.week {
            value *= if self.day.is_weekend() { weekend } else { weekday };
        }
        if let Some([low, high]) = column.limits {
            value = value.clamp(low, high);
        }
        match column.decimals {
            Some(digits) => {
                let unit = f64::from(10u32.pow(digits));
                (value * unit).round() / unit
            }
            None => value,
        }
    }
}

fn next_day(steps: Steps, day: Day) -> Day {
    match steps {
        Steps::MonthEnds => super::month_end(super::month_of(day) + 1),
        _ => day.plus(1),
    }
}

fn is_step(steps: Steps, day: Day) -> bool {
    match steps {
        Steps::EveryDay | Steps::MonthEnds => true,
        Steps::Weekdays => !day.is_weekend(),
        Steps::UnitedStates => Calendar::UnitedStates.is_open(day),
        Steps::Target => Calendar::Target.is_open(day),
    }
}
