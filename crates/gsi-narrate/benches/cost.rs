//! Measures the CPU time of a summary and of a day's briefings over varied worlds: `cargo bench -p gsi-narrate`.

#[path = "../tests/worlds/mod.rs"]
mod worlds;

use std::hint::black_box;
use std::time::Instant;

/// Returns the CPU time of this thread in nanoseconds; wall time if the system does not report it.
fn cpu(since: Instant) -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = schedstat.as_deref().and_then(|t| t.split(' ').next()).and_then(|n| n.parse::<f64>().ok());
    spent.unwrap_or_else(|| since.elapsed().as_secs_f64() * 1e9)
}

const WORLDS: u64 = 200;
const ROUNDS: usize = 20;

fn main() {
    let all: Vec<worlds::World> = (0..WORLDS).map(worlds::world).collect();
    // The first call builds tables.
    black_box(gsi_narrate::summarise(&all[0].context()));
    // The system counts a thread's time in steps of milliseconds, so only the mean over all worlds is exact.
    let summaries = mean(ROUNDS, &all, |world| {
        black_box(gsi_narrate::summarise(&world.context()));
    });
    let days = mean(1, &all, |world| {
        let day = world.snapshot.tick.minus(1).day();
        black_box(gsi_narrate::brief_day(&world.context(), day, world.snapshot.tick, false));
    });
    println!("summary: {summaries:.0} us of CPU (limit 5000)");
    println!("a day's briefings: {days:.0} us of CPU (limit 50000)");
    assert!(summaries < 5_000.0 && days < 50_000.0);
}

fn mean(rounds: usize, worlds: &[worlds::World], mut once: impl FnMut(&worlds::World)) -> f64 {
    let begun = Instant::now();
    let start = cpu(begun);
    for _ in 0..rounds {
        worlds.iter().for_each(&mut once);
    }
    (cpu(begun) - start) / 1e3 / (rounds * worlds.len()) as f64
}
