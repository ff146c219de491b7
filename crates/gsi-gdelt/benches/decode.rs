//! How fast event files are decoded on one thread, over the real files repeated to half a gigabyte.
//!
//! Prints MB/s of CPU time and rows/s; with `--short` only CPU seconds and rows, for `scripts/bench-decode`. Reading the
//! files is part of it, unless `--held` asks for decoding alone. `TEST_BENCH_MB` changes the volume.

mod passes;

fn main() {
    let Some(mut passes) = passes::Passes::new() else { return };
    let megabytes: u64 = std::env::var("TEST_BENCH_MB").ok().and_then(|v| v.parse().ok()).unwrap_or(500);
    let rounds = (megabytes * 1_000_000).div_ceil(passes.bytes());
    let is_asked = |option: &str| std::env::args().any(|a| a == option);
    if is_asked("--held") {
        passes.hold();
    }
    passes.run();
    (passes.rows, passes.kept, passes.articles) = (0, 0, 0);
    let start = cpu_seconds();
    for _ in 0..rounds {
        passes.run();
    }
    let seconds = cpu_seconds() - start;
    let rows = passes.rows;
    if is_asked("--short") {
        println!("{seconds:.3} {rows}");
        return;
    }
    let bytes = (rounds * passes.bytes()) as f64;
    println!("gdelt decode, one thread: {:.0} MB in {seconds:.3} s of CPU time", bytes / 1e6);
    println!("  {:.0} MB/s, {:.2} million rows/s", bytes / seconds / 1e6, rows as f64 / seconds / 1e6);
    let share = 100.0 * passes.kept as f64 / rows as f64;
    println!("  {share:.1} % of rows kept, {} articles", passes.articles);
}

/// Time this process has been on a processor, by the kernel's own account.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}
