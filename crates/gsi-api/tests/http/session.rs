//! The page's session: a cookie that replaces the key. It only reads, only from the service's own pages, while the key is valid.

use crate::contract::target;
use crate::support::{Rig, note};
use gsi_api::PublicResource;
use gsi_api::keys::{self, ParsedKey};
use gsi_model::{Clock, RateLimit, Scope};

/// Signs in and returns the `Cookie` header that a browser then sends.
fn sign_in(rig: &Rig, key: &str) -> String {
    let answer = rig.ask("POST", "/session", &[("Authorization", &format!("Bearer {key}"))]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.json()["expires_at"].is_string());
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(key), "the cookie does not contain the key");
    cookie.split(';').next().unwrap().to_owned()
}

#[test]
fn a_session_reads_what_its_key_reads() {
    let rig = Rig::new();
    let cookie = sign_in(&rig, &rig.key);
    let narrow = sign_in(&rig, &rig.mint(&[Scope::Events], None, None));
    for endpoint in gsi_api::endpoints().into_iter().filter(|endpoint| endpoint.path != "/stream") {
        let target = target(&rig, &endpoint.path);
        assert_eq!(rig.ask("GET", &target, &[]).status, 401, "{target}");
        assert_eq!(rig.ask("GET", &target, &[("Cookie", &cookie)]).status, 200, "{target}");
        let is_for_events = endpoint.access.scope().is_none_or(|scope| scope == Scope::Events);
        let expected = if is_for_events { 200 } else { 403 };
        assert_eq!(rig.ask("GET", &target, &[("Cookie", &narrow)]).status, expected, "{target}");
        let answer = rig.ask("GET", &target, &[("Cookie", &cookie)]);
        assert!(answer.header("cache-control").is_some_and(|c| !c.starts_with("public")), "{target}");
    }
}

#[test]
fn a_new_key_signs_in() {
    let rig = Rig::new();
    let minted = keys::create(keys::Grant::usual("late", rig.clock.now()), rig.clock.now()).unwrap();
    rig.store.put_key(&minted.record, &note()).unwrap();
    sign_in(&rig, &minted.text);
}

#[test]
fn a_session_only_reads_for_its_own_pages() {
    let rig = Rig::new();
    let cookie = ("Cookie", sign_in(&rig, &rig.key));
    let cookie = (cookie.0, cookie.1.as_str());
    let score = "/v1/global-stability";
    for site in ["cross-site", "same-site"] {
        assert_eq!(rig.ask("GET", score, &[cookie, ("Sec-Fetch-Site", site)]).status, 401, "{site}");
        assert_eq!(rig.ask("POST", "/session", &[cookie, ("Sec-Fetch-Site", site)]).status, 400, "{site}");
        assert_eq!(rig.ask("DELETE", "/session", &[cookie, ("Sec-Fetch-Site", site)]).status, 400, "{site}");
    }
    assert_eq!(rig.ask("POST", "/mcp", &[cookie]).status, 401, "agents need a key");
    assert_eq!(rig.ask("GET", "/mcp", &[cookie]).status, 401);
    assert_eq!(rig.ask("POST", score, &[cookie]).status, 401);
    let wrong = rig.ask("GET", score, &[cookie, ("Authorization", "Bearer nonsense")]);
    assert_eq!(wrong.status, 401, "a key takes precedence over the cookie");
    for method in ["GET", "HEAD", "PUT"] {
        let answer = rig.ask(method, "/session", &[cookie]);
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST, DELETE")), "{method}");
    }
    let body = [cookie, ("Content-Length", "2")];
    assert_ne!(rig.ask("POST", "/session", &body).status, 200, "a request with a body is refused");
}

#[test]
fn a_session_is_renewed_and_closed() {
    let rig = Rig::new();
    let cookie = sign_in(&rig, &rig.key);
    let renewed = rig.ask("POST", "/session", &[("Cookie", &cookie)]);
    assert_eq!(renewed.status, 200);
    assert!(renewed.header("set-cookie").unwrap().starts_with("gsi_session="));
    let closed = rig.ask("DELETE", "/session", &[]);
    assert_eq!(closed.status, 204, "closing without a session succeeds");
    assert!(closed.header("set-cookie").unwrap().starts_with("gsi_session=; Path=/; Max-Age=0;"));
    assert_eq!(rig.ask("POST", "/session", &[]).status, 401);
    assert_eq!(rig.ask("POST", "/session", &[("Authorization", "Bearer nonsense")]).status, 401);
    for forged in ["gsi_session=", "gsi_session=operator.9999999999.", "gsi_session=x.y.z", "other=1"] {
        assert_eq!(rig.ask("GET", "/v1/global-stability", &[("Cookie", forged)]).status, 401, "{forged}");
        assert_eq!(rig.ask("POST", "/session", &[("Cookie", forged)]).status, 401, "{forged}");
    }
}

#[test]
fn a_session_ends_with_its_key_and_shares_its_quota() {
    let rig = Rig::new();
    let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 1, burst: 3 }), None);
    let cookie = sign_in(&rig, &key);
    let ask = || rig.ask("GET", "/v1/keys/self", &[("Cookie", &cookie)]);
    let own = ask();
    let id = ParsedKey::parse(&key).unwrap().id.to_owned();
    assert_eq!((own.status, &own.json()["id"]), (200, &id.as_str().into()));
    assert_eq!(ask().status, 200);
    assert_eq!(ask().status, 429, "signing in and reading are requests of the key");
    let record = rig.store.keys().unwrap().into_iter().find(|k| k.id == id).unwrap();
    rig.store.put_key(&keys::revoke(&record, rig.clock.now()), &note()).unwrap();
    rig.service.refresh_keys().unwrap();
    let ended = ask();
    assert_eq!((ended.status, ended.code().as_str()), (401, "invalid_credentials"));
    assert!(
        !rig.log.text().contains(cookie.split('=').nth(1).unwrap()),
        "the log does not contain the cookie"
    );
}

#[test]
fn a_session_also_counts_for_public_resources() {
    let rig = Rig::with(|settings| settings.public.resources = vec![PublicResource::Score]);
    let cookie = sign_in(&rig, &rig.key);
    let signed_in = rig.ask("GET", "/v1/global-stability", &[("Cookie", &cookie)]);
    assert!(signed_in.header("cache-control").unwrap().starts_with("private"), "not for shared caches");
    let stranger = rig.ask("GET", "/v1/global-stability", &[]);
    assert!(stranger.header("cache-control").unwrap().starts_with("public"));
}
