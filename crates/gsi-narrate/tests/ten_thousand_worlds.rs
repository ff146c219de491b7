//! Ten thousand generated worlds: a checker that shares no code with the crate compares every text with its world.

mod checker;
mod worlds;

use checker::Checker;
use gsi_model::{Briefing, CorrectionReason, DAY};
use gsi_narrate::BriefingDraft;
use worlds::World;

/// The number of worlds; the variable `TEST_WORLDS` overrides it.
fn count() -> u64 {
    std::env::var("TEST_WORLDS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

/// Every fourth world also gets a day's briefings, because they are long.
const BRIEFED: u64 = 4;

/// Facts about the text itself have no source record.
fn needs_source(kind: &str) -> bool {
    !matches!(kind, "late" | "correction")
}

fn report(failures: &[(u64, String, Vec<String>)], worlds: u64) {
    let mut kinds: Vec<&str> = Vec::new();
    for (seed, text, errors) in failures {
        // One example of each kind of error.
        let kind = errors[0].split(':').next().unwrap_or("");
        if kinds.contains(&kind) || kinds.len() >= 8 {
            continue;
        }
        kinds.push(kind);
        println!("--- {seed}\n{text}\n{errors:#?}");
    }
    assert!(failures.is_empty(), "{} of {worlds} worlds", failures.len());
}

#[test]
fn summaries_state_only_facts() {
    let mut failures = Vec::new();
    let mut placed = 0;
    for seed in 0..count() {
        let world = worlds::world(seed);
        let narration = gsi_narrate::narrate_summary(&world.context());
        placed +=
            u64::from(["reconstructed days", "published days"].iter().any(|d| narration.text.contains(d)));
        let mut checker = Checker::new(&world);
        checker.summary(&narration.text);
        if !checker.errors.is_empty() {
            failures.push((seed, narration.text, checker.errors));
        }
    }
    report(&failures, count());
    assert!(placed * 10 > count(), "only {placed} summaries compare the score with the days before it");
}

/// Whether a tag is in the closed list or has the form of a country's or a theater's tag.
fn is_known(tag: &str) -> bool {
    const WORDS: [&str; 12] = [
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
    let is_country = |c: &str| c.len() == 2 && c.chars().all(|c| c.is_ascii_lowercase());
    let is_slug = |s: &str| s.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    WORDS.contains(&tag)
        || tag.strip_prefix("country:").is_some_and(is_country)
        || tag.strip_prefix("theater:").is_some_and(is_slug)
}

/// The errors of a briefing: those of the checker, and those in its own record.
fn errors(world: &World, wrong: &Briefing, draft: &BriefingDraft) -> Vec<String> {
    let BriefingDraft { narration, briefing } = draft;
    let mut checker = Checker::new(world);
    checker.corrected = briefing.corrects.as_ref().map(|_| wrong.published_at);
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
    let sentences = briefing.sentences();
    if sentences.len() != narration.sentences.len() {
        checker.errors.push(format!(
            "count: {} sentences, {} made",
            sentences.len(),
            narration.sentences.len()
        ));
    }
    for fact in &briefing.facts {
        let said = fact.sentence.and_then(|n| sentences.get(n as usize));
        if said.is_none() || fact.sources.is_empty() && needs_source(&fact.kind) {
            checker.errors.push(format!("fact: {} without a sentence or a source", fact.id));
        }
    }
    if briefing.corrects.is_some() != briefing.summary.starts_with("This corrects the briefing") {
        checker.errors.push("a correction or not".into());
    }
    for tag in briefing.tags.iter().filter(|t| !is_known(t)) {
        checker.errors.push(format!("tag {tag}"));
    }
    checker.errors
}

#[test]
fn briefings_state_only_facts() {
    let mut failures = Vec::new();
    let (mut of_countries, mut named) = (0, 0);
    for seed in (0..count()).step_by(BRIEFED as usize) {
        let mut world = worlds::world(seed);
        let late = seed % 3 == 0;
        if seed % 8 == 0 {
            // Yesterday's briefing exists, and today's mentions it.
            let mut before = worlds::world(seed);
            before.snapshot.tick = before.snapshot.tick.minus(DAY);
            let day = before.snapshot.tick.minus(1).day();
            world.briefings = gsi_narrate::brief_day(&before.context(), day, before.snapshot.tick, false);
        }
        let published = world.snapshot.tick.plus(300);
        let context = world.context();
        let day = world.snapshot.tick.minus(1).day();
        let mut drafts = gsi_narrate::draft_day(&context, day, published, late);
        let most = if world.countries.is_some() { 60 } else { 10 };
        assert!((5..=most).contains(&drafts.len()), "{}", drafts.len());
        let about = |kind: &str| drafts.iter().filter(|d| d.briefing.subject.starts_with(kind)).count();
        of_countries += about("country:");
        named += usize::from(drafts[0].briefing.summary.contains("the score of "));
        for draft in &drafts {
            if late != draft.briefing.summary.contains("written late") {
                failures.push((seed, draft.briefing.summary.clone(), vec!["late or not".into()]));
            }
        }
        // One of them is corrected later.
        let n = seed / BRIEFED;
        let wrong = &drafts[n as usize % drafts.len()].briefing;
        let why = CorrectionReason::ALL[n as usize % CorrectionReason::ALL.len()];
        let wrong = Briefing { published_at: published.minus(n as i64 % 90 * DAY), ..wrong.clone() };
        drafts.extend(gsi_narrate::correct(&context, &wrong, 2, published, why));
        assert!(drafts.last().is_some_and(|d| d.briefing.corrects.is_some()), "{}", wrong.subject);
        for draft in &drafts {
            let found = errors(&world, &wrong, draft);
            if !found.is_empty() {
                let text = format!("{}\n{}", draft.briefing.headline, draft.briefing.summary);
                failures.push((seed, text, found));
            }
        }
    }
    report(&failures, count() / BRIEFED);
    let worlds = (count() / BRIEFED) as usize;
    assert!(of_countries * 5 > worlds && named * 4 > worlds, "{of_countries} and {named} of {worlds}");
}
