//! The whole crate over real GDELT files, where they are available (`GSI_REAL_DATA`, else `../shared/data` next to
//! the repository). Prints the results; `TEST_EVENTS_LIST=1` also lists the events.

mod real;

use gsi_events::{Advance, EventClusterer};
use gsi_model::{Event, EventChange, NewsRow};
use real::{row, slot};
use std::collections::{BTreeMap, BTreeSet};

fn check_event(event: &Event) {
    assert!((-90.0..=90.0).contains(&event.lat) && (-180.0..=180.0).contains(&event.lon), "{event:?}");
    assert!((0.0..=1.0).contains(&event.escalation), "{event:?}");
    assert!(!event.place.is_empty() && event.country.is_some(), "{event:?}");
    let distinct: BTreeSet<&String> = event.actors.iter().collect();
    assert_eq!(distinct.len(), event.actors.len(), "{:?}", event.actors);
    for text in event.actors.iter().chain([&event.place]) {
        assert!(!text.chars().any(|c| c.is_control() || "<>&\"".contains(c)), "{text:?}");
    }
    assert!(!event.sources.is_empty());
}

#[test]
fn every_row_of_the_real_files_is_accounted_for() {
    let files = drills::real_data::files("gdelt2/export");
    if files.is_empty() {
        return;
    }
    let list = std::env::var_os("TEST_EVENTS_LIST").is_some();
    let mut clusterer = EventClusterer::default();
    let mut latest: BTreeMap<String, Event> = BTreeMap::new();
    let mut filtered: BTreeMap<String, u64> = BTreeMap::new();
    let (mut rows_seen, mut reports, mut largest_state) = (0, 0, 0);
    let mut spent = std::time::Duration::ZERO;
    for file in &files {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let rows: Vec<NewsRow> = text.lines().filter_map(row).collect();
        let stamp = rows.iter().map(|r| r.added).max().unwrap();
        let start = std::time::Instant::now();
        let Advance { changes, facts, filtered: out, .. } =
            clusterer.advance(stamp, &rows, &[slot(&text, stamp)]);
        assert_eq!(out.values().sum::<u64>() + facts.reports, rows.len() as u64, "{}", file.display());
        spent += start.elapsed();
        rows_seen += rows.len();
        reports += facts.reports;
        for (reason, n) in out {
            *filtered.entry(reason).or_default() += n;
        }
        for change in changes {
            if let EventChange::Put(version) = change {
                check_event(&version.event);
                assert!(version.cluster_state.len() < 8_000);
                largest_state = largest_state.max(version.cluster_state.len());
                latest.insert(version.event.id.to_string(), version.event);
            }
        }
    }
    let mut table: BTreeMap<(String, String), u32> = BTreeMap::new();
    for event in latest.values() {
        *table.entry((event.category.to_string(), event.status.key().to_owned())).or_default() += 1;
        if list {
            println!(
                "{} {} {:.3} I{:.2} D{} s{} r{} | {} [{}] | {} | {}",
                event.category,
                event.status.key(),
                event.escalation,
                event.intensity,
                event.domains,
                event.stories,
                event.reports,
                event.place,
                event.country.map(|c| c.to_string()).unwrap_or_default(),
                event.actors.join(" + "),
                event.sources.iter().map(|s| s.url.as_str()).collect::<Vec<_>>().join(" "),
            );
        }
    }
    println!(
        "{} files, {rows_seen} rows of roots 13-20, {reports} reports, {} events",
        files.len(),
        latest.len()
    );
    println!("events: {table:?}");
    println!("kept out: {filtered:?}");
    println!("advance: {:?} a file", spent / files.len() as u32);
    println!("largest state: {largest_state} bytes");
    assert!(!latest.is_empty());
}
