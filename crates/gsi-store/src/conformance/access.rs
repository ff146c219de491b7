//! Keys, secrets, small values; also as a second process sees them.

use super::sample::{key, tick};
use super::{Backend, Case};
use gsi_model::{ApiKey, Scope};

pub const CASES: &[Case] = &[
    ("keys are kept, replaced and counted", keys),
    ("a secret is made once", secrets),
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
    other.put_key(&key("BBBBBBBBBB")).unwrap();
    versions.push(store.keys_version().unwrap());
    store.put_key(&plain).unwrap();
    versions.push(store.keys_version().unwrap());
    assert_eq!(store.keys_version().unwrap(), *versions.last().unwrap(), "asking changes nothing");
    // Oldest first.
    assert_eq!(store.keys().unwrap(), [plain.clone(), key("BBBBBBBBBB")]);

    let revoked = ApiKey { revoked_at: Some(tick(1)), ..key("BBBBBBBBBB") };
    other.put_key(&revoked).unwrap();
    versions.push(store.keys_version().unwrap());
    assert_eq!(store.keys().unwrap(), [plain.clone(), revoked.clone()]);
    // A rotation that read the key before it was revoked does not bring it back.
    let rotated = ApiKey { expires_at: Some(tick(9)), ..key("BBBBBBBBBB") };
    store.put_key(&rotated).unwrap();
    assert_eq!(store.keys().unwrap(), [plain, ApiKey { expires_at: Some(tick(9)), ..revoked }]);
    versions.dedup();
    assert_eq!(versions.len(), 4, "every change of a key changes the version, whoever made it");
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
