//! CPU time of a tick: with a month of history and with ten years of it. More history must not make a tick dearer.

#[path = "../tests/world/mod.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod world;

use gsi_index::Engine;
use world::{Run, World, method, ticks};

/// Nanoseconds this thread has run, so that a busy machine does not count.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_default()
}

const LIMIT_MS: f64 = 50.0;
const LIMIT_RATIO: f64 = 1.3;

fn main() {
    // Without slow history there is still that of the ticks themselves: a month and a half at the end. That is too short
    // for half the formulas and for a snapshot, so those ticks do less; a year is enough for all of them.
    let mut means = Vec::new();
    for years in [0, 1, 10, 25] {
        let world = World::new(1, 45, years);
        let mut run = Run::new(&World { observations: Vec::new(), slots: Vec::new() });
        let mut engine = Engine::new(method());
        let mut rows = world.observations.clone();
        rows.sort_by_key(|o| o.known_at);
        let mut rows = rows.iter().peekable();
        let mut slots = world.slots.iter().peekable();
        let (mut spent, mut worst, mut bytes) = (0.0, 0.0f64, 0);
        let all: Vec<_> = ticks(0, 45).collect();
        for tick in &all {
            while let Some(row) = rows.next_if(|o| o.known_at <= *tick) {
                run.table.insert(row);
            }
            while let Some(slot) = slots.next_if(|s| s.known_at <= *tick) {
                run.table.insert_slot(slot);
            }
            let begun = cpu_time();
            bytes = run.step(&mut engine, *tick).state.len();
            let took = (cpu_time() - begun) / 1e6;
            spent += took;
            worst = worst.max(took);
            run.table.prune(*tick);
        }
        println!(
            "{years:>2} years before: {:.3} ms a tick, worst {worst:.1} ms, state {bytes} bytes, {} rows",
            spent / all.len() as f64,
            run.table.row_count()
        );
        means.push(spent / all.len() as f64);
        assert!(worst < LIMIT_MS || years > 10, "a tick took {worst:.1} ms of CPU");
    }
    println!("ten years against one: {:.2} (limit {LIMIT_RATIO})", means[2] / means[1]);
    println!("ten years against a month that cannot fill the formulas: {:.2}", means[2] / means[0]);
}
