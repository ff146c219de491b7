//! Converts a raw value into a score from 0 to 100: its rarity in its own history, then the rank-and-rarity curve.
//!
//! A sample is sorted once a day and queried many times. Its far tail follows a generalised Pareto law of fixed
//! shape, so that values beyond the largest still differ. While history is short a prior replaces part of it.

use crate::method::algebra::{DECADE_POINTS, MIN_SURVIVAL, RANK_POINTS, SMALLEST, Z95};
use crate::series::growth::make_room;
use serde::{Deserialize, Serialize};

/// The catalogue's parameters for computing rarity from a history.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rarity {
    /// Shape of the tail. Fixed, because some seventy exceedances cannot identify it.
    pub tail_shape: f64,
    /// The tail begins at this quantile …
    pub tail_quantile: f64,
    /// … of samples at least this large, with at least five exceedances.
    pub tail_sample: usize,
    /// The number of daily values at which history has the same weight as the prior.
    pub prior_strength: f64,
    /// The same for news that replaces a weekly index. Its prior was measured on the world, and the loudest day of a quiet
    /// half year is no crisis.
    pub news_prior_strength: f64,
}

/// Returns a score from 0 to 100: half from the percentile, half from the logarithm of the return period.
pub fn score_from_survival(p: f64) -> f64 {
    let p = p.clamp(MIN_SURVIVAL, 1.0);
    RANK_POINTS * (1.0 - p) + DECADE_POINTS * -libm::log10(p)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PriorKind {
    Lognormal,
    Normal,
}

/// A provisional distribution, given by its median and its 95 % quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    pub median: f64,
    pub q95: f64,
    pub kind: PriorKind,
}

impl Prior {
    pub fn survival(&self, x: f64) -> f64 {
        let z = match self.kind {
            PriorKind::Lognormal => {
                let (m, q) = (libm::log(self.median), libm::log(self.q95));
                Z95 * (libm::log(x.max(SMALLEST)) - m) / (q - m)
            }
            PriorKind::Normal => Z95 * (x - self.median) / (self.q95 - self.median),
        };
        0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
    }
}

/// The fitted tail beyond a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    pub threshold: f64,
    pub scale: f64,
    /// Survival at the threshold.
    pub survival: f64,
    pub shape: f64,
}

/// A sorted history sample with its tail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    sorted: Vec<f64>,
    tail: Option<Tail>,
}

impl Sample {
    pub fn new(mut values: Vec<f64>, rarity: &Rarity) -> Self {
        values.sort_by(f64::total_cmp);
        let mut sample = Sample { sorted: values, tail: None };
        sample.fit_tail(rarity);
        sample
    }

    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    pub fn tail(&self) -> Option<Tail> {
        self.tail
    }

    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// Adds a value; call [`Sample::fit_tail`] after the last change.
    pub fn insert(&mut self, value: f64) {
        let at = self.sorted.partition_point(|v| v.total_cmp(&value).is_lt());
        make_room(&mut self.sorted);
        self.sorted.insert(at, value);
    }

    /// Removes one value equal to this one; call [`Sample::fit_tail`] after the last change.
    pub fn remove(&mut self, value: f64) {
        let at = self.sorted.partition_point(|v| v.total_cmp(&value).is_lt());
        if self.sorted.get(at).is_some_and(|v| v.total_cmp(&value).is_eq()) {
            self.sorted.remove(at);
        }
    }

    pub fn fit_tail(&mut self, rarity: &Rarity) {
        let s = &self.sorted;
        let n = s.len();
        self.tail = None;
        if n < rarity.tail_sample {
            return;
        }
        let k = ((rarity.tail_quantile * n as f64) as usize).min(n - 6);
        let threshold = s[k];
        let excess = s[k + 1..].iter().map(|v| v - threshold).sum::<f64>() / (n - k - 1) as f64;
        if excess > 0.0 {
            self.tail = Some(Tail {
                threshold,
                scale: excess * (1.0 - rarity.tail_shape),
                survival: 1.0 - (k as f64 + 1.0) / (n as f64 + 1.0),
                shape: rarity.tail_shape,
            });
        }
    }

    /// Returns the share of history at or above `x`, extrapolated beyond the largest value.
    pub fn survival(&self, x: f64) -> f64 {
        if let Some(tail) = self.tail.filter(|t| x > t.threshold) {
            let ratio = 1.0 + tail.shape * (x - tail.threshold) / tail.scale;
            return tail.survival * libm::pow(ratio, -1.0 / tail.shape);
        }
        let below = self.sorted.partition_point(|v| *v < x);
        let equal = self.sorted[below..].partition_point(|v| *v <= x);
        let rank = below as f64 + 0.5 * equal as f64;
        1.0 - (rank + 0.5) / (self.sorted.len() as f64 + 1.0)
    }

    /// Returns the value with this share of the sample below it, by nearest rank.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let n = self.sorted.len();
        (n > 0).then(|| self.sorted[((share * n as f64) as usize).min(n - 1)])
    }
}

/// The weight of a sample's values against the prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleWorth {
    /// The number of daily values that each value counts for.
    pub days_each: f64,
    /// Whether the values are news that replaces a weekly index.
    pub is_news: bool,
}

impl SampleWorth {
    /// One value a day of an ordinary series.
    pub const DAILY: SampleWorth = SampleWorth { days_each: 1.0, is_news: false };
}

impl Rarity {
    /// Returns the weight of history against the prior, for a sample worth `daily_equivalents` days.
    pub fn calibration(&self, daily_equivalents: f64, is_news: bool) -> f64 {
        let strength = if is_news { self.news_prior_strength } else { self.prior_strength };
        daily_equivalents / (daily_equivalents + strength)
    }

    /// Returns the survival of `x`, blended from history and prior.
    pub fn survival(&self, sample: &Sample, worth: SampleWorth, prior: &Prior, x: f64) -> f64 {
        let from_prior = prior.survival(x);
        if sample.is_empty() {
            return from_prior;
        }
        let weight = self.calibration(sample.len() as f64 * worth.days_each, worth.is_news);
        weight * sample.survival(x) + (1.0 - weight) * from_prior
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RARITY: Rarity = Rarity {
        tail_shape: 0.2,
        tail_quantile: 0.98,
        tail_sample: 250,
        prior_strength: 180.0,
        news_prior_strength: 730.0,
    };

    #[test]
    fn curve_by_hand() {
        for (p, want) in [
            (1.0, 0.0),
            (0.5, 28.762874945799765),
            (0.1, 57.5),
            (0.01, 74.5),
            (0.001, 87.45),
            (0.0001, 99.995),
            (0.0, 99.995),
        ] {
            assert!((score_from_survival(p) - want).abs() < 1e-9, "{p}");
        }
    }

    #[test]
    fn thousand_integers() {
        let s = Sample::new((1..=1000).map(f64::from).collect(), &RARITY);
        for (x, want) in [
            (0.5, 0.9995005),
            (250.0, 0.75024975),
            (500.5, 0.5),
            (980.0, 0.020979021),
            (990.0, 0.00724295),
            (1100.0, 2.0133e-05),
        ] {
            assert!((s.survival(x) - want).abs() < 1e-9, "{x} {}", s.survival(x));
        }
    }

    #[test]
    fn a_constant_history_reads_as_an_ordinary_day() {
        let s = Sample::new(vec![3.0; 400], &RARITY);
        assert!((score_from_survival(s.survival(3.0)) - 28.762874945799765).abs() < 1e-9);
    }

    #[test]
    fn inserting_and_removing_equals_sorting() {
        let mut s = Sample::default();
        let values: Vec<f64> = (0..600).map(|i| f64::from((i * 37) % 101)).collect();
        for v in &values {
            s.insert(*v);
        }
        for v in &values[..100] {
            s.remove(*v);
        }
        s.fit_tail(&RARITY);
        assert_eq!(s, Sample::new(values[100..].to_vec(), &RARITY));
    }
}
