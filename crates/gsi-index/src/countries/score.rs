//! The rarity of a country's value: against its own past, shrunk to its region's and to the prior while that is
//! short, or for levels against all countries together.

use super::catalogue::{ComparedWith, CountryIndicatorRule, CountryMethod};
use super::past::CountryPast;
use crate::method::algebra::WORLD_DAYS;
use crate::rarity::survival::{Rarity, Sample};
use gsi_model::CountryCode;
use std::collections::BTreeMap;

/// Sorted samples, made once a day.
#[derive(Clone, Debug, Default)]
pub(super) struct CountrySamples {
    own: BTreeMap<(usize, CountryCode), Sample>,
    /// With the number of days behind it.
    regions: BTreeMap<(usize, String), (Sample, usize)>,
    world: BTreeMap<usize, (Sample, usize)>,
}

impl CountrySamples {
    /// `is_monitored` decides whose values count for the others.
    pub fn learn(
        method: &CountryMethod,
        rarity: &Rarity,
        past: &CountryPast,
        is_monitored: &dyn Fn(CountryCode) -> bool,
    ) -> CountrySamples {
        let mut samples = CountrySamples::default();
        let monitored: Vec<CountryCode> =
            past.countries.keys().copied().filter(|c| is_monitored(*c)).collect();
        for (position, rule) in method.indicators().iter().enumerate().filter(|(_, r)| r.formula.is_news()) {
            match rule.compared_with {
                ComparedWith::Own => {
                    let mut regions: BTreeMap<&str, (Vec<f64>, usize)> = BTreeMap::new();
                    for (country, past) in &past.countries {
                        let values: Vec<f64> = past.history(position).collect();
                        if let Some(region) = method.region(*country).filter(|_| is_monitored(*country)) {
                            let (pooled, days) = regions.entry(region).or_default();
                            pooled.extend(&values);
                            *days = (*days).max(values.len());
                        }
                        samples.own.insert((position, *country), Sample::new(values, rarity));
                    }
                    for (region, (values, days)) in regions {
                        let sample = (Sample::new(values, rarity), days);
                        samples.regions.insert((position, region.to_owned()), sample);
                    }
                }
                ComparedWith::World => {
                    let recent = |country: &CountryCode| {
                        let history = past.countries[country].history(position);
                        let skipped = history.len().saturating_sub(WORLD_DAYS);
                        history.skip(skipped)
                    };
                    let days = monitored.iter().map(|c| recent(c).len()).max().unwrap_or_default();
                    let values: Vec<f64> = monitored.iter().flat_map(recent).collect();
                    samples.world.insert(position, (Sample::new(values, rarity), days));
                }
                ComparedWith::Prior => {}
            }
        }
        samples
    }

    /// The survival of `x`, and the days of the country's own past behind it.
    pub fn survival(
        &self,
        method: &CountryMethod,
        rule: (usize, &CountryIndicatorRule),
        country: CountryCode,
        x: f64,
    ) -> (f64, usize) {
        let (position, rule) = rule;
        let p = method.parameters();
        let prior = rule.prior.survival(x);
        match rule.compared_with {
            ComparedWith::Prior => (prior, 0),
            ComparedWith::World => {
                let Some((sample, days)) = self.world.get(&position).filter(|(s, _)| !s.is_empty()) else {
                    return (prior, 0);
                };
                (blend(sample.survival(x), *days, p.region_strength_days, prior), 0)
            }
            ComparedWith::Own => {
                let region = method.region(country).and_then(|r| self.regions.get(&(position, r.to_owned())));
                let beyond = match region.filter(|(sample, _)| !sample.is_empty()) {
                    Some((sample, days)) => blend(sample.survival(x), *days, p.region_strength_days, prior),
                    None => prior,
                };
                match self.own.get(&(position, country)).filter(|sample| !sample.is_empty()) {
                    Some(own) => (blend(own.survival(x), own.len(), p.own_strength_days, beyond), own.len()),
                    None => (beyond, 0),
                }
            }
        }
    }
}

/// Blends history of `days` days with `otherwise`, which dominates while the days are few.
pub(super) fn blend(history: f64, days: usize, strength: f64, otherwise: f64) -> f64 {
    let weight = days as f64 / (days as f64 + strength);
    weight * history + (1.0 - weight) * otherwise
}
