//! The content of bodies. A client without the events' scope gets no data of events, whatever its other scopes. `public.rs` uses
//! this for every public configuration.

use crate::contract::target;
use crate::support::{Connection, Rig, world};
use gsi_api::openapi;
use gsi_model::{AlertRuleKind, Scope, TICK, Timestamp};
use gsi_store::{SqliteStore, TickCommit, TickStore};
use serde_json::Value;
use std::collections::BTreeSet;

/// The place and an actor of every event of the world.
const EVENT_DATA: [&str; 2] = ["Dnipropetrovsk", "Russia (military)"];
/// The beginning of an event's id, and the site of its reports.
const EVENT_REFERENCES: [&str; 2] = ["evt_", "news.example"];

/// Endpoints whose bodies refer to events, with the reason. A reference has no data of the event: `/v1/conflict/{id}` needs the
/// events' scope.
const REFERRING: [(&str, &str); 3] = [
    ("/v1/alerts", "`about` names the event that an alert is about"),
    ("/v1/alerts/{id}", "`about` names the event that an alert is about"),
    ("/v1/briefings/{id}", "`sources` of a fact names what it was written from"),
];

/// Reads every form of an endpoint's answers without the events' scope. A key with every scope first sends the same requests, so that
/// the test would find an answer that was cached for that key. Returns whether an answer refers to an event.
pub fn read_without_events(rig: &Rig, document: &Value, path: &str, headers: &[(&str, &str)]) -> bool {
    let mut refers = false;
    for asked in targets(rig, document, path) {
        rig.get(&asked);
        let answer = rig.ask("GET", &asked, headers);
        if answer.status != 200 {
            continue;
        }
        let body = String::from_utf8_lossy(&answer.body);
        assert!(!has_any(&body, &EVENT_DATA), "{asked} has data of events: {body}");
        if has_any(&body, &EVENT_REFERENCES) {
            assert!(REFERRING.iter().any(|(known, _)| *known == path), "{asked} refers to events: {body}");
            refers = true;
        }
    }
    refers
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// The endpoint's addresses in every form, now and at an earlier time.
fn targets(rig: &Rig, document: &Value, path: &str) -> Vec<String> {
    let plain = match path {
        "/v1/alerts/{id}" => addresses(rig, "/v1/alerts", "alerts"),
        "/v1/briefings/{id}" => addresses(rig, "/v1/briefings", "briefings"),
        _ => vec![target(rig, path)],
    };
    let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
    let takes = |name: &str| parameters.iter().any(|parameter| parameter["name"] == name);
    let mut all = Vec::new();
    for target in plain {
        if takes("format") {
            all.extend(["csv", "geojson"].map(|form| format!("{target}?format={form}")));
        }
        if takes("as_of") {
            all.push(format!("{target}?as_of={}", world::LAST));
        }
        all.push(target);
    }
    all
}

/// The address of each item of a list's first page.
fn addresses(rig: &Rig, list: &str, items: &str) -> Vec<String> {
    let body = rig.get(&format!("{list}?limit=50")).json();
    let ids = body[items].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap());
    ids.map(|id| format!("{list}/{id}")).collect()
}

/// All scopes that do not cover events.
fn other_scopes() -> Vec<Scope> {
    Scope::ALL.into_iter().filter(|scope| !matches!(scope, Scope::All | Scope::Events)).collect()
}

/// A tick with an event, an alert about an event, and a briefing that cites one.
fn eventful(tick: Timestamp) -> TickCommit {
    let mut briefing = world::briefing("conflict", tick);
    briefing.facts[0].sources = vec![world::event(1, tick).id.to_string(), "https://news.example/1".into()];
    TickCommit {
        events: vec![world::put(world::event(999, tick))],
        briefings: vec![briefing],
        alerts: vec![world::alert(AlertRuleKind::Event, "country:ua", tick)],
        ..world::quiet(tick)
    }
}

#[test]
fn no_body_has_data_of_events_without_the_events_scope() {
    let tick = world::at(world::LAST).plus(TICK);
    let store = SqliteStore::in_memory().unwrap();
    world::fill(&store);
    store.commit_tick(&eventful(tick)).unwrap();
    let rig = Rig::over(store, |_| {}, None);
    rig.service.set_reconstruction(world::reconstruction());
    rig.clock.set(tick.plus(60));
    for path in ["/v1/countries/UA", "/v1/conflict?format=csv", "/v1/conflict?format=geojson"] {
        assert!(has_any(rig.get(path).text(), &EVENT_DATA), "{path} has events for a key with every scope");
    }

    let document = openapi::document();
    let mut referring = BTreeSet::new();
    for scope in other_scopes() {
        let key = format!("Bearer {}", rig.mint(&[scope], None, None));
        // The stream never ends, so the next test reads it.
        for endpoint in gsi_api::endpoints().into_iter().filter(|endpoint| endpoint.path != "/stream") {
            if read_without_events(&rig, &document, &endpoint.path, &[("Authorization", &key)]) {
                referring.insert(endpoint.path);
            }
        }
    }
    let expected = REFERRING.map(|(path, _)| path.to_owned());
    assert_eq!(referring, BTreeSet::from(expected), "every exception is used");

    let events = rig.get("/v1/conflict?limit=200").json();
    for path in ["/", "/docs", "/openapi.json", "/llms.txt", "/readyz"] {
        let page = rig.ask("GET", path, &[]);
        for event in events["events"].as_array().unwrap() {
            assert!(!page.text().contains(event["id"].as_str().unwrap()), "{path}");
        }
    }
}

#[test]
fn no_message_of_the_stream_has_data_of_events_without_the_events_scope() {
    let rig = Rig::new();
    let open = |scope: Scope| {
        let mut connection = rig.connect();
        let key = rig.mint(&[scope], None, None);
        connection.send(
            format!("GET /stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n").as_bytes(),
        );
        assert_eq!(connection.answer().unwrap().status, 200);
        let greeting = until_tick(&mut connection);
        (scope, connection, greeting)
    };
    let readers: Vec<_> = other_scopes().into_iter().chain([Scope::Events]).map(open).collect();
    let commit = eventful(world::at(world::LAST).plus(TICK));
    rig.store.commit_tick(&commit).unwrap();
    rig.service.publish(commit.snapshot.as_ref().unwrap(), commit.summary.as_ref().unwrap()).unwrap();
    for (scope, mut connection, greeting) in readers {
        let text = greeting + &until_tick(&mut connection);
        assert_eq!(has_any(&text, &EVENT_DATA), scope == Scope::Events, "{scope:?}: {text}");
        // An alert about an event names it, as in the list.
        let refers = matches!(scope, Scope::Events | Scope::Alerts);
        assert_eq!(has_any(&text, &EVENT_REFERENCES), refers, "{scope:?}: {text}");
    }
}

/// The stream's messages up to the end of a tick.
fn until_tick(connection: &mut Connection) -> String {
    let mut text = String::new();
    while !text.contains("event: tick\n") {
        let chunk = connection.chunk().expect("an open stream");
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    text
}
