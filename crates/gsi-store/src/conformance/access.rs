//! Keys, secrets and small values, also through a second handle.

use super::sample::{key, note, tick};
use super::{Backend, Case};
use crate::KeyAction;
use gsi_model::{ApiKey, Scope};

pub const CASES: &[Case] = &[
    ("keys are stored, replaced and counted", keys),
    ("the day of a key's last use survives other changes", last_used),
    ("every change of a key is recorded in order and stays recorded", audit),
    ("a secret is created once", secrets),
    ("a replaced secret is still known for a while", rotated_secrets),
    ("small values are replaced", meta),
];

fn keys(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let other = backend.reopen();
    let plain = ApiKey {
        scopes: vec![Scope::All, Scope::Briefings],
        rate: None,
        expires_at: None,
        created_at: tick(-1),
        ..key("AAAAAAAAAA")
    };
    let mut versions = vec![store.keys_version().unwrap()];
    other.put_key(&key("BBBBBBBBBB"), &note(0)).unwrap();
    versions.push(store.keys_version().unwrap());
    store.put_key(&plain, &note(0)).unwrap();
    versions.push(store.keys_version().unwrap());
    assert_eq!(store.keys_version().unwrap(), *versions.last().unwrap(), "asking changes nothing");
    // Oldest first.
    assert_eq!(store.keys().unwrap(), [plain.clone(), key("BBBBBBBBBB")]);

    let revoked = ApiKey { revoked_at: Some(tick(1)), ..key("BBBBBBBBBB") };
    other.put_key(&revoked, &note(1)).unwrap();
    versions.push(store.keys_version().unwrap());
    assert_eq!(store.keys().unwrap(), [plain.clone(), revoked.clone()]);
    // A rotation that read the key before its revocation does not undo it.
    let rotated = ApiKey { expires_at: Some(tick(9)), ..key("BBBBBBBBBB") };
    store.put_key(&rotated, &note(2)).unwrap();
    assert_eq!(store.keys().unwrap(), [plain, ApiKey { expires_at: Some(tick(9)), ..revoked }]);
    versions.dedup();
    assert_eq!(versions.len(), 4, "every change of a key by any process changes the version");
}

fn last_used(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let other = backend.reopen();
    for id in ["AAAAAAAAAA", "BBBBBBBBBB"] {
        store.put_key(&key(id), &note(0)).unwrap();
    }
    let version = store.keys_version().unwrap();
    let day = |n: i64| tick(n * 96);
    other.note_key_uses(&[("AAAAAAAAAA".into(), day(2)), ("unknown".into(), day(2))]).unwrap();
    // Neither a replica that is behind nor a change of the key resets the day.
    store.note_key_uses(&[("AAAAAAAAAA".into(), day(1))]).unwrap();
    assert_eq!(store.keys_version().unwrap(), version, "replicas need not read the keys again");
    other.put_key(&ApiKey { name: "another".into(), ..key("AAAAAAAAAA") }, &note(3)).unwrap();
    let known = |id: &str| store.keys().unwrap().into_iter().find(|k| k.id == id).unwrap();
    assert_eq!((known("AAAAAAAAAA").last_used, known("BBBBBBBBBB").last_used), (Some(day(2)), None));
    assert_eq!(known("AAAAAAAAAA").name, "another");
}

fn audit(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let other = backend.reopen();
    assert_eq!(store.key_audit().unwrap(), []);
    let revoked = ApiKey { revoked_at: Some(tick(2)), ..key("AAAAAAAAAA") };
    store.put_key(&key("AAAAAAAAAA"), &note(0)).unwrap();
    other.put_key(&ApiKey { expires_at: None, ..key("AAAAAAAAAA") }, &note(1)).unwrap();
    store.put_key(&ApiKey { expires_at: None, ..revoked }, &note(2)).unwrap();
    other.put_key(&ApiKey { expires_at: None, name: "x".into(), ..key("AAAAAAAAAA") }, &note(3)).unwrap();
    store.rotate_secret("cursor", tick(9), &note(4)).unwrap();
    other.add_to_key_audit(KeyAction::OperatorKeyReplaced, &note(5)).unwrap();
    store.note_key_uses(&[("AAAAAAAAAA".into(), tick(0))]).unwrap();
    let entries = backend.reopen().key_audit().unwrap();
    let actions: Vec<_> = entries.iter().map(|e| (e.at, e.action.key(), e.key.as_str())).collect();
    assert_eq!(
        actions,
        [
            (tick(0), "created", "AAAAAAAAAA"),
            (tick(1), "expiry_changed", "AAAAAAAAAA"),
            (tick(2), "revoked", "AAAAAAAAAA"),
            (tick(3), "changed", "AAAAAAAAAA"),
            (tick(4), "cursor_secret_rotated", ""),
            (tick(5), "operator_key_replaced", ""),
        ]
    );
    assert!(entries.iter().all(|entry| entry.by == "a test"));
    assert_eq!((entries[2].name.as_str(), entries[3].name.as_str()), ("a reader", "x"));
}

fn rotated_secrets(backend: &mut dyn Backend) {
    let store = backend.fresh();
    assert_eq!(store.previous_secret("cursor").unwrap(), None);
    let first = store.secret("cursor").unwrap();
    let (other, version) = (backend.reopen(), store.keys_version().unwrap());
    other.rotate_secret("cursor", tick(8), &note(0)).unwrap();
    assert_ne!(store.keys_version().unwrap(), version, "every replica has to read it");
    let second = store.secret("cursor").unwrap();
    assert_ne!(second, first);
    let kept = store.previous_secret("cursor").unwrap().unwrap();
    assert_eq!((kept.value, kept.until), (first, tick(8)));
    assert_eq!(format!("{kept:?}"), format!("a secret, accepted until {}", tick(8)));
    other.rotate_secret("cursor", tick(9), &note(1)).unwrap();
    let kept = store.previous_secret("cursor").unwrap().unwrap();
    assert_eq!((kept.value, kept.until), (second, tick(9)));
    // A secret that was never used can be replaced as well.
    other.rotate_secret("fresh", tick(9), &note(2)).unwrap();
    assert_ne!(store.previous_secret("fresh").unwrap().unwrap().value, store.secret("fresh").unwrap());
}

fn secrets(backend: &mut dyn Backend) {
    let store = backend.fresh();
    let first = store.secret("cursor").unwrap();
    assert_ne!(first, [0; 32]);
    assert_eq!(store.secret("cursor").unwrap(), first);
    assert_ne!(store.secret("other").unwrap(), first);
    assert_eq!(backend.reopen().secret("cursor").unwrap(), first);
    assert_ne!(backend.fresh().secret("cursor").unwrap(), first, "another installation has its own");
}

fn meta(backend: &mut dyn Backend) {
    let store = backend.fresh();
    assert_eq!(store.meta("mode").unwrap(), None);
    store.set_meta("mode", "demo").unwrap();
    store.set_meta("mode", "дemo").unwrap();
    store.set_meta("other", "").unwrap();
    assert_eq!(store.meta("mode").unwrap().as_deref(), Some("дemo"));
    assert_eq!(backend.reopen().meta("other").unwrap().as_deref(), Some(""));
}
