//! Quotas per key and per address, and limits on connections and waiting requests.

use crate::support::Rig;
use gsi_api::Limits;
use gsi_model::{RateLimit, Scope};

fn remaining(header: &str) -> (u64, u64) {
    let field = |name: &str| {
        let found = header.split(';').find_map(|part| part.strip_prefix(name));
        found.unwrap_or_else(|| panic!("{header}")).parse().unwrap()
    };
    (field("r="), field("t="))
}

#[test]
fn a_key_has_its_bucket_and_answers_report_the_rest() {
    let rig = Rig::new();
    // One token a minute, so that no test sees a refill.
    let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 1, burst: 5 }), None);
    let authorization = format!("Bearer {key}");
    let ask = |target: &str| rig.ask("GET", target, &[("Authorization", &authorization)]);
    // Every authenticated answer counts and has the headers, whatever its status.
    let targets =
        ["/v1/global-stability", "/v1/nothing", "/v1/conflict?limit=0", "/v1/conflict", "/v1/keys/self"];
    for (n, target) in targets.iter().enumerate() {
        let answer = ask(target);
        assert_ne!(answer.status, 429, "{target}");
        assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=1;w=60;burst=5"));
        let (left, reset) = remaining(answer.header("ratelimit").unwrap());
        assert_eq!(left, 4 - n as u64, "{target}");
        assert!(reset <= 60 * (n as u64 + 1) && reset > 60 * n as u64, "{reset}");
    }
    for target in targets {
        let refused = ask(target);
        assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"), "{target}");
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!(remaining(refused.header("ratelimit").unwrap()).0, 0);
        assert!(refused.header("ratelimit-policy").is_some());
    }
    assert_eq!(rig.get("/v1/summaries").status, 200, "other keys are not limited");
}

#[test]
fn the_default_is_600_a_minute_with_a_burst_of_100() {
    let rig = Rig::new();
    let key = rig.mint(&[Scope::All], Some(RateLimit::DEFAULT), None);
    let answer = rig.ask("GET", "/v1/summaries", &[("Authorization", &format!("Bearer {key}"))]);
    assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=600;w=60;burst=100"));
    assert_eq!(remaining(answer.header("ratelimit").unwrap()), (99, 1));
}

#[test]
fn a_refresh_of_the_keys_does_not_refill_a_bucket() {
    let rig = Rig::new();
    let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 1, burst: 2 }), None);
    let authorization = format!("Bearer {key}");
    let ask = || rig.ask("GET", "/v1/summaries", &[("Authorization", &authorization)]).status;
    assert_eq!((ask(), ask(), ask()), (200, 200, 429));
    rig.mint(&[Scope::All], None, None);
    assert_eq!(ask(), 429);
}

#[test]
fn a_key_without_a_limit_has_the_headers() {
    let rig = Rig::new();
    let answer = rig.get("/v1/summaries");
    assert!(answer.header("ratelimit-policy").unwrap().starts_with("\"unlimited\""));
    assert!(remaining(answer.header("ratelimit").unwrap()).0 > 1_000_000);
    assert_eq!(rig.get("/v1/keys/self").json()["quota"], serde_json::Value::Null);
}

#[test]
fn failed_authentication_is_limited_by_address() {
    let rig = Rig::with(|s| s.limits = Limits { failed_auth_per_minute: 20, ..Limits::default() });
    let stranger = || rig.ask("GET", "/v1/summaries", &[("Authorization", "Bearer nonsense")]);
    for n in 0..20 {
        assert_eq!(stranger().status, 401, "{n}");
    }
    let refused = stranger();
    // The bucket refills one token in three seconds, so on a slow machine the 21st request may find one.
    let refused = if refused.status == 401 { stranger() } else { refused };
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(refused.header("ratelimit"), None);
    assert_eq!(rig.get("/v1/summaries").status, 200, "a valid key from the same address still works");
    assert_eq!(Limits::default().failed_auth_per_minute, 600);
}

#[test]
fn a_filtered_list_over_years_counts_as_several_requests() {
    let rig = Rig::new();
    let left = |query: &str| {
        let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 1, burst: 100 }), None);
        let target = format!("/v1/conflict?{query}");
        let answer = rig.ask("GET", &target, &[("Authorization", &format!("Bearer {key}"))]);
        assert_eq!(answer.status, 200, "{query}");
        let reported = remaining(answer.header("ratelimit").unwrap()).0;
        // The next request finds the reported number.
        let next = rig.ask("GET", "/v1/keys/self", &[("Authorization", &format!("Bearer {key}"))]);
        assert_eq!(remaining(next.header("ratelimit").unwrap()).0, reported - 1, "{query}");
        reported
    };
    assert_eq!(left("country=UA"), 99);
    assert_eq!(left("since=2000-01-01T00:00:00Z"), 99, "a page without a filter is found at once");
    assert_eq!(left("country=UA&since=2000-01-01T00:00:00Z"), 88);
    assert_eq!(left("min_escalation=0.9&since=2025-01-01T00:00:00Z&until=2025-03-10T00:00:00Z"), 97);
}

#[test]
fn too_many_waiting_requests_are_refused_with_retry_after() {
    let rig = Rig::with(|s| s.limits = Limits { max_in_flight: 0, ..Limits::default() });
    let refused = rig.get("/v1/conflict");
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    assert!(refused.header("ratelimit").is_some());
    assert_eq!(rig.get("/v1/global-stability").status, 200, "prepared answers never wait");
}

#[test]
fn finished_requests_free_their_places() {
    let rig = Rig::with(|s| s.limits = Limits { max_in_flight: 1, store_readers: 1, ..Limits::default() });
    for target in ["/v1/conflict", "/v1/conflict?limit=0", "/v1/conflict/evt_x", "/v1/briefings"] {
        for _ in 0..3 {
            assert_ne!(rig.get(target).status, 503, "{target}");
        }
    }
}

#[test]
fn too_many_connections_are_answered_and_closed() {
    let rig = Rig::with(|s| {
        s.limits = Limits { max_connections: 3, max_connections_per_address: 3, ..Limits::default() }
    });
    let held: Vec<_> = (0..3)
        .map(|_| {
            // A stream keeps its connection in use. An idle connection would be closed for a new one.
            let mut connection = rig.connect();
            let authorization = format!("Authorization: Bearer {}", rig.key);
            connection.send(format!("GET /stream HTTP/1.1\r\nHost: x\r\n{authorization}\r\n\r\n").as_bytes());
            assert_eq!(connection.answer().unwrap().status, 200);
            connection
        })
        .collect();
    let mut extra = rig.connect();
    let refused = extra.answer().expect("an answer before the close");
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.header("retry-after").is_some());
    assert!(extra.is_closed());
    drop(held);
    // Closed connections free their places.
    while rig.connect().send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").answer().unwrap().status != 200 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn sockets_without_a_request_do_not_block_other_clients() {
    let limits = Limits { max_connections: 20, max_connections_per_address: 8, ..Limits::default() };
    let rig = Rig::with(|s| s.limits = limits);
    let silent: Vec<_> = (0..100).map(|_| rig.connect()).collect();
    // Fewer than the limit, because the server may still be closing earlier connections.
    for _ in 0..5 {
        assert_eq!(rig.get("/v1/global-stability").status, 200);
    }
    let metrics = rig.metrics();
    let evicted = metrics.lines().find_map(|l| l.strip_prefix("gsi_http_connections_evicted_total "));
    assert!(evicted.unwrap().parse::<u64>().unwrap() >= 92, "{metrics}");
    assert!(metrics.contains("gsi_http_connections_refused_total 0\n"), "{metrics}");
    drop(silent);
}
