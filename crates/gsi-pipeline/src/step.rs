//! What a tick makes of what it took in: the part that the service and a replay share, to the last bit.

use crate::briefings;
use crate::memory::Memory;
use crate::model::Drafts;
use gsi_events::Advance;
use gsi_index::Computed;
use gsi_model::{
    Briefing, Correction, DAY, EventChange, FeedStanding, NewsRow, NewsSlot, Observation, Pillar, Snapshot,
    Summary, Timestamp,
};
use gsi_store::{Frontier, Result, Store, TickCommit};
use std::collections::{BTreeMap, BTreeSet};

use crate::admit::{KnownSpan, admit_observations};
use crate::model::Words;

/// What became known with a tick, with its times and revisions, as it is stored. The observations and slots are in the
/// table already.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    pub observations: Vec<Observation>,
    pub slots: Vec<NewsSlot>,
    /// By (file stamp, row id).
    pub rows: Vec<NewsRow>,
    /// Corrections that were asked for.
    pub corrections: Vec<Correction>,
    /// The waiting batches that became known with it.
    pub batches: Vec<i64>,
    /// The feeds that were looked at, whose standing is therefore written anew.
    pub looked_at: BTreeSet<String>,
}

/// The numbers of a tick.
#[derive(Debug)]
pub struct Numbers {
    pub snapshot: Option<Snapshot>,
    /// Pillars of which nothing is known yet.
    pub waiting: Vec<Pillar>,
    pub state: Vec<u8>,
    /// What the pure rooms derived, stored like any other observation.
    pub derived: Vec<Observation>,
    pub events: Vec<EventChange>,
}

impl Memory {
    /// Clusters and scores. `standings` are how the feeds are doing, to be kept with the snapshot.
    pub fn numbers(
        &mut self,
        store: &dyn Store,
        tick: Timestamp,
        simulated: bool,
        taken: &Taken,
        standings: Vec<FeedStanding>,
    ) -> Result<Numbers> {
        let Advance { changes, derived, .. } = self.book.advance(tick, &taken.rows, &taken.slots);
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
            self.history.push(tick, snapshot.score);
            for (track, pillar) in self.pillar_history.iter_mut().zip(&snapshot.pillars) {
                track.push(tick, pillar.score);
            }
        }
        let Computed { snapshot, waiting, state, .. } = computed;
        Ok(Numbers { snapshot, waiting, state, derived, events: changes })
    }

    /// The words that go with them, before a language model may have its say.
    pub fn drafts(
        &self,
        store: &dyn Store,
        tick: Timestamp,
        taken: &Taken,
        numbers: &Numbers,
    ) -> Result<Drafts> {
        briefings::write(store, self, tick, numbers.snapshot.as_ref(), &taken.corrections)
    }

    /// The same as they stand, for a replay: it asks nobody.
    pub fn words(
        &self,
        store: &dyn Store,
        tick: Timestamp,
        taken: &Taken,
        numbers: &Numbers,
    ) -> Result<Words> {
        self.drafts(store, tick, taken, numbers).map(Drafts::as_they_are)
    }

    /// After the tick is committed: on to the next.
    pub fn conclude(
        &mut self,
        tick: Timestamp,
        state: Vec<u8>,
        summary: Option<&Summary>,
        briefings: Vec<Briefing>,
    ) {
        self.table.prune(tick);
        // After a tick without a snapshot, the last summary is still the last one: a restart finds it in the store.
        if let Some(summary) = summary {
            self.last_summary = Some(summary.text.clone());
        }
        briefings::remember(&mut self.briefings, briefings, tick);
        self.advance_frontier(Frontier { tick, state });
    }

    fn score(&mut self, store: &dyn Store, tick: Timestamp, simulated: bool) -> Result<Computed> {
        let day_ago = self.state_at(store, tick.minus(DAY))?;
        let previous = self.frontier.as_ref().map(|f| f.state.as_slice());
        let state_at = |moment: Timestamp| if moment == tick.minus(DAY) { day_ago.clone() } else { None };
        Ok(self.engine.compute(tick, &self.table, previous, &state_at, simulated))
    }

    fn admit_derived(&mut self, tick: Timestamp, derived: Vec<Observation>) -> Vec<Observation> {
        let span = KnownSpan { frontier: self.frontier.as_ref().map(|f| f.tick), tick };
        admit_observations(&mut self.table, Some(&BTreeMap::new()), span, derived)
    }
}

/// Everything of the tick, to be committed as a whole.
pub fn commit(memory: &Memory, tick: Timestamp, taken: Taken, numbers: Numbers, words: Words) -> TickCommit {
    let mut observations = taken.observations;
    observations.extend(numbers.derived);
    TickCommit {
        tick,
        published_at: tick,
        is_history: false,
        snapshot: numbers.snapshot,
        state: numbers.state,
        summary: words.summary,
        observations,
        slots: taken.slots,
        rows: taken.rows,
        events: numbers.events,
        briefings: words.briefings,
        feeds: memory.feeds.values().filter(|f| taken.looked_at.contains(&f.feed)).cloned().collect(),
        taken_batches: taken.batches,
    }
}
