//! The past as reconstructed by a method, and the dated crises it is compared with. It was never published.

use crate::{Day, Pillar};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A dated event of the past, with the days it lasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crisis {
    pub name: String,
    pub start: Day,
    pub end: Day,
    pub pillars: Vec<Pillar>,
    /// How clearly the score should show it: A must, B should, C is hard or regional.
    pub tier: String,
}

impl Crisis {
    /// With `None`, whether it concerns the world at all.
    pub fn concerns(&self, pillar: Option<Pillar>) -> bool {
        pillar.is_none_or(|p| self.pillars.contains(&p))
    }

    pub fn is_under_way(&self, day: Day) -> bool {
        self.start <= day && day <= self.end
    }
}

/// One day, computed from the data known at its last scoring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReconstructedDay {
    pub day: Day,
    pub composite: ReconstructedScore,
    /// In the order of [`Pillar::ALL`].
    pub pillars: [ReconstructedScore; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReconstructedScore {
    /// The score that would have been published; `None` with too little data.
    pub score: Option<f64>,
    /// Share of the live weight whose values were available and fresh. Indicators without history count as missing.
    pub coverage: f64,
}

/// An indicator that the packed history can test, and the spans of days on which it had a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReconstructedIndicator {
    pub key: String,
    pub pillar: Pillar,
    /// Its weight in the live pillar.
    pub live_weight: f64,
    /// First and last day of each span.
    pub spans: Vec<(Day, Day)>,
}

/// What this method would have published on every day of the packed history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reconstruction {
    pub method_version: String,
    pub method_digest: String,
    /// Where a higher band of the composite begins.
    pub band_edges: [f64; 4],
    pub indicators: Vec<ReconstructedIndicator>,
    /// Consecutive days, without a gap.
    pub days: Vec<ReconstructedDay>,
    pub crises: Vec<Crisis>,
    /// First and last day of each alert by the method's rules, for `composite` and each pillar that has one.
    pub alert_spells: BTreeMap<String, Vec<(Day, Day)>>,
    /// Attributions of the values behind it.
    pub attributions: Vec<String>,
}

impl ReconstructedDay {
    /// The pillar's score, or with `None` the composite's.
    pub fn of(&self, pillar: Option<Pillar>) -> ReconstructedScore {
        pillar.map_or(self.composite, |p| self.pillars[p.index()])
    }
}
