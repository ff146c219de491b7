//! Properties for all rows: order within a tick does not matter, a restart changes nothing, versions are made only
//! when something changed, and the parts add up.

use crate::world::*;
use gsi_events::{Advance, EventClusterer, escalation_contributions};
use gsi_model::{DAY, Event, EventChange, EventVersion, NewsRow, NewsSlot, Observation, Timestamp};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The content of a store: event versions and derived rows, through their serialized form.
#[derive(Default)]
struct Kept {
    events: BTreeMap<String, String>,
    derived: Vec<Observation>,
}

impl Kept {
    fn keep(&mut self, out: &Advance) {
        for change in &out.changes {
            match change {
                EventChange::Put(version) => {
                    let id = version.event.id.to_string();
                    self.events.insert(id, serde_json::to_string(version).unwrap());
                }
                EventChange::Merged { gone, .. } => drop(self.events.remove(gone.as_str())),
            }
        }
        self.derived.extend(out.derived.iter().cloned());
    }

    fn restore(&self, as_of: Timestamp) -> EventClusterer {
        let mut events: Vec<EventVersion> =
            self.events.values().map(|text| serde_json::from_str(text).unwrap()).collect();
        events.retain(|v| as_of.since(v.event.last_activity) <= 8 * DAY);
        events.sort_by_key(|v| (v.event.occurred_at, v.event.first_row));
        new_clusterer().resumed(as_of, events, &self.derived)
    }
}

fn input(seed: u64, ticks: std::ops::Range<i64>, rows: usize) -> (Vec<NewsRow>, Vec<NewsSlot>) {
    let all = ticks.clone().flat_map(|t| file(seed, t, rows)).collect();
    let slots = ticks.map(|t| slot(t, 200 + (t % 96) as u32 + (seed % 50) as u32)).collect();
    (all, slots)
}

/// Runs `ticks` ticks every `step`, straight and with a restart before every one of them.
fn restart_everywhere(seed: u64, ticks: i64, step: i64, rows: usize) -> usize {
    let mut straight = new_clusterer();
    let mut kept = Kept::default();
    let mut restarted = new_clusterer();
    let (mut merges, mut from) = (0, 0);
    for n in 1..=ticks {
        let tick = at(n * step);
        let (rows, slots) = input(seed, from..n * step + 1, rows);
        from = n * step + 1;
        let want = straight.advance(tick, &rows, &slots);
        let got = restarted.advance(tick, &rows, &slots);
        assert_eq!(got, want, "tick {n}");
        merges += want.changes.iter().filter(|c| matches!(c, EventChange::Merged { .. })).count();
        kept.keep(&got);
        restarted = kept.restore(tick);
    }
    merges
}

#[test]
fn a_restart_at_every_tick_changes_nothing() {
    let merges = restart_everywhere(1, 400, 1, 24);
    assert!(merges > 0, "the world must merge events for this to mean anything");
}

#[test]
fn a_restart_over_weeks_with_baselines_changes_nothing() {
    // Every two hours, so that twenty days with their closes and baselines run quickly.
    restart_everywhere(2, 240, 8, 3);
}

#[test]
fn a_restart_with_missed_ticks_and_midnights_changes_nothing() {
    restart_everywhere(3, 60, 41, 1);
}

fn check_versions(before: Option<&Event>, now: &Event, merged: &BTreeSet<String>) {
    if let Some(before) = before {
        assert!(!before.closed, "a closed event never changes: {}", now.id);
        assert_eq!((before.occurred_at, before.first_row), (now.occurred_at, now.first_row));
        let gained = now.reports > before.reports;
        assert!(
            gained || now.closed || merged.contains(now.id.as_str()),
            "a version without news: {}",
            now.id
        );
        assert!(now.aliases.starts_with(&before.aliases) && now.domains >= before.domains);
    }
    assert_eq!(now.id, gsi_model::EventId::derive(now.first_row.to_string().as_bytes()));
    assert!((-90.0..=90.0).contains(&now.lat) && (-180.0..=180.0).contains(&now.lon));
    let actors: BTreeSet<&String> = now.actors.iter().collect();
    assert_eq!(actors.len(), now.actors.len(), "{:?}", now.actors);
    let p = &now.parts;
    for part in [p.intensity, p.tempo, p.corroboration, p.gravity, p.departure, p.reliability, now.escalation]
    {
        assert!((0.0..=1.0).contains(&part), "{now:?}");
    }
    let squares = 0.30 * p.intensity.powi(2)
        + 0.25 * p.tempo.powi(2)
        + 0.15 * (p.corroboration.powi(2) + p.gravity.powi(2) + p.departure.powi(2));
    let total: f64 = escalation_contributions(p).iter().sum();
    assert!((total - p.reliability * squares.sqrt()).abs() < 1e-12);
    if before.is_none() {
        assert!((total - now.escalation).abs() < 1e-12, "the first assessment is published unchanged");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn order_within_a_tick_does_not_matter(seed in any::<u64>(), rows in 1usize..40) {
        let (mut one, mut two) = (new_clusterer(), new_clusterer());
        let mut chance = Chance(seed);
        for n in 0..40 {
            let (mut rows, slots) = input(seed, n..n + 1, rows);
            let want = one.advance(at(n), &rows, &slots);
            chance.shuffle(&mut rows);
            prop_assert_eq!(two.advance(at(n), &rows, &slots), want);
        }
    }

    #[test]
    fn versions_are_disciplined_and_rows_accounted_for(seed in any::<u64>(), rows in 1usize..30) {
        let mut clusterer = new_clusterer();
        let mut known: BTreeMap<String, Event> = BTreeMap::new();
        for n in 0..150 {
            let (rows, slots) = input(seed, n..n + 1, rows);
            let out = clusterer.advance(at(n), &rows, &slots);
            prop_assert_eq!(out.filtered.values().sum::<u64>() + out.facts.reports, rows.len() as u64);
            let mut merged = BTreeSet::new();
            for change in &out.changes {
                if let EventChange::Merged { gone, kept } = change {
                    // An event may open and be merged within one tick: then it was never published.
                    known.remove(gone.as_str());
                    merged.insert(kept.to_string());
                }
            }
            let mut put = BTreeSet::new();
            for change in &out.changes {
                if let EventChange::Put(version) = change {
                    let event = &version.event;
                    prop_assert!(put.insert(event.id.to_string()), "two versions in one tick");
                    check_versions(known.get(event.id.as_str()), event, &merged);
                    known.insert(event.id.to_string(), event.clone());
                }
            }
            prop_assert_eq!(known.values().filter(|e| !e.closed).count() as u64, out.facts.open_events);
        }
    }
}
