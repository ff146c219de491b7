//! A country's currency against all reference currencies together: how far it has fallen, and how volatile it is.
//!
//! Reference rates are units for one euro. In logarithms a currency's value is its rate less the mean of all rates, the euro's
//! own being zero; a rising value is a falling currency.

use super::catalogue::{CountryFormula, CountryMethod, EURO};
use crate::arithmetic::median;
use crate::method::algebra::{BUSINESS_YEAR_DAYS, MAX_CURRENCY_VALUES, WARM_HALF_LIVES};
use crate::rarity::survival::{Rarity, Sample};
use crate::series::table::SeriesTable;
use gsi_model::Timestamp;
use std::collections::BTreeMap;

/// A currency's values by the end of their day, oldest first.
type Values = Vec<(i64, f64)>;

#[derive(Clone, Debug, Default)]
pub(super) struct CurrencyPast {
    /// Rows and the newest moment they were read at.
    seen: Option<(u64, i64)>,
    values: BTreeMap<String, Values>,
    /// By currency and the rule's position: the newest value with the end of its day, and those before it.
    histories: BTreeMap<(String, usize), ((i64, f64), Sample)>,
}

impl CurrencyPast {
    /// Reads the rates known by `tick`, if any arrived since the last time or a new day began.
    pub fn learn(&mut self, method: &CountryMethod, rarity: &Rarity, table: &SeriesTable, tick: Timestamp) {
        let names: Vec<&String> = method.catalogue.currencies.keys().filter(|n| *n != EURO).collect();
        let insertions = names.iter().filter_map(|n| table.column(n, "")).map(|c| c.insertions()).sum();
        let seen = Some((insertions, i64::from(tick.day().0)));
        if self.seen == seen {
            return;
        }
        self.seen = seen;
        let mut rates: BTreeMap<i64, BTreeMap<&str, f64>> = BTreeMap::new();
        for name in &names {
            let Some(column) = table.column(name, "") else { continue };
            let from = column.rows().len().saturating_sub(MAX_CURRENCY_VALUES);
            for at in from..column.rows().len() {
                let row = column.resolve(at, tick.unix());
                if row.known_at() <= tick.unix() && row.value > 0.0 {
                    rates.entry(row.end()).or_default().insert(name, libm::log(row.value));
                }
            }
        }
        self.values.clear();
        // A day counts when every currency has a rate: a mean over other members would not be comparable.
        for (end, mut day) in rates.into_iter().filter(|(_, day)| day.len() == names.len()) {
            day.insert(EURO, 0.0);
            let mean = day.values().sum::<f64>() / day.len() as f64;
            for (name, rate) in day {
                self.values.entry(name.to_owned()).or_default().push((end, rate - mean));
            }
        }
        self.histories.clear();
        for (position, rule) in method.indicators().iter().enumerate() {
            for (name, values) in &self.values {
                let Some(history) = evaluate(&rule.formula, values) else { continue };
                let Some((newest, before)) = history.split_last() else { continue };
                let recent = &before[before.len().saturating_sub(BUSINESS_YEAR_DAYS)..];
                let sample = Sample::new(recent.iter().map(|(_, v)| *v).collect(), rarity);
                self.histories.insert((name.clone(), position), (*newest, sample));
            }
        }
    }

    pub fn read(&self, currency: &str, rule: usize) -> Option<&((i64, f64), Sample)> {
        self.histories.get(&(currency.to_owned(), rule))
    }
}

/// The formula on every day that has enough days before it; `None` for a formula of another kind.
fn evaluate(formula: &CountryFormula, values: &[(i64, f64)]) -> Option<Values> {
    match *formula {
        CountryFormula::CurrencyDeparture { fast_days, slow_days } => {
            let (fast, slow) = (fast_days as usize, slow_days as usize);
            let at = |i: usize| {
                let recent = &values[i + 1 - fast..=i];
                let mean = recent.iter().map(|(_, v)| v).sum::<f64>() / fast as f64;
                let mut past: Vec<f64> = values[i + 1 - slow..=i].iter().map(|(_, v)| *v).collect();
                Some((values[i].0, 100.0 * (mean - median(&mut past)?)))
            };
            Some((slow.saturating_sub(1)..values.len()).filter_map(at).collect())
        }
        CountryFormula::CurrencyVolatility { half_life_days } => {
            let keep = libm::exp2(-1.0 / half_life_days);
            let warm = (WARM_HALF_LIVES * half_life_days) as usize;
            let (mut variance, mut weight) = (0.0, 0.0);
            let mut history = Values::new();
            for (i, pair) in values.windows(2).enumerate() {
                let step = pair[1].1 - pair[0].1;
                variance = keep * variance + (1.0 - keep) * step * step;
                weight = keep * weight + (1.0 - keep);
                if i >= warm {
                    let yearly = (variance / weight * BUSINESS_YEAR_DAYS as f64).sqrt();
                    history.push((pair[1].0, 100.0 * yearly));
                }
            }
            Some(history)
        }
        _ => None,
    }
}
