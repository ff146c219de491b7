//! Looking at the publishers: who is due, who is still answering, and what each look did to the feed's standing.

use gsi_feeds::{Connector, Fetcher, Poll};
use gsi_model::{FeedState, TICK, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// A tick waits this long for its feeds. A slower answer is not lost: the next tick takes it.
pub const FEED_DEADLINE: Duration = Duration::from_secs(45);

/// How long slow feeds are left alone while history is run through, where a thousand looks at an unchanged file tell
/// nothing.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Looks at a feed are this far apart at least, as far as its freshness allows.
    pub seconds: i64,
    /// The first tick without patience. It belongs to the tick, not to the run, so that a history that was broken off
    /// and taken up again is the same history.
    pub until: Timestamp,
}

/// Looks under way, at most one per feed.
pub struct PollDesk {
    connectors: Vec<Arc<dyn Connector>>,
    fetcher: Arc<Fetcher>,
    running: JoinSet<(String, Poll)>,
    busy: BTreeSet<String>,
    patience: Option<Patience>,
    /// The tick whose looks were started before it was its turn.
    early: Option<Timestamp>,
}

impl PollDesk {
    pub fn new(connectors: Vec<Arc<dyn Connector>>, fetcher: Arc<Fetcher>) -> Self {
        PollDesk {
            connectors,
            fetcher,
            running: JoinSet::new(),
            busy: BTreeSet::new(),
            patience: None,
            early: None,
        }
    }

    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = Some(patience);
    }

    pub fn connectors(&self) -> &[Arc<dyn Connector>] {
        &self.connectors
    }

    /// Starts every look that is due at `tick`, ahead of [`PollDesk::gather`].
    pub fn start(&mut self, tick: Timestamp, states: &BTreeMap<String, FeedState>) {
        self.early = Some(tick);
        let patience = self.patience.filter(|p| tick < p.until).map_or(0, |p| p.seconds);
        for connector in &self.connectors {
            let origin = connector.origin();
            let state = states.get(origin.feed);
            let every = origin.poll_every.max(patience.min(origin.warn_after / 4));
            if self.busy.contains(origin.feed) || !is_due(state, every, tick) {
                continue;
            }
            self.busy.insert(origin.feed.to_owned());
            let checkpoint = state.map_or_else(String::new, |s| s.checkpoint.clone());
            let (connector, fetcher) = (connector.clone(), self.fetcher.clone());
            self.running.spawn(async move {
                let poll = connector.poll(&fetcher, tick, &checkpoint).await;
                (connector.origin().feed.to_owned(), poll)
            });
        }
    }

    /// Ends every look if some were started early: what they began from is not what is stored.
    pub fn abandon_early_looks(&mut self) {
        if self.early.take().is_some() {
            self.running = JoinSet::new();
            self.busy.clear();
        }
    }

    /// Gathers what answers before the deadline, in feed order, after starting the looks of `tick` if they are not
    /// under way.
    pub async fn gather(
        &mut self,
        tick: Timestamp,
        states: &BTreeMap<String, FeedState>,
        deadline: Duration,
    ) -> Vec<(String, Poll)> {
        if self.early != Some(tick) {
            self.start(tick, states);
        }
        self.early = None;
        let mut done = Vec::new();
        let timer = tokio::time::sleep(deadline);
        tokio::pin!(timer);
        while !self.running.is_empty() {
            tokio::select! {
                joined = self.running.join_next() => match joined {
                    Some(Ok((feed, poll))) => {
                        self.busy.remove(&feed);
                        done.push((feed, poll));
                    }
                    Some(Err(error)) => {
                        // A panicking connector must not take the others with it; which one it was is only in the
                        // panic message, so all idle marks are rebuilt and the feed is asked again next tick.
                        tracing::error!(%error, "a connector failed");
                        if self.running.is_empty() {
                            self.busy.clear();
                        }
                    }
                    None => break,
                },
                () = &mut timer => {
                    tracing::warn!(feeds = ?self.busy, "feeds did not answer in time; the next tick takes what comes");
                    break;
                }
            }
        }
        done.sort_by(|a, b| a.0.cmp(&b.0));
        done
    }
}

/// A healthy feed is looked at by its own cadence. A failing one is asked again at the next tick, then ever more
/// patiently, a quarter of the time it has been failing, up to its cadence.
fn is_due(state: Option<&FeedState>, poll_every: i64, tick: Timestamp) -> bool {
    let Some(state) = state else { return true };
    let Some(last) = state.last_attempt else { return true };
    let wait = match state.failing_since {
        None => poll_every,
        Some(since) => (tick.since(since) / 4).clamp(TICK, poll_every.max(TICK)),
    };
    tick.since(last) >= wait
}

/// Writes one look into the feed's standing.
pub fn record(state: &mut FeedState, poll: &Poll, tick: Timestamp, changed: bool) {
    state.last_attempt = Some(tick);
    state.checkpoint.clone_from(&poll.checkpoint);
    for decoded in &poll.decoded {
        state.seen += decoded.seen;
        state.accepted += decoded.accepted;
        state.duplicates += decoded.duplicates;
        for (code, n) in &decoded.rejected {
            *state.rejected.entry(code.clone()).or_default() += n;
        }
        state.newest_content = state.newest_content.max(decoded.newest);
    }
    let succeeded = poll.unchanged || !poll.decoded.is_empty() || poll.refusals.is_empty();
    if succeeded {
        state.last_success = Some(tick);
    }
    if changed {
        state.last_change = Some(tick);
    }
    match poll.refusals.last() {
        Some(refusal) => {
            state.last_refusal = Some(refusal.clone());
            if !succeeded {
                state.failing_since.get_or_insert(tick);
            }
        }
        None => state.last_refusal = None,
    }
    if succeeded {
        state.failing_since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_feeds_are_asked_sooner_then_patiently() {
        let t = Timestamp::from_unix(1_800_000_000).floor_tick();
        let hour = 3_600;
        let check = |last_h: i64, failing_h: Option<i64>, want: bool| {
            let state = FeedState {
                last_attempt: Some(t.minus(last_h * hour)),
                failing_since: failing_h.map(|h| t.minus(h * hour)),
                ..FeedState::default()
            };
            assert_eq!(is_due(Some(&state), 6 * hour, t), want, "{last_h} {failing_h:?}");
        };
        assert!(is_due(None, 6 * hour, t));
        check(5, None, false);
        check(6, None, true);
        check(1, Some(1), true);
        check(1, Some(8), false);
        check(2, Some(8), true);
        check(6, Some(400), true);
        check(5, Some(400), false);
    }
}
