//! Small arithmetic with a fixed order of operations: medians, weighted quadratic means, exponential averages, the
//! delete-one jackknife.

/// The middle value, or the mean of the two in the middle; reorders its input.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let (below, middle, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    let upper = *middle;
    if n % 2 == 1 {
        return Some(upper);
    }
    below.iter().copied().max_by(f64::total_cmp).map(|lower| 0.5 * (lower + upper))
}

/// Weighted quadratic mean; the weights add to 1.
pub fn quadratic_mean(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    parts.map(|(w, x)| w * x * x).sum::<f64>().sqrt()
}

/// The step of an exponential average with this half-life after `elapsed`, in the same unit.
pub fn smoothing(elapsed: f64, half_life: f64) -> f64 {
    1.0 - libm::exp2(-elapsed / half_life)
}

/// Standard error of a quadratic mean by leaving each part out in turn; `None` with fewer than three parts.
pub fn jackknife(parts: &[(f64, f64)]) -> Option<f64> {
    let m = parts.len();
    if m < 3 {
        return None;
    }
    let without: Vec<f64> = (0..m)
        .map(|i| {
            let rest = || parts.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, p)| *p);
            let total: f64 = rest().map(|(w, _)| w).sum();
            quadratic_mean(rest().map(|(w, x)| (w / total, x)))
        })
        .collect();
    let mean = without.iter().sum::<f64>() / m as f64;
    let spread: f64 = without.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some(((m as f64 - 1.0) / m as f64 * spread).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        for (values, want) in [
            (vec![], None),
            (vec![2.0], Some(2.0)),
            (vec![3.0, 1.0], Some(2.0)),
            (vec![5.0, 1.0, 3.0], Some(3.0)),
            (vec![4.0, 1.0, 3.0, 2.0], Some(2.5)),
        ] {
            assert_eq!(median(&mut values.clone()), want, "{values:?}");
        }
    }

    #[test]
    fn jackknife_by_hand() {
        let parts: Vec<(f64, f64)> = [30.0, 40.0, 50.0, 60.0, 80.0].map(|x| (0.2, x)).to_vec();
        assert!((jackknife(&parts).unwrap() - 9.14131301579417).abs() < 1e-9);
        assert_eq!(jackknife(&parts[..2]), None);
    }
}
