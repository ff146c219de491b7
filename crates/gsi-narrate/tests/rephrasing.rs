//! Texts that differ from the template's: each false one is refused with its reason, and rephrased ones are accepted.

mod false_texts;
mod worlds;

use false_texts::{FALSE_TEXTS, TRUE_TEXT, rephrased_text, sample_narration, sample_world};
use gsi_narrate::{Narration, Outcome, narrate_day, narrate_summary};

const WORLDS: u64 = 10;
/// Every fifth digit is changed, which keeps the test short.
const DIGIT_STEP: usize = 5;

/// The reason of the refusal, or `None` when the candidate is accepted.
fn refusal(narration: &Narration, candidate: &str) -> Option<String> {
    match narration.judge(candidate) {
        Outcome::Accepted { text } => {
            assert_eq!(text, candidate.trim());
            None
        }
        Outcome::Rejected { text, reason } => {
            assert_eq!(text, narration.text, "the template's text is used");
            Some(reason)
        }
    }
}

fn code(reason: Option<&str>) -> &str {
    reason.and_then(|r| r.split(':').next()).unwrap_or("accepted")
}

#[test]
fn rephrased_texts_are_accepted() {
    let narration = sample_narration();
    assert_eq!(refusal(&narration, TRUE_TEXT), None);
    assert_eq!(refusal(&narration, &format!("  {TRUE_TEXT}\n")), None);
    assert_eq!(refusal(&narration, &rephrased_text()), None);
    assert_ne!(rephrased_text(), TRUE_TEXT);
}

#[test]
fn every_false_text_is_refused_with_its_reason() {
    let narration = sample_narration();
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, want) in FALSE_TEXTS {
        assert!(TRUE_TEXT.contains(from), "{from:?} is not in the true text");
        let reason = refusal(&narration, &TRUE_TEXT.replacen(from, to, 1));
        if code(reason.as_deref()) != *want {
            wrong.push(format!("{from:?} -> {to:?}: expected {want}, got {reason:?}"));
        }
    }
    let whole = [
        (String::new(), "empty"),
        ("   \n ".to_owned(), "empty"),
        ("Fine.".to_owned(), "length"),
        (TRUE_TEXT.repeat(3), "length"),
        ("a ".repeat(5_000_000), "too_large"),
        ("\u{0}".repeat(40), "length"),
        (format!("```json\n{TRUE_TEXT}\n```"), "format"),
        (TRUE_TEXT.replacen(". Macro", ".\nMacro", 1), "structure"),
        (TRUE_TEXT.replacen(". Macro", ".\n\nMacro", 1), "structure"),
    ];
    for (text, want) in &whole {
        let reason = refusal(&narration, text);
        if code(reason.as_deref()) != *want {
            let beginning: String = text.chars().take(20).collect();
            wrong.push(format!("{beginning:?}…: expected {want}, got {reason:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(FALSE_TEXTS.len() >= 100, "{} false texts", FALSE_TEXTS.len());
}

/// Texts of the generated worlds and of the sample world.
fn narrations() -> Vec<Narration> {
    let mut narrations = vec![narrate_summary(&sample_world().context())];
    for seed in 0..WORLDS {
        let world = worlds::world(seed);
        narrations.push(narrate_summary(&world.context()));
        narrations.extend(narrate_day(&world.context(), world.snapshot.tick, false));
    }
    narrations
}

#[test]
fn template_texts_are_accepted_and_changed_numbers_refused() {
    for narration in narrations() {
        let text = &narration.text;
        assert_eq!(refusal(&narration, text), None, "{text}");
        let digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
        for (at, digit) in digits.step_by(DIGIT_STEP) {
            let other = if digit == '7' { "8" } else { "7" };
            let mut changed = text.clone();
            changed.replace_range(at..at + 1, other);
            assert!(refusal(&narration, &changed).is_some(), "{changed}");
        }
    }
}

#[test]
fn swapped_and_dropped_sentences_are_refused() {
    let mut swapped = 0;
    for narration in narrations() {
        let paragraphs: Vec<&str> = narration.text.split("\n\n").collect();
        for (n, paragraph) in paragraphs.iter().enumerate() {
            let sentences: Vec<&str> = paragraph.split_inclusive(". ").collect();
            let rebuilt = |sentences: &[&str]| {
                let own = sentences.iter().map(|s| s.trim()).collect::<Vec<_>>().join(" ");
                let mut all: Vec<&str> = paragraphs.clone();
                all[n] = &own;
                all.join("\n\n")
            };
            for i in 1..sentences.len() {
                let mut other = sentences.clone();
                other.swap(i - 1, i);
                let changed = rebuilt(&other);
                assert!(refusal(&narration, &changed).is_some(), "{changed}");
                other.remove(i);
                let changed = rebuilt(&other);
                assert!(refusal(&narration, &changed).is_some(), "{changed}");
                swapped += 1;
            }
        }
    }
    assert!(swapped > 200, "{swapped} pairs of sentences");
}
