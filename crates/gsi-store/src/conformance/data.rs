//! Received data: observations and their revisions, slots, rows, feeds.

use super::sample::{feed, observation, quiet, row, slot, tick};
use super::{Backend, Case, kind};
use crate::{Ingest, IngestReport, ObservationScope, ReadLimit, Result, Store, TickCommit, TickStore};
use gsi_model::{DAY, NewsRow, NewsSlot, Observation, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;

pub const CASES: &[Case] = &[
    ("an ingest numbers revisions and skips known values", ingest_revisions),
    ("data from outside a tick wait for one, complete and in order", pending),
    ("a tick takes a waiting batch once, with its other changes or not at all", taking),
    ("observations are read as of a time, in order", point_in_time),
    ("observations of some series, or without old periods of some, are read as of a time", some_series),
    ("an ingest is stored completely or not at all", ingest_is_whole),
    ("a large ingest is stored and read back", large_ingest),
    ("slots and rows are read by half-open windows", windows),
    ("a feed's state is replaced", feeds),
    ("a read ends at its limit and leaves the store usable", limited),
];

fn all(store: &dyn Store, known_until: Timestamp) -> Vec<Observation> {
    let mut found = vec![];
    store.observations(known_until, &mut |o| found.push(o)).unwrap();
    found
}

fn report(inserted: u64, unchanged: u64, waiting: u64) -> IngestReport {
    IngestReport { inserted, unchanged, waiting }
}

fn ingest_revisions(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let put = |values: &[f64]| {
        let observations = values.iter().map(|&v| observation("s", "", 0, v)).collect();
        store.ingest(&Ingest { observations, ..Ingest::default() }).unwrap()
    };
    for (values, want) in [
        (&[1.0][..], report(1, 0, 0)),
        (&[1.0], report(0, 1, 0)),
        (&[2.0, 2.0], report(1, 1, 0)),
        // A returning earlier value is a new revision.
        (&[1.0], report(1, 0, 0)),
        (&[1.0, 3.0, 1.0], report(2, 1, 0)),
    ] {
        assert_eq!(put(values), want, "{values:?}");
    }
    let stored: Vec<_> = all(&*store, Timestamp::MAX).iter().map(|o| (o.revision, o.value)).collect();
    assert_eq!(stored, [(0, 1.0), (1, 2.0), (2, 1.0), (3, 3.0), (4, 1.0)]);

    // The tick assigns revisions. An existing one is a conflict; the next free one is not.
    let vintage = |revision| Observation { revision, ..observation("s", "", 0, 8.0) };
    for (n, revision, want) in [(1, 4, "conflict"), (1, 5, "ok"), (2, 5, "conflict")] {
        let commit = TickCommit { observations: vec![vintage(revision)], ..quiet(tick(n)) };
        assert_eq!(kind(store.commit_tick(&commit)), want, "revision {revision}");
    }
}

fn pending(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let one =
        |day, value| Ingest { observations: vec![observation("s", "", day, value)], ..Ingest::default() };
    let file = Ingest { slots: vec![slot(tick(0))], rows: vec![row(1, tick(0))], ..Ingest::default() };
    // No process computes ticks yet: values keep their own times, and news files wait for the tick that clusters them.
    assert_eq!(store.ingest(&one(0, 1.0)).unwrap(), report(1, 0, 0));
    assert_eq!(store.ingest(&file).unwrap(), report(0, 0, 2));
    assert_eq!(store.row(1).unwrap(), None);

    // A process that begins ticks has read everything, so from now on values from every process wait as well.
    store.begin_ticks().unwrap();
    store.begin_ticks().unwrap();
    let other = backend.reopen();
    assert_eq!(other.ingest(&one(0, 2.0)).unwrap(), report(0, 0, 1));
    assert_eq!(other.ingest(&one(1, 3.0)).unwrap(), report(0, 0, 1));
    assert_eq!(all(&*store, Timestamp::MAX).len(), 1);
    let waiting: Vec<Ingest> = store.pending(u64::MAX).unwrap().into_iter().map(|b| b.data).collect();
    assert_eq!(waiting, [file, one(0, 2.0), one(1, 3.0)]);
    for (most_rows, want) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3), (99, 3)] {
        assert_eq!(store.pending(most_rows).unwrap().len(), want, "{most_rows}");
    }
    assert_eq!(kind(store.ingest(&one(0, f64::NAN))), "refused");

    // A committed tick has the same effect as `begin_ticks`.
    let store = backend.fresh();
    store.commit_tick(&quiet(tick(0))).unwrap();
    assert_eq!(store.ingest(&one(0, 1.0)).unwrap(), report(0, 0, 1));
}

fn taking(backend: &mut dyn Backend) {
    let store = backend.fresh();
    store.begin_ticks().unwrap();
    for day in 0..3 {
        let data = Ingest { observations: vec![observation("s", "", day, 1.0)], ..Ingest::default() };
        store.ingest(&data).unwrap();
    }
    let numbers: Vec<i64> = store.pending(u64::MAX).unwrap().iter().map(|b| b.number).collect();
    let take = |n: i64, taken: &[i64]| TickCommit {
        observations: vec![observation("s", "", n, 1.0)],
        taken_batches: taken.to_vec(),
        ..quiet(tick(n))
    };
    store.commit_tick(&take(0, &numbers[..2])).unwrap();
    assert_eq!(store.pending(u64::MAX).unwrap().iter().map(|b| b.number).collect::<Vec<_>>(), numbers[2..]);
    assert_eq!(kind(store.commit_tick(&take(1, &numbers[1..]))), "conflict");
    assert_eq!(store.pending(u64::MAX).unwrap().len(), 1, "nothing of a refused tick");
    store.commit_tick(&take(1, &numbers[2..])).unwrap();
    assert_eq!(store.pending(u64::MAX).unwrap(), []);
    assert_eq!(all(&*store, Timestamp::MAX).len(), 2);
    // A number is never reused: a late tick could take a batch that it has not read.
    store.ingest(&Ingest { observations: vec![observation("s", "", 9, 1.0)], ..Ingest::default() }).unwrap();
    assert!(store.pending(u64::MAX).unwrap()[0].number > numbers[2]);
}

fn point_in_time(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let late = |series: &str, entity: &str, day, revision, days| Observation {
        revision,
        known_at: tick(0).plus(days * DAY),
        ..observation(series, entity, day, revision as f64)
    };
    // In the expected order of results, which differs from the order of writing and of names' first use.
    let ordered = vec![
        late("a", "", 0, 0, 1),
        late("a", "", 0, 1, 9),
        late("a", "", 1, 0, 2),
        late("a", "DE", 0, 0, 3),
        late("a", "Ü", 0, 0, 3),
        late("a.b", "", 0, 0, 1),
        late("aB", "", 0, 0, 1),
        late("b", "", -3, 0, 4),
    ];
    let mut shuffled = ordered.clone();
    shuffled.reverse();
    shuffled.swap(0, 3);
    store.commit_tick(&TickCommit { observations: shuffled, ..quiet(tick(0)) }).unwrap();
    for days in 0..=10 {
        let until = tick(0).plus(days * DAY);
        let want: Vec<_> = ordered.iter().filter(|o| o.known_at <= until).cloned().collect();
        assert_eq!(all(&*store, until), want, "known until {until}");
        assert_eq!(all(&*store, until.minus(1)).len(), ordered.iter().filter(|o| o.known_at < until).count());
    }
}

fn some_series(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let ordered: Vec<_> = ["a", "b", "b.c", "it's"]
        .into_iter()
        .flat_map(|series| ["", "DE"].map(|entity| (series, entity)))
        .flat_map(|(series, entity)| {
            let row = |day: i64, revision| Observation {
                revision,
                known_at: tick(0).plus((day + i64::from(revision)) * DAY),
                ..observation(series, entity, day, 1.0)
            };
            [row(0, 0), row(0, 1), row(1, 0), row(2, 0)]
        })
        .collect();
    let shuffled = ordered.iter().rev().cloned().collect();
    store.commit_tick(&TickCommit { observations: shuffled, ..quiet(tick(0)) }).unwrap();
    let second = ordered[2].period_end;
    let ends = [Timestamp::MIN, second.minus(1), second, Timestamp::MAX];
    for series in [&[][..], &["b"], &["it's", "a"], &["no such", "b.c", "b.c"]] {
        for period_after in ends {
            for days in [-1, 0, 1, 9] {
                let known_until = tick(0).plus(days * DAY);
                let mut found = vec![];
                store.observations_of(series, period_after, known_until, &mut |o| found.push(o)).unwrap();
                let mut want = all(&*store, known_until);
                want.retain(|o| series.contains(&o.series.as_str()) && o.period_end > period_after);
                assert_eq!(found, want, "{series:?} after {period_after}, known until {known_until}");

                let (recent_series, recent_after, mut found) = (series, period_after, vec![]);
                let scope = ObservationScope { known_until, recent_series, recent_after };
                store.observations_in(&scope, &mut |o| found.push(o)).unwrap();
                let mut want = all(&*store, known_until);
                let newest: BTreeMap<(String, String), Timestamp> =
                    want.iter().map(|o| ((o.series.clone(), o.entity.clone()), o.period_end)).collect();
                want.retain(|o| {
                    !series.contains(&o.series.as_str())
                        || o.period_end > period_after
                        || o.period_end == newest[&(o.series.clone(), o.entity.clone())]
                });
                assert_eq!(
                    found, want,
                    "all, but {series:?} after {period_after} and the newest, known until {known_until}"
                );
            }
        }
    }
}

fn ingest_is_whole(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let mut batch = Ingest {
        observations: vec![observation("s", "", 0, 1.0), observation("s", "", 1, f64::NAN)],
        slots: vec![slot(tick(0))],
        rows: vec![row(1, tick(0))],
    };
    assert_eq!(kind(store.ingest(&batch)), "refused");
    assert_eq!(all(&*store, Timestamp::MAX), []);
    assert_eq!(store.pending(u64::MAX).unwrap(), []);

    batch.observations[1].value = 2.0;
    assert_eq!(store.ingest(&batch).unwrap(), report(2, 0, 2));
    assert_eq!(store.ingest(&batch).unwrap(), report(0, 2, 2));
    assert_eq!(store.frontier().unwrap(), None, "an ingest is no tick");
}

fn large_ingest(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let countries = ["", "DE", "FR", "UA"];
    let observations: Vec<_> =
        (0..2_500).flat_map(|day| countries.map(|c| observation("oil", c, day, day as f64 / 7.0))).collect();
    let mut batch = Ingest { observations, ..Ingest::default() };
    assert_eq!(store.ingest(&batch).unwrap(), report(10_000, 0, 0));
    let mut want = batch.observations.clone();
    want.sort_by(|a, b| (&a.entity, a.period_end).cmp(&(&b.entity, b.period_end)));
    assert!(all(&*store, Timestamp::MAX) == want, "10,000 observations come back as they went in");
    // The same data with one corrected value.
    batch.observations[17].value += 1.0;
    assert_eq!(store.ingest(&batch).unwrap(), report(1, 9_999, 0));

    let rows: Vec<_> = (1..=3_000).map(|id| row(id, tick(id as i64 / 100))).collect();
    store.commit_tick(&TickCommit { rows: rows.clone(), ..quiet(tick(40)) }).unwrap();
    let mut found = vec![];
    store.rows(Timestamp::MIN, Timestamp::MAX, &mut |r| found.push(r)).unwrap();
    assert!(found == rows, "3,000 rows come back as they went in");
}

fn windows(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let slots = [0, 1, 2, 3].map(|n| NewsSlot { known_at: tick(n + (n % 2) * 10), ..slot(tick(n)) });
    let rows = [(9, 0), (4, 1), (7, 1), (5, 2)].map(|(id, n)| row(id, tick(n)));
    let commit = TickCommit {
        slots: slots.iter().rev().cloned().collect(),
        rows: rows.iter().rev().cloned().collect(),
        ..quiet(tick(0))
    };
    store.commit_tick(&commit).unwrap();

    for (from, to, known, want) in [
        (tick(-1), tick(3), tick(99), vec![0, 1, 2, 3]),
        (tick(0), tick(2), tick(99), vec![1, 2]),
        (tick(-1), tick(3), tick(2), vec![0, 2]),
        (tick(-1), tick(3), tick(11), vec![0, 1, 2]),
        (tick(3), tick(3), tick(99), vec![]),
    ] {
        let mut found: Vec<NewsSlot> = vec![];
        store.slots(from, to, known, &mut |s| found.push(s)).unwrap();
        let want: Vec<_> = want.into_iter().map(|n: usize| slots[n].clone()).collect();
        assert_eq!(found, want, "{from} {to} {known}");
    }
    for (from, to, want) in
        [(tick(-1), tick(2), vec![0, 1, 2, 3]), (tick(0), tick(1), vec![1, 2]), (tick(2), tick(9), vec![])]
    {
        let mut found: Vec<NewsRow> = vec![];
        store.rows(from, to, &mut |r| found.push(r)).unwrap();
        let want: Vec<_> = want.into_iter().map(|n: usize| rows[n].clone()).collect();
        assert_eq!(found, want, "{from} {to}");
    }
    assert_eq!(store.row(7).unwrap().as_ref(), Some(&rows[2]));
    assert_eq!(store.row(8).unwrap(), None);
    // Rows are append-only: the first row of a number stays.
    let other = NewsRow { mentions: 999, ..row(7, tick(5)) };
    store.commit_tick(&TickCommit { rows: vec![other], ..quiet(tick(5)) }).unwrap();
    assert_eq!(store.row(7).unwrap().as_ref(), Some(&rows[2]));
}

fn feeds(backend: &mut dyn Backend) {
    let store = backend.fresh();
    store.commit_tick(&TickCommit { feeds: vec![feed("ofr", 1), feed("kev", 2)], ..quiet(tick(0)) }).unwrap();
    store.commit_tick(&TickCommit { feeds: vec![feed("ofr", 5)], ..quiet(tick(1)) }).unwrap();
    assert_eq!(store.feed_states().unwrap(), [feed("kev", 2), feed("ofr", 5)]);
}

fn limited(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let rows: Vec<_> = (1..=5_000).map(|id| row(id, tick(0))).collect();
    store.commit_tick(&TickCommit { rows, ..quiet(tick(0)) }).unwrap();
    let long = Duration::from_secs(60);
    for (name, limit) in
        [("short", ReadLimit::within(Duration::from_millis(50))), ("cancelled", ReadLimit::within(long))]
    {
        let canceller = limit.clone();
        let cancel = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            canceller.cancel();
        });
        let request = store.limited(&limit);
        assert_eq!(kind(count_rows(&*request, Duration::from_millis(1))), "overloaded", "{name}");
        cancel.join().unwrap();
        assert_eq!(kind(request.frontier()), "overloaded", "{name}: no read starts after the deadline");
    }
    assert_eq!(count_rows(&*store, Duration::ZERO).unwrap(), 5_000);
    assert_eq!(count_rows(&*store.limited(&ReadLimit::within(long)), Duration::ZERO).unwrap(), 5_000);

    // Reads without a limit find a connection while requests use all of theirs.
    let slow = ReadLimit::within(long);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| count_rows(&*store.limited(&slow), Duration::from_millis(1)));
        }
        std::thread::sleep(Duration::from_millis(200));
        let request = store.limited(&ReadLimit::within(Duration::from_millis(100)));
        assert_eq!(kind(request.frontier()), "overloaded");
        assert!(store.frontier().unwrap().is_some());
        slow.cancel();
    });
}

/// Reads all rows with a pause after each.
fn count_rows(store: &(impl TickStore + ?Sized), pause: Duration) -> Result<u64> {
    let mut count = 0;
    store.rows(Timestamp::MIN, Timestamp::MAX, &mut |_| {
        count += 1;
        std::thread::sleep(pause);
    })?;
    Ok(count)
}
