//! Versions, mergers and filters of events.

use super::sample::{event, event_id, iso, put, quiet, tick, version};
use super::{Backend, Case, kind};
use crate::{EventQuery, PageAfter, Store, TickCommit};
use gsi_model::{Category, Event, EventChange, EventStatus, HOUR, Timestamp};

pub const CASES: &[Case] = &[
    ("an event is read as of a tick", versions),
    ("a merged event leaves the list and its id leads to the other", mergers),
    ("mergers chain within and across ticks", merger_chains),
    ("of two versions of one tick the later is stored", same_tick),
    ("the list is newest first, then by id", order),
    ("filters", filters),
    ("active events come in clustering order", active),
];

pub fn any(as_of: Timestamp) -> EventQuery {
    EventQuery::any(as_of, 200)
}

pub fn commit(store: &dyn Store, at: Timestamp, events: Vec<EventChange>) {
    store.commit_tick(&TickCommit { events, ..quiet(at) }).unwrap();
}

pub fn merged(gone: u64, kept: u64) -> EventChange {
    EventChange::Merged { gone: event_id(gone), kept: event_id(kept) }
}

fn rows_of(events: Vec<Event>) -> Vec<u64> {
    events.iter().map(|e| e.first_row).collect()
}

fn with(first_row: u64, change: impl FnOnce(&mut Event)) -> Event {
    let mut e = event(first_row, tick(0));
    change(&mut e);
    e
}

fn versions(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let [v0, v1, v2] = [1, 5, 9].map(|reports| with(1, |e| e.reports = reports));
    commit(&*store, tick(0), vec![put(v0.clone())]);
    commit(&*store, tick(1), vec![]);
    commit(&*store, tick(2), vec![put(v1.clone())]);
    commit(&*store, tick(4), vec![put(v2.clone())]);

    let all = [(tick(0), v0), (tick(2), v1), (tick(4), v2)];
    for (as_of, shown) in [
        (tick(0).minus(1), 0),
        (tick(0), 1),
        (tick(1), 1),
        (tick(2).minus(1), 1),
        (tick(2), 2),
        (tick(3), 2),
        (tick(4), 3),
        (Timestamp::MAX, 3),
    ] {
        let want = all[..shown].last().map(|(_, e)| e.clone());
        assert_eq!(store.events(&any(as_of)).unwrap(), Vec::from_iter(want.clone()), "list at {as_of}");
        let record = store.event(&event_id(1), as_of).unwrap();
        assert_eq!(record.as_ref().map(|r| r.event.clone()), want, "record at {as_of}");
        let versions = all[..shown].iter().map(|(at, event)| (*at, version(event.clone())));
        assert_eq!(
            record.map_or(vec![], |r| r.versions),
            versions.collect::<Vec<_>>(),
            "versions at {as_of}"
        );
    }
    assert_eq!(store.event(&event_id(2), Timestamp::MAX).unwrap(), None);
}

fn mergers(backend: &mut dyn Backend) {
    let store = backend.fresh();
    commit(&*store, tick(0), vec![put(event(1, tick(0))), put(event(2, tick(0)))]);
    let kept = with(1, |e| e.aliases = vec![event_id(2)]);
    // The version of the kept event may come before or after the merger.
    commit(&*store, tick(1), vec![merged(2, 1), put(kept.clone())]);

    let ids = |as_of| {
        let mut rows = rows_of(store.events(&any(as_of)).unwrap());
        rows.sort();
        rows
    };
    assert_eq!(ids(tick(0)), [1, 2]);
    assert_eq!(ids(tick(1).minus(1)), [1, 2]);
    assert_eq!(ids(tick(1)), [1]);
    let shown = |as_of| store.event(&event_id(2), as_of).unwrap().unwrap().event;
    assert_eq!(shown(tick(0)), event(2, tick(0)));
    assert_eq!(shown(tick(1)), kept);

    for (name, change, want) in [
        ("a version of the merged", put(event(2, tick(0))), "conflict"),
        ("merged again", merged(2, 1), "conflict"),
        ("back into the merged", merged(1, 2), "conflict"),
    ] {
        let next = TickCommit { events: vec![change], ..quiet(tick(2)) };
        assert_eq!(kind(store.commit_tick(&next)), want, "{name}");
    }
}

fn merger_chains(backend: &mut dyn Backend) {
    let store = backend.fresh();
    commit(&*store, tick(0), (1..=5).map(|n| put(event(n, tick(0)))).collect());
    commit(&*store, tick(1), vec![merged(5, 4), put(event(4, tick(0)))]);
    commit(&*store, tick(2), vec![merged(3, 2), merged(4, 3), merged(2, 1), put(event(1, tick(0)))]);
    for (id, as_of, want) in
        [(5, tick(0), 5), (5, tick(1), 4), (5, tick(2), 1), (4, tick(1), 4), (3, tick(2), 1), (1, tick(2), 1)]
    {
        let record = store.event(&event_id(id), as_of).unwrap().unwrap();
        assert_eq!(record.event.first_row, want, "event {id} at {as_of}");
    }
    assert_eq!(rows_of(store.events(&any(tick(2))).unwrap()), [1]);
}

fn same_tick(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let [early, late] = [3, 4].map(|reports| with(1, |e| e.reports = reports));
    commit(&*store, tick(0), vec![put(early), put(late.clone())]);
    let record = store.event(&event_id(1), tick(0)).unwrap().unwrap();
    assert_eq!(record.versions, [(tick(0), version(late))]);
    // Opened and merged in one tick: the event is never shown, and its id leads to the kept event.
    commit(&*store, tick(1), vec![put(event(2, tick(0))), merged(2, 1)]);
    assert_eq!(rows_of(store.events(&any(tick(1))).unwrap()), [1]);
    assert_eq!(store.event(&event_id(2), tick(1)).unwrap().unwrap().event.first_row, 1);
}

fn order(backend: &mut dyn Backend) {
    let store = backend.fresh();
    // Many events share a second.
    let mut events: Vec<_> = (1..=30).map(|n| event(n, tick(n as i64 % 3))).collect();
    commit(&*store, tick(3), events.iter().cloned().map(put).collect());
    events.sort_by(|a, b| b.occurred_at.cmp(&a.occurred_at).then(a.id.cmp(&b.id)));
    assert_eq!(store.events(&any(tick(3))).unwrap(), events);

    for limit in [1, 7, 30] {
        let (mut walked, mut after) = (vec![], None);
        loop {
            let page = store.events(&EventQuery { after, limit, ..any(tick(3)) }).unwrap();
            assert!(page.len() <= limit);
            let Some(last) = page.last() else { break };
            after = Some(PageAfter { at: last.occurred_at, id: last.id.to_string() });
            walked.extend(page);
            assert!(walked.len() <= events.len(), "a walk that does not end");
        }
        assert_eq!(rows_of(walked), rows_of(events.clone()), "pages of {limit}");
    }
}

fn filters(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let mut events = vec![
        with(1, |e| e.actors = vec!["Россия (military)".into(), "Ukraine".into()]),
        with(2, |e| {
            e.category = Category::Unrest;
            e.status = EventStatus::Confirmed;
            e.country = Some(iso("FJ"));
            (e.lat, e.lon) = (-17.7, 178.0);
            e.actors = vec!["Protesters 100%_".into()];
            e.escalation = 0.2995;
            e.last_activity = tick(6);
        }),
        with(3, |e| {
            e.category = Category::Threat;
            e.status = EventStatus::Unconfirmed;
            e.country = None;
            (e.lat, e.lon) = (-14.0, -171.5);
            e.actors = vec![];
            e.escalation = 0.299_49;
        }),
        event(4, tick(0).plus(HOUR)),
    ];
    commit(&*store, tick(9), events.drain(..).map(put).collect());

    let q = any(tick(9));
    let actor = |text: &str| EventQuery { actor: Some(text.into()), ..q.clone() };
    let least = |e| EventQuery { min_escalation: Some(e), ..q.clone() };
    let within = |bbox| EventQuery { bbox: Some(bbox), ..q.clone() };
    for (name, query, want) in [
        ("none", q.clone(), vec![1, 2, 3, 4]),
        ("since is inclusive", EventQuery { since: tick(4), ..q.clone() }, vec![4]),
        ("since later", EventQuery { since: tick(4).plus(1), ..q.clone() }, vec![]),
        ("active since", EventQuery { active_since: Some(tick(6)), ..q.clone() }, vec![2]),
        ("active since is inclusive", EventQuery { active_since: Some(tick(4)), ..q.clone() }, vec![2, 4]),
        ("active later", EventQuery { active_since: Some(tick(6).plus(1)), ..q.clone() }, vec![]),
        ("until is exclusive", EventQuery { until: tick(4), ..q.clone() }, vec![1, 2, 3]),
        ("one category", EventQuery { categories: vec![Category::Unrest], ..q.clone() }, vec![2]),
        (
            "any of two categories",
            EventQuery { categories: vec![Category::Kinetic, Category::Threat], ..q.clone() },
            vec![1, 3, 4],
        ),
        (
            "a category without events",
            EventQuery { categories: vec![Category::Coercion], ..q.clone() },
            vec![],
        ),
        ("country", EventQuery { countries: vec![iso("FJ"), iso("DE")], ..q.clone() }, vec![2]),
        (
            "status",
            EventQuery { statuses: vec![EventStatus::Confirmed, EventStatus::Unconfirmed], ..q.clone() },
            vec![2, 3],
        ),
        ("actor", actor("ukr"), vec![1, 4]),
        ("actor beyond ASCII", actor("РОССИ"), vec![1]),
        ("actor with pattern signs", actor("100%_"), vec![2]),
        ("pattern signs mean themselves", actor("1%0"), vec![]),
        ("quotes are text", actor("' OR 1=1 --"), vec![]),
        ("no actor across labels", actor(")\nu"), vec![]),
        ("a zero byte", actor("\0"), vec![]),
        ("escalation as published", least(0.3), vec![1, 2, 4]),
        ("escalation just above", least(0.300_000_1), vec![1, 4]),
        ("escalation below", least(0.299), vec![1, 2, 3, 4]),
        ("box", within([30.0, 40.0, 40.0, 50.0]), vec![1, 4]),
        ("box edges belong to it", within([36.25, 49.98, 36.25, 49.98]), vec![1, 4]),
        ("box over the antimeridian", within([170.0, -20.0, -170.0, 0.0]), vec![2, 3]),
        ("the other way round", within([-170.0, -20.0, 170.0, 60.0]), vec![1, 4]),
        ("box elsewhere", within([0.0, 0.0, 10.0, 10.0]), vec![]),
        (
            "all at once",
            EventQuery { categories: vec![Category::Kinetic], countries: vec![iso("UA")], ..actor("ROCC") },
            vec![],
        ),
        (
            "together",
            EventQuery { statuses: vec![EventStatus::Reported], until: tick(4), ..actor("UKRAINE") },
            vec![1],
        ),
    ] {
        let mut found = rows_of(store.events(&query).unwrap());
        found.sort();
        assert_eq!(found, want, "{name}");
    }
}

fn active(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let lively = |n: u64, occurred: i64, last: i64| {
        put(Event { last_activity: tick(last), ..event(n, tick(occurred)) })
    };
    commit(&*store, tick(5), vec![lively(9, 1, 5), lively(3, 1, 4), lively(7, 0, 5), lively(8, 0, 2)]);
    commit(&*store, tick(6), vec![lively(8, 0, 6), merged(3, 8)]);
    for (as_of, since, want) in [
        (tick(5), tick(3), vec![7, 3, 9]),
        (tick(5), tick(4), vec![7, 9]),
        (tick(6), tick(3), vec![7, 8, 9]),
        (tick(6), tick(5), vec![8]),
        (tick(4), tick(0), vec![]),
    ] {
        let active = store.events_active(as_of, since).unwrap();
        let versions: Vec<_> = active.iter().cloned().map(version).collect();
        assert_eq!(store.event_versions_active(as_of, since).unwrap(), versions, "{as_of} {since}");
        assert_eq!(rows_of(active), want, "{as_of} {since}");
    }
}
