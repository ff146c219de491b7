//! Two methods on the same days: the difference of their separation, with an interval that draws both from the same
//! crises and quarters, so that differences between periods cancel.

use super::labels::label;
use super::metrics::{BOOTSTRAP_SEED, Draws, LabelledDay, Ranked, interval_of};
use super::series::History;
use gsi_model::{Crisis, Day, Pillar};
use serde::Serialize;
use std::collections::BTreeMap;

/// Both figures on the days that both methods score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedSeparation {
    pub first: Option<f64>,
    pub second: Option<f64>,
    /// Second less first, and its 95 % interval.
    pub difference: Option<f64>,
    pub lo: Option<f64>,
    pub hi: Option<f64>,
    pub positives: usize,
    pub negatives: usize,
}

/// Every pillar and the composite under two methods.
pub fn compare(first: &History, second: &History, crises: &[Crisis]) -> BTreeMap<String, PairedSeparation> {
    let subjects = Pillar::ALL.iter().map(|p| (p.key(), Some(*p))).chain([("composite", None)]);
    subjects.map(|(name, pillar)| (name.to_owned(), paired(first, second, crises, pillar))).collect()
}

fn paired(first: &History, second: &History, crises: &[Crisis], pillar: Option<Pillar>) -> PairedSeparation {
    let second_scores: BTreeMap<Day, f64> = second.scored(pillar).into_iter().collect();
    let both: Vec<(Day, f64, f64)> = first
        .scored(pillar)
        .into_iter()
        .filter_map(|(day, score)| Some((day, score, *second_scores.get(&day)?)))
        .collect();
    let ranked = |score: &dyn Fn(&(Day, f64, f64)) -> f64| {
        let days: Vec<LabelledDay> = both
            .iter()
            .map(|both| LabelledDay { day: both.0, score: score(both), label: label(crises, pillar, both.0) })
            .collect();
        Ranked::new(&days)
    };
    let (first, second) = (ranked(&|both| both.1), ranked(&|both| both.2));
    let (positives, negatives) = (first.positives(), first.negatives());
    if first.too_few().is_some() {
        let (first, second, difference, lo, hi) = (None, None, None, None, None);
        return PairedSeparation { first, second, difference, lo, hi, positives, negatives };
    }
    // The same days make the same blocks, and the same seed draws the same of them.
    let drawn = |ranked: &Ranked| ranked.draw_aucs(&mut Draws::new(BOOTSTRAP_SEED));
    let differences: Vec<f64> = drawn(&first)
        .into_iter()
        .zip(drawn(&second))
        .filter_map(|(first, second)| Some(second? - first?))
        .collect();
    let interval = interval_of(differences);
    let (first, second) = (first.auc(), second.auc());
    PairedSeparation {
        first,
        second,
        difference: first.zip(second).map(|(first, second)| second - first),
        lo: interval.map(|i| i.0),
        hi: interval.map(|i| i.1),
        positives,
        negatives,
    }
}
