//! One tick, from feed bytes to a published snapshot.

pub mod admit;
pub mod alerts;
pub mod countries;
pub mod hooks;
pub mod poll;
pub mod schedule;
pub mod step;
pub mod waiting;

use crate::PipelineError;
use crate::model::Rewriter;
use crate::previous_methods::load_previous_methods;
use crate::reconstruction::keep_reconstruction;
use crate::state::PipelineState;
use crate::texts::{briefings, corrections};
use crate::wording::keep_words;
use admit::{KnownSpan, admit_observations, admit_slots};
use gsi_feeds::{Connector, Fetcher, Poll, SeriesSpec};
use gsi_index::Method;
use gsi_model::{
    Briefing, Clock, DAY, EventChange, FeedState, NewsRow, NewsSlot, Pillar, ReconstructedLine, Snapshot,
    Summary, TICK, Timestamp,
};
use gsi_store::{Store, StoreError, TickCommit, method_name};
use poll::{FEED_DEADLINE, FeedPoller, Patience, record_poll};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use step::{TickInputs, TickScores};
use tokio::task::JoinHandle;
use waiting::PillarWait;

/// The maximum number of pending rows that a tick takes, about as many as it can store in two seconds; the others wait for
/// the next.
const MAX_PENDING_ROWS: u64 = 100_000;

/// Data older than this do not describe the present. The slowest series is monthly.
const OLD_HISTORY_SECONDS: i64 = 100 * DAY;

/// The parts of a pipeline.
pub struct PipelineParts {
    pub store: Arc<dyn Store>,
    pub connectors: Vec<Arc<dyn Connector>>,
    pub fetcher: Arc<Fetcher>,
    pub method: Arc<Method>,
    /// The clock of the ticks.
    pub clock: Arc<dyn Clock>,
    /// Whether the publishers are simulated. Every snapshot contains this.
    pub simulated: bool,
    /// The reconstructed past that scores are compared with; `None` for a simulated world without a real past.
    pub line: Option<Arc<ReconstructedLine>>,
    /// Called with every committed tick.
    pub publish: Box<dyn Fn(&Publication<'_>) + Send>,
}

/// The results of a committed tick.
pub struct Publication<'a> {
    pub tick: Timestamp,
    pub snapshot: Option<(&'a Snapshot, &'a Summary)>,
    pub events: &'a [EventChange],
    pub briefings: &'a [Briefing],
    pub feeds: Vec<FeedState>,
    /// The reasons for a missing score; empty if there is one.
    pub waiting: &'a [PillarWait],
    /// The time from the first poll to the commit; `None` for a tick without data.
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
    /// A tick of history that is being stored.
    writing: Writing,
    /// A computed tick that the store could not take. It contains the fetched data, and the state in memory includes it.
    unstored: Option<TickCommit>,
    /// The last reported reasons for a missing score.
    waiting: Vec<PillarWait>,
    /// The last tick whose polls brought no data.
    without_data: Option<Timestamp>,
    /// Whether memory may be ahead of the store after a failed commit, so that it must be reloaded.
    tainted: bool,
}

impl Pipeline {
    /// Opens the pipeline at the store's frontier.
    pub fn open(parts: PipelineParts) -> Result<Pipeline, PipelineError> {
        // Called before anything is read, so that data from outside wait for a tick from now on.
        parts.store.begin_ticks()?;
        keep_method(&*parts.store, &parts.method)?;
        keep_words(&*parts.store, &parts.method)?;
        if let Some(line) = &parts.line {
            keep_reconstruction(&*parts.store, line)?;
        }
        let frontier = parts.store.frontier()?;
        let mut state = PipelineState::restore(&*parts.store, parts.method.clone(), frontier)?;
        state.line = parts.line.clone();
        state.previous_methods = load_previous_methods(&*parts.store, &parts.method)?;
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
            waiting: Vec::new(),
            without_data: None,
            tainted: false,
        })
    }

    /// Sets the language model that may rephrase the texts of the following ticks.
    pub fn set_rewriter(&mut self, rewriter: Option<Arc<Rewriter>>) {
        self.rewriter = rewriter;
    }

    /// Sets the minimum poll interval for fast-forwarded history.
    pub fn set_patience(&mut self, patience: Patience) {
        self.poller.set_patience(patience);
    }

    /// The last committed tick.
    pub fn frontier(&self) -> Option<Timestamp> {
        self.state.frontier.as_ref().map(|f| f.tick)
    }

    /// The last finished tick: committed, or polled without any data.
    pub fn done(&self) -> Option<Timestamp> {
        self.frontier().max(self.without_data)
    }

    /// The computed tick that waits to be stored. It is the next one to be committed.
    pub fn unstored(&self) -> Option<Timestamp> {
        self.unstored.as_ref().map(|commit| commit.tick)
    }

    /// Reloads the memory from the store.
    pub fn reload(&mut self) -> Result<(), PipelineError> {
        self.unstored = None;
        self.state = PipelineState::restore(&*self.store, self.method.clone(), self.store.frontier()?)?;
        self.state.line = self.line.clone();
        self.state.previous_methods = load_previous_methods(&*self.store, &self.method)?;
        self.tainted = false;
        Ok(())
    }

    /// Computes, stores and publishes one tick. On an error nothing of it is stored or published. If the store cannot take it
    /// now (it is full or does not answer), the next call stores the same tick without polling again.
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

    /// Computes one tick of unpublished history. While the next tick is computed, its feeds are polled and this tick is
    /// stored. `make_way` is called after this tick's polls and sets the clock for the next. Nothing is published; the
    /// history ends with a [`Pipeline::tick`].
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
                // Polls that started from checkpoints which are not stored would leave a gap.
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
        // Texts refer to published data, so all earlier ticks must be stored. Otherwise a briefing of a past day would depend
        // on which of them are.
        self.finish_writing().await?;
        let drafts = self.state.write_drafts(&*self.store, tick, &inputs, &scores)?;
        let words = match &self.rewriter {
            Some(rewriter) => rewriter.rewrite(drafts).await,
            None => drafts.into_template_texts(),
        };
        let mut commit = step::commit(&self.state, tick, inputs, scores, words);
        if !is_history {
            hooks::address(&*self.store, &mut commit)?;
        }
        Ok(commit)
    }

    /// Waits until the last tick of a history is stored.
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

    /// Polls the feeds and admits their data.
    async fn take_in(&mut self, tick: Timestamp) -> Result<TickInputs, PipelineError> {
        if !tick.is_tick() {
            return Err(PipelineError::NotATick(tick));
        }
        if self.tainted && self.writing.is_none() {
            self.reload()?;
        }
        // The next tick is due already, so data published now became known after this one.
        let is_late = self.clock.now().since(tick) >= TICK;
        let polls = match is_late {
            false => self.poller.gather(tick, &self.state.feeds, FEED_DEADLINE).await,
            true => self.gather_past(tick).await,
        };
        // Memory is ahead of the store until the commit.
        self.tainted = true;
        self.admit(tick, polls, is_late)
    }

    /// Polls feeds whose files carry a publication time, for a late tick. The first tick in time polls the others: a late
    /// tick uses only data that were public at its time.
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
                Ok(Err(error)) => tracing::error!(feed, %error, "a connector panicked"),
                Err(_) => {
                    stop.abort();
                    tracing::warn!(feed, "the feed did not answer in time; the next tick polls it again");
                }
            }
        }
        polls
    }

    /// Whether no present data were received yet, as for a service that starts without a network. Stored history that ended
    /// long ago is not published.
    fn is_without_data(&self, tick: Timestamp, inputs: &TickInputs) -> bool {
        let newest = self.state.table.newest_period_end();
        self.frontier().is_none()
            && newest.is_none_or(|end| tick.since(end) > OLD_HISTORY_SECONDS)
            && inputs.observations.is_empty()
            && inputs.slots.is_empty()
    }

    /// Publishes the states of feeds without a commit. After a commit no history could become known before it, and history in
    /// the first data would count only from the next day on.
    fn wait_for_data(&mut self, tick: Timestamp) -> TickReport {
        self.tainted = false;
        self.without_data = Some(tick);
        let feeds = self.state.feeds.values().cloned().collect();
        self.report_waits(&Pillar::ALL);
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
        self.report_waits(if scores.snapshot.is_none() { &scores.waiting } else { &[] });
        Ok(scores)
    }

    /// Records the missing pillars, and logs them when they change.
    fn report_waits(&mut self, pillars: &[Pillar]) {
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
        // Pending data are present data as well, so a late tick leaves them. While a tick is being stored, the store still
        // has the batches it took, so the next tick takes more.
        if !is_late && self.writing.is_none() {
            self.admit_pending(span, &mut inputs)?;
            inputs.corrections = corrections::writable(&*self.store, tick)?;
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
            inputs.polled.insert(feed);
        }
        inputs.rows.sort_by_key(|r| (r.added, r.id));
        self.drop_repeated_rows(&mut inputs)?;
        Ok(inputs)
    }

    /// Admits pending data (import, back-fill). They were received before the data of this tick's polls, so they come first.
    fn admit_pending(&mut self, span: KnownSpan, inputs: &mut TickInputs) -> Result<(), PipelineError> {
        for batch in self.store.pending(MAX_PENDING_ROWS)? {
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
        // The rows of a stored file are dropped.
        rows.retain(|r| slots.iter().any(|s| s.stamp == r.added));
        inputs.slots.extend(slots);
        inputs.rows.extend(rows);
        Ok(())
    }

    /// Drops rows with a known number, because the store keeps the first. Numbers rise, so only a number that is not above
    /// all earlier ones needs a query.
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

/// The commit that is being stored.
fn being_written(writing: &Writing) -> Option<&TickCommit> {
    writing.as_ref().map(|(commit, _)| &**commit)
}

/// Stores the method's document, to which snapshots refer by digest.
fn keep_method(store: &dyn Store, method: &Method) -> Result<(), PipelineError> {
    let name = method_name(method.digest());
    if store.meta(&name)?.is_none() {
        store.set_meta(&name, &method.document().to_string())?;
    }
    Ok(())
}
