//! `GET /stream`: keys, messages, resumption after a break, and limits.

use crate::contract::check;
use crate::support::Rig;
use crate::support::client::{Answer, Connection};
use crate::support::world::{self, at};
use gsi_api::{Limits, openapi};
use gsi_model::{AlertRuleKind, DataStatus, FeedState, RateLimit, Scope, SubjectAlert, TICK, Timestamp};
use gsi_store::TickCommit;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// A subscriber that reads one message at a time.
struct Reader {
    head: Answer,
    connection: Connection,
    waiting: VecDeque<Message>,
    heartbeats: usize,
    retry: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Message {
    event: String,
    id: Option<String>,
    data: Value,
}

impl Reader {
    fn open(rig: &Rig, key: &str, more: &str) -> Reader {
        let mut connection = rig.connect();
        let head = format!("GET /stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{more}\r\n");
        connection.send(head.as_bytes());
        let head = connection.answer().expect("an answer");
        Reader { head, connection, waiting: VecDeque::new(), heartbeats: 0, retry: None }
    }

    fn new(rig: &Rig) -> Reader {
        Reader::open(rig, &rig.key, "")
    }

    fn after(rig: &Rig, id: &str) -> Reader {
        Reader::open(rig, &rig.key, &format!("Last-Event-ID: {id}\r\n"))
    }

    /// Returns the next message, or `None` after a clean end of the stream.
    fn next(&mut self) -> Option<Message> {
        while self.waiting.is_empty() {
            let chunk = self.connection.chunk().expect("a clean end or a chunk");
            if chunk.is_empty() {
                return None;
            }
            self.take(std::str::from_utf8(&chunk).unwrap());
        }
        self.waiting.pop_front()
    }

    fn take(&mut self, text: &str) {
        assert!(text.ends_with("\n\n"), "whole messages only: {text:?}");
        for block in text.split_terminator("\n\n") {
            let mut message = Message { event: String::new(), id: None, data: Value::Null };
            for line in block.lines() {
                match line.split_once(": ").unwrap_or((line, "")) {
                    ("event", name) => message.event = name.to_owned(),
                    ("id", id) => message.id = Some(id.to_owned()),
                    ("data", json) => message.data = serde_json::from_str(json).unwrap(),
                    ("retry", wait) => self.retry = Some(wait.parse().unwrap()),
                    (":", "") => self.heartbeats += 1,
                    other => panic!("{other:?}"),
                }
            }
            if !message.event.is_empty() {
                self.waiting.push_back(message);
            }
        }
    }

    /// Returns the messages up to and including the end of a tick.
    fn tick(&mut self) -> Vec<Message> {
        let mut all = vec![];
        loop {
            let message = self.next().expect("a message");
            all.push(message.clone());
            if message.event == "tick" {
                return all;
            }
        }
    }

    /// Waits for a heartbeat.
    fn beat(&mut self) {
        let before = self.heartbeats;
        while self.heartbeats == before {
            let chunk = self.connection.chunk().expect("an open stream");
            assert!(!chunk.is_empty(), "the stream has ended");
            self.take(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

fn names(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|m| m.event.as_str()).collect()
}

fn first_tick() -> Timestamp {
    at(world::LAST).plus(TICK)
}

/// Commits and publishes like the running service.
fn publish(rig: &Rig, commit: &TickCommit) {
    rig.store.commit_tick(commit).unwrap();
    rig.service.publish(commit.snapshot.as_ref().unwrap(), commit.summary.as_ref().unwrap()).unwrap();
}

fn publish_quiet(rig: &Rig, tick: Timestamp) {
    publish(rig, &world::quiet(tick));
}

/// A tick with events of all kinds and a briefing.
fn busy(tick: Timestamp) -> TickCommit {
    let mut commit = world::quiet(tick);
    let events = (900..903).map(|n| world::put(world::event(n, tick.minus(60))));
    commit.events.extend(events);
    commit.briefings.push(world::briefing("cyber", tick));
    commit
}

#[test]
fn the_key_is_checked_first() {
    let rig = Rig::new();
    for (method, headers, status, code) in [
        ("GET", vec![], 401, "missing_credentials"),
        ("GET", vec![("Authorization", "Bearer nonsense")], 401, "invalid_credentials"),
        ("POST", vec![], 401, "missing_credentials"),
        ("GET", vec![("Last-Event-ID", "nonsense")], 401, "missing_credentials"),
    ] {
        let answer = rig.ask(method, "/stream", &headers);
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{method} {headers:?}");
        assert!(answer.header("www-authenticate").is_some());
    }
    let expired = rig.mint(&[Scope::All], None, Some(at(world::LAST)));
    assert_eq!(Reader::open(&rig, &expired, "").head.code(), "expired_credentials");
}

#[test]
fn bad_requests_are_named() {
    let rig = Rig::new();
    for (target, header, status, code) in [
        ("/stream?x=1", ("Accept", "*/*"), 400, "invalid_parameter"),
        ("/stream", ("Last-Event-ID", "nonsense"), 400, "bad_request"),
        ("/stream", ("Accept", "application/json"), 406, "not_acceptable"),
    ] {
        let answer = rig.get_with(target, &[header]);
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{target} {header:?}");
    }
    let post = rig.ask("POST", "/stream", &[("Authorization", &format!("Bearer {}", rig.key))]);
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD")));
    let head = rig.ask("HEAD", "/stream", &[("Authorization", &format!("Bearer {}", rig.key))]);
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
}

#[test]
fn the_headers_describe_the_stream() {
    let rig = Rig::with(|s| s.simulated = true);
    let reader = Reader::open(&rig, &rig.key, "Accept: text/event-stream\r\n");
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("transfer-encoding", "chunked"),
        ("connection", "close"),
        ("x-content-type-options", "nosniff"),
        ("x-accel-buffering", "no"),
        ("gsi-simulated", "true"),
        ("ratelimit", "\"unlimited\";r=999999999999999;t=0"),
    ] {
        assert_eq!(reader.head.header(name), Some(value), "{name}");
    }
    let id = reader.head.header("x-request-id").unwrap();
    assert!(rig.log_with(id).contains("\"path\":\"/stream\""));
}

#[test]
fn new_subscribers_get_the_current_state_and_then_changes() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    let greeting = reader.tick();
    assert_eq!(names(&greeting), ["feeds", "snapshot", "tick"]);
    assert_eq!(reader.retry, Some(2000));
    assert_eq!(greeting[1].data["as_of"], world::LAST);
    assert_eq!(greeting[1].data["score"], rig.get("/v1/global-stability").json()["score"]);
    assert_eq!(greeting[2].id.as_deref(), Some(at(world::LAST).unix().to_string().as_str()));

    publish(&rig, &busy(first_tick()));
    let news = reader.tick();
    // The unconfirmed event is not sent, and the list does not show it.
    assert_eq!(names(&news), ["snapshot", "event", "event", "briefing", "tick"]);
    assert_eq!(news[0].data["as_of"], first_tick().to_string());
    let listed = rig.get(&format!("/v1/conflict?since={}", first_tick().minus(60))).json();
    for event in [&news[1], &news[2]] {
        assert!(listed["events"].as_array().unwrap().contains(&event.data), "{event:?}");
    }
    assert!(news[1].data["escalation"].as_f64() >= news[2].data["escalation"].as_f64(), "the worst first");
    assert_eq!(news[3].data, rig.get("/v1/briefings?limit=1").json()["briefings"][0]);
    assert_eq!(news[4].data["events"], 2);
}

#[test]
fn only_what_changed_is_sent() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    reader.tick();
    publish(&rig, &busy(first_tick()));
    reader.tick();
    let tick = first_tick().plus(TICK);
    let mut commit = world::quiet(tick);
    let mut grown = world::event(900, first_tick().minus(60));
    (grown.escalation, grown.last_activity) = (0.987, tick);
    commit.events.push(world::put(grown));
    publish(&rig, &commit);
    let news = reader.tick();
    assert_eq!(names(&news), ["snapshot", "event", "tick"]);
    assert_eq!(news[1].data["escalation"], 0.987);
}

/// A tick is reported by the replica that did it, and again when the following thread finds it in the store.
#[test]
fn a_tick_reported_twice_is_sent_once() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    reader.tick();
    let commit = busy(first_tick());
    publish(&rig, &commit);
    let (snapshot, summary) = (commit.snapshot.as_ref().unwrap(), commit.summary.as_ref().unwrap());
    rig.service.publish(snapshot, summary).unwrap();
    rig.service.publish_newer(snapshot, summary).unwrap();
    rig.service.set_feeds(rig.store.feed_states().unwrap());
    assert_eq!(names(&reader.tick()), ["snapshot", "event", "event", "briefing", "tick"]);
    publish_quiet(&rig, first_tick().plus(TICK));
    let next = reader.tick();
    assert_eq!(
        (names(&next), &next[0].data["as_of"]),
        (vec!["snapshot", "tick"], &first_tick().plus(TICK).to_string().into())
    );
}

#[test]
fn ticks_of_another_process_are_sent() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    reader.tick();
    rig.store.commit_tick(&busy(first_tick())).unwrap();
    assert_eq!(names(&reader.tick()), ["snapshot", "event", "event", "briefing", "tick"]);
    assert_eq!(rig.get("/v1/global-stability").json()["as_of"], first_tick().to_string());
}

#[test]
fn after_a_long_break_every_subscriber_starts_over() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    reader.tick();
    publish(&rig, &busy(first_tick().plus(24 * TICK)));
    assert_eq!(names(&reader.tick()), ["reset", "snapshot", "tick"]);
}

#[test]
fn alerts_and_feeds() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    assert_eq!(reader.tick()[0].data["feeds"][0]["status"], "never");
    let mut commit = world::quiet(first_tick());
    commit.snapshot.as_mut().unwrap().status = DataStatus::Degraded;
    publish(&rig, &commit);
    let news = reader.tick();
    assert_eq!(names(&news), ["snapshot", "alert", "tick"]);
    assert_eq!(news[0].data["status"], "degraded");
    assert_eq!(
        news[1].data,
        serde_json::json!({
            "kind": "status", "before": "ok", "after": "degraded", "as_of": first_tick(), "alert": null,
        })
    );
    let now = rig.get("/v1/feeds");
    assert_eq!(now.status, 200);
    let fresh =
        FeedState { feed: "gdelt".into(), newest_content: Some(at(world::LAST)), ..FeedState::default() };
    rig.service.set_feeds(vec![fresh.clone()]);
    let message = reader.next().unwrap();
    assert_eq!((message.event.as_str(), &message.data["feeds"][0]["status"]), ("feeds", &"ok".into()));
    // An unchanged status is not sent again.
    rig.service.set_feeds(vec![FeedState { seen: 7, ..fresh }]);
    publish_quiet(&rig, first_tick().plus(TICK));
    assert_eq!(names(&reader.tick()), ["snapshot", "alert", "tick"]);
}

/// Keys with the scores' scope get alerts on the composite and the pillars. Other alerts need the alerts' scope.
#[test]
fn alerts_are_sent_by_scope() {
    let rig = Rig::new();
    let key = |scope: Scope| rig.mint(&[scope], None, None);
    let mut scores = Reader::open(&rig, &key(Scope::Scores), "");
    let mut alerts = Reader::open(&rig, &key(Scope::Alerts), "");
    scores.tick();
    alerts.tick();
    let mut commit = world::quiet(first_tick());
    let cyber = world::alert(AlertRuleKind::Score, "cyber", first_tick());
    let country = world::alert(AlertRuleKind::Score, "country:fr", first_tick());
    let began_at = first_tick();
    commit.snapshot.as_mut().unwrap().alerts.push(SubjectAlert { subject: "cyber".into(), began_at });
    commit.alerts = vec![cyber.clone(), country.clone()];
    publish(&rig, &commit);
    let alerts_of = |messages: Vec<Message>| -> Vec<(String, String)> {
        let alerts = messages.iter().filter(|m| m.event == "alert");
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        alerts.map(|m| (text(&m.data["kind"]), text(&m.data["alert"]["id"]))).collect()
    };
    assert_eq!(alerts_of(scores.tick()), [("alert:cyber".to_owned(), cyber.id.to_string())]);
    assert_eq!(alerts_of(alerts.tick()), [("alert:country:fr".to_owned(), country.id.to_string())]);
}

#[test]
fn a_key_gets_the_messages_of_its_scopes() {
    let rig = Rig::new();
    for (scope, greeting, news) in [
        (Scope::Scores, vec!["feeds", "snapshot", "tick"], vec!["snapshot", "tick"]),
        (Scope::Events, vec!["tick"], vec!["event", "event", "tick"]),
        (Scope::Briefings, vec!["tick"], vec!["briefing", "tick"]),
    ] {
        let rig = if scope == Scope::Scores { &rig } else { &Rig::new() };
        let key = rig.mint(&[scope], None, None);
        let mut reader = Reader::open(rig, &key, "");
        assert_eq!(names(&reader.tick()), greeting, "{scope:?}");
        publish(rig, &busy(first_tick()));
        assert_eq!(names(&reader.tick()), news, "{scope:?}");
    }
}

#[test]
fn a_resumed_stream_has_missed_messages_once() {
    let rig = Rig::new();
    let mut reader = Reader::new(&rig);
    let id = reader.tick().pop().unwrap().id.unwrap();
    drop(reader);
    publish(&rig, &busy(first_tick()));
    publish_quiet(&rig, first_tick().plus(TICK));
    let mut again = Reader::after(&rig, &id);
    assert_eq!(names(&again.tick()), ["snapshot", "event", "event", "briefing", "tick"]);
    let last = again.tick();
    assert_eq!(last[0].data["as_of"], first_tick().plus(TICK).to_string());
    let mut up_to_date = Reader::after(&rig, last.last().unwrap().id.as_deref().unwrap());
    publish_quiet(&rig, first_tick().plus(2 * TICK));
    assert_eq!(up_to_date.tick()[0].data["as_of"], first_tick().plus(2 * TICK).to_string());
}

#[test]
fn a_subscriber_after_a_long_absence_starts_over() {
    let rig = Rig::new();
    let mut reader = Reader::after(&rig, &at(world::LAST).minus(TICK).unix().to_string());
    let messages = reader.tick();
    assert_eq!(names(&messages), ["reset", "feeds", "snapshot", "tick"]);
    assert_eq!(messages[0].data["as_of"], world::LAST);
}

#[test]
fn before_the_first_snapshot_the_stream_waits() {
    let rig = Rig::empty();
    let mut reader = Reader::new(&rig);
    assert_eq!(reader.head.status, 200);
    publish_quiet(&rig, first_tick());
    assert_eq!(names(&reader.tick()), ["snapshot", "tick"]);
}

#[test]
fn heartbeats_keep_a_quiet_stream_open_beyond_the_idle_limit() {
    let rig = Rig::with(|s| {
        s.limits = Limits {
            idle: Duration::from_millis(300),
            stream_heartbeat: Duration::from_millis(100),
            ..Limits::default()
        };
    });
    let mut reader = Reader::new(&rig);
    reader.tick();
    for _ in 0..10 {
        reader.beat();
    }
    publish_quiet(&rig, first_tick());
    assert_eq!(names(&reader.tick()), ["snapshot", "tick"]);
}

#[test]
fn streams_are_limited_per_key_and_freed() {
    let rig = Rig::with(|s| s.limits = Limits { streams_per_key: 2, ..Limits::default() });
    let held = [Reader::new(&rig), Reader::new(&rig)];
    let refused = Reader::new(&rig).head;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    let other = rig.mint(&[Scope::All], None, None);
    assert_eq!(Reader::open(&rig, &other, "").head.status, 200, "another key has separate places");
    assert_eq!(rig.get("/v1/global-stability").status, 200, "ordinary requests are not limited");
    drop(held);
    while Reader::new(&rig).head.status != 200 {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn streams_are_limited_in_total() {
    let rig = Rig::with(|s| s.limits = Limits { max_streams: 1, ..Limits::default() });
    let _held = Reader::new(&rig);
    let refused = Reader::open(&rig, &rig.mint(&[Scope::All], None, None), "").head;
    assert_eq!((refused.status, refused.code().as_str()), (503, "overloaded"));
    assert!(refused.header("retry-after").is_some());
    let metrics = rig.metrics();
    assert!(metrics.contains("gsi_http_streams 1\n"), "{metrics}");
}

#[test]
fn subscribing_counts_as_a_request() {
    let rig = Rig::new();
    let key = rig.mint(&[Scope::All], Some(RateLimit { per_minute: 1, burst: 2 }), None);
    let statuses: Vec<u16> = (0..3).map(|_| Reader::open(&rig, &key, "").head.status).collect();
    assert_eq!(statuses, [200, 200, 429]);
}

#[test]
fn a_revoked_or_expired_key_ends_its_streams() {
    let rig = Rig::with(|s| {
        s.limits = Limits { stream_heartbeat: Duration::from_millis(100), ..Limits::default() };
    });
    let revoked = rig.mint(&[Scope::All], None, None);
    let expiring = rig.mint(&[Scope::All], None, Some(at(world::LAST).plus(3600)));
    let mut other = Reader::new(&rig);
    let mut first = Reader::open(&rig, &revoked, "");
    let mut second = Reader::open(&rig, &expiring, "");
    for reader in [&mut other, &mut first, &mut second] {
        reader.tick();
    }
    let record = rig.store.keys().unwrap().into_iter().find(|k| k.id == revoked[4..14]).unwrap();
    rig.store.put_key(&gsi_api::keys::revoke(&record, at(world::LAST)), &crate::support::note()).unwrap();
    rig.service.refresh_keys().unwrap();
    assert_eq!(first.next(), None, "revoked");
    rig.clock.set(at(world::LAST).plus(3600));
    assert_eq!(second.next(), None, "expired");
    publish_quiet(&rig, first_tick());
    assert_eq!(names(&other.tick()), ["snapshot", "tick"]);
    assert_eq!(Reader::open(&rig, &revoked, "").head.status, 401);
}

#[test]
fn stopping_ends_streams_cleanly() {
    let mut rig = Rig::new();
    let mut reader = Reader::new(&rig);
    reader.tick();
    let begun = std::time::Instant::now();
    rig.stop();
    assert!(begun.elapsed() < Limits::default().drain, "stopping does not wait for the drain's limit");
    assert_eq!(reader.next(), None);
    assert!(reader.connection.is_closed());
}

/// A large publication: more than the sockets of a connection hold.
fn large(rig: &Rig, tick: Timestamp) {
    let mut commit = world::quiet(tick);
    for n in 0..40 {
        // Every third event is confirmed.
        let mut event = world::event(3 * (tick.unix() / TICK * 1000 + n) as u64, tick);
        event.actors = vec!["a very long name ".repeat(1_500)];
        commit.events.push(world::put(event));
    }
    publish(rig, &commit);
}

#[test]
fn a_slow_subscriber_delays_no_other_and_starts_over() {
    // The long write limit keeps slow subscribers connected, however slow the machine.
    let rig = Rig::with(|s| s.limits = Limits { write: Duration::from_secs(3600), ..Limits::default() });
    let mut slow = Reader::new(&rig);
    let mut quick = Reader::new(&rig);
    quick.tick();
    for n in 0..16 {
        large(&rig, first_tick().plus(n * TICK));
        let news = quick.tick();
        assert_eq!(news.iter().filter(|m| m.event == "event").count(), 40, "{n}");
    }
    let mut all = vec![];
    while !all.iter().any(|m: &Message| m.event == "reset") {
        all.push(slow.next().expect("a message"));
    }
    let rest = slow.tick();
    assert_eq!(rest.last().unwrap().data["as_of"], first_tick().plus(15 * TICK).to_string());
    let metrics = rig.metrics();
    assert!(metrics.contains("gsi_http_streams_lost_track_total 1\n"), "{metrics}");
}

#[test]
fn a_subscriber_that_does_not_read_is_disconnected() {
    let rig = Rig::with(|s| {
        s.limits = Limits { write: Duration::from_millis(400), ..Limits::default() };
    });
    let _deaf = Reader::new(&rig);
    let mut tick = first_tick();
    while rig.metrics().contains("gsi_http_streams 1\n") {
        large(&rig, tick);
        tick = tick.plus(TICK);
    }
}

#[test]
fn bytes_from_a_subscriber_are_ignored() {
    let rig = Rig::new();
    for said in [&b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[b'x'; 64 * 1024]] {
        let mut reader = Reader::new(&rig);
        reader.connection.send(said);
        assert_eq!(reader.tick().last().unwrap().event, "tick");
    }
    let mut reader = Reader::new(&rig);
    reader.connection.send(b"more");
    reader.tick();
    publish_quiet(&rig, first_tick());
    assert_eq!(names(&reader.tick()), ["snapshot", "tick"]);
}

#[test]
fn http_1_0_gets_plain_text_without_chunks() {
    let rig = Rig::new();
    let mut connection = rig.connect();
    connection.send(format!("GET /stream HTTP/1.0\r\nAuthorization: Bearer {}\r\n\r\n", rig.key).as_bytes());
    let head = connection.answer().unwrap();
    assert_eq!((head.status, head.header("transfer-encoding")), (200, None));
    let mut text = connection.rest();
    while !text.contains("event: tick") {
        text.push_str(&connection.rest());
    }
    assert!(text.starts_with("retry: 2000\n\nevent: feeds\ndata: {"), "{text}");
}

/// Every message has its documented fields.
#[test]
fn messages_are_as_documented() {
    let rig = Rig::new();
    let document = openapi::document();
    let messages = &document["paths"]["/stream"]["get"]["responses"]["200"]["content"]["text/event-stream"]["x-messages"];
    let mut reader = Reader::after(&rig, "5");
    let mut seen = reader.tick();
    let mut commit = busy(first_tick());
    commit.snapshot.as_mut().unwrap().status = DataStatus::Stale;
    publish(&rig, &commit);
    seen.extend(reader.tick());
    for message in &seen {
        let schema = &messages[&message.event]["data"];
        assert!(schema.is_object(), "{} is not documented", message.event);
        check(&document, schema, &message.data, &message.event);
    }
    let mut kinds = names(&seen);
    kinds.sort();
    kinds.dedup();
    let documented: Vec<&str> = messages.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(kinds, documented);
}
