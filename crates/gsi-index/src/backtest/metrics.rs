//! Rank statistics and seeded resampling.

use super::labels::Label;
use gsi_model::Day;
use std::collections::BTreeMap;

/// Seed of the resampling, so that two runs agree to the last digit.
pub(crate) const BOOTSTRAP_SEED: u64 = 20_080_315;
const DRAWS: usize = 1000;
/// With fewer days or crises an interval would mean nothing.
const MIN_POSITIVES: usize = 14;
const MIN_NEGATIVES: usize = 30;

/// One scored day with its label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelledDay {
    pub day: Day,
    pub score: f64,
    pub label: Label,
}

/// A small seeded generator (splitmix64): the same seed gives the same report everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    pub fn new(seed: u64) -> Self {
        Draws(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n - 1)
    }

    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v)
    }

    /// A gamma variate (Marsaglia and Tsang), for Dirichlet weights.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * libm::pow(self.uniform(), 1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
            if v > 0.0 && libm::log(self.uniform()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v;
            }
        }
    }
}

/// Labelled days in the order of their scores, for many weighted evaluations.
pub(crate) struct Ranked {
    /// Ascending by score.
    days: Vec<LabelledDay>,
}

impl Ranked {
    pub fn new(days: &[LabelledDay]) -> Self {
        let mut days: Vec<LabelledDay> = days.iter().filter(|d| d.label != Label::LeftOut).copied().collect();
        days.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.day.cmp(&b.day)));
        Ranked { days }
    }

    pub fn positives(&self) -> usize {
        self.days.iter().filter(|d| matches!(d.label, Label::Positive(_))).count()
    }

    pub fn negatives(&self) -> usize {
        self.days.iter().filter(|d| d.label == Label::Negative).count()
    }

    pub fn too_few(&self) -> Option<String> {
        let (p, n) = (self.positives(), self.negatives());
        (p < MIN_POSITIVES || n < MIN_NEGATIVES).then(|| {
            format!("{p} positive and {n} negative days; {MIN_POSITIVES} and {MIN_NEGATIVES} are needed")
        })
    }

    /// Probability that a positive day scores above a negative one, with the weight of each day by its place.
    fn weighted_auc(&self, weight: impl Fn(usize) -> f64) -> Option<f64> {
        let (mut below, mut pairs, mut positives) = (0.0, 0.0, 0.0);
        let mut weights = (0..).map(weight);
        for tied in self.days.chunk_by(|a, b| a.score == b.score) {
            let (mut p, mut n) = (0.0, 0.0);
            for (day, weight) in tied.iter().zip(&mut weights) {
                match day.label {
                    Label::Positive(_) => p += weight,
                    _ => n += weight,
                }
            }
            pairs += p * (below + 0.5 * n);
            below += n;
            positives += p;
        }
        (positives > 0.0 && below > 0.0).then(|| pairs / (positives * below))
    }

    pub fn auc(&self) -> Option<f64> {
        self.weighted_auc(|_| 1.0)
    }

    /// Mean precision at each positive day, from the highest score down.
    pub fn average_precision(&self) -> Option<f64> {
        let (mut seen, mut hits, mut sum) = (0.0, 0.0, 0.0);
        for day in self.days.iter().rev() {
            seen += 1.0;
            if matches!(day.label, Label::Positive(_)) {
                hits += 1.0;
                sum += hits / seen;
            }
        }
        (hits > 0.0).then(|| sum / hits)
    }

    /// 95 % interval, resampling whole crises and whole calendar quarters.
    pub fn interval(&self, draws: &mut Draws) -> Option<(f64, f64)> {
        interval_of(self.draw_aucs(draws).into_iter().flatten().collect())
    }

    /// One figure for every draw of whole crises and whole calendar quarters. The draws depend only on the days here.
    /// `None` for a draw without a pair to compare.
    pub fn draw_aucs(&self, draws: &mut Draws) -> Vec<Option<f64>> {
        let quarter = |day: Day| {
            let (year, month, _) = day.ymd();
            i32::from(year) * 4 + i32::from(month - 1) / 3
        };
        let index = |keys: Vec<i32>| -> BTreeMap<i32, usize> {
            let mut keys = keys;
            keys.sort_unstable();
            keys.dedup();
            keys.into_iter().enumerate().map(|(i, k)| (k, i)).collect()
        };
        let block = |d: &LabelledDay| match d.label {
            Label::Positive(crisis) => Some(crisis as i32),
            _ => None,
        };
        let crises = index(self.days.iter().filter_map(block).collect());
        let quarters =
            index(self.days.iter().filter(|d| block(d).is_none()).map(|d| quarter(d.day)).collect());
        if crises.is_empty() || quarters.is_empty() {
            return Vec::new();
        }
        let places: Vec<usize> = self
            .days
            .iter()
            .map(|d| match block(d) {
                Some(crisis) => crises[&crisis],
                None => crises.len() + quarters[&quarter(d.day)],
            })
            .collect();
        let mut values = Vec::with_capacity(DRAWS);
        let mut weights = vec![0.0; crises.len() + quarters.len()];
        for _ in 0..DRAWS {
            weights.fill(0.0);
            for _ in 0..crises.len() {
                weights[draws.below(crises.len())] += 1.0;
            }
            for _ in 0..quarters.len() {
                weights[crises.len() + draws.below(quarters.len())] += 1.0;
            }
            values.push(self.weighted_auc(|day| weights[places[day]]));
        }
        values
    }
}

/// The middle 95 % of the drawn figures.
pub(crate) fn interval_of(drawn: Vec<f64>) -> Option<(f64, f64)> {
    let drawn = sorted(drawn);
    Some((quantile(&drawn, 0.025)?, quantile(&drawn, 0.975)?))
}

pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    sorted.get(((share * sorted.len() as f64) as usize).min(sorted.len().checked_sub(1)?)).copied()
}

pub(crate) fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// Spearman's rank correlation; `None` with fewer than ten pairs.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 10 {
        return None;
    }
    let ranks = |values: Vec<f64>| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let mut ranks = vec![0.0; values.len()];
        let mut from = 0;
        for tied in order.chunk_by(|a, b| values[*a] == values[*b]) {
            let rank = from as f64 + (tied.len() as f64 - 1.0) / 2.0;
            tied.iter().for_each(|i| ranks[*i] = rank);
            from += tied.len();
        }
        ranks
    };
    let a = ranks(pairs.iter().map(|p| p.0).collect());
    let b = ranks(pairs.iter().map(|p| p.1).collect());
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(&b) {
        ab += (x - mean) * (y - mean);
        aa += (x - mean) * (x - mean);
        bb += (y - mean) * (y - mean);
    }
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auc_and_precision_by_hand() {
        let day = |n: i32, score: f64, label| LabelledDay { day: Day(n), score, label };
        let days = [
            day(1, 1.0, Label::Negative),
            day(2, 2.0, Label::Positive(0)),
            day(3, 2.0, Label::Negative),
            day(4, 3.0, Label::Positive(0)),
            day(5, 9.0, Label::LeftOut),
        ];
        let ranked = Ranked::new(&days);
        assert_eq!(ranked.auc(), Some(3.5 / 4.0));
        assert_eq!((ranked.positives(), ranked.negatives()), (2, 2));
        assert!(ranked.too_few().is_some());
        let apart: Vec<LabelledDay> = (0..400)
            .map(|n| {
                day(n, f64::from(n), if n >= 380 { Label::Positive(n as usize / 5) } else { Label::Negative })
            })
            .collect();
        let ranked = Ranked::new(&apart);
        assert_eq!(ranked.auc(), Some(1.0));
        assert_eq!(ranked.average_precision(), Some(1.0));
        assert_eq!(ranked.interval(&mut Draws::new(1)), Some((1.0, 1.0)));
    }

    #[test]
    fn rank_correlation() {
        let up: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i), f64::from(i * i))).collect();
        let down: Vec<(f64, f64)> = up.iter().map(|(a, b)| (*a, -b)).collect();
        assert_eq!(spearman(&up), Some(1.0));
        assert_eq!(spearman(&down), Some(-1.0));
        assert_eq!(spearman(&up[..5]), None);
    }

    #[test]
    fn gamma_has_its_mean() {
        let mut draws = Draws::new(3);
        for shape in [0.5, 4.0] {
            let mean = (0..20_000).map(|_| draws.gamma(shape)).sum::<f64>() / 20_000.0;
            assert!((mean - shape).abs() < 0.05 * shape.max(1.0), "{shape} {mean}");
        }
    }
}
