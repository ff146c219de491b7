//! Authentication: which keys are accepted, and that clients without a valid key learn nothing.

use crate::problems::failing::Broken;
use crate::support::{Rig, wait_until, world};
use gsi_api::keys::{self, Grant};
use gsi_model::{ApiKey, Clock, Scope};
use gsi_store::SqliteStore;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const MISSING: &str = "Bearer realm=\"gsi\"";
const INVALID: &str = "Bearer realm=\"gsi\", error=\"invalid_token\"";

#[test]
fn without_a_valid_key_every_path_and_method_is_a_401_and_nothing_else() {
    let rig = Rig::new();
    let paths = [
        "/v1",
        "/v1/",
        "/v1/global-stability",
        "/v1/global-stability/pillar/conflict",
        "/v1/global-stability/pillar/nonsense",
        "/v1/conflict?limit=0",
        "/v1/conflict/evt_0123456789ABCDEFGHJKMNPQRS",
        "/v1/nothing/at/all",
        "/v1%2fglobal-stability",
        "/%76%31/conflict",
        "//v1/conflict",
        "/./v1/conflict",
        "/x/../v1/conflict",
        "/V1/conflict",
        "/v1/../healthz",
        "/v1;a=b/conflict",
        "/%2576%2531/conflict",
        "http://elsewhere/v1/conflict",
    ];
    let mut bodies = std::collections::BTreeSet::new();
    for path in paths {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            let answer = rig.ask(method, path, &[]);
            assert_eq!(answer.status, 401, "{method} {path}");
            assert_eq!(answer.header("www-authenticate"), Some(MISSING), "{method} {path}");
            assert_eq!(answer.header("ratelimit"), None);
            assert_eq!(answer.header("allow"), None);
            if method != "HEAD" {
                let mut body = answer.json();
                body["instance"].take();
                body["request_id"].take();
                bodies.insert(body.to_string());
            }
        }
    }
    assert_eq!(bodies.len(), 1, "all bodies are equal: {bodies:?}");
}

#[test]
fn only_a_well_formed_header_is_a_credential() {
    let rig = Rig::new();
    let key = rig.key.clone();
    let typo = {
        let mut b = key.clone().into_bytes();
        b[30] = if b[30] == b'0' { b'1' } else { b'0' };
        String::from_utf8(b).unwrap()
    };
    let stranger = keys::create(Grant::usual("x", rig.clock.now()), rig.clock.now()).unwrap().text;
    let bearer = |k: &str| format!("Bearer {k}");
    let rows: Vec<(Vec<String>, u16, &str, Option<&str>)> = vec![
        (vec![bearer(&key)], 200, "", None),
        (vec![format!("bearer {key}")], 200, "", None),
        (vec![format!("BEARER   {key}")], 200, "", None),
        (vec![], 401, "missing_credentials", Some(MISSING)),
        (vec!["Bearer".into()], 401, "missing_credentials", Some(MISSING)),
        (vec!["Basic dXNlcjpwYXNz".into()], 401, "missing_credentials", Some(MISSING)),
        (vec![key.clone()], 401, "missing_credentials", Some(MISSING)),
        (vec![bearer(&typo)], 401, "invalid_credentials", Some(INVALID)),
        (vec![bearer(&stranger)], 401, "invalid_credentials", Some(INVALID)),
        (vec![bearer("nonsense")], 401, "invalid_credentials", Some(INVALID)),
        (vec![bearer(&key.to_uppercase())], 401, "invalid_credentials", Some(INVALID)),
        (vec![format!("Bearer {key} x")], 401, "invalid_credentials", Some(INVALID)),
        (vec![bearer(&key), bearer(&key)], 401, "invalid_credentials", Some(INVALID)),
        (vec![bearer(&key[..key.len() - 1])], 401, "invalid_credentials", Some(INVALID)),
    ];
    for (values, status, code, challenge) in rows {
        let headers: Vec<(&str, &str)> = values.iter().map(|v| ("Authorization", v.as_str())).collect();
        let answer = rig.ask("GET", "/v1/global-stability", &headers);
        assert_eq!(answer.status, status, "{}", values.len());
        assert_eq!(answer.header("www-authenticate"), challenge);
        if status != 200 {
            assert_eq!(answer.code(), code);
            assert!(!answer.text().contains(&key[15..]), "the answer repeats the secret");
        }
    }
    let in_query = rig.ask("GET", &format!("/v1/global-stability?access_token={key}&key={key}"), &[]);
    assert_eq!(in_query.status, 401, "keys in the query are ignored");
}

#[test]
fn a_key_ends_when_it_expires_or_is_revoked() {
    let rig = Rig::new();
    let end = rig.clock.now().plus(60);
    let key = rig.mint(&[Scope::All], None, Some(end));
    let ask = || rig.ask("GET", "/v1/summaries", &[("Authorization", &format!("Bearer {key}"))]);
    assert_eq!(ask().status, 200);
    rig.clock.set(end.minus(1));
    assert_eq!(ask().status, 200);
    rig.clock.set(end);
    let expired = ask();
    assert_eq!((expired.status, expired.code().as_str()), (401, "expired_credentials"));
    assert_eq!(expired.header("www-authenticate"), Some(INVALID));

    let key = rig.mint(&[Scope::All], None, None);
    let ask = || rig.ask("GET", "/v1/summaries", &[("Authorization", &format!("Bearer {key}"))]);
    assert_eq!(ask().status, 200);
    let record = rig.store.keys().unwrap().into_iter().find(|k| key.contains(&k.id)).unwrap();
    rig.store.put_key(&keys::revoke(&record, rig.clock.now()), &crate::support::note()).unwrap();
    rig.service.refresh_keys().unwrap();
    let revoked = ask();
    assert_eq!((revoked.status, revoked.code().as_str()), (401, "invalid_credentials"));
    assert_eq!(revoked.header("www-authenticate"), Some(INVALID));
}

#[test]
fn keys_of_another_process_work_without_a_restart() {
    let rig = Rig::new();
    // Written directly to the store, like `gsi key`, without notifying the service.
    let minted = keys::create(Grant::usual("late", rig.clock.now()), rig.clock.now()).unwrap();
    rig.store.put_key(&minted.record, &crate::support::note()).unwrap();
    let authorization = format!("Bearer {}", minted.text);
    let status = || rig.ask("GET", "/v1/summaries", &[("Authorization", &authorization)]).status;
    assert_eq!(status(), 200, "a new key works at once");
    rig.store.put_key(&keys::revoke(&minted.record, rig.clock.now()), &crate::support::note()).unwrap();
    wait_until(|| status() == 401);
}

/// The store is read before either is refused, so the response time does not reveal which ids exist.
#[test]
fn a_wrong_secret_is_refused_in_the_same_way_as_an_unknown_id() {
    let inner = SqliteStore::in_memory().unwrap();
    world::fill(&inner);
    let store = Arc::new(Broken(inner, Arc::default(), Default::default()));
    let rig = Rig::over_any(store.clone(), |s| s.limits.failed_auth_per_minute = 4, None);
    let [known, other, unknown] = ["known", "other", "unknown"]
        .map(|name| keys::create(Grant::usual(name, rig.clock.now()), rig.clock.now()).unwrap());
    // The store has the id of one key with the secret of another.
    let record = ApiKey { id: known.record.id.clone(), ..other.record };
    rig.store.put_key(&record, &crate::support::note()).unwrap();
    rig.service.refresh_keys().unwrap();
    let ask = |method: &str, path: &str, key: &str| {
        let answer = rig.ask(method, path, &[("Authorization", &format!("Bearer {key}"))]);
        (answer.status, answer.code())
    };
    for (method, path) in [("GET", "/v1/global-stability"), ("POST", "/session")] {
        for key in [&known.text, &unknown.text] {
            let before = store.2.of_keys.load(Ordering::SeqCst);
            assert_eq!(ask(method, path, key), (401, "invalid_credentials".to_owned()), "{method} {path}");
            let reads = store.2.of_keys.load(Ordering::SeqCst) - before;
            assert_eq!(reads, 1, "{method} {path}: {key}");
        }
    }
    assert_eq!(ask("GET", "/v1/global-stability", &known.text).0, 429, "each request was counted once");
}

#[test]
fn concurrent_requests_with_unknown_keys_are_refused() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                let forged = keys::create(Grant::usual("forged", rig.clock.now()), rig.clock.now()).unwrap();
                let authorization = format!("Bearer {}", forged.text);
                let answer = rig.ask("GET", "/v1/summaries", &[("Authorization", &authorization)]);
                assert_eq!((answer.status, answer.code().as_str()), (401, "invalid_credentials"));
            });
        }
    });
    assert!(rig.log.text().contains("\"refused_key\""), "the log has the claimed key id");
}

#[test]
fn a_scope_opens_only_its_resources() {
    let rig = Rig::new();
    let event = rig.get("/v1/conflict?limit=1").json()["events"][0]["id"].as_str().unwrap().to_owned();
    let briefing = rig.get("/v1/briefings?limit=1").json()["briefings"][0]["id"].as_str().unwrap().to_owned();
    let resources = [
        ("/v1/global-stability".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/pillar/macro".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/pillar/macro/history".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/history".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/reconstruction".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/pillar/macro/reconstruction".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/analogues".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/meaning".to_owned(), Some(Scope::Scores)),
        ("/v1/crises".to_owned(), Some(Scope::Scores)),
        ("/v1/global-stability/explain".to_owned(), Some(Scope::Scores)),
        ("/v1/summaries".to_owned(), Some(Scope::Scores)),
        ("/v1/feeds".to_owned(), Some(Scope::Scores)),
        ("/v1/method".to_owned(), Some(Scope::Scores)),
        ("/v1/method/changes".to_owned(), Some(Scope::Scores)),
        ("/v1/conflict".to_owned(), Some(Scope::Events)),
        (format!("/v1/conflict/{event}"), Some(Scope::Events)),
        ("/v1/briefings".to_owned(), Some(Scope::Briefings)),
        (format!("/v1/briefings/{briefing}"), Some(Scope::Briefings)),
        ("/v1/keys/self".to_owned(), None),
    ];
    for scope in Scope::ALL {
        let authorization = format!("Bearer {}", rig.mint(&[scope], None, None));
        for (path, needed) in &resources {
            let answer = rig.ask("GET", path, &[("Authorization", &authorization)]);
            let open = needed.is_none_or(|n| scope == Scope::All || scope == n);
            assert_eq!(answer.status, if open { 200 } else { 403 }, "{scope:?} {path}");
            if !open {
                assert_eq!(answer.code(), "insufficient_scope");
                let challenge = answer.header("www-authenticate").unwrap();
                assert!(challenge.starts_with("Bearer realm=\"gsi\", error=\"insufficient_scope\""));
            }
        }
        let unknown = rig.ask("GET", "/v1/nothing", &[("Authorization", &authorization)]);
        assert_eq!(unknown.status, 404);
    }
}

#[test]
fn the_operators_key() {
    let secret = "correct-horse-battery-staple";
    let rig = Rig::with(|s| s.operator_key = Some(secret.into()));
    let own = rig.ask("GET", "/v1/keys/self", &[("Authorization", &format!("Bearer {secret}"))]);
    assert_eq!(own.status, 200);
    assert_eq!(own.json()["scopes"], serde_json::json!(["*"]));
    assert_eq!(own.json()["expires_at"], serde_json::Value::Null);
    let wrong = rig.ask("GET", "/v1/keys/self", &[("Authorization", "Bearer correct-horse-battery-stapler")]);
    assert_eq!(wrong.status, 401);
    assert_eq!(rig.get("/v1/summaries").status, 200, "other keys still work");
    assert!(!rig.log_with("/v1/summaries").contains(secret));
}

#[test]
fn a_weak_operator_key_is_refused_at_start() {
    for bad in ["short", "fifteen-chars!!", "with space in the middle", "ünïcödé-ünïcödé-ünïcödé"]
    {
        let store = std::sync::Arc::new(gsi_store::SqliteStore::in_memory().unwrap());
        let settings = gsi_api::ServiceSettings { operator_key: Some(bad.into()), ..Default::default() };
        let clock = std::sync::Arc::new(gsi_model::SystemClock);
        let started = gsi_api::Service::new(settings, store, clock, vec![], serde_json::json!({}));
        assert!(started.is_err(), "{bad}");
    }
}

#[test]
fn secrets_appear_in_no_answer_log_or_record() {
    let rig = Rig::new();
    let secret = &rig.key[15..];
    for target in [
        format!("/v1/{}", rig.key),
        format!("/v1/conflict?{}=1", rig.key),
        format!("/v1/conflict?actor={}", rig.key),
        format!("/v1/conflict?cursor={}", rig.key),
        format!("/v1/conflict/{}", rig.key),
        format!("/v1/global-stability/pillar/{}", rig.key),
        format!("/{}", rig.key),
    ] {
        let answer = rig.get(&target);
        assert!(!answer.text().contains(secret), "{target}: {}", answer.text());
        assert!(!answer.headers.iter().any(|(_, v)| v.contains(secret)), "{target}");
    }
    assert!(!rig.metrics().contains(secret));
    let last = rig.get("/v1/keys/self");
    assert!(!last.text().contains(secret));
    let log = rig.log_with("keys/self");
    assert!(!log.contains(secret), "{log}");
    assert!(log.contains(&rig.key[4..14]), "the public id is logged");
    for record in rig.store.keys().unwrap() {
        assert!(!serde_json::to_string(&record).unwrap().contains(&secret[..20]));
    }
}
