//! What becomes of a false sentence that a template might write one day: it is told otherwise or not at all, whether it had
//! to be there or not.

mod worlds;

use gsi_narrate::{Proof, narrate_day, narrate_summary, proofread, proofread_headline, text};

const FALSE: &str = "The global score stands at 101.";

#[test]
fn a_false_sentence_is_told_otherwise() {
    let (mut required, mut optional) = (0, 0);
    for seed in 0..150 {
        let world = worlds::world(seed);
        let told = narrate_summary(&world.context());
        for n in 0..told.sentences.len() {
            let mut sentences = told.sentences.clone();
            sentences[n].text = FALSE.to_owned();
            let Proof { sentences, taken_back, checks } =
                proofread(sentences, &told.plan, &told.facts, &text::paragraph);
            let published = text::paragraph(&sentences);
            let place = format!("world {seed}, sentence {n}: {published}");
            assert!(!published.contains("101"), "{place}");
            assert_eq!(taken_back[0].text, FALSE, "{place}");
            assert_eq!(checks.problems, [], "{place}");
            if told.sentences[n].required {
                required += 1;
                assert!(taken_back[0].retold, "{place}");
            } else {
                optional += 1;
            }
        }
    }
    assert!(required > 100 && optional > 100, "{required} {optional}");
}

#[test]
fn a_sentence_that_no_wording_saves_is_left_out() {
    let world = worlds::world(3);
    let told = narrate_summary(&world.context());
    let mut sentences = told.sentences.clone();
    let n = sentences.iter().position(|s| s.required).unwrap();
    sentences[n].text = FALSE.to_owned();
    // Nobody knows what it wanted to say.
    sentences[n].facts.clear();
    let proof = proofread(sentences, &told.plan, &told.facts, &text::paragraph);
    assert!(!text::paragraph(&proof.sentences).contains("101"));
    assert!(!proof.taken_back[0].retold);
    assert!(!proof.checks.is_clean(), "what had to be said is missing, and the report says so");
}

#[test]
fn a_headline_verifies_or_is_not_used() {
    let world = worlds::world(3);
    let context = world.context();
    for told in narrate_day(&context, world.snapshot.tick, false) {
        let true_one = told.headline.clone().unwrap();
        let false_one = "The global score rises 99 points to 101.".to_owned();
        let (headline, taken_back) =
            proofread_headline(vec![false_one.clone(), true_one.clone()], &told.facts);
        assert_eq!(headline.as_deref(), Some(true_one.as_str()));
        assert!(taken_back.len() == 1 && taken_back[0].retold && taken_back[0].text == false_one);
        let (headline, taken_back) = proofread_headline(vec![false_one], &told.facts);
        assert!(headline.is_none() && !taken_back[0].retold);
    }
}
