//! The result of a tick: changes to the list of events, values for the index, and counts of every row.

use crate::intensity::conflict_intensity::Theater;
use gsi_model::{EventChange, Observation};
use std::collections::BTreeMap;

/// What a tick did, and its output for the next steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Advance {
    pub changes: Vec<EventChange>,
    /// Series `events.*` of feed `events`.
    pub derived: Vec<Observation>,
    pub facts: EventFacts,
    /// Rows kept out or folded into another, by reason. With `facts.reports` it accounts for every row.
    pub filtered: BTreeMap<String, u64>,
}

/// The state of the conflict picture at a tick.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventFacts {
    /// World conflict intensity, scaled to a usual day of news.
    pub conflict_intensity: f64,
    /// Countries with confirmed violence in the last seven days, by code.
    pub theaters: Vec<Theater>,
    pub active_theaters: u32,
    /// The count with gradual thresholds, which is the scored one.
    pub theaters_smooth: f64,
    /// Mean of the five highest escalations (0–100) among confirmed events of the last 24 hours; `None` without news.
    pub peak_escalation: Option<f64>,
    /// Articles in the files of the last 24 hours.
    pub articles_24h: u64,
    /// Median of that number over the last year.
    pub article_reference: Option<f64>,
    /// 1 with a usual volume of news, .5 with a thin or partial day, 0 with almost none: then nothing is derived.
    pub quality: f64,
    /// Reports that joined or opened an event in this tick.
    pub reports: u64,
    pub open_events: u64,
}
