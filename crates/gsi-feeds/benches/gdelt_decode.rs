//! How fast event files are decoded on one thread, over the real files repeated to half a gigabyte.
//!
//! Prints MB/s of CPU time, rows/s and allocations per row; with `--short` only CPU seconds, rows and allocations per row,
//! for `scripts/bench-decode`. Reading the files is part of it. `GSI_BENCH_MB` changes the volume.

use gsi_feeds::{Payload, gdelt};
use gsi_model::Timestamp;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let root = std::env::var_os("GSI_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join("gdelt2/export"))
        .into_iter()
        .flatten()
        .filter_map(|e| Some(e.ok()?.path()))
        .collect();
    files.sort();
    if files.is_empty() {
        println!("skipped: no real data");
        return;
    }
    let short = std::env::args().any(|a| a == "--short");
    let megabytes: u64 = std::env::var("GSI_BENCH_MB").ok().and_then(|v| v.parse().ok()).unwrap_or(500);
    let once: u64 = files.iter().map(|p| p.metadata().map_or(0, |m| m.len())).sum();
    let rounds = (megabytes * 1_000_000).div_ceil(once);
    let fetched_at = Timestamp::from_unix(1_800_000_000);
    let (mut rows, mut kept, mut articles) = (0u64, 0u64, 0u64);
    let mut bytes = Vec::new();
    let mut pass = |count: bool| {
        for path in &files {
            bytes.clear();
            File::open(path).and_then(|mut f| f.read_to_end(&mut bytes)).expect("a readable file");
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
            match gdelt::decode(&Payload { name, bytes: &bytes, fetched_at, last_modified: None }) {
                Ok(decoded) if count => {
                    rows += decoded.accepted;
                    kept += decoded.rows.len() as u64;
                    articles += u64::from(decoded.slots[0].articles);
                }
                Ok(_) => {}
                Err(refusal) => println!("{name}: {refusal}"),
            }
        }
    };
    pass(false);
    let allocated = || COUNTING.stats().allocations + COUNTING.stats().reallocations;
    let before = allocated();
    let start = cpu_seconds();
    for _ in 0..rounds {
        pass(true);
    }
    let seconds = cpu_seconds() - start;
    let allocations = (allocated() - before) as f64 / rows as f64;
    if short {
        println!("{seconds:.3} {rows} {allocations:.2}");
        return;
    }
    let bytes = (rounds * once) as f64;
    println!("gdelt decode, one thread: {:.0} MB in {seconds:.3} s of CPU time", bytes / 1e6);
    println!("  {:.0} MB/s, {:.2} million rows/s", bytes / seconds / 1e6, rows as f64 / seconds / 1e6);
    let share = 100.0 * kept as f64 / rows as f64;
    println!("  {allocations:.2} allocations per row ({share:.1} % of rows kept, {articles} articles)");
}

/// Time this process has been on a processor, by the kernel's own account.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}
