//! One leader at a time, and no writes by a former leader.

use super::sample::{observation, quiet, tick};
use super::{Backend, Case, kind};
use crate::{Ingest, Leadership};

pub const CASES: &[Case] = &[
    ("one leads at a time", one_at_a_time),
    ("a replaced leader cannot write", fenced),
    ("concurrent writers commit a tick once", race),
];

fn number(store: &dyn Leadership) -> Option<i64> {
    store.lead().unwrap().map(|lease| lease.number)
}

fn one_at_a_time(backend: &mut dyn Backend) {
    let (a, b) = (backend.fresh(), backend.reopen());
    let first = number(&*a).expect("no other process leads");
    assert_eq!(number(&*a), Some(first), "keeping the lead is not a new lead");
    assert_eq!(number(&*b), None);
    a.resign();
    let second = number(&*b).expect("the lead is free");
    assert!(second > first);
    assert_eq!(number(&*a), None);
    b.resign();
    assert!(number(&*a).expect("the lead is free again") > second);
}

fn fenced(backend: &mut dyn Backend) {
    let (a, b, never_led) = (backend.fresh(), backend.reopen(), backend.reopen());
    let data = Ingest { observations: vec![observation("s", "", 0, 1.0)], ..Ingest::default() };
    number(&*a).unwrap();
    assert_eq!(kind(a.commit_tick(&quiet(tick(1)))), "ok");
    a.resign();
    assert_eq!(kind(a.commit_tick(&quiet(tick(2)))), "ok", "no other process has led since");
    number(&*b).unwrap();
    assert_eq!(kind(a.commit_tick(&quiet(tick(3)))), "fenced");
    assert_eq!(kind(a.ingest(&data)), "fenced");
    assert_eq!(kind(b.commit_tick(&quiet(tick(3)))), "ok");
    assert_eq!(kind(b.ingest(&data)), "ok");
    assert_eq!(kind(never_led.commit_tick(&quiet(tick(4)))), "ok");
    assert_eq!(a.frontier().unwrap().map(|f| f.tick), Some(tick(4)));
}

fn race(backend: &mut dyn Backend) {
    let stores = [backend.fresh(), backend.reopen(), backend.reopen()];
    for n in 0..10 {
        let mut outcomes: Vec<_> = std::thread::scope(|scope| {
            let racers =
                stores.each_ref().map(|store| scope.spawn(|| kind(store.commit_tick(&quiet(tick(n))))));
            racers.map(|racer| racer.join().unwrap()).to_vec()
        });
        outcomes.sort();
        assert_eq!(outcomes, ["ok", "tick_done", "tick_done"], "tick {n}");
    }
}
