//! The reconstructed past: the scores of every day of a packed history, computed from what was known by then.

use crate::HistoryFile;
use crate::backtest::{DailyPoint, History, method_on, spells};
use crate::catalogue::{Catalogue, Indicator, MethodError};
use crate::composite::alerts::{SUBJECTS, subject_key};
use crate::composite::compose::IndicatorInput;
use crate::method::Method;
use gsi_model::{Day, Pillar, ReconstructedDay, ReconstructedIndicator, ReconstructedScore, Reconstruction};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A catalogue reduced to what a history carries, for reconstructing the past from that history.
#[derive(Clone, Debug)]
pub struct Reconstructor {
    method: Arc<Method>,
    /// Weights in the live pillars, by indicator.
    live_weights: BTreeMap<String, f64>,
}

impl Reconstructor {
    pub fn new(catalogue: &str, file: &HistoryFile) -> Result<Reconstructor, MethodError> {
        let method = method_on(catalogue, &file.table(), &|indicator| !indicator.optional)?;
        let live = Catalogue::parse(catalogue)?.indicators;
        let live_weights = live.into_iter().map(|i| (i.key, i.weight)).collect();
        Ok(Reconstructor { method: Arc::new(method), live_weights })
    }

    /// Reconstructs every day of the file. A day depends only on rows known by its end, so a file that was cut at
    /// that day gives the same result.
    pub fn reconstruct(&self, file: &HistoryFile) -> Reconstruction {
        let indicators = self.method.indicators();
        let tested = Pillar::ALL.map(|pillar| {
            indicators.iter().filter(|i| i.pillar == pillar).map(|i| self.live_weight(i)).sum::<f64>()
        });
        let mut days = Vec::new();
        let mut spans = vec![Vec::new(); indicators.len()];
        let mut unsmoothed: [Vec<(Day, f64)>; 5] = Default::default();
        let mut each = |point: DailyPoint, inputs: Vec<IndicatorInput>| {
            days.push(self.day(&point, tested));
            let scores = point.pillars.into_iter().chain([point.composite]);
            for (kept, score) in unsmoothed.iter_mut().zip(scores) {
                kept.extend(score.map(|s| (point.day, s)));
            }
            for (spans, input) in spans.iter_mut().zip(&inputs) {
                if input.score.is_some() && input.effective > 0.0 {
                    add_day(spans, point.day);
                }
            }
        };
        History::each_day(Arc::clone(&self.method), &file.table(), file.from, file.to, &mut each);
        let indicators = indicators.iter().zip(spans).map(|(i, spans)| ReconstructedIndicator {
            key: i.key.clone(),
            pillar: i.pillar,
            live_weight: self.live_weight(i),
            spans,
        });
        let mut attributions: Vec<String> =
            file.series.iter().map(|s| s.origin.attribution.clone()).collect();
        attributions.sort();
        attributions.dedup();
        let alert_spells = SUBJECTS.into_iter().zip(&unsmoothed).filter_map(|(subject, days)| {
            let rule = self.method.alert_rule(subject)?;
            Some((subject_key(subject).to_owned(), spells(days, self.method.alerts(), rule)))
        });
        Reconstruction {
            alert_spells: alert_spells.collect(),
            method_version: self.method.version().to_owned(),
            method_digest: self.method.digest().to_owned(),
            band_edges: self.method.parameters().band_edges,
            indicators: indicators.collect(),
            days,
            crises: file.crises.clone(),
            attributions,
        }
    }

    fn live_weight(&self, indicator: &Indicator) -> f64 {
        self.live_weights.get(&indicator.key).copied().unwrap_or_default()
    }

    fn day(&self, point: &DailyPoint, tested: [f64; 4]) -> ReconstructedDay {
        let pillar = |k: usize| ReconstructedScore {
            score: point.published_pillars[k],
            coverage: point.coverage[k] * tested[k],
        };
        let pillars = [0, 1, 2, 3].map(pillar);
        let coverage =
            Pillar::ALL.iter().map(|p| self.method.pillar_weight(*p) * pillars[p.index()].coverage).sum();
        let score = point.published.filter(|_| point.composite.is_some());
        ReconstructedDay { day: point.day, composite: ReconstructedScore { score, coverage }, pillars }
    }
}

/// Adds a day, which comes after all before it, to spans without a gap.
fn add_day(spans: &mut Vec<(Day, Day)>, day: Day) {
    match spans.last_mut().filter(|(_, last)| last.plus(1) == day) {
        Some((_, last)) => *last = day,
        None => spans.push((day, day)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_spans() {
        let mut spans = Vec::new();
        for day in [1, 2, 3, 5, 8, 9] {
            add_day(&mut spans, Day(day));
        }
        assert_eq!(spans, [(1, 3), (5, 5), (8, 9)].map(|(a, b)| (Day(a), Day(b))));
    }
}
