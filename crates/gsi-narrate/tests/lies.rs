//! A true text, sixty kinds of lies told about it, and what each is turned down for. Truthful rephrasings pass.

mod lies_told;
mod worlds;

use gsi_narrate::{Context, Narration, Outcome, narrate_summary, rephrased};
use lies_told::{LIES, TRUE_TEXT, told_world};

fn narrated(context: &Context) -> Narration {
    narrate_summary(context)
}

fn verdict(told: &Narration, candidate: &str) -> Result<(), String> {
    match rephrased(&told.plan, &told.facts, &told.text, candidate) {
        Outcome::Accepted { text } => {
            assert_eq!(text, candidate.trim());
            Ok(())
        }
        Outcome::Rejected { text, reason } => {
            assert_eq!(text, told.text, "the template's text stands");
            Err(reason)
        }
    }
}

#[test]
fn the_template_and_truthful_rephrasings_pass() {
    let w = told_world();
    let told = narrated(&w.context());
    println!("{}", told.text);
    assert_eq!(told.checks.problems, []);
    assert_eq!(verdict(&told, &told.text), Ok(()));
    assert_eq!(verdict(&told, TRUE_TEXT), Ok(()));
    let other = TRUE_TEXT
        .replace("Macro is the main driver and added", "The main driver is macro, which added")
        .replace("By pillar: macro 72", "Among the pillars, macro stands at 72")
        .replace("12 outlets report violence", "reports of violence come from 12 outlets, all")
        .replace(", all involving", " involving");
    assert_ne!(other, TRUE_TEXT);
    let other = other.replace(
        "reports of violence come from 12 outlets involving",
        "12 outlets report violence involving",
    );
    assert_eq!(verdict(&told, &other), Ok(()));
}

#[test]
fn a_small_move_is_no_news() {
    let mut w = told_world();
    w.snapshot.delta_24h = Some(1.2);
    let told = narrated(&w.context());
    let lead = told.sentences[0].text.clone();
    for (line, want) in [
        ("Simulated data: on partial data the global score rose 1.2 points to 57.", "not_news"),
        ("Simulated data: on partial data the global score is up at 57.", "not_news"),
        ("Simulated data: on partial data the global score is down at 57.", "wrong_direction"),
        ("Simulated data: on partial data the global score is steady at 57.", "claim_of_calm"),
        ("Simulated data: on partial data the global score, at 57, shows no move of 3 points or more.", ""),
    ] {
        let got = verdict(&told, &told.text.replace(&lead, line)).err().unwrap_or_default();
        assert_eq!(got.split(':').next(), Some(want), "{line}");
    }
}

#[test]
fn sixty_lies_are_turned_down_for_the_right_reason() {
    let w = told_world();
    let told = narrated(&w.context());
    let mut kinds = 0;
    let mut wrong: Vec<String> = Vec::new();
    for (from, to, want) in LIES {
        assert!(TRUE_TEXT.contains(from), "{from:?} is not in the true text");
        let lie = TRUE_TEXT.replacen(from, to, 1);
        match verdict(&told, &lie) {
            Err(reason) if reason.split(':').next() == Some(want) => {}
            other => wrong.push(format!("{from:?} -> {to:?}: wanted {want}, got {other:?}")),
        }
        kinds += 1;
    }
    let whole: Vec<(String, &str)> = vec![
        (String::new(), "empty"),
        ("   \n ".into(), "empty"),
        ("Fine.".into(), "length"),
        (TRUE_TEXT.repeat(3), "length"),
        ("a ".repeat(5_000_000), "too_large"),
        ("\u{0}".repeat(40), "length"),
        (format!("```json\n{TRUE_TEXT}\n```"), "format"),
    ];
    for (text, want) in whole {
        match verdict(&told, &text) {
            Err(reason) if reason.split(':').next() == Some(want) => {}
            other => wrong.push(format!(
                "{:?}…: wanted {want}, got {other:?}",
                text.chars().take(20).collect::<String>()
            )),
        }
        kinds += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kinds >= 60, "{kinds} kinds");
}
