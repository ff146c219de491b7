//! The computation of a tick from its inputs, shared by the service and the replay.

use super::admit::{KnownSpan, admit_observations};
use super::alerts;
use crate::model::{Drafts, TickTexts};
use crate::state::PipelineState;
use crate::texts::{briefings, recent_briefings};
use gsi_alerts::AlertMethod;
use gsi_events::Advance;
use gsi_index::{Computed, join_states};
use gsi_model::{
    Alert, Briefing, Correction, CountrySnapshot, DAY, EventChange, FeedStanding, NewsRow, NewsSlot,
    Observation, Pillar, ScoreContext, Snapshot, Summary, Timestamp,
};
use gsi_store::{Frontier, Result, Store, TickCommit};
use std::collections::{BTreeMap, BTreeSet};

/// The data that became known with a tick, with their times and revisions as stored. The observations and slots are in the
/// table already.
#[derive(Debug, Clone, Default)]
pub struct TickInputs {
    pub observations: Vec<Observation>,
    pub slots: Vec<NewsSlot>,
    /// Sorted by (file stamp, row id).
    pub rows: Vec<NewsRow>,
    /// Requested corrections.
    pub corrections: Vec<Correction>,
    /// The waiting batches that the tick took in.
    pub batches: Vec<i64>,
    /// The polled feeds, whose states are stored.
    pub polled: BTreeSet<String>,
}

/// The scores of a tick.
#[derive(Debug)]
pub struct TickScores {
    pub snapshot: Option<Snapshot>,
    /// Present with a snapshot if they were due.
    pub countries: Option<CountrySnapshot>,
    /// Pillars without data.
    pub waiting: Vec<Pillar>,
    pub state: Vec<u8>,
    /// Derived values, stored like other observations.
    pub derived: Vec<Observation>,
    pub events: Vec<EventChange>,
}

impl PipelineState {
    /// Clusters events and computes scores. `standings` are the states of feeds that are stored with the snapshot;
    /// `with_countries` adds the countries.
    pub fn compute_scores(
        &mut self,
        store: &dyn Store,
        tick: Timestamp,
        simulated: bool,
        inputs: &TickInputs,
        standings: Vec<FeedStanding>,
        with_countries: bool,
    ) -> Result<TickScores> {
        let Advance { changes, derived, facts, .. } =
            self.clusterer.advance(tick, &inputs.rows, &inputs.slots);
        let mut derived = self.admit_derived(tick, derived);
        for change in &changes {
            self.events.apply(change);
        }
        self.forget_old_events(tick);
        let mut computed = self.score(store, tick, simulated)?;
        derived.extend(self.admit_derived(tick, computed.derived));
        if let Some(snapshot) = &mut computed.snapshot {
            snapshot.feeds = standings;
            snapshot.words_digest = self.engine.method().words_digest().to_owned();
            snapshot.alerts_digest = AlertMethod::digest().to_owned();
            self.history.push(tick, snapshot.score);
            for (track, pillar) in self.pillar_history.iter_mut().zip(&snapshot.pillars) {
                track.push(tick, pillar.score);
            }
            let (published, line) = (self.history.points(), self.line.as_deref());
            snapshot.context = Some(ScoreContext::of(snapshot.score, tick, published, line));
        }
        let mut countries = None;
        if with_countries && computed.snapshot.is_some() {
            let scored = self.score_countries(store, tick, simulated, &facts)?;
            derived.extend(self.admit_derived(tick, scored.derived));
            countries = Some(scored.snapshot);
        }
        let Computed { snapshot, waiting, state, .. } = computed;
        Ok(TickScores { snapshot, countries, waiting, state, derived, events: changes })
    }

    /// Writes the template's texts, before a language model may rephrase them.
    pub fn write_drafts(
        &self,
        store: &dyn Store,
        tick: Timestamp,
        inputs: &TickInputs,
        scores: &TickScores,
    ) -> Result<Drafts> {
        briefings::write(store, self, tick, scores.snapshot.as_ref(), &inputs.corrections)
    }

    /// Writes the template's texts for a replay, which does not ask a model.
    pub fn write_texts(
        &self,
        store: &dyn Store,
        tick: Timestamp,
        inputs: &TickInputs,
        scores: &TickScores,
        published: Option<&Summary>,
    ) -> Result<TickTexts> {
        let drafts = self.write_drafts(store, tick, inputs, scores)?;
        Ok(drafts.into_replayed_texts(published))
    }

    /// Updates the memory after the tick's commit.
    pub fn conclude(
        &mut self,
        tick: Timestamp,
        state: Vec<u8>,
        summary: Option<&Summary>,
        briefings: Vec<Briefing>,
        alerts: &[Alert],
    ) {
        alerts::remember(&mut self.alerts, alerts);
        self.table.prune(tick);
        // A tick without a snapshot keeps the last summary, which a restart reads from the store.
        if let Some(summary) = summary {
            self.last_summary = Some(summary.text.clone());
        }
        recent_briefings::remember(&mut self.briefings, briefings, tick);
        self.advance_frontier(Frontier { tick, state });
    }

    fn score(&mut self, store: &dyn Store, tick: Timestamp, simulated: bool) -> Result<Computed> {
        let day_ago = self.state_at(store, tick.minus(DAY))?;
        let previous = self.frontier.as_ref().map(|f| f.state.as_slice());
        let state_at = |moment: Timestamp| if moment == tick.minus(DAY) { day_ago.clone() } else { None };
        let mut computed = self.engine.compute(tick, &self.table, previous, &state_at, simulated);
        self.previous_methods.retain(|method| !method.is_over(tick));
        let mut states = vec![std::mem::take(&mut computed.state)];
        for method in &mut self.previous_methods {
            // Daily closes are those of the current method, because there is one published past.
            let previous_scores = method.engine().compute(tick, &self.table, previous, &state_at, simulated);
            states.push(previous_scores.state);
            if let (Some(own), Some(theirs)) = (&mut computed.snapshot, previous_scores.snapshot) {
                own.beside.push(method.date_snapshot(theirs));
            }
        }
        computed.state = join_states(&states);
        Ok(computed)
    }

    fn admit_derived(&mut self, tick: Timestamp, derived: Vec<Observation>) -> Vec<Observation> {
        let span = KnownSpan { frontier: self.frontier.as_ref().map(|f| f.tick), tick };
        admit_observations(&mut self.table, Some(&BTreeMap::new()), span, derived)
    }
}

/// Builds the commit of the tick.
pub fn commit(
    state: &PipelineState,
    tick: Timestamp,
    inputs: TickInputs,
    scores: TickScores,
    texts: TickTexts,
) -> TickCommit {
    let alerts = state.advance_alerts(&scores, &texts.briefings);
    let mut observations = inputs.observations;
    observations.extend(scores.derived);
    TickCommit {
        tick,
        published_at: tick,
        is_history: false,
        snapshot: scores.snapshot,
        countries: scores.countries,
        state: scores.state,
        summary: texts.summary,
        observations,
        slots: inputs.slots,
        rows: inputs.rows,
        events: scores.events,
        briefings: texts.briefings,
        alerts,
        messages: Vec::new(),
        hook_states: Vec::new(),
        feeds: state.feeds.values().filter(|f| inputs.polled.contains(&f.feed)).cloned().collect(),
        taken_batches: inputs.batches,
    }
}
