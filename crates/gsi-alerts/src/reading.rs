//! The input of a rule: the scores of a tick, and those of the earlier moments that it compares with.

use crate::when::{Clause, Watched};
use gsi_model::{CountrySnapshot, FeedHealth, Snapshot, round_half_away};
use std::collections::BTreeMap;

/// Published scores of an earlier moment.
pub struct ScoresThen {
    pub snapshot: Snapshot,
    pub countries: Option<CountrySnapshot>,
}

pub struct RuleReading<'a> {
    pub snapshot: &'a Snapshot,
    /// The newest that were published by then.
    pub countries: Option<&'a CountrySnapshot>,
    /// By how many hours before; moments without a published score are absent.
    pub before: &'a BTreeMap<u32, ScoresThen>,
}

impl RuleReading<'_> {
    /// As readers see it, to one decimal, so that a rule and the page always agree.
    pub(crate) fn value(&self, of: Watched) -> Option<f64> {
        value(of, self.snapshot, self.countries)
    }

    pub(crate) fn change(&self, of: Watched, hours: u32) -> Option<f64> {
        let then = self.before.get(&hours)?;
        Some(self.value(of)? - value(of, &then.snapshot, then.countries.as_ref())?)
    }

    /// `None` for a feed that is not read.
    pub(crate) fn is_stale(&self, feed: &str) -> Option<bool> {
        let feed_state = self.snapshot.feeds.iter().find(|f| f.feed == feed)?;
        Some(matches!(feed_state.health, FeedHealth::Stale | FeedHealth::Never))
    }
}

fn value(of: Watched, snapshot: &Snapshot, countries: Option<&CountrySnapshot>) -> Option<f64> {
    let score = match of {
        Watched::Score => Some(snapshot.score),
        Watched::Pillar(pillar) => snapshot.pillar(pillar).map(|p| p.score),
        Watched::Country(code) => countries?.country(code)?.score,
    };
    score.map(|s| round_half_away(s, 1))
}

/// How far back a rule looks, in hours.
pub(crate) fn hours_of(clauses: &[Clause]) -> impl Iterator<Item = u32> {
    clauses.iter().filter_map(|clause| match clause {
        Clause::Change { hours, .. } => Some(*hours),
        _ => None,
    })
}
