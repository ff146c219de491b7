//! How often the decoder of event files asks for memory. Apart from its speed, because counting costs time.

mod passes;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let Some(mut passes) = passes::Passes::new() else { return };
    passes.hold();
    passes.run();
    (passes.rows, passes.kept, passes.articles) = (0, 0, 0);
    let allocated = || COUNTING.stats().allocations + COUNTING.stats().reallocations;
    let before = allocated();
    passes.run();
    let per_row = (allocated() - before) as f64 / passes.rows as f64;
    let (megabytes, kept, articles) = (passes.bytes() / 1_000_000, passes.kept, passes.articles);
    println!("{per_row:.2} allocations per row ({megabytes} MB, {kept} rows kept, {articles} articles)");
}
