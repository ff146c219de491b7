//! Other ways to compute one number from the same inputs, for comparison.

use super::series::{History, last_tick};
use crate::arithmetic::quadratic_mean;
use crate::catalogue::{Formula, Indicator, Scale};
use crate::indicators::windowed::{Moment, evaluate};
use crate::rarity::baseline::Baseline;
use crate::rarity::survival::{Prior, PriorKind, SampleWorth, score_from_survival};
use crate::series::table::SeriesTable;
use gsi_model::{Day, Pillar};

/// Half-life, in days, of the correlations of the CISS-style arm, and the score they are taken around.
const CORRELATION_HALF_LIFE: f64 = 65.0;
const ORDINARY_SCORE: f64 = 28.8;
/// Correlations are shrunk by half towards independence.
const SHRINKAGE: f64 = 0.5;

pub(crate) type Daily = Vec<(Day, f64)>;

/// Arithmetic means within and across pillars.
pub(crate) fn linear(history: &History) -> Daily {
    let slices = |k: Pillar| {
        let indicators = history.method().indicators();
        indicators.partition_point(|i| i.pillar < k)..indicators.partition_point(|i| i.pillar <= k)
    };
    history
        .points
        .iter()
        .zip(&history.inputs)
        .filter_map(|(point, inputs)| {
            let composed = history.engine.compose(inputs);
            let weights = composed.composite.as_ref()?.weights;
            let total = Pillar::ALL.iter().map(|k| {
                let members = composed.pillars[k.index()].weights.iter().zip(&inputs[slices(*k)]);
                let mean: f64 = members.map(|(w, b)| w * b.score.unwrap_or_default()).sum();
                weights[k.index()] * mean
            });
            Some((point.day, total.sum()))
        })
        .collect()
}

/// The same pillars combined by the quadratic mean, in which the worst of them has less influence.
pub(crate) fn quadratic(history: &History) -> Daily {
    let each = history.points.iter().zip(&history.inputs);
    each.filter_map(|(point, inputs)| {
        let composed = history.engine.compose(inputs);
        let weights = composed.composite.as_ref()?.weights;
        let parts = (0..4).map(|k| (weights[k], composed.pillars[k].carried.unwrap_or_default()));
        Some((point.day, quadratic_mean(parts)))
    })
    .collect()
}

/// Pillars weighed by their changing correlations, as systemic-stress indices do.
pub(crate) fn correlated(history: &History) -> Daily {
    let keep = libm::exp2(-1.0 / CORRELATION_HALF_LIFE);
    let mut covariance = [[0.0; 4]; 4];
    let mut out = Vec::new();
    for (point, inputs) in history.points.iter().zip(&history.inputs) {
        let composed = history.engine.compose(inputs);
        let scores = [0, 1, 2, 3].map(|k| composed.pillars[k].carried.unwrap_or(ORDINARY_SCORE));
        for i in 0..4 {
            for j in 0..4 {
                let now = (scores[i] - ORDINARY_SCORE) * (scores[j] - ORDINARY_SCORE);
                covariance[i][j] = keep * covariance[i][j] + (1.0 - keep) * now;
            }
        }
        let Some(composite) = &composed.composite else { continue };
        let mut total = 0.0;
        for i in 0..4 {
            for j in 0..4 {
                let scale = (covariance[i][i] * covariance[j][j]).sqrt();
                let correlation = match i == j {
                    true => 1.0,
                    false if scale > 0.0 => (SHRINKAGE * covariance[i][j] / scale).clamp(0.0, 1.0),
                    false => 0.0,
                };
                total += composite.weights[i] * scores[i] * composite.weights[j] * scores[j] * correlation;
            }
        }
        out.push((point.day, total.sqrt()));
    }
    out
}

/// A common recipe: a fixed base plus capped counts, scaled and shifted.
pub(crate) fn naive_peer(history: &History, table: &SeriesTable) -> Daily {
    let capped = |series: &str, factor: f64, day: Day| {
        Some((table.latest(series, "", last_tick(day))?.value * factor).clamp(0.0, 100.0))
    };
    let score = |day: Day| {
        let unrest = capped("epu.us", 0.25, day)?;
        let conflict = capped("gpr.acts", 0.25, day)?;
        let security = capped("gpr.threats", 0.25, day)?;
        let information = capped("poc.distinct_cves", 5.0, day).unwrap_or_default();
        let events = 0.25 * unrest + 0.30 * conflict + 0.20 * security + 0.25 * information;
        Some((0.4 * 50.0 + 0.6 * events) * 0.7 + 15.0)
    };
    history.points.iter().filter_map(|p| Some((p.day, score(p.day)?))).collect()
}

/// One series alone, by its own ten-year survival.
pub(crate) fn single(history: &History, table: &SeriesTable, series: &str, prior: Prior) -> Daily {
    let indicator = Indicator {
        key: "single".to_owned(),
        pillar: Pillar::Macro,
        unit: String::new(),
        description: String::new(),
        words: None,
        feeds: Vec::new(),
        formula: Formula::Level { series: series.to_owned(), scale: Scale::Linear, half_life_periods: 0.0 },
        cadence_hours: 24.0,
        lag_hours: 24.0,
        slack_hours: 0.0,
        business_days: false,
        day_of_week: false,
        weight: 1.0,
        fades: None,
        takes_over: false,
        tested_on: None,
        optional: false,
        prior,
        window_years: 10.0,
        start: None,
    };
    let rarity = &history.method().parameters().rarity;
    let mut baseline = Baseline::new(&indicator);
    let mut out = Vec::new();
    for point in &history.points {
        baseline.advance(&indicator, rarity, table, point.day);
        if let Some(now) = evaluate(&indicator, table, Moment::tick(last_tick(point.day))) {
            let survival =
                rarity.survival(baseline.sample(), SampleWorth::DAILY, &indicator.prior, now.value);
            out.push((point.day, score_from_survival(survival)));
        }
    }
    out
}

/// The single series that readers know, with their priors.
pub(crate) const SINGLES: [(&str, &str, Prior); 3] = [
    ("vix", "cboe.vix", Prior { median: 17.2, q95: 32.9, kind: PriorKind::Lognormal }),
    ("gpr", "gpr.total", Prior { median: 90.0, q95: 180.0, kind: PriorKind::Lognormal }),
    ("gscpi", "nyfed.gscpi", Prior { median: -0.33, q95: 0.53, kind: PriorKind::Normal }),
];
