//! Prints how long a slot takes to write and to pack, and how large it is. With a directory as argument it also leaves
//! a day of unpacked files there, for comparison with the real ones.

use gsi_model::{DAY, TICK, Timestamp};
use gsi_sim::{World, WorldSettings};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let Some(start) = Timestamp::from_ymd(2026, 10, 1) else { return Ok(()) };
    for rows in [400.0, 1_300.0] {
        let world = World::new(WorldSettings { rows_per_slot: rows, ..WorldSettings::new(1, start) });
        let slots: Vec<_> = (0..96).map(|i| start.plus(3 * DAY + i * TICK)).collect();
        world.slot(slots[0]);
        let begun = Instant::now();
        let written: usize = slots.iter().map(|s| world.slot(*s).export.len()).sum();
        let writing = begun.elapsed();
        let begun = Instant::now();
        let packed: u64 = slots.iter().map(|s| world.packed_size(*s)).sum();
        let both = begun.elapsed();
        println!(
            "{rows} rows: write {:.3} ms, write and pack both files {:.3} ms, {} bytes, {} packed, per slot",
            writing.as_secs_f64() * 1e3 / 96.0,
            both.as_secs_f64() * 1e3 / 96.0,
            written / 96,
            packed / 96
        );
        if let Some(dir) = std::env::args().nth(1) {
            for slot in &slots {
                let news = world.slot(*slot);
                std::fs::write(format!("{dir}/{rows}-{}.export.CSV", slot.to_compact()), &news.export)?;
                std::fs::write(format!("{dir}/{rows}-{}.mentions.CSV", slot.to_compact()), &news.mentions)?;
            }
        }
    }
    Ok(())
}
