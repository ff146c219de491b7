//! Parameters are strict. Paging through a list returns each entry once.

use crate::support::Rig;
use crate::support::client::Answer;
use crate::support::world::{self, at};
use gsi_model::{DAY, EventChange, EventStatus, Scope, TICK, Timestamp};
use gsi_store::{SqliteStore, TickStore};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn ids(answer: &Answer, list: &str) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    body[list].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns all ids of a list by following `next_cursor`, and checks every `Link`.
fn walk(rig: &Rig, target: &str, list: &str, mut between: impl FnMut(usize)) -> Vec<String> {
    let mut all = vec![];
    let mut cursor: Option<String> = None;
    for page in 0.. {
        let separator = if target.contains('?') { '&' } else { '?' };
        let address = match &cursor {
            Some(c) => format!("{target}{separator}cursor={c}"),
            None => target.to_owned(),
        };
        let answer = rig.get(&address);
        all.extend(ids(&answer, list));
        cursor = answer.json()["next_cursor"].as_str().map(str::to_owned);
        match &cursor {
            Some(c) => {
                let link = answer.header("link").expect("a Link to the next page");
                assert!(link.contains(c) && link.ends_with(">; rel=\"next\""), "{link}");
                let address = link.trim_start_matches('<').split('>').next().unwrap();
                assert!(address.starts_with("/v1/"), "{address}");
                assert_eq!(rig.get(address).status, 200, "the link works: {address}");
            }
            None => {
                assert_eq!(answer.header("link"), None);
                return all;
            }
        }
        between(page);
    }
    unreachable!()
}

/// Like [`walk`], with complete entries.
fn walk_values(rig: &Rig, target: &str, list: &str) -> Vec<serde_json::Value> {
    let mut all = vec![];
    let mut address = target.to_owned();
    loop {
        let body = rig.get(&address).json();
        all.extend(body[list].as_array().unwrap_or_else(|| panic!("{address}: {body}")).iter().cloned());
        match body["next_cursor"].as_str() {
            Some(cursor) => address = format!("{target}&cursor={cursor}"),
            None => return all,
        }
    }
}

#[test]
fn bad_parameters_are_named() {
    let rig = Rig::new();
    let rows = [
        // (target, parameter, part of the problem)
        ("/v1/conflict?limit=0", "limit", "out of range"),
        ("/v1/conflict?limit=201", "limit", "out of range"),
        ("/v1/conflict?limit=ten", "limit", "whole number"),
        ("/v1/conflict?limit=5&limit=5", "limit", "2 times"),
        ("/v1/conflict?colour=red", "colour", "not a parameter"),
        ("/v1/conflict?LIMIT=5", "LIMIT", "not a parameter"),
        ("/v1/conflict?since=yesterday", "since", "RFC 3339"),
        ("/v1/conflict?until=2026-11-14", "until", "RFC 3339"),
        ("/v1/conflict?category=war", "category", "allowed values"),
        ("/v1/conflict?category=kinetic&category=war", "category", "allowed values"),
        ("/v1/conflict?country=ua", "country", "allowed values"),
        ("/v1/conflict?country=UKR", "country", "allowed values"),
        ("/v1/conflict?actor=", "actor", "empty"),
        ("/v1/conflict?active_since=yesterday", "active_since", "RFC 3339"),
        ("/v1/conflict?min_escalation=2", "min_escalation", "out of range"),
        ("/v1/conflict?min_escalation=NaN", "min_escalation", "decimal number"),
        ("/v1/conflict?bbox=1,2,3", "bbox", "four decimal"),
        ("/v1/conflict?bbox=0,50,10,40", "bbox", "south above north"),
        ("/v1/conflict?bbox=0,0,200,10", "bbox", "out of range"),
        ("/v1/conflict?status=rumour", "status", "allowed values"),
        ("/v1/conflict?as_of=now", "as_of", "RFC 3339"),
        ("/v1/conflict?format=xml", "format", "allowed values"),
        ("/v1/conflict?tag=global", "tag", "not a parameter"),
        ("/v1/conflict?limit=%ff", "limit", "UTF-8"),
        ("/v1/conflict?limit=%zz", "limit", "UTF-8"),
        ("/v1/conflict?limit", "limit", "whole number"),
        ("/v1/briefings?tag=", "tag", "allowed values"),
        ("/v1/briefings?category=kinetic", "category", "not a parameter"),
        ("/v1/briefings?limit=-1", "limit", "whole number"),
        ("/v1/global-stability?limit=5", "limit", "not a parameter"),
        ("/v1/global-stability?as_of=never", "as_of", "RFC 3339"),
        ("/v1/global-stability/pillar/macro?step=1h", "step", "not a parameter"),
        ("/v1/summaries?as_of=2026-11-14T00:00:00Z&as_of=2026-11-14T00:00:00Z", "as_of", "2 times"),
        ("/v1/global-stability/history?step=2h", "step", "allowed values"),
        ("/v1/global-stability/explain?x=1", "x", "not a parameter"),
        ("/v1/feeds?x=1", "x", "not a parameter"),
        ("/v1/method?x=1", "x", "not a parameter"),
        ("/v1/keys/self?x=1", "x", "not a parameter"),
    ];
    for (target, parameter, problem) in rows {
        let answer = rig.get(target);
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_parameter"), "{target}");
        let body = answer.json();
        let errors = body["errors"].as_array().unwrap_or_else(|| panic!("{target}"));
        assert_eq!(errors.len(), 1, "{target}");
        assert_eq!(errors[0]["parameter"], parameter, "{target}");
        assert!(errors[0]["problem"].as_str().unwrap().contains(problem), "{target}: {}", errors[0]);
        assert!(!errors[0]["allowed"].as_str().unwrap().is_empty(), "{target}");
    }
    let several = rig.get("/v1/conflict?limit=0&x=1&since=z").json();
    assert_eq!(several["errors"].as_array().unwrap().len(), 3, "all problems in one answer: {several}");
}

#[test]
fn a_window_that_ends_before_it_begins_is_refused() {
    let rig = Rig::new();
    for path in ["/v1/conflict", "/v1/briefings"] {
        for until in ["2026-11-14T00:00:00Z", "2026-11-13T00:00:00Z"] {
            let answer = rig.get(&format!("{path}?since=2026-11-14T00:00:00Z&until={until}"));
            assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_parameter"), "{path} {until}");
            assert_eq!(answer.json()["errors"][0]["parameter"], "since");
        }
        let fine = rig.get(&format!("{path}?since=2026-11-14T00:00:00Z&until=2026-11-14T00:00:01Z"));
        assert_eq!(fine.status, 200, "{path}");
    }
}

#[test]
fn a_problem_lists_twenty_parameters_at_most() {
    let rig = Rig::new();
    let query: Vec<String> = (0..300).map(|n| format!("x{n}=1")).collect();
    for (count, listed, ending) in
        [(20, 20, "resource"), (21, 20, "; and 1 more"), (300, 20, "; and 280 more")]
    {
        let problem = rig.get(&format!("/v1/conflict?{}", query[..count].join("&"))).json();
        assert_eq!(problem["errors"].as_array().unwrap().len(), listed, "{count}");
        assert!(problem["detail"].as_str().unwrap().ends_with(ending), "{problem}");
    }
}

#[test]
fn limits_and_defaults() {
    let rig = Rig::new();
    for (target, count) in
        [("/v1/conflict", 50), ("/v1/conflict?limit=1", 1), ("/v1/conflict?limit=200", 192)]
    {
        assert_eq!(ids(&rig.get(target), "events").len(), count, "{target}");
    }
}

#[test]
fn filters_select_the_matching_entries() {
    let rig = Rig::new();
    let last = world::LAST;
    let all = "status=confirmed&status=reported&status=unconfirmed&limit=200";
    let everything = walk_values(&rig, &format!("/v1/conflict?{all}"), "events");
    assert_eq!(everything.len(), 288);
    let number = |e: &serde_json::Value, field: &str| e[field].as_f64().unwrap();
    type Keeps = Box<dyn Fn(&serde_json::Value) -> bool>;
    let rows: Vec<(String, Keeps)> = vec![
        ("category=kinetic".into(), Box::new(|e| e["category"] == "kinetic")),
        (
            "category=kinetic&category=unrest".into(),
            Box::new(|e| e["category"] == "kinetic" || e["category"] == "unrest"),
        ),
        ("min_escalation=0.5".into(), Box::new(move |e| number(e, "escalation") >= 0.5)),
        ("actor=GROUP%201".into(), Box::new(|e| e["actors"][1] == "Group 1")),
        (format!("active_since={last}"), Box::new(move |e| e["occurred_at"].as_str().unwrap() >= last)),
        (format!("since={last}"), Box::new(move |e| e["occurred_at"].as_str().unwrap() >= last)),
        (format!("until={last}"), Box::new(move |e| e["occurred_at"].as_str().unwrap() < last)),
        ("bbox=170,-90,-170,90".into(), Box::new(move |e| number(e, "lon").abs() >= 170.0)),
        (
            "bbox=-20.5,-10,60,48.4647".into(),
            Box::new(move |e| {
                (-20.5..=60.0).contains(&number(e, "lon")) && (-10.0..=48.4647).contains(&number(e, "lat"))
            }),
        ),
    ];
    for (filter, holds) in rows {
        let got = walk_values(&rig, &format!("/v1/conflict?{all}&{filter}"), "events");
        let want: Vec<_> = everything.iter().filter(|e| holds(e)).cloned().collect();
        assert!(!want.is_empty() && want.len() < 288, "{filter} selects some events");
        assert_eq!(got, want, "{filter}");
    }
    assert_eq!(ids(&rig.get("/v1/conflict?actor=nobody"), "events").len(), 0);
    assert_eq!(ids(&rig.get("/v1/briefings?tag=macro"), "briefings").len(), 9);
    assert_eq!(ids(&rig.get("/v1/briefings?tag=macro&tag=conflict"), "briefings").len(), 18);
    assert_eq!(ids(&rig.get("/v1/briefings?tag=cyber"), "briefings").len(), 0);
    let default: BTreeSet<_> = walk(&rig, "/v1/conflict", "events", |_| {}).into_iter().collect();
    let two: BTreeSet<_> =
        walk(&rig, "/v1/conflict?status=confirmed&status=reported", "events", |_| {}).into_iter().collect();
    assert_eq!(default, two, "the default statuses");
}

#[test]
fn the_default_window_is_seven_days() {
    let store = SqliteStore::in_memory().unwrap();
    let last = at(world::LAST);
    let mut commit = world::quiet(last);
    let ages = [6 * DAY, 7 * DAY, 7 * DAY + 1, 30 * DAY];
    for (n, age) in ages.iter().enumerate() {
        let mut event = world::event(n as u64 + 1, last.minus(*age));
        event.status = EventStatus::Confirmed;
        commit.events.push(world::put(event));
    }
    store.commit_tick(&commit).unwrap();
    let rig = Rig::over(store, |_| {}, None);
    assert_eq!(ids(&rig.get("/v1/conflict"), "events").len(), 2);
    let since = format!("/v1/conflict?since={}", last.minus(40 * DAY));
    assert_eq!(ids(&rig.get(&since), "events").len(), 4);
    let until = format!("/v1/conflict?until={}", last.minus(20 * DAY));
    assert_eq!(ids(&rig.get(&until), "events").len(), 0, "seven days before until");
    let until = format!("/v1/conflict?until={}", last.minus(29 * DAY));
    assert_eq!(ids(&rig.get(&until), "events").len(), 1);
}

#[test]
fn cursors_work_only_for_their_list_and_filters() {
    let rig = Rig::new();
    let cursor = |target: &str| rig.get(target).json()["next_cursor"].as_str().unwrap().to_owned();
    let plain = cursor("/v1/conflict?limit=10");
    let kinetic = cursor("/v1/conflict?limit=10&category=kinetic");
    let briefings = cursor("/v1/briefings?limit=2");
    assert!(plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "URL-safe");
    let mut altered = plain.clone().into_bytes();
    altered[40] = if altered[40] == b'A' { b'B' } else { b'A' };
    let altered = String::from_utf8(altered).unwrap();
    let rows = [
        (format!("/v1/conflict?cursor={plain}"), 200),
        (format!("/v1/conflict?cursor={plain}&limit=3"), 200),
        (format!("/v1/conflict?cursor={plain}&format=geojson"), 200),
        (format!("/v1/conflict?cursor={kinetic}&category=kinetic"), 200),
        (format!("/v1/conflict?cursor={altered}"), 400),
        (format!("/v1/conflict?cursor={}", &plain[..50]), 400),
        ("/v1/conflict?cursor=".into(), 400),
        ("/v1/conflict?cursor=null".into(), 400),
        (format!("/v1/conflict?cursor={kinetic}"), 400),
        (format!("/v1/conflict?cursor={plain}&category=kinetic"), 400),
        (format!("/v1/conflict?cursor={plain}&since=2026-11-10T00:00:00Z"), 400),
        (format!("/v1/conflict?cursor={plain}&as_of={}", world::LAST), 400),
        (format!("/v1/conflict?cursor={briefings}"), 400),
        (format!("/v1/briefings?cursor={plain}"), 400),
        (format!("/v1/briefings?cursor={briefings}"), 200),
        (format!("/v1/briefings?cursor={briefings}&tag=macro"), 400),
    ];
    for (target, status) in rows {
        let answer = rig.get(&target);
        assert_eq!(answer.status, status, "{target}");
        if status == 400 {
            assert_eq!(answer.code(), "invalid_cursor", "{target}");
        }
    }
    let twice = rig.get(&format!("/v1/conflict?cursor={plain}&cursor={plain}"));
    assert_eq!(twice.code(), "invalid_parameter");
}

#[test]
fn as_of_returns_the_answer_published_then() {
    let rig = Rig::new();
    let last = at(world::LAST);
    let first = last.minus(2 * DAY);
    for target in ["/v1/global-stability", "/v1/global-stability/pillar/conflict", "/v1/summaries"] {
        let now = rig.get(target);
        let same = rig.get(&format!("{target}?as_of={}", rig.clock_now()));
        assert_eq!(now.body, same.body, "{target}: the current answer");
        let then = rig.get(&format!("{target}?as_of={}", last.minus(DAY).plus(60)));
        assert_eq!(then.status, 200);
        assert_eq!(then.json()["as_of"], last.minus(DAY).to_string(), "{target}");
        assert_ne!(then.body, now.body);
        for (as_of, status) in [(first, 200), (first.minus(1), 404), (last.plus(DAY), 404)] {
            let answer = rig.get(&format!("{target}?as_of={as_of}"));
            assert_eq!(answer.status, status, "{target} {as_of}");
            if status == 404 {
                assert_eq!(answer.code(), "no_snapshot");
            }
        }
    }
    for (target, list) in [("/v1/conflict", "events"), ("/v1/briefings", "briefings")] {
        let now = ids(&rig.get(&format!("{target}?limit=200")), list);
        let then = ids(&rig.get(&format!("{target}?limit=200&as_of={}", last.minus(DAY / 2))), list);
        assert!(then.len() < now.len() && !then.is_empty(), "{target}");
        assert_eq!(rig.get(&format!("{target}?as_of={}", first.minus(1))).code(), "no_snapshot");
    }
}

impl Rig {
    fn clock_now(&self) -> Timestamp {
        gsi_model::Clock::now(&*self.clock)
    }
}

#[test]
fn pages_are_complete_and_ordered() {
    let rig = Rig::new();
    for limit in [1, 7, 50, 192, 200] {
        let all = walk(&rig, &format!("/v1/conflict?limit={limit}"), "events", |_| {});
        assert_eq!(all.len(), 192, "{limit}");
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 192, "{limit}");
        if limit == 1 {
            break;
        }
    }
    let one = walk(&rig, "/v1/conflict?limit=200", "events", |_| {});
    let many = walk(&rig, "/v1/conflict?limit=7", "events", |_| {});
    assert_eq!(one, many);
    assert_eq!(walk(&rig, "/v1/briefings?limit=5", "briefings", |_| {}).len(), 18);
    assert_eq!(walk(&rig, "/v1/conflict?actor=nobody", "events", |_| {}).len(), 0);
}

/// A change of the world between two pages.
#[derive(Clone, Debug)]
enum Happening {
    New { seconds_ago: i64 },
    Update { which: usize, escalation: f64 },
    Merge { gone: usize, kept: usize },
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0i64..6 * DAY).prop_map(|seconds_ago| Happening::New { seconds_ago }),
        (0usize..60, 0.0f64..1.0).prop_map(|(which, escalation)| Happening::Update { which, escalation }),
        (0usize..60, 0usize..60).prop_map(|(gone, kept)| Happening::Merge { gone, kept }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Paging shows the list at the time of its first page, whatever is published meanwhile.
    #[test]
    fn paging_is_stable_while_the_world_changes(
        limit in 1usize..9,
        filter in prop_oneof![Just(""), Just("&category=kinetic"), Just("&min_escalation=0.5"), Just("&country=UA&country=RU"), Just("&actor=nobody")],
        happenings in prop::collection::vec(prop::collection::vec(happening(), 0..4), 1..12),
    ) {
        let store = SqliteStore::in_memory().unwrap();
        let start = at(world::LAST);
        let mut commit = world::quiet(start);
        for n in 1..=40 {
            // Few distinct times, so that many ties are broken by id.
            commit.events.push(world::put(world::event(n, start.minus((n as i64 % 5) * 600))));
        }
        store.commit_tick(&commit).unwrap();
        let rig = Rig::over(store, |_| {}, None);
        let target = format!("/v1/conflict?limit={limit}{filter}");
        let before = walk(&rig, &format!("/v1/conflict?limit=200{filter}"), "events", |_| {});
        let mut tick = start;
        let mut live: Vec<gsi_model::Event> = (1..=40).map(|n| world::event(n, start.minus((n as i64 % 5) * 600))).collect();
        let mut next = 100;
        let seen = walk(&rig, &target, "events", |page| {
            tick = tick.plus(TICK);
            rig.clock.set(tick.plus(60));
            let mut commit = world::quiet(tick);
            for h in happenings.get(page).into_iter().flatten() {
                match h {
                    Happening::New { seconds_ago } => {
                        next += 1;
                        let event = world::event(next, tick.minus(*seconds_ago));
                        live.push(event.clone());
                        commit.events.push(world::put(event));
                    }
                    Happening::Update { which, escalation } => {
                        let index = which % live.len();
                        live[index].escalation = *escalation;
                        commit.events.push(world::put(live[index].clone()));
                    }
                    Happening::Merge { gone, kept } => {
                        let (gone, kept) = (gone % live.len(), kept % live.len());
                        if gone != kept {
                            let lost = live[gone].id.clone();
                            let mut keeper = live[kept].clone();
                            keeper.aliases.push(lost.clone());
                            live[kept] = keeper.clone();
                            let kept_id = keeper.id.clone();
                            commit.events.push(world::put(keeper));
                            commit.events.push(EventChange::Merged { gone: lost, kept: kept_id });
                            live.remove(gone);
                        }
                    }
                }
            }
            rig.store.commit_tick(&commit).unwrap();
            rig.service.publish(&commit.snapshot.unwrap(), &commit.summary.unwrap()).unwrap();
        });
        prop_assert_eq!(seen, before);
    }
}

#[test]
fn a_cached_list_has_the_same_answer_and_the_same_checks() {
    let rig = Rig::new();
    let [scores, events] = [Scope::Scores, Scope::Events].map(|scope| rig.mint(&[scope], None, None));
    let key = format!("Bearer {}", rig.key);
    for path in ["/v1/countries", "/v1/conflict", "/v1/briefings", "/v1/alerts"] {
        let ask = |key: &str, more: &[(&str, &str)]| {
            let headers: Vec<_> = [("Authorization", key)].into_iter().chain(more.iter().copied()).collect();
            rig.ask("GET", path, &headers)
        };
        let content = |answer: &Answer| {
            let kept = ["content-type", "etag", "last-modified", "link", "vary", "cache-control"];
            (answer.status, kept.map(|name| answer.header(name).map(str::to_owned)), answer.body.clone())
        };
        let (first, second) = (ask(&key, &[]), ask(&key, &[]));
        assert_eq!((first.status, content(&first)), (200, content(&second)), "{path}");
        for encoding in ["gzip", "br"] {
            let packed = [("Accept-Encoding", encoding)];
            assert_eq!(content(&ask(&key, &packed)), content(&ask(&key, &packed)), "{path} {encoding}");
        }
        let tag = first.header("etag").unwrap().to_owned();
        assert_eq!(ask(&key, &[("If-None-Match", &tag)]).status, 304, "{path}");
        let other = if path == "/v1/countries" { &events } else { &scores };
        assert_eq!(ask(&format!("Bearer {other}"), &[]).status, 403, "{path}");
        assert_eq!(rig.ask("GET", path, &[]).status, 401, "{path}");
        let table = ask(&key, &[("Accept", "text/csv")]);
        assert!(table.header("content-type").unwrap().starts_with("text/csv"), "{path}");
        assert_eq!(ask(&key, &[("Accept", "image/png")]).status, 406, "{path}");
    }
}
