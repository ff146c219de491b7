//! Pruned data are removed, queries for them say so, and published data stay.

use super::alerts::{hook, message};
use super::sample::{event, event_id, publishing, put, row, slot, tick};
use super::{Backend, Case, kind};
use crate::{
    EventQuery, LEAST_DAYS_KEPT, LedStore, PrunableKind, RetentionDays, StoreError, TickCommit, plan_replay,
    prune, prune_quietly,
};
use gsi_model::{DAY, DeliveryState, EventChange, HookState, TICK, Timestamp};

pub const CASES: &[Case] = &[
    ("pruning removes data older than the retention time and nothing else", prunes),
    ("queries of pruned data are refused and others are unchanged", refuses),
    ("days without ticks and a clock that ran ahead make no data old", counts_days),
    ("a replaced leader cannot prune", fenced),
];

const KEEP: RetentionDays = RetentionDays {
    news_rows: LEAST_DAYS_KEPT,
    event_versions: LEAST_DAYS_KEPT,
    engine_states: LEAST_DAYS_KEPT,
    deliveries: LEAST_DAYS_KEPT,
};
const TICKS_A_DAY: i64 = DAY / TICK;
/// Each day of the sample world has two ticks.
const DAYS: i64 = 15;

fn day(n: i64) -> Timestamp {
    tick(n * TICKS_A_DAY)
}

/// Event 1 changes with every tick, event 2 is merged into it on the second day, and event 3 never changes. Each day has a
/// message to a hook that is on, which gets the first two, and one to a hook that was revoked.
fn fill(store: &dyn LedStore) {
    store.put_hook(&hook("on", HookState::On)).unwrap();
    store.put_hook(&hook("over", HookState::Revoked)).unwrap();
    for n in 0..DAYS {
        for half in [0, TICKS_A_DAY / 2] {
            let at = day(n).plus(half * TICK);
            let mut first = event(1, tick(0));
            first.reports = (n * 2 + half.min(1)) as u32;
            first.last_activity = at;
            let mut events = vec![put(first)];
            match (n, half) {
                (0, 0) => events.extend([put(event(2, tick(0))), put(event(3, tick(0)))]),
                (1, 0) => events.push(EventChange::Merged { gone: event_id(2), kept: event_id(1) }),
                _ => {}
            }
            let mut messages = Vec::new();
            if half == 0 {
                messages.extend(["on", "over"].map(|name| message(name, &format!("{name} {n}"))));
            }
            let id = (n * 10 + half.min(1) * 5) as u64;
            store
                .commit_tick(&TickCommit {
                    slots: vec![slot(at)],
                    rows: vec![row(id, at), row(id + 1, at)],
                    events,
                    messages,
                    ..publishing(at, 40.0 + n as f64)
                })
                .unwrap();
        }
    }
    for state in [DeliveryState::Delivered, DeliveryState::Parked] {
        let due = store.due_deliveries(tick(0)).unwrap();
        store.note_delivery(due[0].number, state, tick(0), &[]).unwrap();
    }
}

fn rows(store: &dyn LedStore) -> Vec<u64> {
    let mut found = Vec::new();
    store.rows(Timestamp::MIN, Timestamp::MAX, &mut |r| found.push(r.id)).unwrap();
    found
}

fn list(as_of: Timestamp) -> EventQuery {
    EventQuery::any(as_of, 100)
}

fn prunes(backend: &mut dyn Backend) {
    let store = backend.fresh();
    fill(&*store);
    let edge = day(DAYS - i64::from(LEAST_DAYS_KEPT));
    let expected = |kind: PrunableKind| match kind {
        // Two ticks of two rows on each of five days.
        PrunableKind::NewsRows => 20,
        // All versions of event 1 that were replaced by then; the last versions of the others stay.
        PrunableKind::EventVersions => 10,
        // The two finished messages to the hook that is on, and five to the one that was revoked.
        PrunableKind::Deliveries => 7,
        // No state of the last eight days; before that, one state a day was kept.
        PrunableKind::EngineStates => 5,
    };
    let published = store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap();
    let shown = store.events(&list(day(DAYS))).unwrap();
    for dry_run in [true, false] {
        let parts = prune(&*store, &KEEP, dry_run, &mut |_, _| ()).unwrap();
        for part in &parts {
            assert_eq!((part.before, part.removed), (Some(edge), expected(part.kind)), "{part:?}");
            assert_eq!(part.size_after.rows, part.size_before.rows - part.removed, "{part:?}");
            assert!(part.size_before.bytes > 0, "{part:?}");
        }
        assert_eq!(rows(&*store).len() as i64, if dry_run { DAYS * 4 } else { DAYS * 4 - 20 });
    }
    assert!(rows(&*store).iter().all(|id| *id >= 50));
    assert_eq!(store.due_deliveries(tick(0)).unwrap()[0].message, "on 2", "waiting messages stay");
    let again = prune(&*store, &KEEP, false, &mut |_, _| ()).unwrap();
    assert!(again.iter().all(|part| part.removed == 0), "{again:?}");
    assert_eq!(store.history(None, Timestamp::MIN, Timestamp::MAX).unwrap(), published);
    assert_eq!(store.events(&list(day(DAYS))).unwrap(), shown);
    assert_eq!(store.published_at(day(0)).unwrap().unwrap().snapshot.score, 40.0);
    store.compact().unwrap();
    assert_eq!(rows(&*backend.reopen()).len() as i64, DAYS * 4 - 20);
    // Keeping everything removes nothing.
    let store = backend.fresh();
    fill(&*store);
    assert_eq!(prune_quietly(&*store, &RetentionDays::default(), &|| false).unwrap(), 0);
    assert_eq!(rows(&*store).len() as i64, DAYS * 4);
}

fn refuses(backend: &mut dyn Backend) {
    let store = backend.fresh();
    fill(&*store);
    let other = backend.reopen();
    // A following replica has polled.
    other.pulse().unwrap();
    let edge = day(DAYS - i64::from(LEAST_DAYS_KEPT));
    let before = edge.minus(1);
    assert_eq!(kind(other.events(&list(before))), "ok");
    assert_eq!(store.pruned_before(PrunableKind::EventVersions).unwrap(), None);
    assert_eq!(other.event(&event_id(1), day(DAYS)).unwrap().unwrap().kept_since, None);
    let listed = other.events(&list(edge)).unwrap();
    prune_quietly(&*store, &KEEP, &|| false).unwrap();
    for (name, answer) in [
        ("a list", kind(other.events(&list(before)))),
        ("an event", kind(other.event(&event_id(1), before))),
        ("active events", kind(other.events_active(before, Timestamp::MIN))),
        ("versions", kind(other.event_versions_active(before, Timestamp::MIN))),
        ("a way to a tick", kind(plan_replay(&*other, day(1), day(1)))),
        ("setting back", kind(store.set_back(day(1), true))),
    ] {
        assert!(["pruned", "refused"].contains(&answer), "{name}: {answer}");
    }
    match other.events(&list(before)) {
        Err(error @ StoreError::Pruned { .. }) => {
            assert_eq!(
                error.to_string(),
                format!("replaced event versions from before {edge} are no longer kept")
            );
        }
        answer => panic!("{answer:?}"),
    }
    assert_eq!(other.events(&list(edge)).unwrap(), listed);
    let record = other.event(&event_id(1), day(DAYS)).unwrap().unwrap();
    assert_eq!(record.kept_since, Some(edge));
    assert_eq!(record.versions.first().map(|v| v.0), Some(edge));
    // A merged event is still found, and gets no more versions.
    assert_eq!(other.event(&event_id(2), day(DAYS)).unwrap().unwrap().event.id, event_id(1));
    let late = TickCommit { events: vec![put(event(2, tick(0)))], ..publishing(day(DAYS), 1.0) };
    assert_eq!(kind(store.commit_tick(&late)), "conflict");
    // Ticks after a kept state can be replayed.
    assert!(plan_replay(&*other, day(DAYS - 2), day(DAYS - 1)).unwrap().anchor.is_some());
    for kind in PrunableKind::ALL {
        assert_eq!(other.pruned_before(kind).unwrap(), Some(edge), "{kind}");
    }
}

fn counts_days(backend: &mut dyn Backend) {
    let store = backend.fresh();
    fill(&*store);
    // A year without ticks, and then a clock that ran a century ahead.
    store.commit_tick(&publishing(day(400), 1.0)).unwrap();
    store.commit_tick(&publishing(day(36_500), 1.0)).unwrap();
    let parts = prune(&*store, &KEEP, true, &mut |_, _| ()).unwrap();
    let edge = day(DAYS - i64::from(LEAST_DAYS_KEPT) + 2);
    assert!(parts.iter().all(|part| part.before == Some(edge)), "{parts:?}");
    // With fewer days than the retention time, nothing is old.
    let store = backend.fresh();
    store.commit_tick(&publishing(day(0), 1.0)).unwrap();
    store.commit_tick(&publishing(day(9_999), 1.0)).unwrap();
    let parts = prune(&*store, &KEEP, false, &mut |_, _| ()).unwrap();
    assert!(parts.iter().all(|part| part.before.is_none() && part.removed == 0), "{parts:?}");
}

fn fenced(backend: &mut dyn Backend) {
    let store = backend.fresh();
    assert!(store.lead().unwrap().is_some());
    fill(&*store);
    store.resign();
    let next = backend.reopen();
    assert!(next.lead().unwrap().is_some());
    assert_eq!(kind(prune_quietly(&*store, &KEEP, &|| false)), "fenced");
    assert_eq!(rows(&*next).len() as i64, DAYS * 4);
    assert!(prune_quietly(&*next, &KEEP, &|| false).unwrap() > 0);
}
