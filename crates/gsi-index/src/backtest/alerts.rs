//! The alert rule: a score that is both high and well above its own recent past.

use super::labels::{Crisis, Label, label};
use crate::arithmetic::median;
use gsi_model::{Day, Pillar};

/// Days of the recent past, and how far above its median an alert begins.
const PAST_DAYS: usize = 45;
const PAST_NEEDED: usize = 20;
const RISE: f64 = 10.0;
/// An alert ends after this many days below the level by this much.
const QUIET_DAYS: u32 = 5;
const RELEASE: f64 = 8.0;
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
fn spells(days: &[(Day, f64)], level: f64) -> Vec<(Day, Day)> {
    let mut spells: Vec<(Day, Day)> = Vec::new();
    let (mut on, mut quiet) = (false, 0);
    for (n, (day, score)) in days.iter().enumerate() {
        if on {
            quiet = if *score < level - RELEASE { quiet + 1 } else { 0 };
            if quiet >= QUIET_DAYS {
                on = false;
            } else if let Some(spell) = spells.last_mut() {
                spell.1 = *day;
            }
        } else if *score >= level {
            let mut past: Vec<f64> = days[n.saturating_sub(PAST_DAYS)..n].iter().map(|(_, s)| *s).collect();
            let risen = past.len() >= PAST_NEEDED && median(&mut past).is_some_and(|m| *score >= m + RISE);
            if risen {
                (on, quiet) = (true, 0);
                spells.push((*day, *day));
            }
        }
    }
    spells
}

pub(crate) fn figures(
    days: &[(Day, f64)],
    crises: &[Crisis],
    pillar: Option<Pillar>,
    level: f64,
) -> Option<Figures> {
    let (first, last) = (days.first()?.0, days.last()?.0);
    let spells = spells(days, level);
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
    fn an_alert_needs_height_and_rise_and_lets_go_slowly() {
        let score = |n: i32| match n {
            ..=59 => 30.0,
            60..=70 => 60.0,
            71..=74 => 40.0,
            75 => 60.0,
            _ => 30.0,
        };
        let days: Vec<(Day, f64)> = (0..120).map(|n| (Day(n), score(n))).collect();
        assert_eq!(spells(&days, 55.0), vec![(Day(60), Day(79))]);
        let high: Vec<(Day, f64)> = (0..120).map(|n| (Day(n), 60.0)).collect();
        assert_eq!(spells(&high, 55.0), vec![], "a high plateau is not news");
    }
}
