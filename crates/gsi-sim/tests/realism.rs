//! The simulated news against figures measured on 29,232 real rows, and the scenarios against the calm world.

mod support;

use gsi_model::{DAY, TICK, Timestamp};
use gsi_sim::{Scenario, World, WorldSettings};
use std::collections::{HashMap, HashSet};
use support::*;

struct Sample {
    rows: Vec<Vec<String>>,
    slots: usize,
}

fn sample(world: &World, from: Timestamp, slots: usize, step: i64) -> Sample {
    let mut rows = Vec::new();
    for i in 0..slots as i64 {
        let news = world.slot(from.plus(i * step));
        let text = String::from_utf8(news.export).unwrap();
        rows.extend(text.lines().map(|l| l.split('\t').map(str::to_owned).collect::<Vec<_>>()));
    }
    Sample { rows, slots }
}

impl Sample {
    fn share(&self, of: impl Fn(&[String]) -> bool) -> f64 {
        self.rows.iter().filter(|r| of(r)).count() as f64 / self.rows.len() as f64
    }
}

#[test]
fn shares_are_those_of_the_real_feed() {
    let world = World::new(WorldSettings { rows_per_slot: 400.0, ..settings(1) });
    // A week at every hour: 112 slots, 90 minutes apart.
    let s = sample(&world, time("2026-10-05T00:00:00Z"), 112, 6 * TICK);
    let within =
        |name: &str, got: f64, low: f64, high: f64| assert!((low..=high).contains(&got), "{name}: {got:.4}");
    let quad = |r: &[String], q: &str| r[29] == q;
    let root = |name: &'static str| move |r: &[String]| r[28] == name;

    within("rows per slot", s.rows.len() as f64 / s.slots as f64, 360.0, 440.0);
    let mut articles: HashMap<&str, usize> = HashMap::new();
    s.rows.iter().for_each(|r| *articles.entry(&r[60]).or_default() += 1);
    within("rows per article", s.rows.len() as f64 / articles.len() as f64, 4.2, 5.4);
    within(
        "single-row articles",
        articles.values().filter(|n| **n == 1).count() as f64 / articles.len() as f64,
        0.24,
        0.34,
    );
    within("largest article", *articles.values().max().unwrap() as f64, 60.0, 235.0);
    within("verbal cooperation", s.share(|r| quad(r, "1")), 0.56, 0.65);
    within("material cooperation", s.share(|r| quad(r, "2")), 0.10, 0.14);
    within("verbal conflict", s.share(|r| quad(r, "3")), 0.11, 0.16);
    within("material conflict", s.share(|r| quad(r, "4")), 0.13, 0.17);
    within("consult", s.share(root("04")), 0.22, 0.28);
    within("fight", s.share(root("19")), 0.05, 0.08);
    within("coerce", s.share(root("17")), 0.042, 0.065);
    within("United States", s.share(|r| r[53] == "US"), 0.28, 0.40);
    let material: Vec<_> = s.rows.iter().filter(|r| quad(r, "4")).collect();
    let us = material.iter().filter(|r| r[53] == "US").count() as f64 / material.len() as f64;
    // 36 % in all measured files, 47 % in those of August 2025.
    within("United States in material conflict", us, 0.31, 0.47);
    within("root events", s.share(|r| r[25] == "1"), 0.53, 0.61);
    within("no first actor", s.share(|r| r[5].is_empty()), 0.07, 0.11);
    within("no country of first actor", s.share(|r| r[7].is_empty()), 0.36, 0.46);
    within("no second actor", s.share(|r| r[15].is_empty()), 0.22, 0.31);
    within("no place", s.share(|r| r[51] == "0"), 0.01, 0.03);
    within("earlier day", s.share(|r| r[1] != r[59][..8]), 0.022, 0.033);
    within("one source", s.share(|r| r[32] == "1"), 0.96, 0.995);
    within("city or state", s.share(|r| matches!(r[51].as_str(), "2" | "3" | "4")), 0.66, 0.82);
    let tone = |q: &str| {
        let t: Vec<f64> = s.rows.iter().filter(|r| quad(r, q)).map(|r| r[34].parse().unwrap()).collect();
        t.iter().sum::<f64>() / t.len() as f64
    };
    within("tone of cooperation", tone("1"), -2.4, -0.2);
    within("tone of conflict", tone("4"), -5.8, -2.6);
    let slug = |word: &str| articles.keys().filter(|u| u.contains(word)).count();
    assert!(slug("ransomware") > 0 && slug("/sport") > 20 && slug("/opinion") > 5 && slug("/crime") > 20);
}

/// Articles and outlets about one place and code family within a day.
fn confirmed(world: &World, from: Timestamp, fips: &str) -> (usize, usize) {
    let s = sample(world, from, 96, TICK);
    let mut domains: HashMap<String, HashSet<String>> = HashMap::new();
    for r in s.rows.iter().filter(|r| r[53] == fips && (r[28] == "18" || r[28] == "19") && r[51] == "4") {
        let host = r[60].split('/').nth(2).unwrap().to_owned();
        domains.entry(r[54].clone()).or_default().insert(host);
    }
    (domains.values().filter(|d| d.len() >= 3).count(), domains.values().map(HashSet::len).sum())
}

#[test]
fn wars_are_reported_by_several_outlets_from_the_same_places() {
    let world = World::new(WorldSettings { rows_per_slot: 400.0, ..settings(1) });
    let (places, outlets) = confirmed(&world, time("2026-10-20T00:00:00Z"), "UP");
    assert!(places >= 3 && outlets >= 40, "{places} places, {outlets} outlets");
}

#[test]
fn scenarios_change_what_they_name() {
    let world = |name: &str| {
        World::new(WorldSettings {
            rows_per_slot: 400.0,
            scenario: Scenario::built_in(name).unwrap(),
            ..settings(1)
        })
    };
    let live = settings(1).live;
    let (calm, war) = (world("calm"), world("border_war"));
    let (before, during) =
        (confirmed(&calm, live.plus(DAY), "ET").1, confirmed(&war, live.plus(DAY), "ET").1);
    assert!(during > 5 * before.max(10), "Ethiopia: {before} outlets, then {during}");

    let cyber = |w: &World| {
        sample(w, live, 48, TICK)
            .share(|r| ["ransomware", "cyber", "hackers", "malware"].iter().any(|k| r[60].contains(k)))
    };
    let (quiet, loud) = (cyber(&calm), cyber(&world("worm")));
    assert!(loud > 3.0 * quiet, "cyber share {quiet:.4}, then {loud:.4}");

    let newest = |name: &str, path: &str| {
        let stage = stage(staged(name), "2026-11-25T12:00:00Z");
        let reply = stage.get(path);
        let text = reply.text().to_owned();
        text.lines().last().unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap()
    };
    let ofr = "www.financialresearch.gov/financial-stress-index/data/fsi.csv";
    assert!(newest("market_crash", ofr) > newest("calm", ofr) + 6.0);
    let brent = "raw.githubusercontent.com/datasets/oil-prices/main/data/brent-daily.csv";
    assert!(newest("chokepoint_closure", brent) > 1.15 * newest("calm", brent));
    assert!(newest("several", ofr) > newest("calm", ofr) + 5.0);
}

#[test]
fn silence_stops_the_publisher_in_the_middle_of_a_war() {
    let live = settings(1).live;
    let stage = stage(staged("silence"), "2026-11-15T01:10:00Z");
    let newest = |stage: &Stage| list(stage.get(&format!("{GDELT}/lastupdate.txt")).text())[0].2.clone();
    let last = newest(&stage);
    assert!(last.contains("20261115004500"), "{last}");
    stage.clock.set(live.plus(2 * DAY));
    assert_eq!(newest(&stage), last, "two days later");
    assert_eq!(stage.get(&format!("{GDELT}/20261116000000.export.CSV.zip")).status, 404);
    stage.clock.set(live.plus(3 * DAY));
    assert!(newest(&stage).contains("2026111723"), "it speaks again");
    assert_eq!(
        stage.get(&format!("{GDELT}/20261116000000.export.CSV.zip")).status,
        404,
        "what was missed stays missing"
    );
}

#[test]
fn hostile_text_stays_inside_its_columns() {
    let world = World::new(WorldSettings { hostile: true, rows_per_slot: 400.0, ..settings(1) });
    let s = sample(&world, time("2026-10-05T00:00:00Z"), 64, TICK);
    assert!(s.rows.iter().all(|r| r.len() == 61));
    let seen = |part: &str| s.rows.iter().any(|r| r.iter().any(|c| c.contains(part)));
    for part in ["<script>", "\u{202e}", "\u{1b}[31m", "IGNORE ALL PREVIOUS", "DROP TABLE"] {
        assert!(seen(part), "{part:?} was planted");
    }
    assert!(s.rows.iter().any(|r| r[6].len() >= 1_000_000), "and a megabyte");
}
