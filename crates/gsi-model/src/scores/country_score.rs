//! The published state of every country at one tick: immutable, and a function of the method for countries, the data
//! known at the tick, and the previously published state.

use crate::{CountryCode, Pillar, Timestamp, Trend, round_half_away, shown_change};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

closed_set! {
    /// Whether a country has a score: `thin` has too little data, `unmonitored` too little news coverage.
    CountryStanding {
        Scored = "scored",
        /// There is too little data about it.
        Thin = "thin",
        /// The world's press hardly reports from there, so its silence is not read as calm.
        Unmonitored = "unmonitored",
    }
}

/// All countries of one tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountrySnapshot {
    pub tick: Timestamp,
    /// The data comes from the simulated world.
    pub simulated: bool,
    /// The version of the method for countries, which is separate from the world's, like its digest.
    pub method_version: String,
    pub method_digest: String,
    /// Every country with any data, by code.
    pub countries: Vec<CountryScore>,
    /// The tick's events by country. They are stored here, because they are no observations and recomputing the tick
    /// needs them. Empty before method 1.2.0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub events: BTreeMap<CountryCode, CountryEvents>,
}

/// A summary of one country's events at a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountryEvents {
    pub intensity: f64,
    /// 0–100.
    pub peak_escalation: f64,
    /// The weight of its violent events: their escalation, by how probable and how recent they are.
    pub violence: f64,
    /// Violent events that were reported on the day of the tick.
    pub violent_events: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountryScore {
    pub country: CountryCode,
    pub standing: CountryStanding,
    /// 0–100, higher is less stable; only with the status `scored`.
    pub score: Option<f64>,
    /// Change against the score a day earlier, if there is one by the same method.
    pub delta_24h: Option<f64>,
    pub trend: Trend,
    /// The share of all weight that current values carry.
    pub coverage: f64,
    /// The share of its daily closes of the last year below this score, if there are enough.
    pub year_share_below: Option<f64>,
    /// The country's reports stopped while the world's continue, so its last readings are held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
    /// Those with data, in the order of [`Pillar::ALL`].
    pub pillars: Vec<CountryPillar>,
    /// Indicators that it no longer has but had a day ago, with their part of the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<IndicatorLeft>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountryPillar {
    pub pillar: Pillar,
    pub score: f64,
    /// Among the pillars the country has; they add to 1.
    pub weight: f64,
    pub coverage: f64,
    pub indicators: Vec<CountryIndicator>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountryIndicator {
    pub key: String,
    pub value: f64,
    /// 0–100 by the rank-and-rarity curve.
    pub score: f64,
    /// End of the newest period that went into the value.
    pub period_end: Timestamp,
    pub freshness: f64,
    /// Within its pillar, after age; they add to 1.
    pub weight: f64,
    /// Points of the country's score; all indicators of all its pillars add to it.
    pub contribution: f64,
    /// Its part of `delta_24h`.
    pub change_24h: Option<f64>,
    /// The last reading is held, because its source is silent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Days of the country's own history behind the score.
    pub sample_days: u32,
}

/// An indicator that a country had a day ago and no longer has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndicatorLeft {
    pub key: String,
    pub change_24h: f64,
}

impl CountrySnapshot {
    pub fn country(&self, code: CountryCode) -> Option<&CountryScore> {
        let at = self.countries.binary_search_by(|c| c.country.cmp(&code)).ok()?;
        self.countries.get(at)
    }

    /// Returns the countries with a score, worst first, then by code.
    pub fn ranked(&self) -> Vec<&CountryScore> {
        let mut scored: Vec<&CountryScore> = self.countries.iter().filter(|c| c.score.is_some()).collect();
        // Scores count as equal if they are shown equal, with one decimal.
        let shown = |c: &CountryScore| c.score.map_or(0, |s| (round_half_away(s, 1) * 10.0).round() as i64);
        scored.sort_by(|a, b| shown(b).cmp(&shown(a)).then(a.country.cmp(&b.country)));
        scored
    }
}

impl CountryScore {
    /// Returns the 24 h change as shown in all outputs.
    pub fn shown_delta(&self) -> Option<f64> {
        self.score.zip(self.delta_24h).map(|(score, change)| shown_change(score, change))
    }

    pub fn indicators(&self) -> impl Iterator<Item = &CountryIndicator> {
        self.pillars.iter().flat_map(|p| &p.indicators)
    }
}
