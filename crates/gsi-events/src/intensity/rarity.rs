//! The rarity of a theater's conflict intensity against its own year: survival probability with a fixed-shape tail
//! and a cold-start prior, then the rank-and-rarity curve.

use crate::parameters::PARAMETERS;

/// The 95 % point of the standard normal distribution.
const Z95: f64 = 1.644_853_626_951_472_2;

/// Share of the sorted sample above `x`, counting ties half.
fn empirical(sorted: &[f64], x: f64) -> f64 {
    let (tail, n) = (&PARAMETERS.rarity, sorted.len());
    let below = sorted.partition_point(|v| *v < x);
    let ties = sorted.partition_point(|v| *v <= x) - below;
    let size = n as f64 + 1.0;
    if n >= tail.tail_sample {
        let k = (libm::floor(tail.tail_start * n as f64) as usize).min(n - 1 - tail.min_tail_values);
        let threshold = sorted[k];
        let excess = sorted[k + 1..].iter().map(|v| v - threshold).sum::<f64>() / (n - k - 1) as f64;
        if x > threshold && excess > 0.0 {
            let scale = excess * (1.0 - tail.tail_shape);
            let at_threshold = 1.0 - (k as f64 + 1.0) / size;
            return at_threshold
                * libm::pow(1.0 + tail.tail_shape * (x - threshold) / scale, -1.0 / tail.tail_shape);
        }
    }
    1.0 - (below as f64 + 0.5 * ties as f64 + 0.5) / size
}

fn prior(x: f64, median: f64, q95: f64) -> f64 {
    let z = Z95 * (libm::log(x.max(1e-12)) - libm::log(median)) / (libm::log(q95) - libm::log(median));
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Half percentile, half log return period, 0–100.
fn score(p: f64) -> f64 {
    let curve = &PARAMETERS.rarity;
    let p = p.clamp(curve.min_probability, 1.0);
    curve.percentile_points * (1.0 - p) - curve.decade_points * libm::log10(p)
}

/// 0–1: how far a conflict intensity is above the sorted daily closes before it.
pub fn departure(closes: &[f64], conflict_intensity: f64) -> f64 {
    let from_prior = prior(conflict_intensity, PARAMETERS.rarity.prior_median, PARAMETERS.rarity.prior_q95);
    let p = if closes.is_empty() {
        from_prior
    } else {
        let trust = closes.len() as f64 / (closes.len() as f64 + PARAMETERS.rarity.prior_days);
        trust * empirical(closes, conflict_intensity) + (1.0 - trust) * from_prior
    };
    (score(p) / 100.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_and_the_tail_match_the_worked_vectors() {
        for (p, want) in [
            (1.0, 0.0),
            (0.9, 5.571969),
            (0.5, 28.762875),
            (0.1, 57.5),
            (0.01, 74.5),
            (0.0001, 99.995),
            (0.0, 99.995),
        ] {
            assert!((score(p) - want).abs() < 1e-6, "{p}");
        }
        let history: Vec<f64> = (1..=1000).map(f64::from).collect();
        for (x, want) in [
            (0.5, 0.9995005),
            (500.5, 0.5),
            (980.0, 0.020979021),
            (981.0, 0.01998002),
            (990.0, 0.00724295),
            (1100.0, 2.0133e-05),
        ] {
            assert!((empirical(&history, x) - want).abs() < 1e-9, "{x}: {}", empirical(&history, x));
        }
        for (x, want) in [(5.0, 0.794582988), (10.0, 0.5), (40.0, 0.05), (80.0, 0.006807184)] {
            assert!((prior(x, 10.0, 40.0) - want).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn an_event_is_rarer_in_a_quiet_country() {
        let quiet = vec![0.0; 300];
        let loud: Vec<f64> = (0..300).map(|n| 2.0 + f64::from(n) / 100.0).collect();
        assert!(departure(&quiet, 0.6) > 0.6);
        assert!(departure(&loud, 0.6) < 0.25);
        assert!(departure(&[], 0.6) > departure(&[], 0.01));
        for conflict_intensity in [0.0, 1e-9, 1.0, 1e9] {
            assert!((0.0..=1.0).contains(&departure(&quiet, conflict_intensity)), "{conflict_intensity}");
        }
    }
}
