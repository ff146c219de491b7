//! A store with two changes of the method: older versions run in parallel with the newer ones for a month.

use crate::rig::{Rig, at, world};
use gsi_feeds::Connector;
use gsi_index::Method;
use gsi_model::{BesideSnapshot, DAY, HOUR, HeldClock, Snapshot, Timestamp};
use gsi_sim::{SimServer, WorldSettings};
use gsi_store::{SqliteStore, Store};
use std::collections::BTreeSet;
use std::sync::Arc;

const START: &str = "2026-11-03T00:00:00Z";

/// The current catalogue as another version with other weights of the pillars.
fn catalogue(version: &str, conflict: &str, cyber: &str) -> String {
    let text = Method::default_text();
    let line = text.lines().find(|line| line.starts_with("version = ")).unwrap();
    let other = text
        .replacen(line, &format!("version = \"{version}\""), 1)
        .replacen("\nconflict = 0.35\n", &format!("\nconflict = {conflict}\n"), 1)
        .replacen("\ncyber = 0.10\n", &format!("\ncyber = {cyber}\n"), 1);
    assert!(other.contains(&format!("\nconflict = {conflict}\ncyber = {cyber}\n")));
    other
}

fn connectors() -> Vec<Arc<dyn Connector>> {
    let wanted = ["gdelt", "kev", "oil", "ofr", "treasury", "gpr", "epu"];
    gsi_feeds::default_connectors().into_iter().filter(|c| wanted.contains(&c.origin().feed)).collect()
}

fn method(catalogue: &str) -> Arc<Method> {
    let feeds: BTreeSet<String> = connectors().iter().map(|c| c.origin().feed.to_owned()).collect();
    Arc::new(Method::load(catalogue, &feeds).unwrap())
}

struct Stage {
    clock: Arc<HeldClock>,
    sim: SimServer,
    start: Timestamp,
}

impl Stage {
    fn new() -> Stage {
        let start = at(START);
        let clock = Arc::new(HeldClock::at(start));
        let settings = WorldSettings {
            rows_per_slot: 20.0,
            mentions_per_row: 0.0,
            missing_slots: false,
            ..WorldSettings::new(11, start)
        };
        Stage { sim: world(settings, &clock), clock, start }
    }

    /// Runs hourly ticks from one hour of the world to another, under a catalogue.
    fn live(&self, store: &Arc<dyn Store>, catalogue: &str, from: i64, to: i64) -> Rig {
        self.clock.set(self.start.plus(from * HOUR));
        let mut rig = Rig::over(store.clone(), catalogue, &self.clock, &self.sim.base_url(), connectors());
        rig.run(self.start.plus(from * HOUR), self.start.plus(to * HOUR), HOUR);
        rig
    }
}

fn snapshots(store: &dyn Store) -> Vec<Snapshot> {
    let mut all = Vec::new();
    store.snapshots(Timestamp::MIN, Timestamp::MAX, &mut |p| all.push(p.snapshot)).unwrap();
    all
}

fn versions(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.beside.iter().map(|b| b.snapshot.method_version.as_str()).collect()
}

#[test]
fn older_methods_run_in_parallel_for_a_month() {
    let [a, b, c] = [
        catalogue("3.0.0", "0.35", "0.10"),
        catalogue("3.1.0", "0.30", "0.15"),
        catalogue("3.2.0", "0.25", "0.20"),
    ];
    let stage = Stage::new();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().unwrap());
    drop(stage.live(&store, &a, 0, 30));
    drop(stage.live(&store, &b, 31, 44));
    // After the restart C continues as before.
    drop(stage.live(&store, &c, 45, 50));
    let mut rig = stage.live(&store, &c, 51, 60);

    let all = snapshots(&*store);
    let hour = |n: i64| all.iter().find(|s| s.tick == stage.start.plus(n * HOUR)).unwrap();
    assert_eq!((hour(30).method_version.as_str(), versions(hour(30))), ("3.0.0", vec![]));
    assert_eq!((hour(31).method_version.as_str(), versions(hour(31))), ("3.1.0", vec!["3.0.0"]));
    assert_eq!((hour(60).method_version.as_str(), versions(hour(60))), ("3.2.0", vec!["3.0.0", "3.1.0"]));
    let since: Vec<Timestamp> = hour(60).beside.iter().map(|b| b.since).collect();
    assert_eq!(since, [31, 45].map(|n| stage.start.plus(n * HOUR)));

    // In parallel with the others, the first method computes what it would have published without the change.
    let alone: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().unwrap());
    drop(stage.live(&alone, &a, 0, 60));
    let mut apart = 0;
    for own in snapshots(&*alone).iter().filter(|s| s.tick > stage.start.plus(30 * HOUR)) {
        let carried = all.iter().find(|s| s.tick == own.tick).unwrap();
        let parallel = carried.by_method("3.0.0").unwrap();
        assert_eq!(
            (parallel.score, parallel.unsmoothed, parallel.delta_24h),
            (own.score, own.unsmoothed, own.delta_24h)
        );
        apart += usize::from((carried.score - parallel.score).abs() > 0.5);
    }
    assert!(apart > 10, "the scores of the methods hardly differ: {apart}");

    // A replay computes the same, from the beginning and from a state that several methods share.
    for from in [0, 56] {
        let (from, to) = (stage.start.plus(from * HOUR), stage.start.plus(60 * HOUR));
        let replayed = gsi_pipeline::replay(&*store, method(&c), from, to, true, &mut |_, _| ()).unwrap();
        assert_eq!(replayed.difference, None);
        assert_eq!(replayed.ticks as usize, all.iter().filter(|s| s.tick >= from).count());
    }

    // Over HTTP, each method is selected by its version.
    let explain = rig.get("/v1/global-stability/explain").json();
    assert_eq!(explain["beside"][0]["version"], "3.0.0");
    assert_eq!(explain["beside"][1]["since"], stage.start.plus(45 * HOUR).to_string());
    let older = rig.get("/v1/global-stability/explain?method=3.1.0").json();
    assert_eq!(older["method"]["version"], "3.1.0");
    assert_eq!(older["score"], explain["beside"][1]["score"]);
    let from = format!("from={}&step=1h", stage.start);
    let history = |version: &str| rig.get(&format!("/v1/global-stability/history?method={version}&{from}"));
    let count = |version: &str| history(version).json()["points"].as_array().unwrap().len();
    let first = all.iter().filter(|s| s.method_version == "3.0.0").count();
    assert_eq!((count("3.0.0"), count("3.1.0"), count("3.2.0")), (first + 30, 30, 16));
    let pillar = rig.get(&format!("/v1/global-stability/pillar/macro/history?method=3.1.0&{from}")).json();
    assert_eq!(pillar["points"].as_array().unwrap().len(), 30);
    for (query, status) in [
        ("explain?method=2.0.0", 404),
        ("explain?method=3.2.0", 200),
        ("explain?method=new", 400),
        ("history?method=2.0.0", 404),
        ("history?method=3", 400),
        ("history?method=3.0.0&step=1d&from=2026-01-01T00:00:00Z", 400),
    ] {
        let answer = rig.get(&format!("/v1/global-stability/{query}"));
        assert_eq!(answer.status, status, "{query}: {}", answer.body);
    }

    // Each previous method ends after a month, the oldest first.
    let month = |n: i64| stage.start.plus(n * HOUR + BesideSnapshot::SECONDS);
    for (tick, want) in [
        (month(31).minus(HOUR), vec!["3.0.0", "3.1.0"]),
        (month(31), vec!["3.1.0"]),
        (month(45).minus(HOUR), vec!["3.1.0"]),
        (month(45), vec![]),
    ] {
        rig.tick(tick);
        let published = store.published_at(tick).unwrap().unwrap().snapshot;
        assert_eq!((published.tick, versions(&published)), (tick, want));
    }
    let last = month(45);
    let replayed =
        gsi_pipeline::replay(&*store, method(&c), last.minus(DAY), last, true, &mut |_, _| ()).unwrap();
    assert_eq!(replayed.difference, None);
}
