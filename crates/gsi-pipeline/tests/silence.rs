//! A service that restarts while there is almost no news continues exactly like one that never stopped.

use gsi_feeds::{Fetcher, FetcherSettings};
use gsi_index::Method;
use gsi_model::{DAY, HeldClock, NewsSlot, TICK, Timestamp};
use gsi_pipeline::{Pipeline, PipelineParts};
use gsi_store::{Frontier, Ingest, ReadStore, SqliteStore, TickStore};
use std::collections::BTreeSet;
use std::sync::Arc;

const TICKS_A_DAY: i64 = DAY / TICK;
/// One day of news, and then so little that the events of a tick have no effect, for longer than single-tick values are kept
/// otherwise.
const LOUD: i64 = TICKS_A_DAY;
const ALL: i64 = 6 * TICKS_A_DAY;

fn tick(n: i64) -> Timestamp {
    "2026-03-01T00:15:00Z".parse::<Timestamp>().unwrap().plus(n * TICK)
}

fn file(n: i64) -> NewsSlot {
    let articles = if n < LOUD { 1_000 } else { 10 };
    NewsSlot {
        stamp: tick(n),
        known_at: tick(n),
        rows: articles,
        articles,
        conflict: f64::from(articles) / 10.0,
        threat: f64::from(articles) / 20.0,
        cyber: 0,
        supply: 0,
        countries: vec![],
    }
}

fn open(store: Arc<SqliteStore>, clock: Arc<HeldClock>) -> Pipeline {
    let feeds: BTreeSet<String> =
        gsi_feeds::default_connectors().iter().map(|c| c.origin().feed.to_owned()).collect();
    Pipeline::open(PipelineParts {
        store,
        connectors: vec![],
        fetcher: Arc::new(Fetcher::new(FetcherSettings::default()).unwrap()),
        method: Arc::new(Method::load(Method::default_text(), &feeds).unwrap()),
        clock,
        simulated: false,
        line: None,
        publish: Box::new(|_| ()),
    })
    .unwrap()
}

/// The engine's state after every tick of a service that restarts before some of them.
async fn states(starts: &[i64]) -> Vec<Frontier> {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let clock = Arc::new(HeldClock::at(tick(0)));
    let mut pipeline = open(store.clone(), clock.clone());
    let mut states = vec![];
    for n in 0..ALL {
        if starts.contains(&n) {
            pipeline = open(store.clone(), clock.clone());
        }
        store.ingest(&Ingest { slots: vec![file(n)], ..Ingest::default() }).unwrap();
        clock.set(tick(n));
        pipeline.tick(tick(n)).await.unwrap();
        states.push(store.frontier().unwrap().unwrap());
    }
    let newest = |series| {
        let mut ends = vec![];
        store
            .observations_of(&[series], Timestamp::MIN, Timestamp::MAX, &mut |o| ends.push(o.period_end))
            .unwrap();
        ends.last().copied()
    };
    assert_eq!(newest("events.articles"), Some(tick(ALL - 1)), "files came until the end");
    let last = newest("events.theaters").expect("there was news");
    assert!(tick(ALL - TICKS_A_DAY).since(last) > 3 * DAY, "the last value of events is of {last}");
    states
}

#[tokio::test]
async fn a_start_after_days_of_near_silence_changes_nothing() {
    let undisturbed = states(&[]).await;
    let last_day = ALL - TICKS_A_DAY;
    let restarted = states(&[last_day, last_day + 1, ALL - 3]).await;
    for (a, b) in undisturbed.iter().zip(&restarted) {
        assert!(a == b, "after the tick {} the states differ", a.tick);
    }
}
