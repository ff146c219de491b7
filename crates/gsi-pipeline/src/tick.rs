//! One tick, from feed bytes to a published snapshot.

use crate::admit::{KnownSpan, admit_observations, admit_slots};
use crate::memory::Memory;
use crate::poll::{FEED_DEADLINE, PollDesk, record};
use crate::{PipelineError, briefings};
use gsi_feeds::{Connector, Fetcher, Poll, SeriesSpec};
use gsi_index::{Computed, Method};
use gsi_model::{
    Briefing, DAY, EventChange, FeedState, NewsRow, NewsSlot, Observation, Snapshot, Summary, Timestamp,
};
use gsi_store::{Frontier, Store, TickCommit};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything the pipeline is made of.
pub struct PipelineParts {
    pub store: Arc<dyn Store>,
    pub connectors: Vec<Arc<dyn Connector>>,
    pub fetcher: Arc<Fetcher>,
    pub method: Arc<Method>,
    /// The publishers are simulated, and every snapshot says so.
    pub simulated: bool,
    /// Told of every tick after it is committed.
    pub publish: Box<dyn Fn(&Publication<'_>) + Send>,
}

/// What a committed tick has to tell.
pub struct Publication<'a> {
    pub tick: Timestamp,
    pub snapshot: Option<(&'a Snapshot, &'a Summary)>,
    pub events: &'a [EventChange],
    pub briefings: &'a [Briefing],
    pub feeds: Vec<FeedState>,
}

/// Counts of one tick, for the log and for tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TickReport {
    pub observations: usize,
    pub slots: usize,
    pub rows: usize,
    pub events: usize,
    pub briefings: usize,
    pub published: bool,
}

pub struct Pipeline {
    store: Arc<dyn Store>,
    method: Arc<Method>,
    simulated: bool,
    publish: Box<dyn Fn(&Publication<'_>) + Send>,
    desk: PollDesk,
    specs: BTreeMap<&'static str, SeriesSpec>,
    memory: Memory,
    /// A commit failed: what is in memory may be ahead of the store and must not be built on.
    tainted: bool,
}

impl Pipeline {
    /// Opens the pipeline where the store says it stopped.
    pub fn open(parts: PipelineParts) -> Result<Pipeline, PipelineError> {
        let frontier = parts.store.frontier()?;
        let memory = Memory::restore(&*parts.store, parts.method.clone(), frontier)?;
        let specs =
            parts.connectors.iter().flat_map(|c| c.series().iter().map(|s| (s.series, s.clone()))).collect();
        Ok(Pipeline {
            store: parts.store,
            method: parts.method,
            simulated: parts.simulated,
            publish: parts.publish,
            desk: PollDesk::new(parts.connectors, parts.fetcher),
            specs,
            memory,
            tainted: false,
        })
    }

    /// See [`PollDesk::set_patience`].
    pub fn set_patience(&mut self, seconds: i64) {
        self.desk.set_patience(seconds);
    }

    /// The last committed tick.
    pub fn frontier(&self) -> Option<Timestamp> {
        self.memory.frontier.as_ref().map(|f| f.tick)
    }

    /// Forgets what is in memory and takes the store's word.
    pub fn reload(&mut self) -> Result<(), PipelineError> {
        self.memory = Memory::restore(&*self.store, self.method.clone(), self.store.frontier()?)?;
        self.tainted = false;
        Ok(())
    }

    /// Marks memory as not to be trusted; the next tick reloads before anything else.
    pub fn reload_when_possible(&mut self) {
        self.tainted = true;
    }

    /// Does one tick. On an error nothing of it is stored or published.
    pub async fn tick(&mut self, tick: Timestamp) -> Result<TickReport, PipelineError> {
        if !tick.is_tick() {
            return Err(PipelineError::NotATick(tick));
        }
        if self.tainted {
            self.reload()?;
        }
        let polls = self.desk.gather(tick, &self.memory.feeds, FEED_DEADLINE).await;
        // Until the commit has succeeded, memory is ahead of the store.
        self.tainted = true;
        let commit = self.compute(tick, polls)?;
        self.store.commit_tick(&commit)?;
        self.tainted = false;
        Ok(self.conclude(commit))
    }

    fn compute(&mut self, tick: Timestamp, polls: Vec<(String, Poll)>) -> Result<TickCommit, PipelineError> {
        let taken = self.admit(tick, polls)?;
        let advance = self.memory.book.advance(tick, &taken.rows, &taken.slots);
        let mut observations = taken.observations;
        observations.extend(self.admit_derived(tick, advance.derived));
        for change in &advance.changes {
            self.memory.events.apply(change);
        }
        self.memory.forget_old_events(tick);
        let computed = self.score(tick)?;
        observations.extend(self.admit_derived(tick, computed.derived));
        if let Some(snapshot) = &computed.snapshot {
            self.memory.history.push(tick, snapshot.score);
            for (track, pillar) in self.memory.pillar_history.iter_mut().zip(&snapshot.pillars) {
                track.push(tick, pillar.score);
            }
        }
        let origins: Vec<_> = self.desk.connectors().iter().map(|c| c.origin()).collect();
        let words = briefings::write(&*self.store, &self.memory, &origins, tick, computed.snapshot.as_ref())?;
        Ok(TickCommit {
            tick,
            snapshot: computed.snapshot,
            state: computed.state,
            summary: words.summary,
            observations,
            slots: taken.slots,
            rows: taken.rows,
            events: advance.changes,
            briefings: words.briefings,
            feeds: self.memory.feeds.values().cloned().collect(),
        })
    }

    fn score(&mut self, tick: Timestamp) -> Result<Computed, PipelineError> {
        let previous = self.memory.frontier.as_ref().map(|f| f.state.clone());
        let day_ago = self.memory.state_at(&*self.store, tick.minus(DAY))?;
        let memory = &mut self.memory;
        let state_at = |moment: Timestamp| if moment == tick.minus(DAY) { day_ago.clone() } else { None };
        Ok(memory.engine.compute(tick, &memory.table, previous.as_deref(), &state_at, self.simulated))
    }

    fn admit(&mut self, tick: Timestamp, polls: Vec<(String, Poll)>) -> Result<Taken, PipelineError> {
        let span = KnownSpan { frontier: self.frontier(), tick };
        let mut taken = Taken::default();
        for (feed, mut poll) in polls {
            let before = (taken.observations.len(), taken.slots.len());
            for decoded in &mut poll.decoded {
                let values = std::mem::take(&mut decoded.observations);
                taken.observations.extend(admit_observations(
                    &mut self.memory.table,
                    &self.specs,
                    span,
                    values,
                ));
                let stored = |stamp: Timestamp| {
                    let mut found = false;
                    self.store.slots(stamp.minus(1), stamp, Timestamp::MAX, &mut |_| found = true)?;
                    Ok(found)
                };
                let slots =
                    admit_slots(&mut self.memory.table, span, std::mem::take(&mut decoded.slots), &stored)?;
                let mut rows = std::mem::take(&mut decoded.rows);
                // A file that was taken before brings no rows again.
                rows.retain(|r| slots.iter().any(|s| s.stamp == r.added));
                taken.slots.extend(slots);
                taken.rows.extend(rows);
            }
            let changed = before != (taken.observations.len(), taken.slots.len());
            let state = self
                .memory
                .feeds
                .entry(feed.clone())
                .or_insert_with(|| FeedState { feed: feed.clone(), ..FeedState::default() });
            record(state, &poll, tick, changed);
            for refusal in &poll.refusals {
                tracing::warn!(feed, code = refusal.code, detail = refusal.detail, "a payload was refused");
            }
        }
        taken.rows.sort_by_key(|r| (r.added, r.id));
        Ok(taken)
    }

    /// Values that the pure rooms derive are stored like any other.
    fn admit_derived(&mut self, tick: Timestamp, derived: Vec<Observation>) -> Vec<Observation> {
        let span = KnownSpan { frontier: self.frontier(), tick };
        let none = BTreeMap::new();
        admit_observations(&mut self.memory.table, &none, span, derived)
    }

    fn conclude(&mut self, commit: TickCommit) -> TickReport {
        let report = TickReport {
            observations: commit.observations.len(),
            slots: commit.slots.len(),
            rows: commit.rows.len(),
            events: commit.events.len(),
            briefings: commit.briefings.len(),
            published: commit.snapshot.is_some(),
        };
        let snapshot = match (&commit.snapshot, &commit.summary) {
            (Some(snapshot), Some(summary)) => Some((snapshot, summary)),
            _ => None,
        };
        (self.publish)(&Publication {
            tick: commit.tick,
            snapshot,
            events: &commit.events,
            briefings: &commit.briefings,
            feeds: commit.feeds,
        });
        tracing::debug!(tick = %commit.tick, ?report, "tick done");
        self.memory.table.prune(commit.tick);
        self.memory.last_summary = commit.summary.map(|s| s.text);
        briefings::remember(&mut self.memory.briefings, commit.briefings, commit.tick);
        self.memory.advance_frontier(Frontier { tick: commit.tick, state: commit.state });
        report
    }
}

/// What the feeds brought that was not known before.
#[derive(Default)]
struct Taken {
    observations: Vec<Observation>,
    slots: Vec<NewsSlot>,
    rows: Vec<NewsRow>,
}
