//! Data that arrives outside the ticks: a back-fill or an import into a store that a service uses.

use crate::rig::{Rig, at, world};
use gsi_feeds::{Connector, Fetcher, FetcherSettings};
use gsi_model::{DAY, HOUR, HeldClock, Observation, TICK, Timestamp};
use gsi_pipeline::replay;
use gsi_sim::{SimServer, WorldSettings};
use gsi_store::{Ingest, IngestReport};
use std::sync::Arc;

/// One feed of each pillar is enough to publish.
const FEEDS: [&str; 4] = ["gdelt", "kev", "oil", "ofr"];

struct Stage {
    rig: Rig,
    connectors: Vec<Arc<dyn Connector>>,
    _sim: SimServer,
    base: String,
}

impl Stage {
    fn start(start: Timestamp) -> Stage {
        let clock = Arc::new(HeldClock::at(start));
        let settings = WorldSettings {
            rows_per_slot: 30.0,
            mentions_per_row: 0.0,
            missing_slots: false,
            ..WorldSettings::new(5, start.minus(4 * DAY))
        };
        let sim = world(settings, &clock);
        let connectors: Vec<_> = gsi_feeds::default_connectors()
            .into_iter()
            .filter(|c| FEEDS.contains(&c.origin().feed))
            .collect();
        let base = sim.base_url();
        Stage { rig: Rig::new(&clock, &base, connectors.clone()), connectors, _sim: sim, base }
    }

    /// Fetches from the publisher and ingests into the store, as a separate command would do at this moment.
    fn backfill(&self, feed: &str) -> IngestReport {
        let connector = self.connectors.iter().find(|c| c.origin().feed == feed).unwrap();
        // Files of days that the service's polls do not request.
        let settings =
            FetcherSettings { backfill: true, ..FetcherSettings::simulated(self.base.parse().unwrap()) };
        let fetcher = Fetcher::new(settings).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let poll = runtime.block_on(connector.poll(&fetcher, gsi_model::Clock::now(&*self.rig.clock), ""));
        assert!(poll.refusals.is_empty(), "{:?}", poll.refusals);
        let mut report = IngestReport::default();
        for decoded in poll.decoded {
            let data =
                Ingest { observations: decoded.observations, slots: decoded.slots, rows: decoded.rows };
            report += self.rig.store.ingest(&data).unwrap();
        }
        report
    }

    fn verify(&self) {
        let feeds = self.connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
        let method = gsi_index::Method::load(gsi_index::Method::default_text(), &feeds).unwrap();
        let done =
            replay(&*self.rig.store, Arc::new(method), Timestamp::MIN, Timestamp::MAX, true, &mut |_, _| ())
                .unwrap();
        assert_eq!(done.difference, None);
        assert!(done.ticks > 5, "{done:?}");
    }
}

/// The publisher releases a new value and corrects old ones; a back-fill has them before the tick that polls them.
#[test]
fn a_backfill_before_the_poll_stops_no_tick() {
    let start = at("2026-11-10T06:00:00Z");
    let mut stage = Stage::start(start);
    stage.rig.run(start, start.plus(3 * HOUR), TICK);
    for day in 1..=4 {
        let morning = start.plus(day * DAY);
        stage.rig.clock.set(morning.minus(60));
        let report = stage.backfill("ofr");
        assert!(report.inserted == 0 && report.waiting > 1_000, "{report:?}");
        stage.rig.run(morning, morning.plus(HOUR), TICK);
    }
    assert_eq!(stage.rig.store.pending(u64::MAX).unwrap(), []);
    stage.verify();
}

/// News from before the service began, and values without a feed, become known with the tick after their arrival.
#[test]
fn news_and_imports_outside_the_ticks_replay_exactly() {
    let start = at("2026-11-10T06:00:00Z");
    let mut stage = Stage::start(start);
    // Before the first tick: values are stored with their own times, news wait.
    let value = |n: i64, value: f64| Observation {
        series: "eia.brent".into(),
        entity: String::new(),
        period_start: start.minus((n + 1) * DAY),
        period_end: start.minus(n * DAY),
        value,
        known_at: start.minus(n * DAY),
        ingested_at: start,
        revision: 0,
        quality: 0.8,
        feed: gsi_model::FeedId::new("import"),
        raw: String::new(),
    };
    let import = |stage: &Stage, from: i64, to: i64, price: f64| {
        let observations = (from..to).map(|n| value(n, price + n as f64 / 10.0)).collect();
        stage.rig.store.ingest(&Ingest { observations, ..Ingest::default() }).unwrap()
    };
    // The pipeline is open, so a tick is about to be computed from what it has read.
    assert_eq!(import(&stage, 0, 400, 70.0).waiting, 400);
    stage.rig.run(start, start.plus(2 * HOUR), TICK);
    let mut days = Vec::new();
    stage
        .rig
        .store
        .observations(start, &mut |o| days.extend((o.series == "eia.brent").then_some(o.known_at)))
        .unwrap();
    assert!(days.iter().filter(|d| **d < start.minus(300 * DAY)).count() > 90, "history keeps its own times");

    let frontier = start.plus(2 * HOUR);
    let waiting = stage.backfill("gdelt").waiting;
    assert!(waiting > 50, "{waiting}");
    import(&stage, 0, 30, 90.0);
    stage.rig.run(frontier.plus(TICK), frontier.plus(2 * HOUR), TICK);
    let mut corrected = Vec::new();
    stage
        .rig
        .store
        .observations(Timestamp::MAX, &mut |o| {
            let recent = o.feed.as_str() == "import" && o.period_end > start.minus(30 * DAY);
            corrected.extend((recent && o.value >= 90.0).then_some(o))
        })
        .unwrap();
    assert_eq!(corrected.len(), 30);
    for o in corrected {
        assert_eq!(
            (o.known_at, o.ingested_at),
            (frontier.plus(1), frontier.plus(TICK)),
            "known with the tick that took it"
        );
    }
    stage.verify();
}
