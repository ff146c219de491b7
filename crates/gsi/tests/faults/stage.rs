//! The shared world and the runs through it. All runs do the same ticks from copies of the same starting store, each
//! with publishers and a clock of its own, so that they can run side by side.

use gsi_feeds::{Connector, Fetcher, FetcherSettings};
use gsi_index::Method;
use gsi_model::{FeedState, HOUR, HeldClock, TICK, Timestamp};
use gsi_pipeline::{Pipeline, PipelineParts};
use gsi_sim::{Fault, SimServer, World, WorldSettings};
use gsi_store::{SqliteStore, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A Sunday night: the weekly files are renewed on Monday and Tuesday.
const BEFORE: &str = "2026-11-08T23:45:00Z";
/// Longer than the longest pause between two polls, so that every feed is due after each leap.
const LEAP_SECONDS: i64 = 13 * HOUR;
/// Ticks after each leap: enough polls for the news files of thirteen hours.
const TICKS_PER_LEAP: i64 = 4;
/// Leaps with the fault, and as many afterwards.
const LEAPS: i64 = 4;
/// These files may not change within the two days, so their first poll is at the time of the fault.
const FIRST_SEEN_LATE: [&str; 4] = ["gscpi", "kev", "oil", "ucdp"];
/// Feeds that read their history in parts have all of it after this number of hourly polls.
const TICKS_BEFORE: i64 = 25;
/// Never reached by an ordinary body, even on a busy machine …
const PATIENCE: Duration = Duration::from_secs(60);
/// … and always by a slow one, with which some ordinary ones may be lost for a while, too.
const IMPATIENCE: Duration = Duration::from_secs(4);

/// (series or kind, entity, period, value) as text; the vintage that counts, of everything that came after the start.
pub type Rows = BTreeSet<String>;

/// One feed after a run.
#[derive(Default)]
pub struct Feed {
    /// What had come when the faults ended, and when the run did.
    pub during: Rows,
    pub after: Rows,
    /// Every refusal code its standing showed, and its counts when the faults ended.
    pub codes: BTreeSet<String>,
    pub newest: Option<Timestamp>,
    pub duplicates: u64,
    pub rejected: u64,
}

pub struct Stage {
    folder: tempfile::TempDir,
    world: Arc<World>,
}

/// The publishers of one run.
struct Scenery {
    clock: Arc<HeldClock>,
    sim: SimServer,
    runtime: tokio::runtime::Runtime,
}

impl Stage {
    pub fn set() -> Stage {
        let before: Timestamp = BEFORE.parse().unwrap();
        let world = Arc::new(World::new(WorldSettings {
            rows_per_slot: 12.0,
            mentions_per_row: 0.0,
            missing_slots: false,
            ..WorldSettings::new(7, before.day().start().minus(20 * 24 * HOUR))
        }));
        let stage = Stage { folder: tempfile::tempdir().unwrap(), world };
        let scenery = stage.scenery();
        let mut early = connectors();
        early.retain(|c| !FIRST_SEEN_LATE.contains(&c.origin().feed));
        let mut pipeline = scenery.pipeline(open(stage.path("base")), early, &Arc::default(), PATIENCE);
        for k in 1..=TICKS_BEFORE {
            scenery.tick(&mut pipeline, before.minus((TICKS_BEFORE - k) * HOUR));
        }
        stage
    }

    fn scenery(&self) -> Scenery {
        let clock = Arc::new(HeldClock::at(BEFORE.parse().unwrap()));
        let sim = SimServer::start(self.world.clone(), clock.clone()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Scenery { clock, sim, runtime }
    }

    pub fn feeds(&self) -> Vec<&'static str> {
        connectors().iter().map(|c| c.origin().feed).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.db"))
    }

    /// The same ticks, with these feeds' publishers suffering these faults for the first half of them.
    pub fn run(&self, name: &str, plan: &BTreeMap<&str, Fault>) -> BTreeMap<String, Feed> {
        let scenery = self.scenery();
        let path = self.path(name);
        std::fs::copy(self.path("base"), &path).unwrap();
        let store = open(path.clone());
        let heard = Arc::default();
        let slow = plan.values().any(|f| matches!(f, Fault::Slow(_)));
        let timeout = if slow { IMPATIENCE } else { PATIENCE };
        let mut pipeline = scenery.pipeline(store.clone(), connectors(), &heard, timeout);
        for (feed, fault) in plan {
            publishers(feed).iter().for_each(|p| scenery.sim.faults().set(p, *fault));
        }
        let before: Timestamp = BEFORE.parse().unwrap();
        let mut feeds: BTreeMap<String, Feed> = BTreeMap::new();
        for leap in 1..=2 * LEAPS {
            if leap == LEAPS + 1 {
                scenery.sim.faults().clear_all();
            }
            // A poll of a slow publisher takes long, and one poll per leap is enough.
            let ticks = if slow && leap <= LEAPS { 1 } else { TICKS_PER_LEAP };
            for k in 0..ticks {
                let tick = before.plus(leap * LEAP_SECONDS + k * TICK);
                scenery.tick(&mut pipeline, tick);
                for state in heard.lock().unwrap().iter().filter(|_| leap <= LEAPS) {
                    let feed = feeds.entry(state.feed.clone()).or_default();
                    feed.codes.extend(state.last_refusal.iter().map(|r| r.code.key().to_owned()));
                    feed.newest = state.newest_content;
                    feed.duplicates = state.duplicates;
                    feed.rejected = state.rejected.values().sum();
                }
            }
        }
        let faults_end = before.plus((LEAPS + 1) * LEAP_SECONDS - 1);
        read(&*store, before, faults_end, &mut feeds);
        scenery.sim.stop();
        feeds
    }
}

impl Scenery {
    fn pipeline(
        &self,
        store: Arc<dyn Store>,
        connectors: Vec<Arc<dyn Connector>>,
        heard: &Arc<Mutex<Vec<FeedState>>>,
        timeout: Duration,
    ) -> Pipeline {
        let feeds = connectors.iter().map(|c| c.origin().feed.to_owned()).collect();
        let method = Arc::new(Method::load(Method::default_text(), &feeds).unwrap());
        let settings = FetcherSettings {
            total_timeout: timeout,
            retries: 1,
            ..FetcherSettings::simulated(self.sim.base_url().parse().unwrap())
        };
        let fetcher = Arc::new(Fetcher::new(settings).unwrap());
        let heard = heard.clone();
        let publish = Box::new(move |p: &gsi_pipeline::Publication<'_>| {
            *heard.lock().unwrap() = p.feeds.clone();
        });
        let clock = self.clock.clone();
        let line = None;
        Pipeline::open(PipelineParts {
            store,
            connectors,
            fetcher,
            method,
            clock,
            simulated: true,
            line,
            publish,
        })
        .unwrap()
    }

    fn tick(&self, pipeline: &mut Pipeline, tick: Timestamp) {
        self.clock.set(tick);
        self.runtime.block_on(pipeline.tick(tick)).expect("the tick is done all the same");
    }
}

fn open(path: PathBuf) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(&path).unwrap())
}

fn connectors() -> Vec<Arc<dyn Connector>> {
    gsi_feeds::default_connectors()
}

/// The simulated publishers behind a feed; a mirror fails with its original here.
fn publishers(feed: &str) -> Vec<&str> {
    match feed {
        "kev" => vec!["kev", "kev_mirror"],
        "oil" => vec!["oil", "gas"],
        "poc" => vec!["exploits"],
        other => vec![other],
    }
}

/// What the store holds of each feed beyond what it held `before`, without the exact times at which it came.
fn read(store: &dyn Store, before: Timestamp, faults_end: Timestamp, feeds: &mut BTreeMap<String, Feed>) {
    // The value that counts for a period when the faults end, and at the end of the run.
    let mut values: BTreeMap<(String, String), (Option<f64>, f64)> = BTreeMap::new();
    store
        .observations(Timestamp::MAX, &mut |o| {
            if o.ingested_at > before && feeds.contains_key(o.feed.as_str()) {
                let period = format!("{} {} {} {}", o.series, o.entity, o.period_start, o.period_end);
                let value = values.entry((o.feed.0, period)).or_default();
                // Revisions come in order, so the last one is current.
                value.1 = o.value;
                if o.ingested_at <= faults_end {
                    value.0 = Some(o.value);
                }
            }
        })
        .unwrap();
    for ((feed, period), (during, after)) in values {
        let feed = feeds.get_mut(&feed).unwrap();
        feed.during.extend(during.map(|value| format!("{period} {value}")));
        feed.after.insert(format!("{period} {after}"));
    }
    let news = feeds.get_mut("gdelt").unwrap();
    let mut in_time = BTreeSet::new();
    store
        .slots(Timestamp::MIN, Timestamp::MAX, Timestamp::MAX, &mut |mut slot| {
            let known_at = std::mem::replace(&mut slot.known_at, slot.stamp);
            let text = format!("{slot:?}");
            if known_at <= faults_end {
                in_time.insert(slot.stamp);
                news.during.insert(text.clone());
            }
            news.after.insert(text);
        })
        .unwrap();
    store
        .rows(before, Timestamp::MAX, &mut |row| {
            let text = format!("{row:?}");
            if in_time.contains(&row.added) {
                news.during.insert(text.clone());
            }
            news.after.insert(text);
        })
        .unwrap();
}

/// A sentence about two sets that ought to be equal.
pub fn difference(ought: &Rows, is: &Rows) -> String {
    let missing: Vec<_> = ought.difference(is).collect();
    let foreign: Vec<_> = is.difference(ought).collect();
    let first = |rows: &[&String]| rows.first().map_or(String::new(), |row| row.chars().take(160).collect());
    format!(
        "{} missing (such as {}), {} foreign (such as {})",
        missing.len(),
        first(&missing),
        foreign.len(),
        first(&foreign)
    )
}
