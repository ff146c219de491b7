//! One tick, from feed bytes to a published snapshot.

use crate::admit::{KnownSpan, admit_observations, admit_slots};
use crate::beside::load_methods_beside;
use crate::kept_line::keep_line;
use crate::model::Rewriter;
use crate::poll::{FEED_DEADLINE, FeedPoller, Patience, record_poll};
use crate::state::PipelineState;
use crate::step::{self, TickInputs, TickScores};
use crate::waiting::{self, PillarWait};
use crate::word_faults::WordFaults;
use crate::wording::keep_words;
use crate::{PipelineError, briefings, corrections, countries, hooks};
use gsi_feeds::{Connector, Fetcher, Poll, SeriesSpec};
use gsi_index::Method;
use gsi_model::{
    Briefing, Clock, DAY, EventChange, FeedState, NewsRow, NewsSlot, Pillar, ReconstructedLine, Snapshot,
    Summary, TICK, Timestamp,
};
use gsi_store::{Store, StoreError, TickCommit, method_name};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// So many rows of what arrived outside the ticks are taken by one, about as many as a tick can store in a second or two;
/// the others wait for the next.
const MOST_PENDING_ROWS: u64 = 100_000;

/// The slowest series is monthly: what ended longer ago than this is history and says nothing of the present.
const OLD_HISTORY_SECONDS: i64 = 100 * DAY;

/// Everything the pipeline is made of.
pub struct PipelineParts {
    pub store: Arc<dyn Store>,
    pub connectors: Vec<Arc<dyn Connector>>,
    pub fetcher: Arc<Fetcher>,
    pub method: Arc<Method>,
    /// The time that ticks go by.
    pub clock: Arc<dyn Clock>,
    /// The publishers are simulated, and every snapshot says so.
    pub simulated: bool,
    /// The reconstructed past that scores are compared with; `None` for a world that has no part in the real past.
    pub line: Option<Arc<ReconstructedLine>>,
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
    /// Why there is no score yet; empty once there is one.
    pub waiting: &'a [PillarWait],
    /// From asking the publishers to the commit; `None` for a look that found nothing to compute.
    pub took: Option<Duration>,
}

/// Counts of one tick, for the log and for tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TickReport {
    pub observations: usize,
    pub slots: usize,
    pub rows: usize,
    pub events: usize,
    pub briefings: usize,
    pub alerts: usize,
    pub published: bool,
}

impl TickReport {
    fn of(commit: &TickCommit) -> TickReport {
        TickReport {
            observations: commit.observations.len(),
            slots: commit.slots.len(),
            rows: commit.rows.len(),
            events: commit.events.len(),
            briefings: commit.briefings.len(),
            alerts: commit.alerts.len(),
            published: commit.snapshot.is_some(),
        }
    }
}

pub struct Pipeline {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    fetcher: Arc<Fetcher>,
    method: Arc<Method>,
    simulated: bool,
    line: Option<Arc<ReconstructedLine>>,
    publish: Box<dyn Fn(&Publication<'_>) + Send>,
    poller: FeedPoller,
    specs: BTreeMap<&'static str, SeriesSpec>,
    state: PipelineState,
    rewriter: Option<Arc<Rewriter>>,
    word_faults: Arc<WordFaults>,
    /// A tick of history on its way into the store.
    writing: Writing,
    /// A computed tick that the store did not take. It holds all that was fetched for it, and memory is as it left it.
    unstored: Option<TickCommit>,
    /// Why there is no score yet, as last told.
    waiting: Vec<PillarWait>,
    /// The last tick at which the feeds were looked at in vain.
    looked_at: Option<Timestamp>,
    /// A commit failed: what is in memory may be ahead of the store and must not be built on.
    tainted: bool,
}

impl Pipeline {
    /// Opens the pipeline where the store says it stopped.
    pub fn open(parts: PipelineParts) -> Result<Pipeline, PipelineError> {
        // Before anything is read: what arrives from outside meanwhile waits for a tick.
        parts.store.begin_ticks()?;
        keep_method(&*parts.store, &parts.method)?;
        keep_words(&*parts.store, &parts.method)?;
        if let Some(line) = &parts.line {
            keep_line(&*parts.store, line)?;
        }
        let frontier = parts.store.frontier()?;
        let mut state = PipelineState::restore(&*parts.store, parts.method.clone(), frontier)?;
        state.line = parts.line.clone();
        state.beside = load_methods_beside(&*parts.store, &parts.method)?;
        let specs = parts.connectors.iter().flat_map(|c| c.series().iter().map(|s| (s.series, *s))).collect();
        Ok(Pipeline {
            store: parts.store,
            clock: parts.clock,
            fetcher: parts.fetcher.clone(),
            method: parts.method,
            simulated: parts.simulated,
            line: parts.line,
            publish: parts.publish,
            poller: FeedPoller::new(parts.connectors, parts.fetcher),
            specs,
            state,
            writing: None,
            unstored: None,
            rewriter: None,
            word_faults: Arc::default(),
            waiting: Vec::new(),
            looked_at: None,
            tainted: false,
        })
    }

    /// Where words that do not verify are counted, so that others can read the counts.
    pub fn set_word_faults(&mut self, word_faults: Arc<WordFaults>) {
        self.word_faults = word_faults;
    }

    /// From here on, texts are offered to a language model for other words.
    pub fn set_rewriter(&mut self, rewriter: Option<Arc<Rewriter>>) {
        self.rewriter = rewriter;
    }

    /// History is to be run through.
    pub fn set_patience(&mut self, patience: Patience) {
        self.poller.set_patience(patience);
    }

    /// The last committed tick.
    pub fn frontier(&self) -> Option<Timestamp> {
        self.state.frontier.as_ref().map(|f| f.tick)
    }

    /// The last tick that need not be done again: committed, or looked at in vain before there was any data.
    pub fn done(&self) -> Option<Timestamp> {
        self.frontier().max(self.looked_at)
    }

    /// The tick that is computed and waits to be stored: the next one to be done, whatever the time.
    pub fn unstored(&self) -> Option<Timestamp> {
        self.unstored.as_ref().map(|commit| commit.tick)
    }

    /// Forgets what is in memory and takes the store's word.
    pub fn reload(&mut self) -> Result<(), PipelineError> {
        self.unstored = None;
        self.state = PipelineState::restore(&*self.store, self.method.clone(), self.store.frontier()?)?;
        self.state.line = self.line.clone();
        self.state.beside = load_methods_beside(&*self.store, &self.method)?;
        self.tainted = false;
        Ok(())
    }

    /// Does one tick. On an error nothing of it is stored or published. A store that only cannot take it now (it is full, or
    /// does not answer) is offered the same tick again by the next call, without asking the publishers again.
    pub async fn tick(&mut self, tick: Timestamp) -> Result<TickReport, PipelineError> {
        let begun = Instant::now();
        let mut commit = match self.unstored.take() {
            Some(commit) if commit.tick == tick => commit,
            _ => {
                let inputs = self.take_in(tick).await?;
                if self.is_without_data(tick, &inputs) {
                    return Ok(self.wait_for_data(tick));
                }
                self.compute_and_wait(tick, inputs, false).await?
            }
        };
        commit.published_at = self.clock.now().max(tick);
        if let Err(error) = self.store.commit_tick(&commit) {
            if matches!(error, StoreError::Full(_) | StoreError::Unavailable(_)) {
                self.unstored = Some(commit);
            }
            return Err(error.into());
        }
        self.tainted = false;
        (self.publish)(&Publication {
            tick,
            snapshot: commit.snapshot.as_ref().zip(commit.summary.as_ref()),
            events: &commit.events,
            briefings: &commit.briefings,
            feeds: self.state.feeds.values().cloned().collect(),
            waiting: &self.waiting,
            took: Some(begun.elapsed()),
        });
        self.conclude(&commit);
        Ok(TickReport::of(&commit))
    }

    /// Does one tick of a history that nobody has been told of yet, with the next one at hand: the looks of the next
    /// run, and this one is written, while the next is computed. `make_way` is called when this tick's payloads are in
    /// and sets the clock for the next. Nothing is published; the history ends with a [`Pipeline::tick`].
    pub async fn tick_of_history(
        &mut self,
        tick: Timestamp,
        next: Timestamp,
        make_way: impl FnOnce(),
    ) -> Result<TickReport, PipelineError> {
        let inputs = self.take_in(tick).await?;
        make_way();
        self.poller.start(next, &self.state.feeds);
        let commit = match self.compute_and_wait(tick, inputs, true).await {
            Ok(commit) => Arc::new(TickCommit { is_history: true, ..commit }),
            Err(error) => {
                // Looks that began from checkpoints which are not stored would leave a hole.
                self.poller.abandon_early_polls();
                return Err(error);
            }
        };
        let (store, writing) = (self.store.clone(), commit.clone());
        let thread = tokio::task::spawn_blocking(move || store.commit_tick(&writing));
        self.writing = Some((commit.clone(), thread));
        self.conclude(&commit);
        Ok(TickReport::of(&commit))
    }

    async fn compute_and_wait(
        &mut self,
        tick: Timestamp,
        inputs: TickInputs,
        is_history: bool,
    ) -> Result<TickCommit, PipelineError> {
        let scores = self.compute(tick, &inputs, is_history)?;
        // Words look up what was published before: all of it must be stored by then, or a briefing of a past day would be
        // written from whichever of its ticks happened to be there.
        self.finish_writing().await?;
        let drafts = self.state.write_drafts(&*self.store, tick, &inputs, &scores)?;
        self.word_faults.note(&drafts);
        let words = match &self.rewriter {
            Some(rewriter) => rewriter.rewrite(drafts).await,
            None => drafts.as_they_are(),
        };
        let mut commit = step::commit(&self.state, tick, inputs, scores, words);
        if !is_history {
            hooks::address(&*self.store, &mut commit)?;
        }
        Ok(commit)
    }

    /// Ends a history: returns when its last tick is written.
    pub async fn finish_history(&mut self) -> Result<(), PipelineError> {
        if self.writing.is_some() {
            self.finish_writing().await?;
            self.tainted = false;
        }
        Ok(())
    }

    async fn finish_writing(&mut self) -> Result<(), PipelineError> {
        if let Some((commit, thread)) = self.writing.take() {
            let lost = |_| Err(StoreError::Refused(format!("tick {} was not written", commit.tick)));
            thread.await.unwrap_or_else(lost)?;
        }
        Ok(())
    }

    /// Looks at the feeds and admits what they bring.
    async fn take_in(&mut self, tick: Timestamp) -> Result<TickInputs, PipelineError> {
        if !tick.is_tick() {
            return Err(PipelineError::NotATick(tick));
        }
        if self.tainted && self.writing.is_none() {
            self.reload()?;
        }
        // The next tick is due already: what the publishers say now became known after this one.
        let is_late = self.clock.now().since(tick) >= TICK;
        let polls = match is_late {
            false => self.poller.gather(tick, &self.state.feeds, FEED_DEADLINE).await,
            true => self.gather_past(tick).await,
        };
        // Until the commit has succeeded, memory is ahead of the store.
        self.tainted = true;
        self.admit(tick, polls, is_late)
    }

    /// What was public before a tick that is done late, from the publishers whose files say since when they are. All the
    /// others are asked by the first tick that is in time: a late tick may know less, never more.
    async fn gather_past(&self, tick: Timestamp) -> Vec<(String, Poll)> {
        let mut polls = Vec::new();
        for connector in self.poller.connectors() {
            let feed = connector.origin().feed;
            if self.poller.is_polling(feed) {
                continue;
            }
            let checkpoint = self.state.feeds.get(feed).map_or_else(String::new, |s| s.checkpoint.clone());
            let (connector, fetcher) = (Arc::clone(connector), Arc::clone(&self.fetcher));
            let asked = tokio::spawn(async move {
                match connector.poll_past(&fetcher, tick, &checkpoint) {
                    Some(poll) => Some(poll.await),
                    None => None,
                }
            });
            let stop = asked.abort_handle();
            match tokio::time::timeout(FEED_DEADLINE, asked).await {
                Ok(Ok(Some(poll))) => polls.push((feed.to_owned(), poll)),
                Ok(Ok(None)) => {}
                Ok(Err(error)) => tracing::error!(feed, %error, "a connector failed"),
                Err(_) => {
                    stop.abort();
                    tracing::warn!(feed, "the feed did not answer in time; the next tick asks again");
                }
            }
        }
        polls
    }

    /// Nothing of the present was ever received: a service that came up without a network. History that was in the store
    /// before, and ended long ago, is nothing to publish.
    fn is_without_data(&self, tick: Timestamp, inputs: &TickInputs) -> bool {
        let newest = self.state.table.newest_period_end();
        self.frontier().is_none()
            && newest.is_none_or(|end| tick.since(end) > OLD_HISTORY_SECONDS)
            && inputs.observations.is_empty()
            && inputs.slots.is_empty()
    }

    /// Says how the feeds are doing and commits nothing. A commit would draw a line before which no history may be
    /// known, and the history that comes with the first data would count only from the next day on.
    fn wait_for_data(&mut self, tick: Timestamp) -> TickReport {
        self.tainted = false;
        self.looked_at = Some(tick);
        let feeds = self.state.feeds.values().cloned().collect();
        self.tell_waits(&Pillar::ALL);
        let waiting = &self.waiting;
        (self.publish)(&Publication {
            tick,
            snapshot: None,
            events: &[],
            briefings: &[],
            feeds,
            waiting,
            took: None,
        });
        TickReport::default()
    }

    fn note_poll(&mut self, feed: &str, poll: &Poll, tick: Timestamp, changed: bool) {
        let state = self
            .state
            .feeds
            .entry(feed.to_owned())
            .or_insert_with(|| FeedState { feed: feed.to_owned(), ..FeedState::default() });
        record_poll(state, poll, tick, changed);
        for refusal in &poll.refusals {
            tracing::warn!(feed, code = %refusal.code, detail = refusal.detail, "a payload was refused");
        }
    }

    fn compute(
        &mut self,
        tick: Timestamp,
        inputs: &TickInputs,
        is_history: bool,
    ) -> Result<TickScores, PipelineError> {
        let origins: Vec<_> = self.poller.connectors().iter().map(|c| c.origin()).collect();
        let standings = briefings::standings(&self.state.feeds, &origins, tick);
        let with_countries = countries::are_due(tick, is_history);
        let scores = self.state.compute_scores(
            &*self.store,
            tick,
            self.simulated,
            inputs,
            standings,
            with_countries,
        )?;
        self.tell_waits(if scores.snapshot.is_none() { &scores.waiting } else { &[] });
        Ok(scores)
    }

    /// Notes what is waited for, and says so when that changes.
    fn tell_waits(&mut self, pillars: &[Pillar]) {
        let waiting = waiting::waits(&self.method, pillars, &self.state.feeds);
        if waiting != self.waiting {
            for wait in &waiting {
                tracing::warn!(pillar = %wait.pillar, "no score: {wait}");
            }
        }
        self.waiting = waiting;
    }

    fn admit(
        &mut self,
        tick: Timestamp,
        polls: Vec<(String, Poll)>,
        is_late: bool,
    ) -> Result<TickInputs, PipelineError> {
        let span = KnownSpan { frontier: self.frontier(), tick };
        let mut inputs = TickInputs::default();
        // What came from outside is of now, too. And while a tick is on its way into the store, that still shows what the
        // tick took from there. The next one looks again.
        if !is_late && self.writing.is_none() {
            self.admit_pending(span, &mut inputs)?;
            inputs.corrections = corrections::that_can_be_written(&*self.store, tick)?;
        }
        for (feed, mut poll) in polls {
            let before = (inputs.observations.len(), inputs.slots.len());
            for decoded in &mut poll.decoded {
                let values = std::mem::take(&mut decoded.observations);
                let specs = Some(&self.specs);
                inputs.observations.extend(admit_observations(&mut self.state.table, specs, span, values));
                let (slots, rows) = (std::mem::take(&mut decoded.slots), std::mem::take(&mut decoded.rows));
                self.admit_news(span, slots, rows, &mut inputs)?;
            }
            let changed = before != (inputs.observations.len(), inputs.slots.len());
            self.note_poll(&feed, &poll, tick, changed);
            inputs.looked_at.insert(feed);
        }
        inputs.rows.sort_by_key(|r| (r.added, r.id));
        self.drop_repeated_rows(&mut inputs)?;
        Ok(inputs)
    }

    /// What arrived outside the ticks (import, back-fill) becomes known with this one. It was received before what the
    /// publishers say now, so it comes first.
    fn admit_pending(&mut self, span: KnownSpan, inputs: &mut TickInputs) -> Result<(), PipelineError> {
        for batch in self.store.pending(MOST_PENDING_ROWS)? {
            let values = batch.data.observations;
            inputs.observations.extend(admit_observations(&mut self.state.table, None, span, values));
            self.admit_news(span, batch.data.slots, batch.data.rows, inputs)?;
            inputs.batches.push(batch.number);
        }
        Ok(())
    }

    fn admit_news(
        &mut self,
        span: KnownSpan,
        slots: Vec<NewsSlot>,
        mut rows: Vec<NewsRow>,
        inputs: &mut TickInputs,
    ) -> Result<(), PipelineError> {
        let stored = |stamp: Timestamp| {
            let mut found =
                being_written(&self.writing).is_some_and(|c| c.slots.iter().any(|s| s.stamp == stamp));
            self.store.slots(stamp.minus(1), stamp, Timestamp::MAX, &mut |_| found = true)?;
            Ok(found)
        };
        let slots = admit_slots(&mut self.state.table, span, slots, &stored)?;
        // A file that was taken before brings no rows again.
        rows.retain(|r| slots.iter().any(|s| s.stamp == r.added));
        inputs.slots.extend(slots);
        inputs.rows.extend(rows);
        Ok(())
    }

    /// The store keeps the first row of a number, so nothing may be computed from a second one. TickScores grow; only one
    /// that is not beyond all seen so far has to be looked up.
    fn drop_repeated_rows(&mut self, inputs: &mut TickInputs) -> Result<(), PipelineError> {
        let known = self.state.highest_row;
        let mut seen = BTreeSet::new();
        let mut failed = Ok(());
        inputs.rows.retain(|row| {
            if !seen.insert(row.id) {
                return false;
            }
            if known.is_some_and(|highest| row.id > highest) {
                return true;
            }
            if being_written(&self.writing).is_some_and(|c| c.rows.iter().any(|r| r.id == row.id)) {
                return false;
            }
            match self.store.row(row.id) {
                Ok(stored) => stored.is_none(),
                Err(error) => {
                    failed = Err(error);
                    true
                }
            }
        });
        self.state.highest_row = known.max(seen.last().copied());
        Ok(failed?)
    }

    fn conclude(&mut self, commit: &TickCommit) {
        tracing::debug!(tick = %commit.tick, report = ?TickReport::of(commit), "tick done");
        let briefings = commit.briefings.clone();
        self.state.conclude(
            commit.tick,
            commit.state.clone(),
            commit.summary.as_ref(),
            briefings,
            &commit.alerts,
        );
    }
}

type Writing = Option<(Arc<TickCommit>, JoinHandle<Result<(), StoreError>>)>;

/// What the store will say soon.
fn being_written(writing: &Writing) -> Option<&TickCommit> {
    writing.as_ref().map(|(commit, _)| &**commit)
}

/// A snapshot names its method by digest; the document behind the digest stays with the data.
fn keep_method(store: &dyn Store, method: &Method) -> Result<(), PipelineError> {
    let name = method_name(method.digest());
    if store.meta(&name)?.is_none() {
        store.set_meta(&name, &method.document().to_string())?;
    }
    Ok(())
}
