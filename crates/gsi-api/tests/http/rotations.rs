//! Secrets that are replaced while the service runs, and records about the use of keys.

use crate::support::{Rig, note};
use gsi_model::{Clock, DAY, HOUR, Scope};
use gsi_store::KeyAction;

const OLD: &str = "the-operators-first-key";
const NEW: &str = "the-operators-second-key";

#[test]
fn a_replaced_cursor_secret_accepts_old_cursors_for_a_time() {
    let rig = Rig::new();
    let cursor = || rig.get("/v1/conflict?limit=1").json()["next_cursor"].as_str().unwrap().to_owned();
    let status = |cursor: &str| {
        let answer = rig.get(&format!("/v1/conflict?limit=1&cursor={cursor}"));
        (answer.status, if answer.status == 200 { String::new() } else { answer.code() })
    };
    let old = cursor();
    assert_eq!(status(&old).0, 200);
    let until = rig.clock.now().plus(HOUR);
    rig.store.rotate_secret(gsi_api::CURSOR_SECRET, until, &note()).unwrap();
    rig.service.refresh_keys().unwrap();
    // Pages have new signatures, also those that were cached before.
    let new = cursor();
    assert_ne!(new, old);
    assert_eq!((status(&old).0, status(&new).0), (200, 200));
    rig.clock.set(until);
    assert_eq!((status(&old), status(&new).0), ((400, "invalid_cursor".to_owned()), 200));
    // Without a grace period, old cursors end at once.
    rig.store.rotate_secret(gsi_api::CURSOR_SECRET, rig.clock.now(), &note()).unwrap();
    rig.service.refresh_keys().unwrap();
    assert_eq!((status(&new).0, status(&cursor()).0), (400, 200));
}

#[test]
fn the_operators_key_is_replaced_without_a_restart_and_audited() {
    let rig = Rig::over(
        gsi_store::SqliteStore::in_memory().unwrap(),
        |settings| settings.operator_key = Some(OLD.to_owned()),
        None,
    );
    let status =
        |key: &str| rig.ask("GET", "/v1/keys/self", &[("Authorization", &format!("Bearer {key}"))]).status;
    let minted = rig.mint(&[Scope::All], None, None);
    assert_eq!((status(OLD), status(NEW), status(&minted)), (200, 401, 200));
    assert!(rig.service.set_operator_key("short").is_err());
    assert_eq!(status(OLD), 200, "a weak key changes nothing");
    rig.service.set_operator_key(NEW).unwrap();
    assert_eq!((status(OLD), status(NEW), status(&minted)), (401, 200, 200));
    // Setting the same key is no change, and changes of other keys do not restore the old one.
    rig.service.set_operator_key(NEW).unwrap();
    rig.mint(&[Scope::All], None, None);
    assert_eq!((status(OLD), status(NEW)), (401, 200));
    let noted = rig.store.key_audit().unwrap();
    let replaced: Vec<_> = noted.iter().filter(|e| e.action == KeyAction::OperatorKeyReplaced).collect();
    assert_eq!(replaced.len(), 1);
    assert!(replaced[0].by.starts_with("the service"), "{replaced:?}");
    assert!(!format!("{noted:?}").contains(NEW));
}

#[test]
fn the_day_of_a_keys_last_use_is_stored_once() {
    let rig = Rig::new();
    let (used, idle) = (rig.mint(&[Scope::All], None, None), rig.mint(&[Scope::All], None, None));
    let last_used = |key: &str| {
        let keys = rig.store.keys().unwrap();
        keys.into_iter().find(|k| key.contains(&k.id)).unwrap().last_used
    };
    let ask =
        |key: &str| rig.ask("GET", "/v1/summaries", &[("Authorization", &format!("Bearer {key}"))]).status;
    assert_eq!(ask(&used), 200);
    assert_eq!(last_used(&used), None, "requests do not write");
    rig.service.store_key_uses().unwrap();
    let today = rig.clock.now().day().start();
    assert_eq!((last_used(&used), last_used(&idle)), (Some(today), None));
    // A request with a wrong secret is not a use.
    let mut wrong = idle.clone();
    wrong.replace_range(20..21, if &idle[20..21] == "0" { "1" } else { "0" });
    assert_eq!(ask(&wrong), 401);
    rig.clock.advance(DAY);
    assert_eq!(ask(&used), 200);
    rig.service.refresh_keys().unwrap();
    rig.service.store_key_uses().unwrap();
    assert_eq!((last_used(&used), last_used(&idle)), (Some(today.plus(DAY)), None));
    // A service that stops stores pending uses.
    let mut rig = rig;
    rig.clock.advance(DAY);
    let key = format!("Bearer {idle}");
    assert_eq!(rig.ask("GET", "/v1/summaries", &[("Authorization", &key)]).status, 200);
    rig.stop();
    let keys = rig.store.keys().unwrap();
    let noted = keys.into_iter().find(|k| idle.contains(&k.id)).unwrap().last_used;
    assert_eq!(noted, Some(today.plus(2 * DAY)));
}
