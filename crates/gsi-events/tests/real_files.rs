//! The whole room over real GDELT files, when they are at hand (`GSI_REAL_DATA`, else `../shared/data` beside the
//! repository). Prints what came of them; `GSI_EVENTS_LIST=1` also lists the events.

use gsi_events::{Advance, EventBook, Settings};
use gsi_model::{Actor, CountryCode, Day, Event, EventChange, Geo, NewsRow, NewsSlot, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn export_files() -> Vec<PathBuf> {
    let root = std::env::var_os("GSI_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join("gdelt2/export"))
        .map(|dir| dir.filter_map(|entry| entry.ok().map(|e| e.path())).collect())
        .unwrap_or_default();
    files.sort();
    files
}

fn actor(cells: &[&str]) -> Actor {
    Actor {
        code: cells[0].into(),
        name: cells[1].into(),
        country: cells[2].into(),
        group: cells[3].into(),
        types: cells[7..10].iter().filter(|t| !t.is_empty()).map(|t| t.to_string()).collect(),
    }
}

fn day(text: &str) -> Day {
    Timestamp::parse_compact(format!("{text}000000").as_bytes()).unwrap().day()
}

/// All 61 columns are there in every row of these files; the connector's own decoder is tested in its own room.
fn row(line: &str) -> Option<NewsRow> {
    let c: Vec<&str> = line.split('\t').collect();
    if c.len() != 61 || !("13"..="20").contains(&c[28]) {
        return None;
    }
    let geo = (c[51] != "0").then(|| Geo {
        kind: c[51].parse().unwrap_or(0),
        name: c[52].into(),
        country: CountryCode::from_fips(c[53]),
        adm1: c[54].into(),
        lat: c[56].parse().unwrap_or(f64::NAN),
        lon: c[57].parse().unwrap_or(f64::NAN),
        feature: c[58].into(),
    });
    Some(NewsRow {
        id: c[0].parse().ok()?,
        added: Timestamp::parse_compact(c[59].as_bytes())?,
        day: day(c[1]).0,
        actor1: actor(&c[5..15]),
        actor2: actor(&c[15..25]),
        is_root: c[25] == "1",
        code: c[26].into(),
        quad_class: c[29].parse().ok()?,
        goldstein: c[30].parse().ok()?,
        mentions: c[31].parse().ok()?,
        sources: c[32].parse().ok()?,
        articles: c[33].parse().ok()?,
        tone: c[34].parse().ok()?,
        geo,
        url: c[60].into(),
    })
}

fn slot(text: &str, stamp: Timestamp) -> NewsSlot {
    let urls: BTreeSet<&str> = text.lines().filter_map(|l| l.rsplit('\t').next()).collect();
    NewsSlot { stamp, known_at: stamp, articles: urls.len() as u32, ..NewsSlot::default() }
}

fn check_event(event: &Event) {
    assert!((-90.0..=90.0).contains(&event.lat) && (-180.0..=180.0).contains(&event.lon), "{event:?}");
    assert!((0.0..=1.0).contains(&event.escalation), "{event:?}");
    assert!(!event.place.is_empty() && event.country.is_some(), "{event:?}");
    let distinct: BTreeSet<&String> = event.actors.iter().collect();
    assert_eq!(distinct.len(), event.actors.len(), "{:?}", event.actors);
    for text in event.actors.iter().chain([&event.place]) {
        assert!(!text.chars().any(|c| c.is_control() || "<>&\"".contains(c)), "{text:?}");
    }
    assert!(!event.sources.is_empty() && event.memory.len() < 8_000);
}

#[test]
fn every_row_of_the_real_files_is_accounted_for() {
    let files = export_files();
    if files.is_empty() {
        println!("skipped: no real data");
        return;
    }
    let list = std::env::var_os("GSI_EVENTS_LIST").is_some();
    let mut book = EventBook::new(Settings::default());
    let mut latest: BTreeMap<String, Event> = BTreeMap::new();
    let mut filtered: BTreeMap<String, u64> = BTreeMap::new();
    let (mut rows_seen, mut reports, mut largest_memory) = (0, 0, 0);
    let mut spent = std::time::Duration::ZERO;
    for file in &files {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let rows: Vec<NewsRow> = text.lines().filter_map(row).collect();
        let stamp = rows.iter().map(|r| r.added).max().unwrap();
        let start = std::time::Instant::now();
        let Advance { changes, facts, filtered: out, .. } = book.advance(stamp, &rows, &[slot(&text, stamp)]);
        assert_eq!(out.values().sum::<u64>() + facts.reports, rows.len() as u64, "{}", file.display());
        spent += start.elapsed();
        rows_seen += rows.len();
        reports += facts.reports;
        for (reason, n) in out {
            *filtered.entry(reason).or_default() += n;
        }
        for change in changes {
            if let EventChange::Put(event) = change {
                check_event(&event);
                largest_memory = largest_memory.max(event.memory.len());
                latest.insert(event.id.to_string(), *event);
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
    println!("largest memory: {largest_memory} bytes");
    assert!(!latest.is_empty());
}
