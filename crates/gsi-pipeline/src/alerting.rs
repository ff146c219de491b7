//! What begins and ends with a tick, by the rules that everybody gets.

use crate::state::PipelineState;
use crate::step::TickScores;
use gsi_alerts::{AlertMethod, TickView, advance};
use gsi_model::{Alert, Briefing};

impl PipelineState {
    /// Nothing while there is no score: what is on alert stays so.
    pub fn advance_alerts(&self, scores: &TickScores, briefings: &[Briefing]) -> Vec<Alert> {
        let Some(snapshot) = &scores.snapshot else { return Vec::new() };
        let method = self.engine.method();
        let view = TickView {
            snapshot,
            countries: scores.countries.as_ref(),
            events: self.events.as_slice(),
            briefings,
            levels: &|pillar| method.alert_rule(pillar).map(|rule| rule.level),
            band_edges: method.parameters().band_edges,
        };
        advance(AlertMethod::compiled(), &view, &self.alerts)
    }
}

/// Takes in what a tick began and ended.
pub fn remember(active: &mut Vec<Alert>, changes: &[Alert]) {
    active.retain(|a| !changes.iter().any(|c| c.id == a.id));
    active.extend(changes.iter().filter(|c| c.is_active()).cloned());
    sort(active);
}

/// The same order whether they were just made or read back.
pub fn sort(active: &mut [Alert]) {
    active.sort_by(|a, b| (a.began_at, &a.id).cmp(&(b.began_at, &b.id)));
}
