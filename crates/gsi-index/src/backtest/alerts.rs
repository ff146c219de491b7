//! The alerts that the method's rule would have raised on past days.

use super::labels::{Label, label};
use super::series::last_tick;
use crate::arithmetic::median;
use crate::catalogue::{AlertRule, AlertRules};
use gsi_model::{Crisis, Day, Pillar};

/// An alert counts for a crisis when it is on within these days of the onset.
const HIT_BEFORE: i32 = 1;
const HIT_AFTER: i32 = 7;
const DAYS_PER_YEAR: f64 = 365.25;

/// Alert figures over a span.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures {
    pub hits: usize,
    pub crises: usize,
    pub tier_a: (usize, usize),
    pub alarm_fraction: f64,
    pub false_alarms_per_quiet_year: Option<f64>,
    /// In days; -1 when the alert was on before.
    pub median_lag: Option<f64>,
}

/// Runs of days on which the alert is on: (first, last).
pub(crate) fn spells(days: &[(Day, f64)], rules: &AlertRules, rule: AlertRule) -> Vec<(Day, Day)> {
    let mut spells: Vec<(Day, Day)> = Vec::new();
    let mut state = None;
    for (n, (day, score)) in days.iter().enumerate() {
        let past = &days[n.saturating_sub(rules.past_days as usize)..n];
        let before = state;
        let tick = last_tick(*day);
        let asked = rule.needs_the_past(before, tick, *score);
        let usual = if asked { rules.usual(past.iter().map(|(_, s)| *s)) } else { None };
        state = rule.next(before, tick, *score, usual);
        match (before, state, spells.last_mut()) {
            (None, Some(_), _) => spells.push((*day, *day)),
            (Some(_), Some(_), Some(spell)) => spell.1 = *day,
            _ => {}
        }
    }
    spells
}

pub(crate) fn figures(
    days: &[(Day, f64)],
    crises: &[Crisis],
    pillar: Option<Pillar>,
    rules: &AlertRules,
    rule: AlertRule,
) -> Option<Figures> {
    let (first, last) = (days.first()?.0, days.last()?.0);
    let spells = spells(days, rules, rule);
    let inside = |c: &&Crisis| c.concerns(pillar) && c.start >= first && c.start <= last;
    let concerned: Vec<&Crisis> = crises.iter().filter(inside).collect();
    let mut lags = Vec::new();
    let mut tier_a = (0, 0);
    for crisis in &concerned {
        let (from, to) = (crisis.start.plus(-HIT_BEFORE), crisis.start.plus(HIT_AFTER));
        let hit = spells.iter().find(|(begin, end)| *begin <= to && *end >= from);
        let leading = usize::from(crisis.tier == "A");
        tier_a.1 += leading;
        if let Some((begin, _)) = hit {
            tier_a.0 += leading;
            lags.push(f64::from((begin.0 - crisis.start.0).max(-HIT_BEFORE)));
        }
    }
    let on = days.iter().filter(|(d, _)| spells.iter().any(|(a, b)| a <= d && d <= b)).count();
    let quiet = days.iter().filter(|(d, _)| label(crises, None, *d) == Label::Negative).count();
    let false_alarms =
        spells.iter().filter(|(begin, _)| label(crises, None, *begin) == Label::Negative).count();
    Some(Figures {
        hits: lags.len(),
        crises: concerned.len(),
        tier_a,
        alarm_fraction: on as f64 / days.len() as f64,
        false_alarms_per_quiet_year: (quiet > 0)
            .then(|| false_alarms as f64 / (quiet as f64 / DAYS_PER_YEAR)),
        median_lag: median(&mut lags),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_begins_only_with_enough_history() {
        let rules = AlertRules { past_days: 45, past_needed: 20, rules: Default::default() };
        let rule = AlertRule { level: 55.0, rise: 10.0, quiet_days: 5, release: 8.0, longest_days: 60 };
        let score = |n: i32| match n {
            10..=12 | 60..=70 | 75 => 60.0,
            71..=74 => 40.0,
            _ => 30.0,
        };
        let days: Vec<(Day, f64)> = (0..120).map(|n| (Day(n), score(n))).collect();
        assert_eq!(spells(&days, &rules, rule), vec![(Day(60), Day(79))]);
    }
}
