//! The published state of the world at one tick: immutable, and a pure function of method, vintages and tick.

use crate::{
    Band, DAY, FeedStanding, ObservationRef, Pillar, ScoreContext, SnapshotId, Timestamp, shown_change,
};
use serde::{Deserialize, Serialize};

closed_set! {
    /// Direction of a score.
    #[cfg_attr(feature = "schema", schema(as = TrendWord))]
    Trend {
        Up = "up",
        Down = "down",
        Flat = "flat",
    }
}

closed_set! {
    /// Whether the data behind an answer are complete and fresh.
    DataStatus {
        Ok = "ok",
        Degraded = "degraded",
        Stale = "stale",
    }
}

closed_set! {
    /// Whether a pillar has enough fresh data.
    PillarStatus {
        Ok = "ok",
        Degraded = "degraded",
        /// Too little fresh input to score. The last score is held, and the composite is computed without it.
        Unavailable = "unavailable",
    }
}

closed_set! {
    /// The word for a confidence.
    ConfidenceLevel {
        Low = "low",
        Moderate = "moderate",
        High = "high",
    }
}

/// 0–1 and the word for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    pub value: f64,
    pub coverage: f64,
    pub calibration: f64,
    pub agreement: f64,
}

impl Confidence {
    pub fn level(&self) -> ConfidenceLevel {
        match self.value {
            v if v >= 0.7 => ConfidenceLevel::High,
            v if v >= 0.45 => ConfidenceLevel::Moderate,
            _ => ConfidenceLevel::Low,
        }
    }

    pub fn word(&self) -> &'static str {
        self.level().key()
    }
}

/// A pillar, or the composite, that is on alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectAlert {
    /// The pillar's key, or `composite`.
    pub subject: String,
    /// The tick at which it began.
    pub began_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub id: SnapshotId,
    pub tick: Timestamp,
    /// The data comes from the simulated world.
    pub simulated: bool,
    pub method_version: String,
    pub method_digest: String,
    /// Published composite (smoothed), 0–100, unrounded.
    pub score: f64,
    /// The composite before smoothing.
    pub unsmoothed: f64,
    pub trend: Trend,
    /// Fast minus slow average; the trend follows from it.
    pub momentum: f64,
    pub band: Band,
    /// Change against the score published 24 h ago; `None` when there is no such snapshot.
    pub delta_24h: Option<f64>,
    pub delta_significant: bool,
    /// The composite's percentile within its own last ten years, when there is enough history.
    pub percentile_10y: Option<f64>,
    pub confidence: Confidence,
    /// 90 % band.
    pub low: f64,
    pub high: f64,
    pub coverage: f64,
    pub status: DataStatus,
    /// How much the pillars move together, 0–1, by their daily closes; `None` while there are too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupling: Option<f64>,
    /// The number of pillars at 50 or more.
    pub breadth: u32,
    /// In the order of [`Pillar::ALL`].
    pub pillars: Vec<PillarScore>,
    /// Subjects on alert by the method's rules, pillars first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<SubjectAlert>,
    /// The feeds' health, by name. It explains the numbers and is not one of them: the id does not cover it. Empty in
    /// snapshots of releases that did not store it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedStanding>,
    /// The digest of the words that its texts were written with, which are kept with the data. Words are not numbers:
    /// the id and the method's digest do not cover them. Empty in snapshots of releases that did not store it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words_digest: String,
    /// The digest of the rules behind the tick's alerts. Alerts follow from the numbers: the id does not cover it.
    /// Empty in snapshots of releases without alerts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub alerts_digest: String,
    /// The score among the days before it. It describes the numbers and is not one of them: the id does not cover it.
    /// `None` in snapshots of releases that did not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ScoreContext>,
    /// Scores of previous method versions at this tick, oldest first, while they run in parallel with the current
    /// one. The id does not cover them; each has its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideSnapshot>,
}

/// A snapshot by a previous method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideSnapshot {
    /// The first tick of the method that replaced it.
    pub since: Timestamp,
    pub snapshot: Snapshot,
}

impl BesideSnapshot {
    /// How long a previous method is computed in parallel.
    pub const SECONDS: i64 = 30 * DAY;

    /// The tick from which it is no longer computed.
    pub fn until(&self) -> Timestamp {
        self.since.plus(Self::SECONDS)
    }
}

impl Snapshot {
    /// Returns the 24 h change as shown in all outputs.
    pub fn shown_delta(&self) -> Option<f64> {
        self.delta_24h.map(|change| shown_change(self.score, change))
    }

    /// Returns the snapshot by this version of the method at this tick, the current or a previous one.
    pub fn by_method(&self, version: &str) -> Option<&Snapshot> {
        let previous_methods = self.beside.iter().map(|b| &b.snapshot);
        std::iter::once(self).chain(previous_methods).find(|s| s.method_version == version)
    }

    pub fn pillar(&self, pillar: Pillar) -> Option<&PillarScore> {
        self.pillars.iter().find(|p| p.pillar == pillar)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PillarScore {
    pub pillar: Pillar,
    /// Published (smoothed) score; held when `status` is `Unavailable`.
    pub score: f64,
    pub unsmoothed: f64,
    pub delta_24h: Option<f64>,
    pub coverage: f64,
    pub status: PillarStatus,
    /// Effective weight in the composite; the four add to 1.
    pub weight: f64,
    /// Smoothed contribution to the published composite; the four add to it.
    pub contribution: f64,
    pub standard_error: Option<f64>,
    pub confidence: Confidence,
    pub indicators: Vec<IndicatorScore>,
}

impl PillarScore {
    /// Returns the 24 h change as shown in all outputs.
    pub fn shown_delta(&self) -> Option<f64> {
        self.delta_24h.map(|change| shown_change(self.score, change))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndicatorScore {
    pub key: String,
    pub unit: String,
    pub feed: String,
    /// Raw value by the indicator's formula; with `None`, `missing` has the reason.
    pub value: Option<f64>,
    pub missing: Option<String>,
    /// End of the newest period that went into the value.
    pub period_end: Option<Timestamp>,
    pub age_seconds: Option<i64>,
    /// Survival probability: the share of its own history at or above this value.
    pub survival: Option<f64>,
    /// 0–100 by the rank-and-rarity curve.
    pub score: Option<f64>,
    /// Size of the history sample, in daily equivalents, and its share against the prior.
    pub sample: u32,
    pub calibration: f64,
    /// Weight within the pillar by the catalogue.
    pub weight: f64,
    pub freshness: f64,
    pub quality: f64,
    /// Weight within the pillar after age and quality; a pillar's add to 1.
    pub effective_weight: f64,
    /// Smoothed contribution to the published pillar score; a pillar's add to it.
    pub pillar_contribution: f64,
    /// Smoothed contribution to the published composite; all add to it.
    pub contribution: f64,
    /// Parts of the pillar's 24 h change; with those of its siblings they add to `delta_24h`.
    pub pillar_data_effect: Option<f64>,
    pub pillar_coverage_effect: Option<f64>,
    /// Parts of the composite's 24 h change.
    pub data_effect: Option<f64>,
    pub coverage_effect: Option<f64>,
    /// A jump held back for one tick by the spike guard.
    pub held: bool,
    pub inputs: Vec<ObservationRef>,
}
