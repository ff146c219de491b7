//! Prints texts of generated worlds, to be read aloud: `cargo run --example show -- [first seed] [how many]`.

#[path = "../tests/worlds/mod.rs"]
mod worlds;

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let first = arguments.next().unwrap_or(1);
    let count = arguments.next().unwrap_or(10);
    for seed in first..first + count {
        let world = worlds::world(seed);
        let context = world.context();
        let text = gsi_narrate::summarise(&context).text;
        println!("--- {seed} ({} words)\n{text}", gsi_narrate::text::words(&text));
        if seed.is_multiple_of(5) {
            let day = world.snapshot.tick.minus(1).day();
            for briefing in
                gsi_narrate::brief_day(&context, day, world.snapshot.tick.plus(300), seed.is_multiple_of(10))
            {
                println!("\n# {}\n{:?}\n{}", briefing.headline, briefing.tags, briefing.summary);
            }
        }
    }
}
