//! Minimises a smooth convex function by accelerated gradient descent with a fixed number of steps.
//!
//! The same examples give the same bytes on any machine: there is no randomness, no stop that depends on data, and sums have a fixed order.

/// After this number of steps the stored digits of the weights no longer change.
const STEPS: usize = 3_000;

/// Returns the minimum of a function with the given gradient. `steepness` bounds its curvature from above, `ridge` from below.
pub fn minimise(size: usize, steepness: f64, ridge: f64, gradient: impl Fn(&[f64], &mut [f64])) -> Vec<f64> {
    let ratio = (ridge / steepness).sqrt();
    let momentum = (1.0 - ratio) / (1.0 + ratio);
    let (mut at, mut ahead, mut slope) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    for _ in 0..STEPS {
        slope.fill(0.0);
        gradient(&ahead, &mut slope);
        for i in 0..size {
            let next = ahead[i] - slope[i] / steepness;
            ahead[i] = next + momentum * (next - at[i]);
            at[i] = next;
        }
    }
    at
}

/// A row of a sparse matrix: positions and values.
pub type SparseRow = Vec<(usize, f64)>;

fn dot(row: &SparseRow, weights: &[f64]) -> f64 {
    row.iter().map(|(at, value)| value * weights[*at]).sum()
}

/// Returns an upper bound of the largest eigenvalue of the rows' Gram matrix.
fn largest_eigenvalue(rows: &[SparseRow], size: usize) -> f64 {
    let mut direction = vec![1.0; size];
    let mut length: f64 = 0.0;
    for _ in 0..60 {
        let mut image = vec![0.0; size];
        for row in rows {
            let along = dot(row, &direction);
            for (at, value) in row {
                image[*at] += along * value;
            }
        }
        length = image.iter().map(|v| v * v).sum::<f64>().sqrt();
        direction = image.into_iter().map(|v| v / length.max(f64::MIN_POSITIVE)).collect();
    }
    // Power iteration approaches the value from below.
    1.05 * length
}

/// Fits a logistic regression with a ridge on every weight except the first. The first is the bias, whose value is 1 in every row.
/// Targets are from 0 to 1.
pub fn logistic(rows: &[SparseRow], targets: &[f64], size: usize, ridge: f64) -> Vec<f64> {
    let steepness = 0.25 * largest_eigenvalue(rows, size) + ridge;
    minimise(size, steepness, ridge, |weights, slope| {
        for (row, target) in rows.iter().zip(targets) {
            let miss = 1.0 / (1.0 + libm::exp(-dot(row, weights))) - target;
            for (at, value) in row {
                slope[*at] += miss * value;
            }
        }
        for (slope, weight) in slope.iter_mut().zip(weights).skip(1) {
            *slope += ridge * weight;
        }
    })
}

/// One choice among several candidates, given by their features.
#[derive(Debug, Clone)]
pub struct PlaceChoice<const N: usize> {
    pub candidates: Vec<[f64; N]>,
    pub chosen: usize,
}

/// Fits a conditional logistic regression, whose weights make the chosen candidates likely among the others.
pub fn conditional<const N: usize>(choices: &[PlaceChoice<N>], ridge: f64) -> [f64; N] {
    let longest = choices.iter().flat_map(|c| &c.candidates).map(|f| f.iter().map(|v| v * v).sum::<f64>());
    let steepness = longest.fold(0.0, f64::max) * choices.len() as f64 + ridge;
    let weights = minimise(N, steepness, ridge, |weights, slope| {
        for choice in choices {
            let score = |f: &[f64; N]| f.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>();
            let scores: Vec<f64> = choice.candidates.iter().map(score).collect();
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let odds: Vec<f64> = scores.iter().map(|s| libm::exp(s - best)).collect();
            let total: f64 = odds.iter().sum();
            for (i, (features, odds)) in choice.candidates.iter().zip(odds).enumerate() {
                let miss = odds / total - f64::from(i == choice.chosen);
                for (slope, value) in slope.iter_mut().zip(features) {
                    *slope += miss * value;
                }
            }
        }
        for (slope, weight) in slope.iter_mut().zip(weights) {
            *slope += ridge * weight;
        }
    });
    std::array::from_fn(|i| weights[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separable_word_gets_its_sign_and_the_bias_its_base_rate() {
        let rows: Vec<SparseRow> = (0..200)
            .map(|n| match n % 4 {
                0 => vec![(0, 1.0), (1, 1.0)],
                1 => vec![(0, 1.0), (2, 1.0)],
                _ => vec![(0, 1.0)],
            })
            .collect();
        let targets: Vec<f64> = (0..200).map(|n| f64::from(n % 4 == 0 || n % 20 == 3)).collect();
        let weights = logistic(&rows, &targets, 3, 1.0);
        assert!(weights[1] > 2.0 && weights[2] < -0.5, "{weights:?}");
        // At the minimum the mean prediction is the mean target, because the bias has no ridge.
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let predicted = mean(rows.iter().map(|r| 1.0 / (1.0 + libm::exp(-dot(r, &weights)))).collect());
        assert!((predicted - mean(targets)).abs() < 1e-6, "{predicted}");
    }

    #[test]
    fn weights_follow_the_features_of_the_chosen_candidates() {
        let choices: Vec<PlaceChoice<2>> = (0..50)
            .map(|n| PlaceChoice {
                candidates: vec![[1.0, f64::from(n % 2)], [0.0, f64::from((n + 1) % 2)]],
                chosen: usize::from(n % 10 == 0),
            })
            .collect();
        let weights = conditional(&choices, 1.0);
        // The first feature predicts nine choices of ten, the second six.
        assert!(weights[0] > 1.0 && (0.0..weights[0]).contains(&weights[1]), "{weights:?}");
    }
}
