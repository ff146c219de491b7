//! One report from one history: separation, alerts, arms, anchors, stability, robustness.

use super::alerts;
use super::arms::{self, Daily, SINGLES};
use super::coded::{MeanRank, mean_rank, rank_onset};
use super::labels::label;
use super::metrics::{BOOTSTRAP_SEED, Draws, LabelledDay, Ranked, quantile, sorted, spearman};
use super::series::{History, last_tick, tested_weight};
use crate::catalogue::AlertRule;
use crate::series::table::SeriesTable;
use gsi_model::{Crisis, Day, Pillar};
use serde::Serialize;
use std::collections::BTreeMap;

/// Seed of the other weights, so that two runs agree to the last digit.
const WEIGHTS_SEED: u64 = 20_241_231;
/// Number of draws of other weights, and how closely they stay to the catalogue's.
const WEIGHT_DRAWS: usize = 100;
const WEIGHT_CONCENTRATION: f64 = 30.0;
/// The composite is compared under other weights every this many days.
const WEIGHT_STRIDE: usize = 3;
const Z90: f64 = 1.645;

/// How well scores separate crisis days from calm ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Separation {
    pub auc: Option<f64>,
    pub lo: Option<f64>,
    pub hi: Option<f64>,
    pub average_precision: Option<f64>,
    pub positives: usize,
    pub negatives: usize,
    /// Ranks of onsets among the weeks before them.
    pub onsets: Option<MeanRank>,
    pub alerts: Option<Alerts>,
    /// Why there is no figure, or a caveat about it.
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alerts {
    pub rule: AlertRule,
    pub hits: usize,
    pub crises: usize,
    pub tier_a_hits: usize,
    pub tier_a: usize,
    pub hit_rate: Option<f64>,
    pub alarm_fraction: f64,
    /// Hit rate minus alarm fraction.
    pub peirce: Option<f64>,
    pub false_alarms_per_quiet_year: Option<f64>,
    pub median_lag_days: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arm {
    pub composite_auc: Option<f64>,
    pub lo: Option<f64>,
    pub hi: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// Absolute change of the published score from day to day.
    pub daily_move_median: Option<f64>,
    pub daily_move_p95: Option<f64>,
    pub trend_changes_per_week: Option<f64>,
    /// 5 % point of the rank correlation with the composite under other weights.
    pub weight_rank_correlation_p5: Option<f64>,
    pub quantiles: BTreeMap<String, f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WithoutFeed {
    pub median_change: Option<f64>,
    pub p95_change: Option<f64>,
    /// Share of days on which the result stays within the 90 % band.
    pub within_band: Option<f64>,
    pub composite_auc: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BacktestReport {
    pub from: String,
    pub to: String,
    pub method_version: String,
    pub method_digest: String,
    /// Indicators that could be computed from the available series; coded news has no history to test on.
    pub indicators: Vec<String>,
    /// Of each pillar's live weight, the share that these indicators carry.
    pub tested_weight: BTreeMap<String, f64>,
    pub crises: usize,
    pub pillars: BTreeMap<String, Separation>,
    pub composite: Separation,
    pub arms: BTreeMap<String, Arm>,
    /// Spearman's correlations, by month and by day.
    pub anchors: BTreeMap<String, Option<f64>>,
    pub stability: Stability,
    pub without_feed: BTreeMap<String, WithoutFeed>,
    /// The same span in two parts, each judged on its own days.
    pub halves: Vec<Half>,
}

/// One part of the span, from the same history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Half {
    pub from: String,
    pub to: String,
    pub crises: usize,
    pub pillars: BTreeMap<String, Separation>,
    pub composite: Separation,
    pub arms: BTreeMap<String, Arm>,
}

/// Parameters were chosen on the days before this one; the days from it on only test them. A span that does not
/// include it is cut in the middle.
const CHOSEN_BEFORE: (i16, i8, i8) = (2020, 1, 1);
/// Shorter parts are not reported.
const SHORTEST_HALF: i32 = 365;

fn halves(history: &History, table: &SeriesTable, crises: &[Crisis]) -> Vec<Half> {
    let (Some(first), Some(last)) = (history.points.first(), history.points.last()) else {
        return Vec::new();
    };
    let (first, last) = (first.day, last.day);
    let inside = |d: &Day| d.0 - first.0 >= SHORTEST_HALF && last.0 - d.0 >= SHORTEST_HALF;
    let (year, month, day) = CHOSEN_BEFORE;
    let middle = Day(first.0 + (last.0 - first.0) / 2);
    let Some(cut) = Day::from_ymd(year, month, day).filter(inside).or(Some(middle).filter(inside)) else {
        return Vec::new();
    };
    [(first, cut.plus(-1)), (cut, last)]
        .into_iter()
        .map(|(from, to)| {
            let part = history.between(from, to);
            Half {
                from: from.to_string(),
                to: to.to_string(),
                crises: crises.iter().filter(|c| c.start >= from && c.start <= to).count(),
                pillars: separations(&part, crises),
                composite: separation(&part, crises, None),
                arms: compared(&part, table, crises),
            }
        })
        .collect()
}

fn separations(history: &History, crises: &[Crisis]) -> BTreeMap<String, Separation> {
    Pillar::ALL.iter().map(|p| (p.key().to_owned(), separation(history, crises, Some(*p)))).collect()
}

/// Judges a history against a list of crises. `catalogue` is the whole catalogue, of which the history's method is
/// the testable part.
pub fn run(catalogue: &str, history: &History, table: &SeriesTable, crises: &[Crisis]) -> BacktestReport {
    let day = |p: Option<&super::DailyPoint>| p.map(|p| p.day.to_string()).unwrap_or_default();
    let (from, to) = (history.points.first().map(|p| p.day), history.points.last().map(|p| p.day));
    let within = |c: &&Crisis| from.is_some_and(|f| c.start >= f) && to.is_some_and(|t| c.start <= t);
    let method = history.method();
    BacktestReport {
        from: day(history.points.first()),
        to: day(history.points.last()),
        method_version: method.version().to_owned(),
        method_digest: method.digest().to_owned(),
        indicators: method.indicators().iter().map(|i| i.key.clone()).collect(),
        tested_weight: tested_weight(catalogue, method),
        crises: crises.iter().filter(within).count(),
        pillars: separations(history, crises),
        composite: separation(history, crises, None),
        arms: compared(history, table, crises),
        halves: halves(history, table, crises),
        anchors: anchors(history, table),
        stability: stability(history),
        without_feed: without_feeds(history, crises),
    }
}

fn ranked(days: &[(Day, f64)], crises: &[Crisis], pillar: Option<Pillar>) -> Ranked {
    let labelled: Vec<LabelledDay> = days
        .iter()
        .map(|(day, score)| LabelledDay { day: *day, score: *score, label: label(crises, pillar, *day) })
        .collect();
    Ranked::new(&labelled)
}

fn separation(history: &History, crises: &[Crisis], pillar: Option<Pillar>) -> Separation {
    let days = history.scored(pillar);
    let ranked = ranked(&days, crises, pillar);
    let (positives, negatives) = (ranked.positives(), ranked.negatives());
    let onsets = crises.iter().filter(|c| c.concerns(pillar)).filter_map(|c| rank_onset(&days, c.start));
    let onsets = mean_rank(&onsets.collect::<Vec<_>>());
    let method = history.method();
    let rule = method.alert_rule(pillar);
    let figures =
        rule.and_then(|rule| Some((rule, alerts::figures(&days, crises, pillar, method.alerts(), rule)?)));
    let alerts = figures.map(|(rule, f)| {
        let hit_rate = (f.crises > 0).then(|| f.hits as f64 / f.crises as f64);
        Alerts {
            rule,
            hits: f.hits,
            crises: f.crises,
            tier_a_hits: f.tier_a.0,
            tier_a: f.tier_a.1,
            hit_rate,
            alarm_fraction: f.alarm_fraction,
            peirce: hit_rate.map(|h| h - f.alarm_fraction),
            false_alarms_per_quiet_year: f.false_alarms_per_quiet_year,
            median_lag_days: f.median_lag,
        }
    });
    if let Some(why) = ranked.too_few() {
        let note = if days.is_empty() { "no day of this span could be scored".to_owned() } else { why };
        let (auc, lo, hi, average_precision) = (None, None, None, None);
        return Separation {
            auc,
            lo,
            hi,
            average_precision,
            positives,
            negatives,
            onsets,
            alerts,
            note: Some(note),
        };
    }
    let interval = ranked.interval(&mut Draws::new(BOOTSTRAP_SEED));
    let note = (pillar == Some(Pillar::Cyber)).then(|| "activity, not shown to separate crises".to_owned());
    Separation {
        auc: ranked.auc(),
        lo: interval.map(|i| i.0),
        hi: interval.map(|i| i.1),
        average_precision: ranked.average_precision(),
        positives,
        negatives,
        onsets,
        alerts,
        note,
    }
}

fn compared(history: &History, table: &SeriesTable, crises: &[Crisis]) -> BTreeMap<String, Arm> {
    let mut daily: Vec<(String, Daily)> = vec![
        ("ours".into(), history.scored(None)),
        (
            "ours_published".into(),
            history.points.iter().filter_map(|p| Some((p.day, p.published?))).collect(),
        ),
        ("linear".into(), arms::linear(history)),
        ("quadratic".into(), arms::quadratic(history)),
        ("correlated".into(), arms::correlated(history)),
        ("naive_peer".into(), arms::naive_peer(history, table)),
    ];
    for (name, series, prior) in SINGLES.into_iter().filter(|(_, series, _)| !table.is_empty_series(series)) {
        daily.push((format!("single_{name}"), arms::single(history, table, series, prior)));
    }
    daily
        .into_iter()
        .map(|(name, days)| {
            let ranked = ranked(&days, crises, None);
            let enough = ranked.too_few().is_none();
            let interval = if enough { ranked.interval(&mut Draws::new(BOOTSTRAP_SEED)) } else { None };
            let composite_auc = if enough { ranked.auc() } else { None };
            (name, Arm { composite_auc, lo: interval.map(|i| i.0), hi: interval.map(|i| i.1) })
        })
        .collect()
}

/// Correlations with series that are not inputs of the pillar they judge, and between pillars.
fn anchors(history: &History, table: &SeriesTable) -> BTreeMap<String, Option<f64>> {
    let mut out = BTreeMap::new();
    for (pillar, series) in [
        (Pillar::Conflict, "ai_gpr.total"),
        (Pillar::Macro, "fred.stlfsi4"),
        (Pillar::Macro, "fred.anfci"),
        (Pillar::SupplyChain, "shortage.index"),
    ] {
        if table.is_empty_series(series) {
            continue;
        }
        let pairs: Vec<(Day, f64, f64)> = history
            .scored(Some(pillar))
            .into_iter()
            .filter_map(|(day, score)| Some((day, score, table.latest(series, "", last_tick(day))?.value)))
            .collect();
        out.insert(format!("{pillar}~{series} monthly"), spearman(&monthly(&pairs)));
        let daily: Vec<(f64, f64)> = pairs.iter().map(|(_, a, b)| (*a, *b)).collect();
        out.insert(format!("{pillar}~{series} daily"), spearman(&daily));
    }
    let between: Vec<(f64, f64)> = history
        .points
        .iter()
        .filter_map(|p| Some((p.pillars[Pillar::Conflict.index()]?, p.pillars[Pillar::Macro.index()]?)))
        .collect();
    out.insert("conflict~macro daily".to_owned(), spearman(&between));
    out
}

fn monthly(pairs: &[(Day, f64, f64)]) -> Vec<(f64, f64)> {
    let month = |d: Day| (d.ymd().0, d.ymd().1);
    pairs
        .chunk_by(|a, b| month(a.0) == month(b.0))
        .map(|m| {
            let n = m.len() as f64;
            (m.iter().map(|p| p.1).sum::<f64>() / n, m.iter().map(|p| p.2).sum::<f64>() / n)
        })
        .collect()
}

fn stability(history: &History) -> Stability {
    let published: Vec<f64> = history.points.iter().filter_map(|p| p.published).collect();
    let moves = sorted(published.windows(2).map(|w| (w[1] - w[0]).abs()).collect());
    let weeks = published.len() as f64 / 7.0;
    let trend_changes: u32 = history.points.iter().map(|p| p.trend_changes).sum();
    let levels = sorted(published);
    let quantiles = [
        ("p05", 0.05),
        ("p25", 0.25),
        ("p50", 0.5),
        ("p75", 0.75),
        ("p90", 0.9),
        ("p97", 0.97),
        ("p99", 0.99),
    ];
    Stability {
        daily_move_median: quantile(&moves, 0.5),
        daily_move_p95: quantile(&moves, 0.95),
        trend_changes_per_week: (weeks > 0.0).then(|| f64::from(trend_changes) / weeks),
        weight_rank_correlation_p5: weight_robustness(history),
        quantiles: quantiles
            .iter()
            .filter_map(|(n, q)| Some(((*n).to_owned(), quantile(&levels, *q)?)))
            .collect(),
    }
}

/// Redraws pillar and indicator weights around the catalogue's and ranks the days again.
fn weight_robustness(history: &History) -> Option<f64> {
    let method = history.method();
    let mut draws = Draws::new(WEIGHTS_SEED);
    let mut correlations = Vec::with_capacity(WEIGHT_DRAWS);
    for _ in 0..WEIGHT_DRAWS {
        let mut dirichlet = |weights: &[f64]| -> Vec<f64> {
            let drawn: Vec<f64> = weights.iter().map(|w| draws.gamma(WEIGHT_CONCENTRATION * w)).collect();
            let total: f64 = drawn.iter().sum();
            drawn.iter().map(|d| d / total).collect()
        };
        let w = dirichlet(&Pillar::ALL.map(|p| method.pillar_weight(p)));
        let mut weights = Vec::with_capacity(method.indicators().len());
        for members in method.indicators().chunk_by(|a, b| a.pillar == b.pillar) {
            weights.extend(dirichlet(&members.iter().map(|i| i.weight).collect::<Vec<_>>()));
        }
        let other = method.reweighted([w[0], w[1], w[2], w[3]], &weights);
        let pairs: Vec<(f64, f64)> = history
            .points
            .iter()
            .zip(&history.inputs)
            .step_by(WEIGHT_STRIDE)
            .filter_map(|(point, inputs)| {
                let mut inputs = inputs.clone();
                for ((b, i), w) in inputs.iter_mut().zip(method.indicators()).zip(&weights) {
                    b.effective *= w / i.weight;
                }
                Some((point.composite?, history.engine.compose_with(&other, &inputs).composite?.score))
            })
            .collect();
        correlations.extend(spearman(&pairs));
    }
    quantile(&sorted(correlations), 0.05)
}

fn without_feeds(history: &History, crises: &[Crisis]) -> BTreeMap<String, WithoutFeed> {
    let indicators = history.method().indicators();
    let mut feeds: Vec<&str> = indicators.iter().map(|i| i.feeds[0].as_str()).collect();
    feeds.sort_unstable();
    feeds.dedup();
    let p = history.method().parameters();
    let errors: Vec<Option<f64>> = history
        .inputs
        .iter()
        .map(|b| {
            let composed = history.engine.compose(b);
            let now = composed.composite.as_ref()?;
            Some(composed.standard_error(&now.weights, now.score, p))
        })
        .collect();
    let mut out = BTreeMap::new();
    for feed in feeds {
        let without = history.recomposed(&|i, b| {
            if indicators[i].feeds[0] == feed {
                b.effective = 0.0;
            }
        });
        let scored: Daily =
            without.iter().filter_map(|(day, c)| Some((*day, c.composite.as_ref()?.score))).collect();
        let both = history.points.iter().zip(&without).zip(&errors);
        let changes: Vec<(f64, f64)> = both
            .filter_map(|((point, (_, c)), error)| {
                Some(((c.composite.as_ref()?.score - point.composite?).abs(), (*error)?))
            })
            .collect();
        let inside = changes.iter().filter(|(change, error)| *change <= Z90 * error).count();
        let sizes = sorted(changes.iter().map(|c| c.0).collect());
        let ranked = ranked(&scored, crises, None);
        out.insert(
            feed.to_owned(),
            WithoutFeed {
                median_change: quantile(&sizes, 0.5),
                p95_change: quantile(&sizes, 0.95),
                within_band: (!changes.is_empty()).then(|| inside as f64 / changes.len() as f64),
                composite_auc: if ranked.too_few().is_none() { ranked.auc() } else { None },
            },
        );
    }
    out
}
