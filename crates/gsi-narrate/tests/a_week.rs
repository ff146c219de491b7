//! A week of ticks: the same snapshot gives the same text, sentences do not repeat while their facts change, and texts
//! report no move while no score moves.

mod worlds;

use gsi_model::*;
use gsi_narrate::{narrate_summary, summarise};
use worlds::{Dice, World, world};

const TICKS: i64 = 7 * 96;

/// Changes a world a little, as from tick to tick.
fn drift(w: &mut World, dice: &mut Dice, n: i64) {
    let s = &mut w.snapshot;
    s.tick = s.tick.plus(TICK);
    s.id = SnapshotId::derive(format!("week {n}").as_bytes());
    for p in &mut s.pillars {
        p.score = (p.score + dice.range(-0.9, 0.9)).clamp(0.0, 100.0);
        p.contribution = p.weight * p.score * p.score / s.score.max(1.0);
        p.delta_24h = p.delta_24h.map(|d| (d + dice.range(-0.5, 0.5)).clamp(-20.0, 20.0));
    }
    s.score = (s.score + dice.range(-0.8, 0.8)).clamp(1.0, 99.0);
    s.delta_24h = s.delta_24h.map(|d| (d + dice.range(-0.4, 0.4)).clamp(-20.0, 20.0));
    for e in &mut w.events {
        e.last_activity = s.tick;
        e.escalation = (e.escalation + dice.range(-0.03, 0.03)).clamp(0.0, 1.0);
    }
    w.history.push((s.tick.minus(TICK), s.score));
}

fn sentences(text: &str) -> Vec<String> {
    text.split_inclusive(". ").map(|s| s.trim().to_owned()).collect()
}

#[test]
fn a_week_does_not_repeat_itself() {
    let (mut all, mut repeated, mut identical) = (0usize, 0usize, 0usize);
    for seed in [3, 9, 16, 21] {
        let mut w = world(seed);
        let mut dice = Dice::new(seed);
        for n in 0..TICKS / 4 {
            drift(&mut w, &mut dice, n);
            let narration = narrate_summary(&w.context());
            assert_eq!(narration.text, summarise(&w.context()).text, "the same snapshot, the same text");
            if let Some(before) = &w.previous {
                let old = sentences(before);
                let new = sentences(&narration.text);
                all += new.len();
                repeated += new.iter().filter(|s| old.contains(s)).count();
                identical += usize::from(*before == narration.text);
            }
            w.previous = Some(narration.text);
        }
    }
    println!("{repeated} of {all} sentences repeat");
    assert_eq!(identical, 0);
    // A sentence with unchanged facts gets another wording.
    assert!((repeated as f64) < 0.05 * all as f64, "{repeated} of {all}");
}

#[test]
fn no_move_is_reported_while_no_score_moves() {
    let mut w = world(9);
    w.snapshot.delta_24h = Some(0.0);
    for p in &mut w.snapshot.pillars {
        p.delta_24h = Some(0.0);
        p.status = PillarStatus::Ok;
    }
    w.snapshot.status = DataStatus::Ok;
    w.history = (0..400).map(|n| (w.snapshot.tick.minus((400 - n) * DAY), w.snapshot.score)).collect();
    w.pillar_history = Default::default();
    w.snapshot.trend = Trend::Flat;
    for n in 0..200 {
        w.snapshot.id = SnapshotId::derive(format!("still {n}").as_bytes());
        let text = summarise(&w.context()).text;
        for word in
            ["rose", "fell", "risen", "fallen", "climbed", "dropped", "is up", "is down", "added", "took off"]
        {
            assert!(!text.contains(word), "{word}: {text}");
        }
        w.previous = Some(text);
    }
}

#[test]
fn corrections_name_what_they_correct() {
    let w = world(16);
    let context = w.context();
    let day = w.snapshot.tick.minus(1).day();
    let first = gsi_narrate::brief_day(&context, day, w.snapshot.tick, false);
    let reasons = [
        (CorrectionReason::RevisedData, "a publisher has revised its data"),
        (CorrectionReason::LateData, "data that was missing has come in"),
        (CorrectionReason::WrongText, "its text was not supported by its facts"),
    ];
    for (n, wrong) in first.iter().take(6).enumerate() {
        let at = w.snapshot.tick.plus(DAY);
        let (why, words) = reasons[n % reasons.len()];
        let draft = gsi_narrate::correct(&context, wrong, 2, at, why).expect("a known subject");
        let right = &draft.briefing;
        assert_ne!(right.id, wrong.id);
        assert_eq!(right.corrects.as_ref(), Some(&wrong.id));
        assert_eq!((right.day, &right.subject, &right.tags), (wrong.day, &wrong.subject, &wrong.tags));
        assert!(right.headline.starts_with("Correction: "), "{}", right.headline);
        assert!(right.summary.starts_with("This corrects the briefing published at"), "{}", right.summary);
        assert!(right.summary.contains(&format!(": {words}. It is written from what was known at ")));
        // A text with another reason than the given one is refused.
        let (_, other) = reasons[(n + 1) % reasons.len()];
        let judged = draft.narration.judge(&right.summary.replace(words, other));
        assert!(matches!(judged, gsi_narrate::Outcome::Rejected { .. }), "{judged:?}");
    }
    let again = gsi_narrate::brief_day(&context, day, w.snapshot.tick, false);
    assert_eq!(first, again, "the same day, the same briefings");

    let theater = Briefing { subject: "theater:nowhere".into(), ..first[0].clone() };
    let nothing = gsi_narrate::correct(&context, &theater, 2, w.snapshot.tick, CorrectionReason::LateData);
    assert!(nothing.is_none(), "there is nothing to say of a theater without an event");
}
