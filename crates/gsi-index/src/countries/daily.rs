//! Conflict scores of countries day by day over a coded history, for validation: the same formulas on the same
//! tallies, each day ranked in what was known before its month began.

use super::catalogue::{CountryFormula, CountryMethod};
use super::past::CountryPast;
use super::score::CountrySamples;
use crate::arithmetic::quadratic_mean;
use crate::catalogue::Parameters;
use crate::rarity::survival::score_from_survival;
use crate::series::table::SeriesTable;
use gsi_model::{CountryCode, Day, Pillar};
use std::collections::BTreeMap;

/// The conflict score of every country on each day from `from` to `to`, oldest first. Only the indicators over coded
/// news are used: a history of reports has no events and no counted deaths.
pub fn conflict_by_day(
    method: &CountryMethod,
    world: &Parameters,
    table: &SeriesTable,
    from: Day,
    to: Day,
) -> BTreeMap<CountryCode, Vec<(Day, f64)>> {
    let is_told = |formula: &CountryFormula| matches!(formula, CountryFormula::Surprise { .. });
    let rules: Vec<_> = method
        .indicators()
        .iter()
        .enumerate()
        .filter(|(_, rule)| rule.pillar == Pillar::Conflict && is_told(&rule.formula))
        .collect();
    let mut past = CountryPast::new(method);
    let mut scores: BTreeMap<CountryCode, Vec<(Day, f64)>> = BTreeMap::new();
    let mut month = from.month_start(0);
    past.learn(method, table, month);
    while month <= to {
        let next = month.month_start(1);
        let samples = CountrySamples::learn(method, &world.rarity, &past, &|_| true);
        past.learn(method, table, next);
        for (country, past_of_country) in &past.countries {
            for day in month.0.max(from.0)..next.0.min(to.0 + 1) {
                let mut parts = Vec::new();
                for (position, rule) in &rules {
                    let Some(value) = past_of_country.value_on(*position, day) else { continue };
                    let (survival, _) = samples.survival(method, (*position, rule), *country, value);
                    parts.push((rule.weight, score_from_survival(survival)));
                }
                let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
                if parts.len() == rules.len() {
                    let score = quadratic_mean(parts.iter().map(|(weight, score)| (weight / total, *score)));
                    scores.entry(*country).or_default().push((Day(day), score));
                }
            }
        }
        month = next;
    }
    scores
}

impl CountryMethod {
    /// The same for days with few reports, where an offset is less than one report: there, one report is the offset.
    pub fn for_density(&self, usual_reports: f64) -> CountryMethod {
        let one = 100.0 / usual_reports.max(1.0);
        let mut method = self.clone();
        for rule in &mut method.catalogue.indicators {
            if let CountryFormula::Surprise { offset, .. } = &mut rule.formula {
                *offset = offset.max(one);
            }
        }
        method
    }
}
