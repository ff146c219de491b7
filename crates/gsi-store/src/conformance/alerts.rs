//! Alerts begin and end with a tick. The tick fills the outbox of hooks.

use super::{Backend, Case, kind, sample};
use crate::{AlertQuery, LedStore, PageAfter, TickCommit};
use gsi_model::{
    Alert, AlertRuleKind, Clock, CountryCode, Delivery, DeliveryState, DeliveryTry, Hook, HookFormat,
    HookMessage, HookMessageKind, HookRuleState, HookState, HookTopic, MINUTE, SnapshotId, SystemClock,
    Timestamp,
};

pub const CASES: &[Case] = &[
    ("alerts can be read as of every tick", alerts_as_of_ticks),
    ("alerts are filtered and paged", alerts_are_filtered),
    ("a replaced hook keeps the state of its rule", hooks_are_kept),
    ("the outbox is sent in order", the_outbox_is_in_order),
    ("messages are stored with the tick or not at all", with_the_tick),
    ("of a hook's snapshots only the newest waits", the_newest_snapshot_waits),
    ("parked messages are sent again on request", parked_messages_are_sent_again),
];

fn alert(subject: &str, rule: AlertRuleKind, began_at: Timestamp) -> Alert {
    Alert {
        id: Alert::id_of(rule, subject, None, Some(50.0), began_at),
        rule,
        subject: subject.to_owned(),
        country: subject.strip_prefix("country:").and_then(|c| CountryCode::from_iso2(&c.to_uppercase())),
        began_at,
        ended_at: None,
        value: Some(51.5),
        threshold: Some(50.0),
        headline: format!("{subject} is on alert."),
        snapshot: SnapshotId::derive(subject.as_bytes()),
        about: None,
    }
}

fn at(n: i64, alerts: Vec<Alert>) -> TickCommit {
    TickCommit { alerts, ..sample::publishing(sample::tick(n), 40.0 + n as f64) }
}

fn alerts_as_of_ticks(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let begun = alert("conflict", AlertRuleKind::Score, sample::tick(1));
    store.commit_tick(&at(0, vec![])).unwrap();
    store.commit_tick(&at(1, vec![begun.clone()])).unwrap();
    store.commit_tick(&at(2, vec![])).unwrap();
    let ended = begun.ended(sample::tick(3));
    store.commit_tick(&at(3, vec![ended.clone()])).unwrap();

    let store = backend.reopen();
    let stood = |n: i64| store.alert(&begun.id, sample::tick(n)).unwrap();
    assert_eq!([stood(0), stood(1), stood(2)], [None, Some(begun.clone()), Some(begun.clone())]);
    assert_eq!(stood(3), Some(ended.clone()));
    let on = |n: i64| store.alerts(&AlertQuery::active(sample::tick(n))).unwrap();
    assert_eq!([on(0).len(), on(1).len(), on(2).len(), on(3).len()], [0, 1, 1, 0]);
    assert_eq!(store.alerts(&AlertQuery::any(sample::tick(3))).unwrap(), std::slice::from_ref(&ended));
    assert_eq!(store.alerts_between(sample::tick(0), sample::tick(2)).unwrap(), [begun]);
    assert_eq!(store.alerts_between(sample::tick(2), sample::tick(3)).unwrap(), [ended]);
}

fn alerts_are_filtered(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let all = vec![
        alert("conflict", AlertRuleKind::Score, sample::tick(0)),
        alert("country:ua", AlertRuleKind::Score, sample::tick(0)),
        alert("country:ua", AlertRuleKind::Band, sample::tick(0)),
        alert("country:ru", AlertRuleKind::Band, sample::tick(0)),
    ];
    store.commit_tick(&at(0, all)).unwrap();
    store.commit_tick(&at(1, vec![alert("global", AlertRuleKind::Band, sample::tick(1))])).unwrap();
    let now = AlertQuery::any(sample::tick(1));
    let count = |query: AlertQuery| store.alerts(&query).unwrap().len();
    assert_eq!(count(now.clone()), 5);
    assert_eq!(count(AlertQuery { rule: Some(AlertRuleKind::Band), ..now.clone() }), 3);
    assert_eq!(count(AlertQuery { country: CountryCode::from_iso2("UA"), ..now.clone() }), 2);
    assert_eq!(count(AlertQuery { since: sample::tick(1), ..now.clone() }), 1);
    assert_eq!(count(AlertQuery { until: sample::tick(1), ..now.clone() }), 4);
    assert_eq!(count(AlertQuery { is_active: Some(false), ..now.clone() }), 0);

    let mut walked = Vec::new();
    let mut after = None;
    loop {
        let page = store.alerts(&AlertQuery { after, limit: 2, ..now.clone() }).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(PageAfter { at: last.began_at, id: last.id.to_string() });
        walked.extend(page);
    }
    assert_eq!(walked, store.alerts(&now).unwrap());
    assert_eq!(walked[0].subject, "global");
}

pub fn hook(name: &str, state: HookState) -> Hook {
    Hook {
        name: name.to_owned(),
        url: "https://example.org/hook".to_owned(),
        topics: vec![HookTopic::Alert],
        when: Some("score >= 50".to_owned()),
        format: HookFormat::Webhook,
        state,
        secrets: Vec::new(),
        created_at: sample::tick(0),
    }
}

fn hooks_are_kept(backend: &mut dyn Backend) {
    let store = backend.fresh();
    store.put_hook(&hook("b", HookState::On)).unwrap();
    store.put_hook(&hook("a", HookState::On)).unwrap();
    let holds = Some(alert("global", AlertRuleKind::Own, sample::tick(0)));
    let hook_states = vec![HookRuleState { hook: "b".to_owned(), holds: holds.clone() }];
    store.commit_tick(&TickCommit { hook_states, ..at(0, vec![]) }).unwrap();
    store.put_hook(&hook("b", HookState::Paused)).unwrap();
    let kept = backend.reopen().hooks().unwrap();
    let names: Vec<&str> = kept.iter().map(|k| k.hook.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!((kept[1].hook.state, &kept[1].holds), (HookState::Paused, &holds));
    assert_eq!(kept[0].holds, None);
}

pub fn message(hook: &str, id: &str) -> HookMessage {
    HookMessage {
        hook: hook.to_owned(),
        id: id.to_owned(),
        kind: HookMessageKind::AlertBegan,
        body: format!("{{\"said\":\"{id}\"}}"),
    }
}

fn the_outbox_is_in_order(backend: &mut dyn Backend) {
    let store = backend.fresh();
    for name in ["a", "b"] {
        store.put_hook(&hook(name, HookState::On)).unwrap();
    }
    let messages = vec![message("a", "1"), message("a", "2"), message("b", "3")];
    store.commit_tick(&TickCommit { messages: messages.clone(), ..at(0, vec![]) }).unwrap();

    let now = sample::tick(9);
    let due = |now: Timestamp| -> Vec<(String, i64)> {
        store.due_deliveries(now).unwrap().into_iter().map(|d| (d.message, d.number)).collect()
    };
    let first = due(now);
    assert_eq!(first.iter().map(|(m, _)| m.as_str()).collect::<Vec<_>>(), ["1", "3"]);
    // A failed delivery delays the later ones of its hook only.
    let tried = vec![DeliveryTry { at: now, result: "500".to_owned(), refused: false }];
    store.note_delivery(first[0].1, DeliveryState::Waiting, now.plus(60), &tried).unwrap();
    store.note_delivery(first[1].1, DeliveryState::Delivered, now, &tried).unwrap();
    assert!(due(now).is_empty());
    assert_eq!(due(now.plus(60))[0].0, "1");
    store.note_delivery(first[0].1, DeliveryState::Delivered, now, &tried).unwrap();
    assert_eq!(kind(store.note_delivery(first[0].1, DeliveryState::Waiting, now, &[])), "conflict");
    assert_eq!(due(now)[0].0, "2");
    store.put_hook(&hook("a", HookState::Paused)).unwrap();
    assert!(due(now).is_empty());

    let deliveries = store.deliveries(None, 10).unwrap();
    let shown: Vec<_> = deliveries.iter().map(|d| (d.message.as_str(), d.state, d.tries.len())).collect();
    let waiting = DeliveryState::Waiting;
    let delivered = DeliveryState::Delivered;
    assert_eq!(shown, [("3", delivered, 1), ("2", waiting, 0), ("1", delivered, 1)]);
    assert_eq!(deliveries[2].body, "{\"said\":\"1\"}");
    assert_eq!(store.deliveries(Some("b"), 10).unwrap().len(), 1);
    assert_eq!(store.deliveries(Some("a"), 1).unwrap().len(), 1);
}

fn with_the_tick(backend: &mut dyn Backend) {
    let store = backend.fresh();
    store.put_hook(&hook("a", HookState::On)).unwrap();
    store.commit_tick(&at(0, vec![])).unwrap();
    let refused = TickCommit { messages: vec![message("a", "1")], ..at(0, vec![]) };
    assert_eq!(kind(store.commit_tick(&refused)), "tick_done");
    assert!(store.deliveries(None, 10).unwrap().is_empty());
}

fn snapshot_message(id: &str) -> HookMessage {
    HookMessage { kind: HookMessageKind::SnapshotPublished, ..message("a", id) }
}

/// The states of all messages by their ids, newest first.
fn states(store: &dyn LedStore) -> Vec<(String, DeliveryState)> {
    store.deliveries(None, 10).unwrap().into_iter().map(|d| (d.message, d.state)).collect()
}

fn the_newest_snapshot_waits(backend: &mut dyn Backend) {
    use DeliveryState::{Delivered, Parked, Replaced, Waiting};
    let store = backend.fresh();
    store.put_hook(&hook("a", HookState::On)).unwrap();
    let messages = vec![snapshot_message("1"), message("a", "2")];
    store.commit_tick(&TickCommit { messages, ..at(0, vec![]) }).unwrap();
    let now = sample::tick(9);
    let due = |now: Timestamp| -> Option<Delivery> { store.due_deliveries(now).unwrap().pop() };
    let first = due(now).unwrap();
    assert_eq!(first.message, "1");
    assert!(SystemClock.now().since(first.waiting_since).abs() < MINUTE, "{first:?}");
    let tried = vec![DeliveryTry { at: now, result: "503".to_owned(), refused: false }];
    store.note_delivery(first.number, Waiting, now.plus(60), &tried).unwrap();
    store.commit_tick(&TickCommit { messages: vec![snapshot_message("3")], ..at(1, vec![]) }).unwrap();
    let named = |id: &str, state: DeliveryState| (id.to_owned(), state);
    assert_eq!(states(&*store), [named("3", Waiting), named("2", Waiting), named("1", Replaced)]);
    // Other messages keep their places. The newer snapshot is due when the replaced one was.
    let second = due(now).unwrap();
    assert_eq!(second.message, "2");
    store.note_delivery(second.number, Delivered, now, &tried).unwrap();
    assert_eq!(due(now.plus(59)), None);
    assert_eq!(due(now.plus(60)).unwrap().message, "3");
    // A try of the replaced message was running.
    for state in [Waiting, Parked] {
        store.note_delivery(first.number, state, now, &tried).unwrap();
        assert_eq!(states(&*store)[2], named("1", Replaced));
    }
    store.note_delivery(first.number, Delivered, now, &tried).unwrap();
    assert_eq!(states(&*store), [named("3", Waiting), named("2", Delivered), named("1", Delivered)]);
    assert_eq!(kind(store.note_delivery(first.number, Delivered, now, &tried)), "conflict");
}

fn parked_messages_are_sent_again(backend: &mut dyn Backend) {
    use DeliveryState::{Parked, Waiting};
    let store = backend.fresh();
    for name in ["a", "b"] {
        store.put_hook(&hook(name, HookState::On)).unwrap();
    }
    let tried = vec![DeliveryTry { at: sample::tick(1), result: "400".to_owned(), refused: false }];
    let park_all = || {
        for delivery in store.deliveries(None, 10).unwrap().iter().filter(|d| d.state == Waiting) {
            store.note_delivery(delivery.number, Parked, sample::tick(1), &tried).unwrap();
        }
    };
    let messages = vec![message("a", "1"), snapshot_message("2"), message("b", "3")];
    store.commit_tick(&TickCommit { messages, ..at(0, vec![]) }).unwrap();
    park_all();
    store.commit_tick(&TickCommit { messages: vec![snapshot_message("4")], ..at(1, vec![]) }).unwrap();
    park_all();
    assert!(store.due_deliveries(Timestamp::MAX).unwrap().is_empty());
    // The older snapshot is out of date.
    assert_eq!(store.retry_parked("a").unwrap(), 2);
    assert_eq!(store.retry_parked("a").unwrap(), 0);
    let expected = [("4", Waiting), ("3", Parked), ("2", Parked), ("1", Waiting)];
    assert_eq!(states(&*store), expected.map(|(id, state)| (id.to_owned(), state)));
    let due = store.due_deliveries(sample::tick(0)).unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].message.as_str(), &due[0].tries), ("1", &tried));
}
