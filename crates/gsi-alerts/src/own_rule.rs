//! A rule that an operator set for a hook, with the state it needs: whether it holds.

use crate::headline::{points, subject};
use crate::reading::{RuleReading, hours_of};
use crate::rules::AlertMethod;
use crate::when::{Clause, LevelComparison, Watched, WhenError, parse};
use gsi_model::{Alert, AlertRuleKind, CountryCode};

/// The alert's subject, its country, its value and the limit of the value.
type Measured = (String, Option<CountryCode>, Option<f64>, Option<f64>);

#[derive(Clone, Debug, PartialEq)]
pub struct OwnRule {
    text: String,
    clauses: Vec<Clause>,
}

impl OwnRule {
    /// `feeds` are the existing feeds.
    pub fn parse(text: &str, feeds: &[&str]) -> Result<OwnRule, WhenError> {
        Ok(OwnRule { text: text.trim().to_owned(), clauses: parse(text, feeds)? })
    }

    /// How far back it looks, in hours, for the caller that builds the reading.
    pub fn hours(&self) -> impl Iterator<Item = u32> {
        hours_of(&self.clauses)
    }

    /// The alert that begins or ends with this reading; `on` is the alert that holds before it. An unknown value
    /// neither begins nor ends one.
    pub fn advance(&self, on: Option<&Alert>, reading: &RuleReading<'_>) -> Option<Alert> {
        let method = AlertMethod::compiled();
        let mut judged = self.clauses.iter().map(|clause| clause.holds(reading, on.is_some(), method));
        let tick = reading.snapshot.tick;
        match on {
            Some(on) => judged.any(|holds| holds == Some(false)).then(|| on.ended(tick)),
            None => judged.all(|holds| holds == Some(true)).then(|| self.begin(reading)),
        }
    }

    fn begin(&self, reading: &RuleReading<'_>) -> Alert {
        let (subject, country, value, threshold) = self.clauses[0].measured(reading);
        let began_at = reading.snapshot.tick;
        let now = match (&self.clauses[0], value) {
            (Clause::Level { of, .. } | Clause::Change { of, .. }, Some(_)) => {
                let shown = reading.value(*of).map(points).unwrap_or_default();
                format!("{} is at {shown}", name(*of))
            }
            _ => "it holds".to_owned(),
        };
        Alert {
            id: Alert::id_of(AlertRuleKind::Own, &subject, Some(&self.text), threshold, began_at),
            rule: AlertRuleKind::Own,
            headline: format!("{}: {now}.", self.text),
            subject,
            country,
            began_at,
            ended_at: None,
            value,
            threshold,
            snapshot: reading.snapshot.id.clone(),
            about: None,
        }
    }
}

impl Clause {
    /// `None` when a value is unknown. A rule that holds ends a little later than it began.
    fn holds(&self, reading: &RuleReading<'_>, is_on: bool, method: &AlertMethod) -> Option<bool> {
        let margins = &method.own_rule;
        match self {
            Clause::Level { of, comparison, value } => {
                let now = reading.value(*of)?;
                let slack = if is_on { margins.release } else { 0.0 };
                Some(match comparison {
                    LevelComparison::AtLeast => now >= value - slack,
                    LevelComparison::Above => now > value - slack,
                    LevelComparison::AtMost => now <= value + slack,
                    LevelComparison::Below => now < value + slack,
                })
            }
            Clause::Change { of, upwards, points, hours } => {
                let change = reading.change(*of, *hours)?;
                let wanted = if is_on { points * margins.change_share } else { *points };
                // Removes binary noise from differences of numbers with one decimal.
                let change = if *upwards { change } else { -change };
                Some(change >= wanted - 1e-9)
            }
            Clause::Stale { feed } => reading.is_stale(feed),
        }
    }

    fn measured(&self, reading: &RuleReading<'_>) -> Measured {
        match self {
            Clause::Level { of, value, .. } => {
                let (subject, country) = watched(*of);
                (subject, country, reading.value(*of), Some(*value))
            }
            Clause::Change { of, upwards, points, hours } => {
                let (subject, country) = watched(*of);
                let threshold = if *upwards { *points } else { -*points };
                (subject, country, reading.change(*of, *hours), Some(threshold))
            }
            Clause::Stale { feed } => (format!("feed:{feed}"), None, None, None),
        }
    }
}

fn watched(of: Watched) -> (String, Option<CountryCode>) {
    match of {
        Watched::Score => ("global".to_owned(), None),
        Watched::Pillar(pillar) => (pillar.key().to_owned(), None),
        Watched::Country(code) => (format!("country:{}", code.as_str().to_lowercase()), Some(code)),
    }
}

fn name(of: Watched) -> &'static str {
    match of {
        Watched::Score => "the composite",
        Watched::Pillar(pillar) => subject(Some(pillar)),
        Watched::Country(code) => code.name(),
    }
}
