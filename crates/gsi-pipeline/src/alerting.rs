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
