//! A country's daily share of the news and its averages: recent days with a half-life, the quarter by its median.

use crate::arithmetic::median;
use crate::method::algebra::SHARE_HALF_LIVES;
use crate::series::growth::make_room;

/// Weights of the present and the days before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DecayWeights(Vec<f64>);

impl DecayWeights {
    pub fn new(half_life_days: f64) -> DecayWeights {
        let days = (half_life_days * SHARE_HALF_LIVES).ceil() as i32;
        DecayWeights((0..=days).map(|back| libm::exp2(-f64::from(back) / half_life_days)).collect())
    }

    /// The mean of `value(0)`, the present, and the `days` before it.
    pub fn mean(&self, days: usize, value: impl Fn(usize) -> f64) -> f64 {
        let used = &self.0[..self.0.len().min(days + 1)];
        let total: f64 = used.iter().sum();
        used.iter().enumerate().map(|(back, weight)| weight * value(back)).sum::<f64>() / total
    }
}

/// Values of complete days, with their running total.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DailyShares {
    values: Vec<f64>,
    /// `totals[i]` is the sum of the first i values.
    totals: Vec<f64>,
}

impl DailyShares {
    pub fn push(&mut self, value: f64) {
        let total = self.totals.last().copied().unwrap_or_default();
        if self.totals.is_empty() {
            self.totals.push(0.0);
        }
        make_room(&mut self.values);
        self.values.push(value);
        make_room(&mut self.totals);
        self.totals.push(total + value);
    }

    pub fn last(&self) -> Option<f64> {
        self.values.last().copied()
    }

    /// The average with a half-life at the end of day `at`.
    pub fn average(&self, decay: &DecayWeights, at: usize) -> f64 {
        decay.mean(at, |back| self.values[at - back])
    }

    /// The same `of_day` (0 to 1) into the day after the last, given the 24 h before: the days before are taken at the same
    /// hour, so that they and the 24 h meet without overlap.
    pub fn average_now(&self, decay: &DecayWeights, last_24h: f64, of_day: f64) -> f64 {
        let n = self.values.len();
        decay.mean(n.saturating_sub(1), |back| match back {
            0 => last_24h,
            back => (1.0 - of_day) * self.values[n - 1 - back] + of_day * self.values[n - back],
        })
    }

    /// The median of means over `mean_days` that end within the `days` up to `gap_days` before position `at`.
    pub fn usual(&self, at: usize, window: &UsualWindow) -> Option<f64> {
        let last = at.checked_sub(window.gap_days)?;
        if last >= self.values.len() {
            return None;
        }
        let first = (window.mean_days - 1).max((last + 1).saturating_sub(window.days));
        if last + 1 < first + window.min_days {
            return None;
        }
        let mean =
            |j: usize| (self.totals[j + 1] - self.totals[j + 1 - window.mean_days]) / window.mean_days as f64;
        median(&mut (first..=last).map(mean).collect::<Vec<f64>>())
    }
}

/// The days that define the usual level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsualWindow {
    pub days: usize,
    pub min_days: usize,
    pub gap_days: usize,
    pub mean_days: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_now_becomes_the_value_of_the_completed_day() {
        let mut shares = DailyShares::default();
        (0..40).for_each(|d| shares.push(f64::from(d % 7)));
        let decay = DecayWeights::new(2.0);
        let before = shares.average(&decay, 39);
        let start = shares.average_now(&decay, 4.0, 0.0);
        let end = shares.average_now(&decay, 9.0, 1.0);
        // At the start of a day the 24 h before it are the last complete day.
        assert!((start - before).abs() < 1e-12, "{start} {before}");
        shares.push(9.0);
        assert!((end - shares.average(&decay, 40)).abs() < 1e-12);
    }

    #[test]
    fn usual_needs_days_and_leaves_the_newest_out() {
        let window = UsualWindow { days: 90, min_days: 14, gap_days: 7, mean_days: 7 };
        let mut shares = DailyShares::default();
        for day in 0..60 {
            assert_eq!(shares.usual(day, &window).is_some(), day >= 26, "{day}");
            shares.push(if day < 50 { 1.0 } else { 9.0 });
        }
        assert!((shares.usual(56, &window).unwrap() - 1.0).abs() < 1e-12, "a new war is not usual yet");
    }
}
