//! What a summary and a day's briefings cost, over varied worlds: `cargo bench -p gsi-narrate`.

#[path = "../tests/worlds/mod.rs"]
mod worlds;

use std::hint::black_box;
use std::time::Instant;

/// Nanoseconds this thread has spent on a processor; wall time where the system does not tell.
fn cpu(since: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.as_deref().and_then(|t| t.split(' ').next()).and_then(|n| n.parse::<f64>().ok());
    spent.unwrap_or_else(|| since.elapsed().as_secs_f64() * 1e9)
}

const WORLDS: u64 = 200;
const ROUNDS: usize = 5;

fn main() {
    let all: Vec<worlds::World> = (0..WORLDS).map(worlds::world).collect();
    // Once for the tables that are built on first use.
    black_box(gsi_narrate::summarise(&all[0].context()));
    let begun = Instant::now();
    let mut each: Vec<f64> = Vec::new();
    let mut days: Vec<f64> = Vec::new();
    for world in &all {
        let start = cpu(begun);
        for _ in 0..ROUNDS {
            black_box(gsi_narrate::summarise(&world.context()));
        }
        each.push((cpu(begun) - start) / 1e3 / ROUNDS as f64);
        let start = cpu(begun);
        let day = world.snapshot.tick.minus(1).day();
        black_box(gsi_narrate::brief_day(&world.context(), day, world.snapshot.tick, false));
        days.push((cpu(begun) - start) / 1e3);
    }
    for (name, times, limit) in [("summary", &mut each, 5_000.0), ("a day's briefings", &mut days, 50_000.0)]
    {
        times.sort_by(f64::total_cmp);
        let at = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
        println!(
            "{name}: median {:.0} us, p99 {:.0} us, most {:.0} us (limit {limit:.0} us)",
            at(0.5),
            at(0.99),
            at(1.0)
        );
        assert!(at(0.5) < limit);
    }
}
