//! How fast event files are decoded on one thread, over the real files repeated to half a gigabyte.
//!
//! Prints MB/s, rows/s and allocations per row. `GSI_BENCH_MB` changes the volume.

use gsi_feeds::{Payload, gdelt};
use gsi_model::Timestamp;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::path::PathBuf;
use std::time::Instant;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let root = std::env::var_os("GSI_REAL_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(root.join("gdelt2/export"))
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok())
        .filter_map(|e| Some((e.file_name().into_string().ok()?, std::fs::read(e.path()).ok()?)))
        .collect();
    files.sort();
    if files.is_empty() {
        println!("skipped: no real data");
        return;
    }
    let megabytes: usize = std::env::var("GSI_BENCH_MB").ok().and_then(|v| v.parse().ok()).unwrap_or(500);
    let once: usize = files.iter().map(|(_, b)| b.len()).sum();
    let rounds = (megabytes * 1_000_000).div_ceil(once);
    let fetched_at = Timestamp::from_unix(1_800_000_000);
    let (mut rows, mut kept, mut articles) = (0u64, 0u64, 0u64);
    let mut pass = |count: bool| {
        for (name, bytes) in &files {
            let payload = Payload { name, bytes, fetched_at, last_modified: None };
            match gdelt::decode(&payload) {
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
    let start = Instant::now();
    for _ in 0..rounds {
        pass(true);
    }
    let seconds = start.elapsed().as_secs_f64();
    let allocations = allocated() - before;
    let bytes = (rounds * once) as f64;
    println!("gdelt decode, one thread: {:.0} MB in {seconds:.3} s", bytes / 1e6);
    println!("  {:.0} MB/s, {:.2} million rows/s", bytes / seconds / 1e6, rows as f64 / seconds / 1e6);
    println!(
        "  {:.2} allocations per row ({:.1} % of rows kept, {articles} articles)",
        allocations as f64 / rows as f64,
        100.0 * kept as f64 / rows as f64
    );
}
