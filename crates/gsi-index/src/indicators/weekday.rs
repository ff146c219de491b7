//! The day-of-week pattern of news volumes, in logarithms and from the past only.

use crate::arithmetic::median;
use crate::catalogue::Scale;
use crate::method::algebra::{
    LEVEL_DAYS, OFFSET_SHARE, PATTERN_DAYS, RESIDUAL_LIMIT, RESIDUALS_KEPT, RESIDUALS_NEEDED,
};

/// Additive corrections to a logarithm, one per weekday from Monday, that add to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pattern {
    offset: f64,
    factors: [f64; 7],
}

impl Pattern {
    /// From daily closes, oldest first, as (day number, value).
    pub fn fit(closes: &[(i32, f64)]) -> Pattern {
        let recent = &closes[closes.len().saturating_sub(LEVEL_DAYS)..];
        let mut values: Vec<f64> = recent.iter().map(|(_, y)| *y).collect();
        let offset = OFFSET_SHARE * median(&mut values).unwrap_or_default();
        let used = &closes[closes.len().saturating_sub(PATTERN_DAYS)..];
        let logs: Vec<(i32, f64)> = used.iter().map(|(d, y)| (*d, log_of(*y, offset))).collect();
        let mut sums = [0.0; 7];
        let mut counts = [0usize; 7];
        for week in logs.windows(7).rev() {
            let (day, last) = week[6];
            if day - week[0].0 != 6 {
                continue;
            }
            let weekday = gsi_model::Day(day).weekday();
            if counts[weekday] < RESIDUALS_KEPT {
                let mean = week.iter().map(|(_, l)| l).sum::<f64>() / 7.0;
                sums[weekday] += (last - mean).clamp(-RESIDUAL_LIMIT, RESIDUAL_LIMIT);
                counts[weekday] += 1;
            }
        }
        let mut factors = [0.0; 7];
        for d in 0..7 {
            if counts[d] >= RESIDUALS_NEEDED {
                factors[d] = sums[d] / counts[d] as f64;
            }
        }
        let mean = factors.iter().sum::<f64>() / 7.0;
        factors.iter_mut().for_each(|f| *f -= mean);
        Pattern { offset, factors }
    }

    /// The correction for a 24 h window that ends this far into the day (0 to 1).
    pub fn factor(&self, day: i32, share_of_day: f64) -> f64 {
        let today = self.factors[gsi_model::Day(day).weekday()];
        let yesterday = self.factors[gsi_model::Day(day - 1).weekday()];
        share_of_day * today + (1.0 - share_of_day) * yesterday
    }

    /// The value with the pattern taken out.
    pub fn adjust(&self, value: f64, day: i32, share_of_day: f64) -> f64 {
        let factor = self.factor(day, share_of_day);
        if factor == 0.0 {
            return value;
        }
        libm::exp(log_of(value, self.offset) - factor) - self.offset
    }
}

impl Pattern {
    /// A whole day's value with the pattern taken out, on the given scale.
    pub fn adjusted(&self, value: f64, day: i32, scale: Scale) -> f64 {
        match scale {
            Scale::Linear => self.adjust(value, day, 1.0),
            Scale::Log => log_of(value.max(0.0), self.offset) - self.factor(day, 1.0),
        }
    }
}

fn log_of(value: f64, offset: f64) -> f64 {
    libm::log((value + offset).max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekend_dip_is_taken_out() {
        let closes: Vec<(i32, f64)> =
            (0..210).map(|d| (d, if gsi_model::Day(d).is_weekend() { 65.0 } else { 100.0 })).collect();
        let pattern = Pattern::fit(&closes);
        let level = pattern.adjust(100.0, 4, 1.0);
        assert!((pattern.adjust(65.0, 9, 1.0) - level).abs() < 0.5, "{level}");
        assert!(level > 80.0 && level < 100.0, "{level}");
    }

    #[test]
    fn a_short_history_has_no_pattern() {
        let closes: Vec<(i32, f64)> = (0..40).map(|d| (d, f64::from(d % 7))).collect();
        assert_eq!(Pattern::fit(&closes).adjust(5.0, 40, 0.5), 5.0);
        assert_eq!(Pattern::fit(&[]).adjust(0.0, 40, 0.5), 0.0);
    }

    #[test]
    fn gaps_do_not_make_residuals() {
        let closes: Vec<(i32, f64)> =
            (0..400).filter(|d| d % 7 != 3).map(|d| (d, f64::from(d % 7))).collect();
        assert_eq!(Pattern::fit(&closes).factors, [0.0; 7]);
    }
}
