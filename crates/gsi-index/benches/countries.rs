//! The cost of all countries: CPU time of a tick over two days and memory, with a year and a half of daily closes in
//! the table.

use gsi_index::{Catalogue, CountryEngine, CountryInputs, CountryMethod, Method, SeriesTable, TableLoader};
use gsi_model::{
    CountryCode, CountryEvents, DAY, Day, FeedId, NewsSlot, Observation, SlotCountry, TICK, Timestamp,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::collections::BTreeMap;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const FIRST: Day = Day(20_000);
const HISTORY_DAYS: i32 = 540;
const LIMIT_MS: f64 = 20.0;
const LIMIT_MB: f64 = 40.0;
/// The series of daily closes by country.
const CLOSES: [&str; 7] = [
    "news.articles_by_country",
    "news.conflict_by_country",
    "countries.intensity",
    "countries.peak_escalation",
    "countries.violence_share",
    "countries.violent_events",
    "countries.score",
];

/// Nanoseconds this thread has run, so that a busy machine does not count.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_default()
}

/// Different for every country, day and series, and the same in every run.
fn some(country: usize, day: i32, series: usize) -> f64 {
    let mixed =
        (country as u64 * 31 + day as u64 * 17 + series as u64 * 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    0.05 + (mixed >> 40) as f64 / (1u64 << 24) as f64
}

fn close(series: &str, entity: &str, day: Day, value: f64) -> Observation {
    let known_at = day.end().minus(TICK);
    Observation {
        series: series.to_owned(),
        entity: entity.to_owned(),
        period_start: day.start(),
        period_end: day.end(),
        value,
        known_at,
        ingested_at: known_at,
        revision: 0,
        quality: 1.0,
        feed: FeedId::new("countries"),
        raw: String::new(),
    }
}

fn history(countries: &[CountryCode]) -> SeriesTable {
    let days = || (0..HISTORY_DAYS).map(|n| FIRST.plus(n));
    let mut loader = TableLoader::new();
    days().for_each(|day| loader.add(&close("news.articles", "", day, 20_000.0)));
    for (at, series) in CLOSES.iter().enumerate() {
        for (n, country) in countries.iter().enumerate() {
            days().for_each(|day| loader.add(&close(series, country.as_str(), day, some(n, day.0, at))));
        }
    }
    loader.finish()
}

fn slot(stamp: Timestamp, countries: &[CountryCode]) -> NewsSlot {
    let slot_country = |country: &CountryCode| SlotCountry { country: *country, articles: 2, conflict: 0.3 };
    NewsSlot {
        stamp,
        known_at: stamp,
        rows: 1_000,
        articles: 220,
        conflict: 20.0,
        countries: countries.iter().map(slot_country).collect(),
        ..NewsSlot::default()
    }
}

fn main() {
    let method = CountryMethod::compiled();
    let countries: Vec<CountryCode> = method.countries().collect();
    let parameters = Catalogue::parse(Method::default_text()).expect("checked by the tests").parameters;
    let region = Region::new(ALLOCATOR);
    let held = || {
        let now = region.change();
        (now.bytes_allocated as f64 - now.bytes_deallocated as f64) / 1e6
    };
    let mut table = history(&countries);
    let of_table = held();
    let mut engine = CountryEngine::new(method.clone(), parameters);
    let fight = CountryEvents { intensity: 1.0, peak_escalation: 40.0, violence: 0.4, violent_events: 1 };
    let events: BTreeMap<CountryCode, CountryEvents> = countries.iter().map(|c| (*c, fight)).collect();
    let (mut previous, mut day_ago) = (None, BTreeMap::new());
    let (mut spent, mut worst, mut counted) = (0.0, 0.0f64, 0);
    let begin = FIRST.plus(HISTORY_DAYS).start();
    for n in 0..=2 * DAY / TICK {
        let tick = begin.plus(n * TICK);
        table.insert_slot(&slot(tick, &countries));
        let begun = cpu_time();
        let computed = engine.compute(&CountryInputs {
            tick,
            simulated: false,
            table: &table,
            events: &events,
            previous: previous.as_ref(),
            day_ago: day_ago.get(&tick.minus(DAY)),
        });
        let took = (cpu_time() - begun) / 1e6;
        (spent, worst, counted) = (spent + took, worst.max(took), counted + 1);
        computed.derived.iter().for_each(|row| table.insert(row));
        day_ago.insert(tick, computed.snapshot.clone());
        day_ago.retain(|at, _| tick.since(*at) <= DAY);
        previous = Some(computed.snapshot);
    }
    drop(day_ago);
    let mean = spent / f64::from(counted);
    println!(
        "{} countries: {mean:.2} ms a tick (limit {LIMIT_MS:.0}), the first of a day {worst:.1} ms",
        countries.len()
    );
    let all = held();
    drop(table);
    let own = held();
    println!(
        "memory: {own:.1} MB in the engine (limit {LIMIT_MB:.0}), plus {:.1} MB of closes and files, {of_table:.1} MB when they \
         were loaded",
        all - own
    );
    drop((engine, previous));
    assert!(mean < LIMIT_MS, "all countries take {mean:.1} ms of a tick");
}
