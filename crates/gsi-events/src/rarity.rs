//! How unusual a theater's heat is against its own year: survival probability with a fixed-shape tail and a cold-start
//! prior, then the rank-and-rarity curve.

/// Shape of the generalised Pareto tail; estimating it from a few points would be noise.
const TAIL_SHAPE: f64 = 0.2;
/// Sample from which on the tail is fitted, and where it starts.
const TAIL_SAMPLE: usize = 250;
const TAIL_START: f64 = 0.98;
/// Days of history that weigh as much as the prior.
const PRIOR_DAYS: f64 = 180.0;
/// Rarest probability told apart.
const MIN_PROBABILITY: f64 = 1e-4;
/// Provisional lognormal of a theater's daily heat (median, 95th percentile): most countries are quiet on most days, and
/// one freshly confirmed event weighs about a half. To be replaced when a year of closes exists.
const PRIOR_MEDIAN: f64 = 0.05;
const PRIOR_Q95: f64 = 1.5;
const Z95: f64 = 1.644_853_626_951_472_2;

/// Share of the sorted sample above `x`, counting ties half.
fn empirical(sorted: &[f64], x: f64) -> f64 {
    let n = sorted.len();
    let below = sorted.partition_point(|v| *v < x);
    let ties = sorted.partition_point(|v| *v <= x) - below;
    let size = n as f64 + 1.0;
    if n >= TAIL_SAMPLE {
        let k = (libm::floor(TAIL_START * n as f64) as usize).min(n - 6);
        let threshold = sorted[k];
        let excess = sorted[k + 1..].iter().map(|v| v - threshold).sum::<f64>() / (n - k - 1) as f64;
        if x > threshold && excess > 0.0 {
            let scale = excess * (1.0 - TAIL_SHAPE);
            let at_threshold = 1.0 - (k as f64 + 1.0) / size;
            return at_threshold * libm::pow(1.0 + TAIL_SHAPE * (x - threshold) / scale, -1.0 / TAIL_SHAPE);
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
    let p = p.clamp(MIN_PROBABILITY, 1.0);
    50.0 * (1.0 - p) - 12.5 * libm::log10(p)
}

/// 0–1: how far a heat stands out from the sorted daily closes before it.
pub fn departure(closes: &[f64], heat: f64) -> f64 {
    let from_prior = prior(heat, PRIOR_MEDIAN, PRIOR_Q95);
    let p = if closes.is_empty() {
        from_prior
    } else {
        let trust = closes.len() as f64 / (closes.len() as f64 + PRIOR_DAYS);
        trust * empirical(closes, heat) + (1.0 - trust) * from_prior
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
    fn an_event_stands_out_more_in_a_quiet_country() {
        let quiet = vec![0.0; 300];
        let loud: Vec<f64> = (0..300).map(|n| 2.0 + f64::from(n) / 100.0).collect();
        assert!(departure(&quiet, 0.6) > 0.6);
        assert!(departure(&loud, 0.6) < 0.25);
        assert!(departure(&[], 0.6) > departure(&[], 0.01));
        for heat in [0.0, 1e-9, 1.0, 1e9] {
            assert!((0.0..=1.0).contains(&departure(&quiet, heat)), "{heat}");
        }
    }
}
