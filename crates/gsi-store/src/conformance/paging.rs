//! A random test of paging: whatever ticks commit between two pages of one walk, the walk shows the list as of its start.

use super::events::{commit, merged};
use super::sample::{event, iso, put, tick};
use super::{Backend, Case};
use crate::{EventQuery, PageAfter, Store};
use gsi_model::{Category, Event, EventChange, EventId, EventStatus, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;

pub const CASES: &[Case] = &[("a walk through pages skips nothing and repeats nothing", walks)];

/// Every walk needs a new store, which takes a server some time to make.
const WALKS: u32 = 64;

#[derive(Debug, Clone)]
enum PagingStep {
    /// Opens event `row`, or adds a version if it exists. Few rows and fewer seconds make many ties.
    Put {
        row: u64,
        look: u8,
    },
    Merge {
        gone: u64,
        kept: u64,
    },
}

#[derive(Debug, Clone)]
struct PagingWalk {
    before: Vec<Vec<PagingStep>>,
    query: EventQuery,
    /// The changes of the ticks between pages, repeated from the start.
    between: Vec<Vec<PagingStep>>,
}

fn walks(backend: &mut dyn Backend) {
    let backend = RefCell::new(backend);
    let mut runner = TestRunner::new(Config { cases: WALKS, failure_persistence: None, ..Config::default() });
    let result = runner.run(&walk(), |walk| {
        let store = backend.borrow_mut().fresh();
        try_walk(&*store, &walk);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

fn try_walk(store: &dyn Store, walk: &PagingWalk) {
    let mut world = VersionLog::default();
    for steps in &walk.before {
        world.live(store, steps);
    }
    let as_of = world.now();
    let mut query = EventQuery { as_of, ..walk.query.clone() };
    let want = world.list(&query);
    let mut walked = vec![];
    let mut happenings = walk.between.iter().cycle();
    loop {
        let page = store.events(&query).unwrap();
        let Some(last) = page.last() else { break };
        query.after = Some(PageAfter { at: last.occurred_at, id: last.id.to_string() });
        walked.extend(page);
        assert!(walked.len() <= want.len(), "a walk that does not end");
        if let Some(steps) = happenings.next() {
            world.live(store, steps);
        }
    }
    assert_eq!(walked, want);
    // A new query sees the present list.
    let now = EventQuery { as_of: world.now(), after: None, limit: 200, ..query };
    assert_eq!(store.events(&now).unwrap(), world.list(&now));
}

/// The reference: a plain list of all versions, in order.
#[derive(Default)]
struct VersionLog {
    ticks: i64,
    versions: Vec<(Timestamp, Event)>,
    gone: BTreeMap<EventId, Timestamp>,
}

impl VersionLog {
    fn now(&self) -> Timestamp {
        tick(self.ticks)
    }

    fn live(&mut self, store: &dyn Store, steps: &[PagingStep]) {
        self.ticks += 1;
        let mut changes = vec![];
        for step in steps {
            changes.extend(self.step(step));
        }
        commit(store, self.now(), changes);
    }

    fn is_there(&self, id: &EventId) -> bool {
        !self.gone.contains_key(id) && self.versions.iter().any(|(_, e)| e.id == *id)
    }

    /// The step as a change, if it is valid here.
    fn step(&mut self, step: &PagingStep) -> Option<EventChange> {
        match *step {
            PagingStep::Put { row, look } => {
                let event = looking(row, look);
                if self.gone.contains_key(&event.id) {
                    return None;
                }
                self.versions.push((self.now(), event.clone()));
                Some(put(event))
            }
            PagingStep::Merge { gone, kept } => {
                let (lost, stays) = (looking(gone, 0).id, looking(kept, 0).id);
                if gone == kept || !self.is_there(&lost) || !self.is_there(&stays) {
                    return None;
                }
                self.gone.insert(lost, self.now());
                Some(merged(gone, kept))
            }
        }
    }

    fn list(&self, query: &EventQuery) -> Vec<Event> {
        let mut newest = BTreeMap::new();
        for (from, event) in &self.versions {
            if *from <= query.as_of {
                newest.insert(&event.id, event);
            }
        }
        let there = |e: &&&Event| self.gone.get(&e.id).is_none_or(|at| *at > query.as_of);
        let mut list: Vec<Event> =
            newest.values().filter(there).filter(|e| matches(query, e)).map(|e| (**e).clone()).collect();
        list.sort_by(|a, b| b.occurred_at.cmp(&a.occurred_at).then(a.id.cmp(&b.id)));
        list
    }
}

fn looking(row: u64, look: u8) -> Event {
    let mut e = event(row, tick(row as i64 % 4));
    e.last_activity = tick(row as i64 % 4 + i64::from(look) % 3);
    e.category = Category::ALL[look as usize % 5];
    e.status = EventStatus::ALL[look as usize % 3];
    e.country = [Some(iso("UA")), Some(iso("FJ")), None][look as usize / 5 % 3];
    e.escalation = f64::from(look) / 256.0;
    e.lon = f64::from(look) * 360.0 / 256.0 - 180.0;
    e.actors = vec![["Ukraine", "ÖSTERREICH"][look as usize % 2].into(), format!("Group {}", look % 7)];
    e
}

fn matches(q: &EventQuery, e: &Event) -> bool {
    let any_of = |empty: bool, found: bool| empty || found;
    e.occurred_at >= q.since
        && e.occurred_at < q.until
        && any_of(q.categories.is_empty(), q.categories.contains(&e.category))
        && any_of(q.statuses.is_empty(), q.statuses.contains(&e.status))
        && any_of(q.countries.is_empty(), e.country.is_some_and(|c| q.countries.contains(&c)))
        && q.actor
            .as_ref()
            .is_none_or(|a| e.actors.iter().any(|l| l.to_lowercase().contains(&a.to_lowercase())))
        && q.min_escalation.is_none_or(|least| (e.escalation * 1000.0).round() / 1000.0 >= least)
        && q.active_since.is_none_or(|since| e.last_activity >= since)
        && q.bbox.is_none_or(|[west, south, east, north]| {
            let across =
                if west <= east { west <= e.lon && e.lon <= east } else { west <= e.lon || e.lon <= east };
            south <= e.lat && e.lat <= north && across
        })
}

fn walk() -> impl Strategy<Value = PagingWalk> {
    let step = prop_oneof![
        4 => (0u64..24, any::<u8>()).prop_map(|(row, look)| PagingStep::Put { row, look }),
        1 => (0u64..24, 0u64..24).prop_map(|(gone, kept)| PagingStep::Merge { gone, kept }),
    ];
    let ticks = |most| prop::collection::vec(prop::collection::vec(step.clone(), 0..12), 0..most);
    (ticks(6), query(), ticks(5)).prop_map(|(before, query, between)| PagingWalk { before, query, between })
}

fn query() -> impl Strategy<Value = EventQuery> {
    let categories = prop::collection::btree_set(prop::sample::select(&Category::ALL[..]), 0..3);
    let statuses = prop::collection::btree_set(prop::sample::select(&EventStatus::ALL[..]), 0..3);
    let countries = prop::collection::vec(prop::sample::select(vec![iso("UA"), iso("FJ")]), 0..2);
    let actor = prop::option::weighted(0.3, prop::sample::select(vec!["UKR", "ö", "group 3", "p 1"]));
    let least = prop::option::weighted(0.3, (0..500u32).prop_map(|n| f64::from(n) / 1000.0));
    let bbox = prop::option::weighted(0.3, (-180.0..180.0f64, -180.0..180.0f64));
    let seconds = (-1i64..3, 1i64..6);
    let active_since = prop::option::weighted(0.3, (0i64..6).prop_map(tick));
    (categories, statuses, countries, actor, least, bbox, seconds, active_since, 1usize..6).prop_map(
        |(categories, statuses, countries, actor, least, bbox, (since, until), active_since, limit)| {
            EventQuery {
                active_since,
                since: tick(since),
                until: tick(until),
                categories: Vec::from_iter(categories),
                statuses: Vec::from_iter(statuses),
                countries,
                actor: actor.map(str::to_owned),
                min_escalation: least,
                bbox: bbox.map(|(west, east)| [west, 0.0, east, 90.0]),
                limit,
                ..super::events::any(Timestamp::MAX)
            }
        },
    )
}
