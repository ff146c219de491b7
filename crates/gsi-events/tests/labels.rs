//! How good the events are, against rows judged by hand (`labels/README.md`) and against taking the rows as they come.
//!
//! Needs the real files (`GSI_REAL_DATA`, else `../shared/data` beside the repository). The figures are the page
//! `docs/event-quality.md`; `GSI_WRITE_DOCS=1` writes it anew.

mod real;

use gsi_events::{EventBook, Settings};
use gsi_model::{Event, EventChange, NewsRow};
use real::{export_files, row, slot};
use std::collections::BTreeMap;
use std::path::Path;

struct Label {
    id: u64,
    /// Drawn from the rows as they come, so that shares mean something.
    unbiased: bool,
    coded: String,
    real: String,
    country: String,
    same_as: String,
}

fn labels() -> Vec<Label> {
    let text = include_str!("labels/events.tsv");
    let rows = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    rows.map(|line| {
        let c: Vec<&str> = line.split('\t').collect();
        assert_eq!(c.len(), 15, "{line}");
        Label {
            id: c[0].parse().unwrap(),
            unbiased: c[4].split('+').any(|part| part == "A" || part == "B"),
            coded: c[6].to_owned(),
            real: c[7].to_owned(),
            country: c[10].to_owned(),
            same_as: c[11].to_owned(),
        }
    })
    .collect()
}

/// Every row of the files, and the events that came of them, as they stood when last heard of.
fn run() -> (BTreeMap<u64, NewsRow>, Vec<Event>) {
    let mut book = EventBook::new(Settings::default());
    let mut events: BTreeMap<String, Event> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for file in export_files() {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let rows: Vec<NewsRow> = text.lines().filter_map(row).collect();
        let stamp = rows.iter().map(|r| r.added).max().unwrap();
        for change in book.advance(stamp, &rows, &[slot(&text, stamp)]).changes {
            match change {
                EventChange::Put(event) => drop(events.insert(event.id.to_string(), *event)),
                EventChange::Merged { gone, .. } => drop(events.remove(gone.as_str())),
            }
        }
        all.extend(rows.into_iter().map(|r| (r.id, r)));
    }
    (all, events.into_values().collect())
}

/// The event a row went into. An article speaks once per category and country, maybe by another of its rows.
fn event_of<'a>(events: &'a [Event], row: &NewsRow, label: &Label) -> Option<&'a Event> {
    let country = row.geo.as_ref().and_then(|g| g.country);
    let told =
        |e: &&Event| e.category.to_string() == label.coded && e.sources.iter().any(|s| s.url == row.url);
    events.iter().filter(told).max_by_key(|e| e.country == country)
}

/// (right, all) pairs put together, and all pairs that belong together.
fn pairs(rows: &[(&str, Option<String>)]) -> (f64, f64, f64) {
    let (mut right, mut joined, mut belong) = (0.0, 0.0, 0.0);
    for (i, (happening, event)) in rows.iter().enumerate() {
        for (other, with) in &rows[i + 1..] {
            let same = happening == other;
            let together = event.is_some() && event == with;
            belong += f64::from(same);
            joined += f64::from(together);
            right += f64::from(same && together);
        }
    }
    (right, joined, belong)
}

fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

/// Wilson's interval, 95 %, in per cent.
fn interval(hits: f64, of: f64) -> (f64, f64) {
    let z = 1.96_f64;
    let (p, n) = (hits / of, of);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (100.0 * (middle - half), 100.0 * (middle + half))
}

#[test]
fn events_are_better_than_the_rows_they_come_from() {
    if export_files().is_empty() {
        return;
    }
    let (rows, events) = run();
    let labels = labels();
    let judged: Vec<(&Label, &NewsRow, Option<&Event>)> = labels
        .iter()
        .map(|l| {
            let row = rows.get(&l.id).unwrap_or_else(|| panic!("row {} is not in the files", l.id));
            (l, row, event_of(&events, row, l))
        })
        .collect();

    let mut page = String::from(
        "# How good the events are\n\n684 rows of 21 real news files were judged by hand \
         (`crates/gsi-events/tests/labels/README.md` says how). Rows whose article address says nothing are left out \
         here. Written by `GSI_WRITE_DOCS=1 cargo test -p gsi-events --test labels`.\n\n\
         ## Which rows are real happenings\n\n\
         | rows | kept | of them real | precision, % (95 %) | recall, % |\n|---|---|---|---|---|\n",
    );
    let mut gain = Vec::new();
    for (name, unbiased) in [("drawn as they come", true), ("all judged rows", false)] {
        let sure: Vec<_> =
            judged.iter().filter(|(l, ..)| l.real != "unsure" && (l.unbiased || !unbiased)).collect();
        let real = sure.iter().filter(|(l, ..)| l.real == "yes").count() as f64;
        let kept: Vec<_> = sure.iter().filter(|(_, _, event)| event.is_some()).collect();
        let good = kept.iter().filter(|(l, ..)| l.real == "yes").count() as f64;
        for (who, hits, of) in
            [("taken as they are", real, sure.len() as f64), ("ours", good, kept.len() as f64)]
        {
            let (lo, hi) = interval(hits, of);
            page += &format!(
                "| {name}, {who} | {of} | {hits} | {:.0} ({lo:.0}–{hi:.0}) | {:.0} |\n",
                100.0 * hits / of,
                100.0 * hits / real
            );
        }
        gain.push((good / kept.len() as f64) / (real / sure.len() as f64));
    }

    let happenings: Vec<_> = judged.iter().filter(|(l, ..)| l.real == "yes").collect();
    let with_place =
        happenings.iter().filter(|(l, _, e)| e.is_some() && l.country != "-").collect::<Vec<_>>();
    let placed = with_place.iter().filter(|(l, _, e)| {
        e.and_then(|e| e.country).is_some_and(|c| l.country.split('/').any(|k| k == c.to_string()))
    });
    let (placed, placeable) = (placed.count(), with_place.len());
    page += &format!("\nOf {placeable} real rows that became events, {placed} lie in the right country.\n");

    page += "\n## Which rows tell of one happening\n\nPairs of rows, over the real ones.\n\n\
             | grouping | precision | recall | F1 |\n|---|---|---|---|\n";
    let day = |row: &NewsRow| row.day;
    let country = |row: &NewsRow| row.geo.as_ref().and_then(|g| g.country).map(|c| c.to_string());
    type Grouping<'a> = Box<dyn Fn(&Label, &NewsRow, Option<&Event>) -> Option<String> + 'a>;
    let groupings: [(&str, bool, Grouping<'_>); 4] = [
        ("each article an event", false, Box::new(|_, row, _| Some(row.url.to_string()))),
        (
            "category, country and day",
            false,
            Box::new(|l, row, _| Some(format!("{} {:?} {}", l.coded, country(row), day(row)))),
        ),
        ("ours, rows that were kept", true, Box::new(|_, _, e| e.map(|e| e.id.to_string()))),
        ("ours, dropped rows standing alone", false, Box::new(|_, _, e| e.map(|e| e.id.to_string()))),
    ];
    let mut scores = Vec::new();
    for (name, kept_only, grouping) in groupings {
        let grouped: Vec<(&str, Option<String>)> = happenings
            .iter()
            .filter(|(_, _, e)| e.is_some() || !kept_only)
            .map(|(l, row, e)| (l.same_as.as_str(), grouping(l, row, *e)))
            .collect();
        let (right, joined, belong) = pairs(&grouped);
        let (precision, recall) = (right / f64::max(joined, 1.0), right / f64::max(belong, 1.0));
        scores.push(f1(precision, recall));
        page += &format!("| {name} | {precision:.2} | {recall:.2} | {:.2} |\n", f1(precision, recall));
    }
    println!("{page}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/event-quality.md");
    if std::env::var_os("GSI_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        page,
        "docs/event-quality.md is not current"
    );
    assert!(gain.iter().all(|g| *g >= 2.0), "a kept row is at least twice as often real: {gain:?}");
    assert!(scores[2] > scores[0] && scores[2] > scores[1], "{scores:?}");
}
