//! The texts of a running service: they are the same when made again from the store, and briefings of missed days are
//! written late.

use gsi_feeds::{Connector, Fetcher, FetcherSettings};
use gsi_index::Method;
use gsi_model::{Briefing, DAY, Day, HOUR, ScaledClock, TICK, Timestamp};
use gsi_narrate::{brief_day, narrate_summary};
use gsi_pipeline::{Patience, Pipeline, PipelineParts, Scene};
use gsi_sim::{Scenario, SimServer, World, WorldSettings};
use gsi_store::{BriefingQuery, ReadStore, SqliteStore};
use std::sync::Arc;

struct Rig {
    store: Arc<SqliteStore>,
    method: Arc<Method>,
    connectors: Vec<Arc<dyn Connector>>,
    clock: Arc<ScaledClock>,
    sim: SimServer,
}

impl Rig {
    fn new(start: Timestamp) -> Rig {
        let world = World::new(WorldSettings {
            rows_per_slot: 20.0,
            scenario: Scenario::find("border_war").unwrap(),
            live: start.plus(DAY),
            ..WorldSettings::new(3, start)
        });
        let clock = Arc::new(ScaledClock::held_at(start));
        let sim = SimServer::start(Arc::new(world), clock.clone()).unwrap();
        let connectors: Vec<_> =
            gsi_feeds::all_connectors().into_iter().filter(|c| c.origin().default_on).collect();
        let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
        let method = Arc::new(Method::load(Method::default_text(), &feeds).unwrap());
        Rig { store: Arc::new(SqliteStore::in_memory().unwrap()), method, connectors, clock, sim }
    }

    /// A service that continues from the store's last tick.
    fn pipeline(&self) -> Pipeline {
        let settings = FetcherSettings::simulated(self.sim.base_url().parse().unwrap());
        let mut pipeline = Pipeline::open(PipelineParts {
            store: self.store.clone(),
            connectors: self.connectors.clone(),
            fetcher: Arc::new(Fetcher::new(settings).unwrap()),
            method: self.method.clone(),
            clock: self.clock.clone(),
            simulated: true,
            line: None,
            publish: Box::new(|_| {}),
        })
        .unwrap();
        pipeline.set_patience(Patience { seconds: 12 * HOUR, until: Timestamp::MAX });
        pipeline
    }

    async fn ticks(&self, pipeline: &mut Pipeline, from: Timestamp, to: Timestamp) {
        let mut tick = from;
        while tick <= to {
            self.clock.hold_at(tick);
            pipeline.tick(tick).await.unwrap();
            tick = tick.plus(TICK);
        }
    }

    fn briefings(&self) -> Vec<Briefing> {
        let all = BriefingQuery {
            as_of: Timestamp::MAX,
            since: Timestamp::MIN,
            until: Timestamp::MAX,
            tags: Vec::new(),
            after: None,
            limit: 1_000,
        };
        self.store.briefings(&all).unwrap()
    }

    fn scene(&self, at: Timestamp) -> Scene {
        Scene::load(&*self.store, &self.method, at).unwrap().expect("a published tick")
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[tokio::test]
async fn texts_are_reproduced_from_the_store_and_missed_days_are_written_late() {
    let start = at("2026-11-09T20:00:00Z");
    let rig = Rig::new(start);
    let mut pipeline = rig.pipeline();
    rig.ticks(&mut pipeline, start, at("2026-11-10T02:00:00Z")).await;

    // Midnight came while the service ran: the day's briefings are written at that tick, once.
    let first = rig.briefings();
    assert!(first.len() >= 5, "the world and four pillars: {} briefings", first.len());
    for b in &first {
        assert_eq!(
            (b.day(), b.published_at, b.late),
            (Day(start.day().0), at("2026-11-10T00:00:00Z"), false)
        );
        assert_eq!(b.as_of, b.published_at);
    }

    // Every summary and every briefing, made again from the store alone, equals the published one.
    let mut tick = at("2026-11-09T21:00:00Z");
    while tick <= at("2026-11-10T02:00:00Z") {
        let scene = rig.scene(tick);
        assert_eq!(scene.published.snapshot.tick, tick);
        let narration = narrate_summary(&scene.context());
        assert_eq!(narration.text, scene.published.summary.text, "{tick}");
        tick = tick.plus(TICK);
    }
    let midnight = at("2026-11-10T00:00:00Z");
    let again = brief_day(&rig.scene(midnight).context(), start.day(), midnight, false);
    for b in &again {
        assert!(first.contains(b), "{} is the same when made again", b.subject);
    }
    assert_eq!(again.len(), first.len());

    // The service stops at 02:00 and starts again two days later, in the morning.
    drop(pipeline);
    let mut pipeline = rig.pipeline();
    let back = at("2026-11-12T07:30:00Z");
    rig.ticks(&mut pipeline, back, back.plus(TICK)).await;
    let all = rig.briefings();
    let late: Vec<&Briefing> = all.iter().filter(|b| !first.iter().any(|f| f.id == b.id)).collect();
    assert!(late.len() >= 5, "{}", late.len());
    let known = at("2026-11-10T02:00:00Z");
    for b in &late {
        // The day with snapshots gets briefings; the day without snapshots gets none.
        assert_eq!(b.day().to_string(), "2026-11-10");
        assert_eq!((b.late, b.published_at, b.as_of), (true, back, known));
        assert!(
            b.summary.contains(
                "written late, at 07:30 UTC on 12 November, from what was known at 02:00 UTC on 10 November"
            ),
            "{}",
            b.summary
        );
    }
    // The late briefings use only what was known at that tick.
    let then = brief_day(&rig.scene(known).context(), known.day(), back, true);
    assert_eq!(then.len(), late.len());
    for b in &then {
        assert!(late.contains(&b), "{} uses what was known then", b.subject);
    }
    // Earlier briefings are unchanged.
    for b in &first {
        assert!(all.contains(b), "{}", b.subject);
    }
}
