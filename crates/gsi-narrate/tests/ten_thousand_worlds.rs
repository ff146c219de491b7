//! Ten thousand worlds, read by a checker that shares nothing with the verifier.

mod checker;
mod worlds;

use checker::Checker;
use gsi_model::DAY;

/// `GSI_WORLDS` asks for fewer, or more.
fn count() -> u64 {
    std::env::var("GSI_WORLDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

/// Every so many worlds also get a day's briefings, which are long.
const BRIEFED: u64 = 4;

/// Facts about the text itself have no record behind them.
fn needs_source(kind: &str) -> bool {
    !matches!(kind, "late" | "correction")
}

fn report(failures: &[(u64, String, Vec<String>)], worlds: u64) {
    let mut kinds: Vec<&str> = Vec::new();
    for (seed, text, errors) in failures {
        // One example of each kind of error.
        let kind = match errors[0].strip_prefix("dropped: ") {
            Some(why) => why.rsplit(". ").next().unwrap_or(""),
            None => errors[0].split(':').next().unwrap_or(""),
        };
        if kinds.contains(&kind) || kinds.len() >= 8 {
            continue;
        }
        kinds.push(kind);
        println!("--- {seed}\n{text}\n{errors:#?}");
    }
    assert!(failures.is_empty(), "{} of {worlds} worlds", failures.len());
}

#[test]
fn summaries_say_only_what_is_so() {
    let mut failures = Vec::new();
    for seed in 0..count() {
        let world = worlds::world(seed);
        let told = gsi_narrate::narrate_summary(&world.context());
        let mut checker = Checker::new(&world);
        checker.summary(&told.text);
        checker.errors.extend(told.checks.problems.iter().map(|p| format!("verifier: {p:?}")));
        checker.errors.extend(told.dropped.iter().map(|s| format!("dropped: {s}")));
        if !checker.errors.is_empty() {
            failures.push((seed, told.text, checker.errors));
        }
    }
    report(&failures, count());
}

#[test]
fn briefings_say_only_what_is_so() {
    let mut failures = Vec::new();
    for seed in (0..count()).step_by(BRIEFED as usize) {
        let mut world = worlds::world(seed);
        let late = seed % 3 == 0;
        if seed % 8 == 0 {
            // Yesterday's briefing exists, and is spoken of.
            let mut before = worlds::world(seed);
            before.snapshot.tick = before.snapshot.tick.minus(DAY);
            let day = before.snapshot.tick.minus(1).day();
            world.briefings = gsi_narrate::brief_day(&before.context(), day, before.snapshot.tick, false);
        }
        let published = world.snapshot.tick.plus(300);
        let context = world.context();
        let day = world.snapshot.tick.minus(1).day();
        let briefings = gsi_narrate::brief_day(&context, day, published, late);
        let told = gsi_narrate::narrate_day(&context, published, late);
        assert!(briefings.len() >= 5 && briefings.len() <= 10);
        for (briefing, told) in briefings.iter().zip(&told) {
            let mut checker = Checker::new(&world);
            checker.text(&briefing.headline);
            checker.text(&briefing.summary);
            let lines = briefing.headline.matches(". ").count();
            if lines > 0 || briefing.headline.split_whitespace().count() > 30 {
                checker.errors.push(format!("headline: {}", briefing.headline));
            }
            let first = briefing.summary.split(['\n', '.']).next().unwrap_or("");
            if first.split_whitespace().count() > 30 {
                checker.errors.push(format!("bottom line: {first}"));
            }
            let line = gsi_narrate::verify::verify_line(&briefing.headline, &told.facts);
            checker.errors.extend(
                told.checks.problems.iter().chain(&line.problems).map(|p| format!("verifier: {p:?}")),
            );
            checker.errors.extend(told.dropped.iter().map(|s| format!("dropped: {s}")));
            let sentences = briefing.sentences();
            if sentences.len() != told.sentences.len() {
                checker.errors.push(format!(
                    "count: {} sentences, {} made",
                    sentences.len(),
                    told.sentences.len()
                ));
            }
            for fact in &briefing.facts {
                let said = fact.sentence.and_then(|n| sentences.get(n as usize));
                if said.is_none() || fact.sources.is_empty() && needs_source(&fact.kind) {
                    checker.errors.push(format!("fact: {} without a sentence or a source", fact.id));
                }
            }
            if late != briefing.summary.contains("written late") {
                checker.errors.push("late or not".into());
            }
            for tag in &briefing.tags {
                let known = [
                    "global",
                    "conflict",
                    "cyber",
                    "supply_chain",
                    "macro",
                    "data-gap",
                    "record",
                    "kinetic",
                    "posture",
                    "threat",
                    "coercion",
                    "unrest",
                ];
                let country = tag
                    .strip_prefix("country:")
                    .is_some_and(|c| c.len() == 2 && c.chars().all(|c| c.is_ascii_lowercase()));
                let theater = tag
                    .strip_prefix("theater:")
                    .is_some_and(|s| s.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
                if !known.contains(&tag.as_str()) && !country && !theater {
                    checker.errors.push(format!("tag {tag}"));
                }
            }
            if !checker.errors.is_empty() {
                failures.push((seed, format!("{}\n{}", briefing.headline, briefing.summary), checker.errors));
            }
        }
    }
    report(&failures, count() / BRIEFED);
}
