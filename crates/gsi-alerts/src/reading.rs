//! The input of an operator's rule: the scores of a tick, and the earlier scores that the rule compares them with.

use crate::when::{Clause, Watched};
use gsi_model::{CountrySnapshot, FeedHealth, Snapshot, round_half_away};
use std::collections::BTreeMap;

/// The scores published at an earlier time.
pub struct ScoresThen {
    pub snapshot: Snapshot,
    pub countries: Option<CountrySnapshot>,
}

pub struct RuleReading<'a> {
    pub snapshot: &'a Snapshot,
    /// The newest country scores at or before the snapshot's tick.
    pub countries: Option<&'a CountrySnapshot>,
    /// Earlier scores by their age in hours. An age without a snapshot at or shortly before it is absent.
    pub before: &'a BTreeMap<u32, ScoresThen>,
}

impl RuleReading<'_> {
    /// Returns the value rounded to one decimal as on the dashboard, so that a rule and the dashboard agree.
    pub(crate) fn value(&self, of: Watched) -> Option<f64> {
        value(of, self.snapshot, self.countries)
    }

    pub(crate) fn change(&self, of: Watched, hours: u32) -> Option<f64> {
        let then = self.before.get(&hours)?;
        Some(self.value(of)? - value(of, &then.snapshot, then.countries.as_ref())?)
    }

    /// Returns whether the feed is stale or has never delivered, or `None` if the service does not read it.
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

/// Returns the ages, in hours, of the earlier scores that the clauses compare with.
pub(crate) fn hours_of(clauses: &[Clause]) -> impl Iterator<Item = u32> {
    clauses.iter().filter_map(|clause| match clause {
        Clause::Change { hours, .. } => Some(*hours),
        _ => None,
    })
}
