//! Polling of publishers: which feed is due, which polls run, and how a poll changes a feed's state.

use gsi_feeds::{Connector, Fetcher, Poll};
use gsi_model::{FeedState, PayloadRefusal, RefusalCode, TICK, Timestamp};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{Id, JoinError, JoinSet};

/// How long a tick waits for its feeds. The next tick takes slower answers.
pub const FEED_DEADLINE: Duration = Duration::from_secs(45);

/// The minimum interval between polls while history is fast-forwarded, when thousands of polls of an unchanged file would be
/// wasted.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The minimum interval between polls of a feed, limited by its freshness budget.
    pub seconds: i64,
    /// The first tick without the limit. It is a tick instead of a duration, so that an interrupted and resumed history is
    /// the same history.
    pub until: Timestamp,
}

/// Polls due feeds in separate tasks, at most one per feed.
pub struct FeedPoller {
    connectors: Vec<Arc<dyn Connector>>,
    fetcher: Arc<Fetcher>,
    tasks: JoinSet<Poll>,
    /// The feed of each task, and its checkpoint at the start.
    running: HashMap<Id, (String, String)>,
    patience: Option<Patience>,
    /// The tick whose polls were started ahead of time.
    early: Option<Timestamp>,
}

impl FeedPoller {
    pub fn new(connectors: Vec<Arc<dyn Connector>>, fetcher: Arc<Fetcher>) -> Self {
        let (tasks, running) = (JoinSet::new(), HashMap::new());
        FeedPoller { connectors, fetcher, tasks, running, patience: None, early: None }
    }

    pub fn set_patience(&mut self, patience: Patience) {
        self.patience = Some(patience);
    }

    pub fn connectors(&self) -> &[Arc<dyn Connector>] {
        &self.connectors
    }

    /// Whether a poll of this feed is running.
    pub fn is_polling(&self, feed: &str) -> bool {
        self.running.values().any(|(running, _)| running == feed)
    }

    /// Starts every poll that is due at `tick`, ahead of [`FeedPoller::gather`].
    pub fn start(&mut self, tick: Timestamp, states: &BTreeMap<String, FeedState>) {
        self.early = Some(tick);
        let patience = self.patience.filter(|p| tick < p.until).map_or(0, |p| p.seconds);
        for connector in &self.connectors {
            let origin = connector.origin();
            let state = states.get(origin.feed);
            let every = origin.poll_every_seconds.max(patience.min(origin.warn_after_seconds / 4));
            if self.is_polling(origin.feed) || !is_due(state, every, tick) {
                continue;
            }
            let checkpoint = state.map_or_else(String::new, |s| s.checkpoint.clone());
            let began_from = (origin.feed.to_owned(), checkpoint.clone());
            let (connector, fetcher) = (connector.clone(), self.fetcher.clone());
            let task = self.tasks.spawn(async move { connector.poll(&fetcher, tick, &checkpoint).await });
            self.running.insert(task.id(), began_from);
        }
    }

    /// Ends every poll if some were started early, because their checkpoints were not stored.
    pub fn abandon_early_polls(&mut self) {
        if self.early.take().is_some() {
            self.tasks = JoinSet::new();
            self.running.clear();
        }
    }

    /// Collects the polls that end before the deadline, in the order of feeds. Starts the polls of `tick` if they are not
    /// running.
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
        while !self.tasks.is_empty() {
            tokio::select! {
                Some(joined) = self.tasks.join_next_with_id() => done.extend(self.take(joined)),
                () = &mut timer => {
                    let feeds: Vec<_> = self.running.values().map(|(feed, _)| feed).collect();
                    tracing::warn!(?feeds, "feeds did not answer in time; the next tick takes their answers");
                    break;
                }
            }
        }
        done.sort_by(|a, b| a.0.cmp(&b.0));
        done
    }

    /// The poll of a finished task. A panic in a connector affects only its feed: the feed is refused for this tick, keeps
    /// its checkpoint, and is polled again.
    fn take(&mut self, joined: Result<(Id, Poll), JoinError>) -> Option<(String, Poll)> {
        let id = joined.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        let (feed, checkpoint) = self.running.remove(&id)?;
        let poll = joined.map(|(_, poll)| poll).unwrap_or_else(|error| {
            tracing::error!(feed, %error, "a connector panicked");
            let refusal =
                PayloadRefusal::new(RefusalCode::Panic, "the connector failed on what it was given");
            Poll { checkpoint, refusals: vec![refusal], ..Poll::default() }
        });
        Some((feed, poll))
    }
}

/// A healthy feed is polled at its own interval. A failing one is polled again at the next tick, and then at a quarter of the
/// time it has been failing, up to its interval.
fn is_due(state: Option<&FeedState>, poll_every_seconds: i64, tick: Timestamp) -> bool {
    let Some(state) = state else { return true };
    let Some(last) = state.last_attempt else { return true };
    let wait = match state.failing_since {
        None => poll_every_seconds,
        Some(since) => (tick.since(since) / 4).clamp(TICK, poll_every_seconds.max(TICK)),
    };
    tick.since(last) >= wait
}

/// Records a poll in the feed's state.
pub fn record_poll(state: &mut FeedState, poll: &Poll, tick: Timestamp, changed: bool) {
    state.last_attempt = Some(tick);
    state.checkpoint.clone_from(&poll.checkpoint);
    for decoded in &poll.decoded {
        state.seen += decoded.seen;
        state.accepted += decoded.accepted;
        state.duplicates += decoded.duplicates;
        for (reason, n) in &decoded.rejected {
            *state.rejected.entry(*reason).or_default() += n;
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
    fn failing_feeds_are_polled_soon_and_then_less_often() {
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

    static ORIGINS: [gsi_model::Origin; 2] = [origin("steady"), origin("wild")];

    const fn origin(feed: &'static str) -> gsi_model::Origin {
        gsi_model::Origin {
            feed,
            title: "",
            publisher: "",
            homepage: "",
            pillar: None,
            licence: gsi_model::Licence { name: "", republish: false, note: "" },
            attribution: "",
            poll_every_seconds: TICK,
            warn_after_seconds: TICK,
            stale_after_seconds: TICK,
            default_on: true,
        }
    }

    /// A connector that panics on the checkpoint `wild`, answers slowly on `slow`, and otherwise counts its polls in the
    /// checkpoint.
    struct Moody(&'static gsi_model::Origin);

    impl Connector for Moody {
        fn origin(&self) -> &'static gsi_model::Origin {
            self.0
        }

        fn series(&self) -> &'static [gsi_feeds::SeriesSpec] {
            &[]
        }

        fn decode(&self, _: &gsi_feeds::Payload<'_>) -> Result<gsi_model::Decoded, PayloadRefusal> {
            Ok(gsi_model::Decoded::default())
        }

        fn poll<'a>(&'a self, _: &'a Fetcher, _: Timestamp, before: &'a str) -> gsi_feeds::PollFuture<'a> {
            Box::pin(async move {
                match before {
                    "wild" => panic!("a connector that fails"),
                    "slow" => tokio::time::sleep(Duration::from_secs(3_600)).await,
                    _ => {}
                }
                Poll { checkpoint: format!("{before}+"), unchanged: true, ..Poll::default() }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_feed_that_panics_while_others_run_is_refused_and_polled_again() {
        let connectors = ORIGINS.iter().map(|origin| Arc::new(Moody(origin)) as Arc<dyn Connector>).collect();
        let fetcher = Arc::new(Fetcher::new(gsi_feeds::FetcherSettings::default()).unwrap());
        let mut poller = FeedPoller::new(connectors, fetcher);
        let mut states: BTreeMap<String, FeedState> = ["steady", "wild"]
            .map(|feed| (feed.to_owned(), FeedState { feed: feed.to_owned(), ..FeedState::default() }))
            .into();
        states.get_mut("steady").unwrap().checkpoint = "slow".to_owned();
        states.get_mut("wild").unwrap().checkpoint = "wild".to_owned();
        let mut tick = Timestamp::from_unix(1_800_000_000).floor_tick();
        for _ in 0..3 {
            let polls = poller.gather(tick, &states, FEED_DEADLINE).await;
            let [(feed, poll)] = &polls[..] else { panic!("{polls:?}") };
            assert_eq!((feed.as_str(), poll.checkpoint.as_str()), ("wild", "wild"));
            let state = states.get_mut(feed).unwrap();
            record_poll(state, poll, tick, false);
            assert_eq!(state.last_refusal.as_ref().map(|r| r.code), Some(RefusalCode::Panic));
            assert!(state.failing_since.is_some());
            tick = tick.next_tick();
        }
        states.get_mut("wild").unwrap().checkpoint = "tame".to_owned();
        let polls = poller.gather(tick, &states, FEED_DEADLINE).await;
        assert_eq!(polls[0].1.checkpoint, "tame+");
    }
}
