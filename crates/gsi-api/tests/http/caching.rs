//! Contract sections 6 and 7: validators, freshness, compression, and answers when data is old or missing.

use crate::support::Rig;
use crate::support::client::Answer;
use crate::support::world::{self, at};
use gsi_model::{DataStatus, TICK};
use std::collections::BTreeSet;
use std::io::Read;

const CACHEABLE: [&str; 8] = [
    "/v1/global-stability",
    "/v1/global-stability/pillar/conflict",
    "/v1/summaries",
    "/v1/conflict",
    "/v1/briefings",
    "/v1/global-stability/explain",
    "/v1/global-stability/history",
    "/v1/global-stability?as_of=2026-11-14T00:00:00Z",
];

fn decoded(answer: &Answer) -> Vec<u8> {
    let mut plain = vec![];
    match answer.header("content-encoding") {
        None => plain = answer.body.clone(),
        Some("gzip") => {
            flate2::read::GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).map(drop).unwrap();
        }
        Some("br") => {
            brotli::Decompressor::new(&answer.body[..], 4096).read_to_end(&mut plain).map(drop).unwrap()
        }
        Some("zstd") => plain = zstd::stream::decode_all(&answer.body[..]).unwrap(),
        Some(other) => panic!("{other}"),
    }
    plain
}

#[test]
fn validators_and_freshness_on_every_answer() {
    let rig = Rig::new();
    for target in CACHEABLE {
        let answer = rig.get(target);
        assert_eq!(answer.status, 200, "{target}");
        let etag = answer.header("etag").unwrap();
        assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10, "strong: {etag}");
        let want = if target.contains("as_of") {
            "Sat, 14 Nov 2026 00:00:00 GMT"
        } else {
            "Sat, 14 Nov 2026 12:00:00 GMT"
        };
        assert_eq!(answer.header("last-modified"), Some(want), "{target}");
        // It is seven minutes after the tick, and the next is due in eight.
        assert_eq!(answer.header("cache-control"), Some("private, max-age=480"), "{target}");
        // Where there are several forms, `Accept` chooses.
        let has_forms = ["/v1/conflict", "/v1/briefings", "/v1/global-stability/history"].contains(&target);
        let vary = if has_forms {
            "Authorization, Accept, Accept-Encoding"
        } else {
            "Authorization, Accept-Encoding"
        };
        assert_eq!(answer.header("vary"), Some(vary), "{target}");
        assert_eq!(answer.header("date"), Some("Sat, 14 Nov 2026 12:07:00 GMT"), "{target}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        for once in ["etag", "date", "cache-control", "content-length", "vary", "x-request-id"] {
            assert_eq!(answer.headers_named(once), 1, "{target} {once}");
        }
    }
}

#[test]
fn freshness_ends_with_the_tick_and_never_reaches_zero() {
    let rig = Rig::new();
    let tick = at(world::LAST);
    for (seconds, want) in [
        (0, "private, max-age=900"),
        (1, "private, max-age=899"),
        (899, "private, max-age=1"),
        // The next snapshot is due, so clients should ask again soon.
        (900, "private, max-age=1"),
        (1000, "private, max-age=1"),
    ] {
        rig.clock.set(tick.plus(seconds));
        assert_eq!(
            rig.get("/v1/summaries").header("cache-control"),
            Some(want),
            "{seconds} s after the tick"
        );
    }
}

#[test]
fn conditional_requests() {
    let rig = Rig::new();
    for target in CACHEABLE {
        let fresh = rig.get(target);
        let etag = fresh.header("etag").unwrap().to_owned();
        let modified = fresh.header("last-modified").unwrap().to_owned();
        let weak = format!("W/{etag}");
        let listed = format!("\"x\", {etag}");
        let rows: Vec<(Vec<(&str, &str)>, u16)> = vec![
            (vec![("If-None-Match", &etag)], 304),
            (vec![("If-None-Match", &weak)], 304),
            (vec![("If-None-Match", &listed)], 304),
            (vec![("If-None-Match", "*")], 304),
            (vec![("If-None-Match", "\"other\"")], 200),
            (vec![("If-Modified-Since", &modified)], 304),
            (vec![("If-Modified-Since", "Fri, 13 Nov 2026 00:00:00 GMT")], 200),
            (vec![("If-Modified-Since", "not a date")], 200),
            (vec![("If-None-Match", "\"other\""), ("If-Modified-Since", &modified)], 200),
            (vec![("If-None-Match", &etag), ("If-Modified-Since", "Fri, 13 Nov 2026 00:00:00 GMT")], 304),
        ];
        for (headers, status) in rows {
            let answer = rig.get_with(target, &headers);
            assert_eq!(answer.status, status, "{target} {headers:?}");
            if status == 304 {
                assert!(answer.body.is_empty());
                assert_eq!(answer.header("etag"), Some(etag.as_str()));
                assert_eq!(answer.header("content-type"), None);
                assert_eq!(answer.header("vary"), fresh.header("vary"), "{target}: like the 200");
                for kept in ["cache-control", "date", "last-modified", "ratelimit", "x-request-id"] {
                    assert!(answer.header(kept).is_some(), "{target} {kept}");
                }
            }
        }
    }
}

#[test]
fn a_304_leaves_the_connection_usable() {
    let rig = Rig::new();
    let etag = rig.get("/v1/summaries").header("etag").unwrap().to_owned();
    let mut connection = rig.connect();
    for condition in [format!("If-None-Match: {etag}\r\n"), String::new()] {
        let request = format!(
            "GET /v1/summaries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{condition}\r\n",
            rig.key
        );
        connection.send(request.as_bytes());
    }
    assert_eq!(connection.answer().unwrap().status, 304);
    assert_eq!(connection.answer().unwrap().status, 200);
}

#[test]
fn encodings() {
    let rig = Rig::new();
    for target in CACHEABLE {
        let plain = rig.get(target);
        assert_eq!(plain.header("content-encoding"), None);
        let mut tags = BTreeSet::from([plain.header("etag").unwrap().to_owned()]);
        for encoding in ["gzip", "br", "zstd"] {
            let answer = rig.get_with(target, &[("Accept-Encoding", encoding)]);
            assert_eq!(answer.header("content-encoding"), Some(encoding), "{target}");
            assert_eq!(decoded(&answer), plain.body, "{target} {encoding}");
            let etag = answer.header("etag").unwrap().to_owned();
            assert!(tags.insert(etag.clone()), "a separate tag: {target} {encoding}");
            let again = rig.get_with(target, &[("Accept-Encoding", encoding), ("If-None-Match", &etag)]);
            assert_eq!(again.status, 304);
            let other = rig.get_with(target, &[("If-None-Match", &etag)]);
            assert_eq!(other.status, 200, "the tag of another encoding does not match");
        }
    }
    for (wanted, got) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip;q=1.0, br;q=0.5", Some("gzip")),
        ("identity", None),
        ("deflate", None),
        ("identity;q=0, *;q=0.5", Some("br")),
        ("", None),
    ] {
        let answer = rig.get_with("/v1/summaries", &[("Accept-Encoding", wanted)]);
        assert_eq!(answer.status, 200, "{wanted}");
        assert_eq!(answer.header("content-encoding"), got, "{wanted}");
    }
    for target in CACHEABLE {
        for none in ["identity;q=0", "*;q=0", "deflate, identity;q=0"] {
            let answer = rig.get_with(target, &[("Accept-Encoding", none)]);
            assert_eq!((answer.status, answer.code().as_str()), (406, "not_acceptable"), "{target} {none}");
        }
    }
}

#[test]
fn accept() {
    let rig = Rig::new();
    for (accept, status) in [
        ("*/*", 200),
        ("application/json", 200),
        ("application/*", 200),
        ("text/html, application/json;q=0.1", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
    ] {
        for target in CACHEABLE.into_iter().chain(["/v1/feeds", "/v1/method", "/v1/keys/self"]) {
            let answer = rig.get_with(target, &[("Accept", accept)]);
            assert_eq!(answer.status, status, "{target} {accept}");
            if status == 406 {
                assert_eq!(answer.code(), "not_acceptable");
                assert_eq!(answer.header("content-type"), Some("application/problem+json"));
            }
        }
    }
}

#[test]
fn a_new_snapshot_changes_every_tag() {
    let rig = Rig::new();
    let before: Vec<_> =
        CACHEABLE[..5].iter().map(|t| rig.get(t).header("etag").unwrap().to_owned()).collect();
    let tick = at(world::LAST).plus(TICK);
    rig.clock.set(tick.plus(5));
    let commit = world::quiet(tick);
    rig.store.commit_tick(&commit).unwrap();
    rig.service.publish(&commit.snapshot.unwrap(), &commit.summary.unwrap()).unwrap();
    for (target, old) in CACHEABLE[..3].iter().zip(&before) {
        let answer = rig.get_with(target, &[("If-None-Match", old)]);
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(answer.header("last-modified"), Some("Sat, 14 Nov 2026 12:15:00 GMT"));
        assert_eq!(answer.json()["as_of"], tick.to_string());
    }
}

#[test]
fn data_status_is_the_snapshots_status_or_worse_with_age() {
    let rig = Rig::new();
    let tick = at(world::LAST);
    let score_resources = [
        "/v1/global-stability",
        "/v1/global-stability/pillar/cyber",
        "/v1/summaries",
        "/v1/global-stability/explain",
        "/v1/global-stability/history",
        "/v1/global-stability/pillar/cyber/history",
    ];
    let rows = [
        (DataStatus::Ok, 0, "ok"),
        (DataStatus::Ok, 2 * TICK, "ok"),
        (DataStatus::Ok, 2 * TICK + 1, "degraded"),
        (DataStatus::Ok, 4 * TICK, "degraded"),
        (DataStatus::Ok, 4 * TICK + 1, "stale"),
        (DataStatus::Degraded, 0, "degraded"),
        (DataStatus::Degraded, 4 * TICK + 1, "stale"),
        (DataStatus::Stale, 0, "stale"),
    ];
    for (own, age, want) in rows {
        let mut snapshot = world::snapshot(tick, [10.0; 4]);
        snapshot.status = own;
        rig.service.publish(&snapshot, &world::summary(tick)).unwrap();
        rig.clock.set(tick.plus(age));
        for target in score_resources {
            let answer = rig.get(target);
            assert_eq!(answer.status, 200, "the last snapshot is still served");
            assert_eq!(answer.header("gsi-data-status"), Some(want), "{target} {own:?} after {age} s");
        }
    }
    let past = rig.get("/v1/global-stability?as_of=2026-11-14T00:00:00Z");
    assert_eq!(past.header("gsi-data-status"), Some("ok"), "the status at publication");
}

#[test]
fn before_the_first_snapshot() {
    let rig = Rig::empty();
    for target in [
        "/v1/global-stability",
        "/v1/global-stability/pillar/macro",
        "/v1/summaries",
        "/v1/conflict",
        "/v1/briefings",
        "/v1/global-stability/explain",
        "/v1/global-stability/history",
    ] {
        let answer = rig.get(target);
        assert_eq!((answer.status, answer.code().as_str()), (503, "no_snapshot"), "{target}");
        let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds >= 1);
    }
    let ready = rig.ask("GET", "/readyz", &[]);
    assert_eq!((ready.status, ready.header("content-type")), (503, Some("application/problem+json")));
    assert_eq!(rig.ask("GET", "/healthz", &[]).status, 200);
    let tick = at(world::LAST);
    rig.service.publish(&world::snapshot(tick, [1.0; 4]), &world::summary(tick)).unwrap();
    assert_eq!(rig.ask("GET", "/readyz", &[]).status, 200);
    assert_eq!(rig.get("/v1/global-stability").status, 200);
}

#[test]
fn the_last_snapshot_is_served_from_the_start() {
    let rig = Rig::new();
    // The rig published nothing, so this snapshot comes from the store.
    assert_eq!(rig.get("/v1/global-stability").json()["as_of"], world::LAST);
    assert_eq!(rig.ask("GET", "/readyz", &[]).status, 200);
}
