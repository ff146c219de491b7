//! CPU time of a tick, with a month of history and with ten years of it. More history must not make a tick slower.

#[path = "../tests/world/mod.rs"]
#[allow(dead_code, reason = "shared with tests that use more of it")]
mod world;

use gsi_index::{Catalogue, Engine, Formula, Method};
use std::sync::Arc;
use world::{FEEDS, Run, World, method, ticks};

/// Nanoseconds this thread has run, so that a busy machine does not count.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_default()
}

const LIMIT_MS: f64 = 50.0;
const LIMIT_RATIO: f64 = 1.3;

/// The same indicators, each with a window that a month fills.
fn method_that_a_month_fills() -> Arc<Method> {
    let mut catalogue =
        Catalogue::parse(Method::default_text()).expect("the catalogue is checked by the tests");
    for indicator in &mut catalogue.indicators {
        match &mut indicator.formula {
            Formula::Departure { mean_periods, slow_periods, gap_periods, .. } => {
                *mean_periods = (*mean_periods).min(3);
                *slow_periods = (*slow_periods).min(8);
                *gap_periods = (*gap_periods).min(2);
            }
            Formula::Volatility { half_life_periods, .. } => *half_life_periods = half_life_periods.min(4.0),
            Formula::ConflictSpread { min_days, .. } => *min_days = (*min_days).min(7),
            _ => {}
        }
    }
    let active = |feeds: &[String]| feeds.iter().all(|f| FEEDS.contains(&f.as_str()));
    Arc::new(Method::from_catalogue(catalogue, &|i| active(&i.feeds)).expect("the same indicators"))
}

/// Mean milliseconds of a tick over the last month of a month and a half.
fn mean_tick(name: &str, method: Arc<Method>, years: i32) -> f64 {
    let world = World::new(1, 45, years);
    let mut run = Run::new(&World { observations: Vec::new(), slots: Vec::new() });
    let mut engine = Engine::new(method);
    let mut rows = world.observations.clone();
    rows.sort_by_key(|o| o.known_at);
    let mut rows = rows.iter().peekable();
    let mut slots = world.slots.iter().peekable();
    let (mut spent, mut worst, mut bytes, mut snapshots, mut counted) = (0.0, 0.0f64, 0, 0, 0);
    let begin = world::BEGIN.plus(15).start();
    for tick in ticks(0, 45) {
        while let Some(row) = rows.next_if(|o| o.known_at <= tick) {
            run.table.insert(row);
        }
        while let Some(slot) = slots.next_if(|s| s.known_at <= tick) {
            run.table.insert_slot(slot);
        }
        let begun = cpu_time();
        let computed = run.step(&mut engine, tick);
        let took = (cpu_time() - begun) / 1e6;
        if tick > begin {
            (spent, worst, counted) = (spent + took, worst.max(took), counted + 1);
            (bytes, snapshots) = (computed.state.len(), snapshots + u32::from(computed.snapshot.is_some()));
        }
        run.table.prune(tick);
    }
    let mean = spent / f64::from(counted);
    println!(
        "{name}: {mean:.3} ms a tick, worst {worst:.1} ms, {snapshots} of {counted} with a snapshot, state {bytes} bytes, {} rows",
        run.table.row_count()
    );
    assert!(worst < LIMIT_MS || years > 10, "a tick took {worst:.1} ms of CPU");
    mean
}

fn main() {
    let month = mean_tick("a month, formulas unchanged", method(), 0);
    let filled = mean_tick("a month, references that a month fills", method_that_a_month_fills(), 0);
    let year = mean_tick("one year", method(), 1);
    let decade = mean_tick("ten years", method(), 10);
    mean_tick("twenty-five years", method(), 25);
    println!("ten years against one: {:.2} (limit {LIMIT_RATIO})", decade / year);
    println!(
        "ten years against a month that fills its references: {:.2} (limit {LIMIT_RATIO})",
        decade / filled
    );
    println!("ten years against a month that cannot fill the formulas: {:.2}", decade / month);
}
