//! Alerts that begin and end with a tick by the common rules, and the active alerts in one order.

use super::step::TickScores;
use crate::state::PipelineState;
use gsi_alerts::{AlertMethod, TickView, advance};
use gsi_model::{Alert, Briefing};

impl PipelineState {
    /// The alerts that begin or end with the tick. None without a score: active alerts stay active.
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

/// Adds the alerts that a tick began and removes those that it ended.
pub fn remember(active: &mut Vec<Alert>, changes: &[Alert]) {
    active.retain(|a| !changes.iter().any(|c| c.id == a.id));
    active.extend(changes.iter().filter(|c| c.is_active()).cloned());
    sort(active);
}

/// Sorts new and stored alerts in the same order.
pub fn sort(active: &mut [Alert]) {
    active.sort_by(|a, b| (a.began_at, &a.id).cmp(&(b.began_at, &b.id)));
}
