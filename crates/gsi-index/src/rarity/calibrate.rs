//! Measures the history of every indicator as of a day: its distribution, its tail, its drift, and the prior it
//! implies.

use crate::arithmetic::median;
use crate::engine::Engine;
use crate::method::Method;
use crate::method::baseline_file::Calibration;
use crate::rarity::survival::{Prior, PriorKind};
use crate::series::table::SeriesTable;
use gsi_model::{Day, Timestamp};
use std::sync::Arc;

const QUANTILES: [(&str, f64); 7] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p98", 0.98), ("p99", 0.99), ("p999", 0.999)];
/// Yearly medians that rise or fall this steadily, over at least `DRIFT_YEARS`, are a drift.
const DRIFT_TAU: f64 = 0.6;
const DRIFT_YEARS: usize = 8;
/// A measured prior replaces the catalogue's from this many values on.
const PRIOR_REPLACED_AT: usize = 250;
/// The share of days rarer than one in a hundred must be within these bounds.
const RARE: f64 = 0.01;
const RARE_SHARE: (f64, f64) = (0.005, 0.02);

/// Reads only what was known before `as_of`.
pub fn calibrate(method: &Method, table: &SeriesTable, as_of: Day) -> Vec<Calibration> {
    let mut engine = Engine::new(Arc::new(method.clone()));
    let baselines = engine.baselines_on(table, as_of);
    method
        .indicators()
        .iter()
        .zip(baselines)
        .map(|(indicator, baseline)| {
            let values: Vec<(i64, f64)> = baseline.ordered().collect();
            let sample = baseline.sample();
            let rare = values.iter().filter(|(_, v)| sample.survival(*v) < RARE).count();
            let rare_share = (values.len() >= PRIOR_REPLACED_AT).then(|| rare as f64 / values.len() as f64);
            let (tau, years) = yearly_trend(&values);
            let end = |at: Option<&(i64, f64)>| at.map(|(end, _)| Timestamp::from_unix(*end));
            Calibration {
                key: indicator.key.clone(),
                from: end(values.first()),
                to: end(values.last()),
                values: values.len(),
                quantiles: QUANTILES
                    .iter()
                    .filter_map(|(name, q)| Some(((*name).to_owned(), sample.quantile(*q)?)))
                    .collect(),
                tail_threshold: sample.tail().map(|t| t.threshold),
                tail_scale: sample.tail().map(|t| t.scale),
                rare_share,
                rare_share_ok: rare_share.map(|s| (RARE_SHARE.0..=RARE_SHARE.1).contains(&s)),
                trend_tau: tau,
                drift: years >= DRIFT_YEARS && tau.is_some_and(|t| t.abs() > DRIFT_TAU),
                suggested_prior: suggested(indicator.prior.kind, sample),
            }
        })
        .collect()
}

fn suggested(kind: PriorKind, sample: &crate::rarity::survival::Sample) -> Option<Prior> {
    let (median, q95) = (sample.quantile(0.5)?, sample.quantile(0.95)?);
    let sane = q95 > median && (kind == PriorKind::Normal || median > 0.0);
    (sample.len() >= PRIOR_REPLACED_AT && sane).then_some(Prior { median, q95, kind })
}

/// Kendall's tau of the medians of calendar years, and how many years there are.
fn yearly_trend(values: &[(i64, f64)]) -> (Option<f64>, usize) {
    let year = |end: i64| Timestamp::from_unix(end - 1).day().ymd().0;
    let medians: Vec<f64> = values
        .chunk_by(|a, b| year(a.0) == year(b.0))
        .filter_map(|y| median(&mut y.iter().map(|(_, v)| *v).collect::<Vec<_>>()))
        .collect();
    let n = medians.len();
    let mut balance = 0.0;
    for (i, a) in medians.iter().enumerate() {
        for b in &medians[i + 1..] {
            balance += (b - a).total_cmp(&0.0) as i32 as f64;
        }
    }
    ((n >= 3).then(|| balance / (n * (n - 1) / 2) as f64), n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::DAY;

    #[test]
    fn steady_growth_is_a_drift() {
        let years =
            |f: &dyn Fn(i64) -> f64| -> Vec<(i64, f64)> { (1..3650).map(|d| (d * DAY, f(d))).collect() };
        let (up, n) = yearly_trend(&years(&|d| d as f64));
        assert_eq!((up, n), (Some(1.0), 10));
        let (flat, _) = yearly_trend(&years(&|d| ((d / 365) % 2) as f64));
        assert!(flat.unwrap().abs() < DRIFT_TAU);
        assert_eq!(yearly_trend(&[(DAY, 1.0)]), (None, 1));
    }
}
