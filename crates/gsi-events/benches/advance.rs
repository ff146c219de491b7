//! The cost of a tick's news under a realistic load, in CPU time of this thread.

#[allow(dead_code)]
#[path = "../tests/clusterer/world.rs"]
mod world;

use std::time::Duration;
use world::*;

/// About the number of rows of roots 13–20 in one file of the real stream.
const ROWS_PER_FILE: usize = 240;
const WARM_UP: i64 = 96 * 2;
const MEASURED: i64 = 200;

/// CPU time of this thread: other work on the machine does not count.
fn cpu_time() -> Duration {
    let stat =
        std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux kernel that counts CPU time");
    Duration::from_nanos(stat.split(' ').next().and_then(|n| n.parse().ok()).expect("nanoseconds first"))
}

fn main() {
    let mut clusterer = new_clusterer();
    let mut chance = Chance(7);
    // Spread over many countries and places: about five hundred events stay open.
    let spread = |seed: u64, n: i64, chance: &mut Chance| {
        let mut rows = file(seed, n, ROWS_PER_FILE);
        for row in &mut rows {
            if let Some(geo) = &mut row.geo {
                geo.adm1 = format!("{}{:02}", &geo.adm1[..2], 1 + chance.below(60)).into();
                geo.kind = if geo.kind == 1 { 1 } else { 5 };
            }
            // Three in four rows of a real file are ordinary crime and politics.
            if chance.below(4) > 0 {
                row.actor1 = actor("CVL");
                row.actor2 = actor("BUS");
            }
        }
        rows
    };
    for n in 0..WARM_UP {
        let rows = spread(11, n, &mut chance);
        clusterer.advance(at(n), &rows, &[slot(n, 300)]);
    }
    let files: Vec<_> = (WARM_UP..WARM_UP + MEASURED).map(|n| (n, spread(11, n, &mut chance))).collect();
    let (mut reports, mut versions) = (0, 0);
    let start = cpu_time();
    for (n, rows) in &files {
        let out = clusterer.advance(at(*n), rows, &[slot(*n, 300)]);
        reports += out.facts.reports;
        versions += out.changes.len();
    }
    let per_tick = (cpu_time() - start) / MEASURED as u32;
    println!(
        "advance: {per_tick:?} a tick (limit 20 ms); {} reports and {} versions a tick, {} open events, {} traces",
        reports / MEASURED as u64,
        versions / MEASURED as usize,
        clusterer.open_events(),
        clusterer.traces(),
    );
}
