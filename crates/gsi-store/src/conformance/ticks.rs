//! The tick's transaction and its results.

use super::sample::{
    briefing, country_snapshot, event, event_id, feed, observation, publishing, put, quiet, row, slot, tick,
};
use super::{Backend, Case, kind};
use crate::{BriefingQuery, Frontier, HistoryPoint, PageAfter, Published, Store, TickCommit};
use gsi_model::{
    Briefing, CountryCode, DAY, EventChange, FeedId, FeedState, NewsSlot, Observation, Pillar, TICK,
    Timestamp,
};

pub const CASES: &[Case] = &[
    ("an empty store has empty answers", empty_store),
    ("a tick is committed once and in order", done_once),
    ("a tick is stored completely or not at all", whole_or_absent),
    ("data that cannot be read back are refused", unreadable_is_refused),
    ("snapshots are found by time and by id", snapshots),
    ("the snapshot shown at a moment was committed by then", late_snapshots),
    ("histories are half-open and oldest first", histories),
    ("countries are found by time, and each has its history", countries),
    ("of old engine states one a day is kept", states_thin_out),
    ("briefings are paged, filtered and keep their tick", briefings),
    ("a store that was set back keeps the received data", set_back),
    ("all data survive a restart", survives_restart),
];

fn everything(at: Timestamp) -> TickCommit {
    TickCommit {
        observations: vec![
            observation("ofr.fsi", "", 0, 1.5),
            observation("ofr.fsi", "US", 0, f64::MIN_POSITIVE),
        ],
        slots: vec![slot(at)],
        rows: vec![row(1, at), row(2, at)],
        events: vec![put(event(1, at))],
        briefings: vec![briefing("global", at, &["global"])],
        feeds: vec![feed("ofr", 3)],
        ..publishing(at, 41.7)
    }
}

/// Everything that a store returns about the sample's records.
fn dump(store: &dyn Store) -> String {
    let (from, to) = (Timestamp::MIN, Timestamp::MAX);
    let mut text = format!("{:?}\n{:?}\n", store.frontier().unwrap(), store.published_at(to).unwrap());
    text += &format!("{:?}\n", store.history(Some(Pillar::Macro), from, to).unwrap());
    store.observations(to, &mut |o| text += &format!("{o:?}\n")).unwrap();
    store.slots(from, to, to, &mut |s| text += &format!("{s:?}\n")).unwrap();
    store.rows(from, to, &mut |r| text += &format!("{r:?}\n")).unwrap();
    text += &format!("{:?}\n", store.events_active(to, from).unwrap());
    text += &format!("{:?}\n", store.event(&event_id(1), to).unwrap());
    text += &format!("{:?}\n", store.briefings(&all_briefings(to)).unwrap());
    text + &format!("{:?}\n", store.feed_states().unwrap())
}

fn all_briefings(as_of: Timestamp) -> BriefingQuery {
    let (since, until) = (Timestamp::MIN, Timestamp::MAX);
    BriefingQuery { as_of, since, until, tags: vec![], after: None, limit: 200 }
}

fn countries(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let code = |text: &str| CountryCode::from_iso2(text).unwrap();
    assert_eq!(store.countries_at(tick(9)).unwrap(), None);
    for n in 0..4 {
        // The second tick scores no countries, and the third is committed late.
        let countries = (n != 1).then(|| country_snapshot(tick(n), 40.0 + n as f64));
        let published_at = if n == 2 { tick(3).plus(5) } else { tick(n) };
        let commit = TickCommit { countries, published_at, ..publishing(tick(n), 40.0) };
        store.commit_tick(&commit).unwrap();
    }
    let of = |n: i64| Some(country_snapshot(tick(n), 40.0 + n as f64));
    assert_eq!(store.countries_at(tick(1)).unwrap(), of(0));
    assert_eq!(store.countries_at(tick(2)).unwrap(), of(2));
    let points = store.country_history(code("UA"), tick(0), tick(3)).unwrap();
    let found: Vec<_> = points.iter().map(|p| (p.tick, p.score, p.published_at)).collect();
    assert_eq!(found, [(tick(0), 40.0, tick(0)), (tick(2), 42.0, tick(3).plus(5))]);
    assert_eq!(store.country_history(code("NR"), tick(0), tick(9)).unwrap(), [], "it has no score");
    let without = TickCommit { countries: of(4), ..quiet(tick(4)) };
    assert_eq!(kind(store.commit_tick(&without)), "refused", "countries without a snapshot");
    let other = TickCommit { countries: of(5), ..publishing(tick(4), 40.0) };
    assert_eq!(kind(store.commit_tick(&other)), "refused", "countries of another tick");
}

fn empty_store(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let emptiness = "None\nNone\n[]\n[]\nNone\n[]\n[]\n";
    assert_eq!(dump(&*store), emptiness);
    assert_eq!(store.state_at(tick(0)).unwrap(), None);
    assert_eq!(store.row(1).unwrap(), None);
    assert_eq!(store.row(u64::MAX).unwrap(), None);
    assert_eq!(store.keys().unwrap(), []);
}

fn done_once(backend: &mut dyn Backend) {
    let store = backend.fresh();
    for (n, want) in [(4, "ok"), (4, "tick_done"), (3, "tick_done"), (5, "ok"), (9, "ok"), (8, "tick_done")] {
        assert_eq!(kind(store.commit_tick(&quiet(tick(n)))), want, "tick {n}");
    }
    let want = Frontier { tick: tick(9), state: quiet(tick(9)).state };
    assert_eq!(store.frontier().unwrap(), Some(want));
    // Another handle on the same data refuses it too.
    assert_eq!(kind(backend.reopen().commit_tick(&publishing(tick(9), 1.0))), "tick_done");
}

fn whole_or_absent(backend: &mut dyn Backend) {
    let store = backend.fresh();
    store.commit_tick(&everything(tick(0))).unwrap();
    let before = dump(&*store);

    type Spoil = fn(&mut TickCommit);
    let spoilers: [(&str, Spoil, &str); 8] = [
        ("an observation again", |c| c.observations.push(observation("ofr.fsi", "", 0, 9.0)), "conflict"),
        ("a slot that differs", |c| c.slots[0].rows += 1, "conflict"),
        ("a briefing again", |c| c.briefings = everything(tick(0)).briefings, "conflict"),
        ("a snapshot id again", |c| set_snapshot_id(c), "conflict"),
        ("an event that moves", |c| c.events.push(put(event(1, tick(1)))), "conflict"),
        ("a merger of a stranger", |c| c.events.push(merged(99, 1)), "conflict"),
        ("a merger into a stranger", |c| c.events.push(merged(1, 99)), "conflict"),
        ("a merger into itself", |c| c.events.push(merged(1, 1)), "conflict"),
    ];
    for (name, spoil, want) in spoilers {
        let mut next = TickCommit {
            observations: vec![observation("new.series", "", 0, 1.0)],
            slots: vec![slot(tick(0)), slot(tick(1))],
            rows: vec![row(3, tick(1))],
            events: vec![put(event(2, tick(1)))],
            briefings: vec![briefing("macro", tick(1), &[])],
            feeds: vec![feed("ofr", 99), feed("new", 1)],
            ..publishing(tick(1), 50.0)
        };
        spoil(&mut next);
        assert_eq!(kind(store.commit_tick(&next)), want, "{name}");
        assert_eq!(dump(&*store), before, "{name} left something behind");
    }

    // After these failures the store still works, and may receive the same slot or row twice.
    let again = TickCommit {
        slots: vec![slot(tick(0))],
        rows: vec![row(1, tick(0)), row(4, tick(1))],
        ..quiet(tick(1))
    };
    store.commit_tick(&again).unwrap();
    let mut ids = vec![];
    store.rows(Timestamp::MIN, Timestamp::MAX, &mut |r| ids.push(r.id)).unwrap();
    assert_eq!(ids, [1, 2, 4]);
}

fn set_snapshot_id(commit: &mut TickCommit) {
    let taken = everything(tick(0)).snapshot.unwrap().id;
    commit.snapshot.as_mut().unwrap().id = taken;
}

fn merged(gone: u64, kept: u64) -> EventChange {
    EventChange::Merged { gone: event_id(gone), kept: event_id(kept) }
}

fn unreadable_is_refused(backend: &mut dyn Backend) {
    let store = backend.fresh();
    type Spoil = fn(&mut TickCommit);
    let spoilers: [(&str, Spoil); 9] = [
        ("a snapshot without a summary", |c| c.summary = None),
        ("a summary without a snapshot", |c| c.snapshot = None),
        ("a snapshot of another tick", |c| c.snapshot.as_mut().unwrap().tick = tick(7)),
        ("a score that is no number", |c| c.snapshot.as_mut().unwrap().score = f64::NAN),
        ("an endless indicator", |c| {
            c.snapshot.as_mut().unwrap().pillars[3].indicators[5].score = Some(f64::INFINITY);
        }),
        ("an observation that is no number", |c| c.observations[0].value = f64::NAN),
        ("a row that is nowhere", |c| c.rows[0].tone = f64::NEG_INFINITY),
        ("a row number beyond counting", |c| c.rows[0].id = u64::MAX),
        ("an event that is nowhere", |c| {
            let mut lost = event(5, tick(0));
            lost.lat = f64::NAN;
            c.events.push(put(lost));
        }),
    ];
    for (name, spoil) in spoilers {
        let mut commit = everything(tick(0));
        spoil(&mut commit);
        assert_eq!(kind(store.commit_tick(&commit)), "refused", "{name}");
        assert_eq!(store.frontier().unwrap(), None, "{name}");
    }
}

fn snapshots(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let commits = [publishing(tick(1), 40.0), quiet(tick(2)), publishing(tick(3), 45.5)];
    for commit in &commits {
        store.commit_tick(commit).unwrap();
    }
    let published = |n: usize| {
        let c: &TickCommit = &commits[n];
        Some(Published {
            snapshot: c.snapshot.clone().unwrap(),
            summary: c.summary.clone().unwrap(),
            published_at: c.published_at,
        })
    };
    for (at, want) in [
        (tick(1).minus(1), None),
        (tick(1), published(0)),
        (tick(2), published(0)),
        (tick(3).minus(1), published(0)),
        (tick(3), published(2)),
        (Timestamp::MAX, published(2)),
    ] {
        assert_eq!(store.published_at(at).unwrap(), want, "at {at}");
    }
    let id = |n: usize| commits[n].snapshot.clone().unwrap().id;
    assert_eq!(store.snapshot_by_id(&id(0)).unwrap(), published(0));
    assert_eq!(store.snapshot_by_id(&id(2)).unwrap(), published(2));
    assert_eq!(store.snapshot_by_id(&gsi_model::SnapshotId::derive(b"no such")).unwrap(), None);
}

fn late_snapshots(backend: &mut dyn Backend) {
    let store = backend.fresh();
    // A tick in time, two late ticks after an outage, and a tick in time.
    let committed = [tick(1).plus(5), tick(9).plus(7), tick(9).plus(8), tick(10).plus(5)];
    for (tick_of, published_at) in [1, 2, 9, 10].into_iter().zip(committed) {
        let commit = TickCommit { published_at, ..publishing(tick(tick_of), 40.0) };
        store.commit_tick(&commit).unwrap();
    }
    for (moment, want) in [
        (tick(1), None),
        (tick(1).plus(5), Some(1)),
        (tick(2), Some(1)),
        (tick(9).plus(6), Some(1)),
        (tick(9).plus(7), Some(2)),
        (tick(9).plus(8), Some(9)),
        (tick(10), Some(9)),
        (tick(10).plus(5), Some(10)),
        (Timestamp::MAX, Some(10)),
    ] {
        let shown = store.published_by(moment).unwrap();
        assert_eq!(shown.map(|p| p.snapshot.tick), want.map(tick), "at {moment}");
    }
    // Queries by tick find them too.
    let of_tick = store.published_at(tick(2)).unwrap().unwrap();
    assert_eq!((of_tick.snapshot.tick, of_tick.published_at), (tick(2), committed[1]));
    let published: Vec<_> =
        store.history(None, tick(0), tick(99)).unwrap().iter().map(|p| p.published_at).collect();
    assert_eq!(published, committed);
}

fn histories(backend: &mut dyn Backend) {
    let store = backend.fresh();
    for n in 0..5 {
        let commit = if n == 2 { quiet(tick(n)) } else { publishing(tick(n), 10.0 * n as f64) };
        store.commit_tick(&commit).unwrap();
    }
    let point = |n: i64, plus: f64| HistoryPoint {
        tick: tick(n),
        score: 10.0 * n as f64 + plus,
        published_at: tick(n),
    };
    for (pillar, from, to, want) in [
        (None, tick(0), tick(5), vec![point(0, 0.0), point(1, 0.0), point(3, 0.0), point(4, 0.0)]),
        (None, tick(1), tick(4), vec![point(1, 0.0), point(3, 0.0)]),
        (Some(Pillar::Conflict), tick(3), tick(4), vec![point(3, 0.0)]),
        (Some(Pillar::Cyber), tick(3), tick(4), vec![point(3, 1.0)]),
        (Some(Pillar::SupplyChain), tick(3), tick(4), vec![point(3, 2.0)]),
        (Some(Pillar::Macro), tick(3), tick(4), vec![point(3, 3.0)]),
        (None, tick(4), tick(4), vec![]),
    ] {
        assert_eq!(store.history(pillar, from, to).unwrap(), want, "{pillar:?} {from} {to}");
        let mut whole = Vec::new();
        store.snapshots(from, to, &mut |p| whole.push((p.snapshot.tick, p.published_at))).unwrap();
        assert_eq!(whole, want.iter().map(|p| (p.tick, p.published_at)).collect::<Vec<_>>(), "{from} {to}");
    }
}

fn states_thin_out(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let step = 4 * TICK;
    let last = tick(0).plus(11 * DAY);
    let mut at = tick(0);
    while at <= last {
        store.commit_tick(&quiet(at)).unwrap();
        at = at.plus(step);
    }
    let kept = |asked: Timestamp| store.state_at(asked).unwrap().map(|f| f.tick);
    let window = last.minus(8 * DAY);
    for (asked, want) in [
        (tick(-1), None),
        (tick(0), Some(tick(0))),
        (tick(0).plus(DAY - 1), Some(tick(0))),
        (tick(0).plus(2 * DAY + step), Some(tick(0).plus(2 * DAY))),
        (window.minus(1), Some(window.minus(DAY))),
        (window, Some(window)),
        (window.plus(step), Some(window.plus(step))),
        (last.minus(1), Some(last.minus(step))),
        (Timestamp::MAX, Some(last)),
    ] {
        assert_eq!(kept(asked), want, "asked {asked}");
    }
    // After a long pause the states of old ticks expire as well.
    let much_later = last.plus(30 * DAY);
    store.commit_tick(&quiet(much_later)).unwrap();
    assert_eq!(kept(last.minus(step)), Some(last.minus(DAY)));
    assert_eq!(kept(Timestamp::MAX), Some(much_later));
}

fn briefings(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let mut first = TickCommit {
        briefings: vec![
            briefing("global", tick(0), &["global", "record"]),
            briefing("macro", tick(0), &["macro", "macro"]),
            briefing("cyber", tick(0), &["cyber"]),
        ],
        ..quiet(tick(0))
    };
    store.commit_tick(&first).unwrap();
    // Published now with an earlier time: a walk that started before must not see it.
    let late = Briefing { late: true, ..briefing("global", tick(-96), &["global"]) };
    store.commit_tick(&TickCommit { briefings: vec![late.clone()], ..quiet(tick(1)) }).unwrap();

    first.briefings.sort_by(|a, b| a.id.cmp(&b.id));
    let [a, b, c] = &first.briefings[..] else { panic!() };
    let all = all_briefings(tick(1));
    let after = |b: &Briefing| Some(PageAfter { at: b.published_at, id: b.id.to_string() });
    let tagged = |tag: &str| first.briefings.iter().find(|b| b.tags[0] == tag).unwrap();
    let by_tag = |tags: &[&str]| tags.iter().map(|t| (*t).to_owned()).collect();
    for (name, query, want) in [
        ("all", all.clone(), vec![a, b, c, &late]),
        ("as it was", BriefingQuery { as_of: tick(0), ..all.clone() }, vec![a, b, c]),
        ("limit", BriefingQuery { limit: 2, ..all.clone() }, vec![a, b]),
        ("after", BriefingQuery { after: after(b), ..all.clone() }, vec![c, &late]),
        ("after the last", BriefingQuery { after: after(&late), ..all.clone() }, vec![]),
        ("since", BriefingQuery { since: tick(0), ..all.clone() }, vec![a, b, c]),
        ("until", BriefingQuery { until: tick(0), ..all.clone() }, vec![&late]),
        ("tag", BriefingQuery { tags: by_tag(&["macro"]), ..all.clone() }, vec![tagged("macro")]),
        ("tags", BriefingQuery { tags: by_tag(&["record", "no"]), ..all.clone() }, vec![tagged("global")]),
        ("no tag", BriefingQuery { tags: by_tag(&["glob"]), ..all }, vec![]),
    ] {
        assert_eq!(store.briefings(&query).unwrap().iter().collect::<Vec<_>>(), want, "{name}");
    }
    assert_eq!(store.briefing(&late.id, tick(1)).unwrap(), Some(late.clone()));
    assert_eq!(store.briefing(&late.id, tick(0)).unwrap(), None);
}

fn survives_restart(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let first = everything(tick(0));
    store.commit_tick(&first).unwrap();
    let before = dump(&*store);
    for part in ["41.7", "ofr.fsi", "Харків", "news.example", "Nothing stands out", "Date: 2"] {
        assert!(before.contains(part), "{part} is missing from {before}");
    }
    drop(store);
    let store = backend.reopen();
    assert_eq!(dump(&*store), before);
    store.commit_tick(&publishing(tick(1), 42.0)).unwrap();
    assert_eq!(store.frontier().unwrap().map(|f| f.tick), Some(tick(1)));
}

fn set_back(backend: &mut dyn Backend) {
    let commit = |n: i64| TickCommit {
        observations: vec![
            observation("s", "", n, n as f64),
            Observation { feed: FeedId::new("events"), ..observation("events.heat", "", n, n as f64) },
        ]
        .into_iter()
        .map(|o| Observation { known_at: tick(n), ingested_at: tick(n), ..o })
        .collect(),
        slots: vec![NewsSlot { known_at: tick(n), ..slot(tick(n)) }],
        rows: vec![row(n as u64 + 1, tick(n))],
        events: match n {
            0 => vec![put(event(1, tick(0))), put(event(2, tick(0)))],
            3 => vec![merged(2, 1), put(event(1, tick(0)))],
            _ => vec![put(event(1, tick(0)))],
        },
        briefings: vec![briefing("global", tick(n), &["global"])],
        feeds: vec![FeedState { last_attempt: Some(tick(n)), ..feed("s", 7) }],
        ..publishing(tick(n), 10.0 * n as f64)
    };
    let store = backend.fresh();
    let mut at_two = String::new();
    for n in 0..=4 {
        store.commit_tick(&commit(n)).unwrap();
        if n == 2 {
            at_two = dump(&*store);
        }
    }
    let whole = dump(&*store);
    assert_eq!(kind(store.set_back(tick(2).plus(1), false)), "refused");
    let would = store.set_back(tick(2), true).unwrap();
    assert_eq!(dump(&*store), whole, "a dry run changes nothing");
    let done = store.set_back(tick(2), false).unwrap();
    assert_eq!(done, would);
    assert_eq!((done.ticks, done.snapshots, done.briefings, done.waiting), (2, 2, 2, 6), "{done:?}");
    assert_eq!(dump(&*store), at_two);
    let waiting = store.pending(u64::MAX).unwrap();
    let rows: Vec<u64> = waiting.iter().flat_map(|b| &b.data.rows).map(|r| r.id).collect();
    assert_eq!(rows, [4, 5]);
    assert!(
        waiting.iter().flat_map(|b| &b.data.observations).all(|o| o.series == "s"),
        "what was derived is not received"
    );
    // The next ticks follow, and reuse the numbers that became free.
    let numbers = waiting.iter().map(|b| b.number).collect();
    store.commit_tick(&TickCommit { taken_batches: numbers, ..commit(3) }).unwrap();
    assert!(store.set_back(tick(3), false).unwrap().is_nothing());
}
