//! Our own text before it is published: every sentence is verified, and one that fails is told in another wording that
//! passes, the plainer the later, or not at all. What was taken back is kept for the log, since each is a fault of a template.

use crate::facts::{FactKey, Facts};
use crate::plan::{Item, TextPlan};
use crate::text::{self, Sentence};
use crate::verify::{self, ProblemReason, VerifierReport};
use serde::Serialize;

/// Words that were written and not published.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TakenBack {
    pub text: String,
    pub reason: ProblemReason,
    pub detail: String,
    /// What it had to say is said in other words, or is left out.
    pub retold: bool,
}

/// A text that has been read.
pub struct Proof {
    pub sentences: Vec<Sentence>,
    pub taken_back: Vec<TakenBack>,
    /// On the text as it is published.
    pub checks: VerifierReport,
}

/// `join` makes the text of the sentences.
pub fn proofread(
    sentences: Vec<Sentence>,
    plan: &TextPlan,
    facts: &Facts,
    join: &dyn Fn(&[Sentence]) -> String,
) -> Proof {
    let checks = verify::verify(&join(&sentences), plan, facts);
    if checks.is_clean() {
        return Proof { sentences, taken_back: Vec::new(), checks };
    }
    let mut taken_back = Vec::new();
    let mut kept = Vec::new();
    for sentence in sentences {
        let Some(problem) = verify::fault_of_sentence(&sentence.text, plan, facts) else {
            kept.push(sentence);
            continue;
        };
        let others = retold(&sentence, plan, facts);
        let retold = !others.is_empty();
        taken_back.push(TakenBack {
            text: sentence.text,
            reason: problem.reason,
            detail: problem.detail,
            retold,
        });
        kept.extend(others);
    }
    // Sentences that are true one by one may still be wrong together: the ones that need not be there make way.
    let mut checks = verify::verify(&join(&kept), plan, facts);
    while let Some(problem) = checks.problems.iter().find(|p| p.reason != ProblemReason::MustSay).cloned() {
        let order = text::reading_order(&kept);
        let Some(culprit) = order.get(problem.sentence).copied().filter(|n| !kept[*n].required) else {
            break;
        };
        let sentence = kept.remove(culprit);
        taken_back.push(TakenBack {
            text: sentence.text,
            reason: problem.reason,
            detail: problem.detail,
            retold: false,
        });
        checks = verify::verify(&join(&kept), plan, facts);
    }
    Proof { sentences: kept, taken_back, checks }
}

/// The same in words that verify: another wording; else one that says no more than has to be said; else a sentence for each
/// thing that has to be. Nothing for a sentence that nobody misses.
fn retold(failed: &Sentence, plan: &TextPlan, facts: &Facts) -> Vec<Sentence> {
    let Some(item) = plan.items.iter().find(|i| i.slot == failed.slot && i.facts == failed.facts) else {
        return Vec::new();
    };
    let tell = |facts_told: &[FactKey]| {
        let plainer = Item { facts: facts_told.to_vec(), ..item.clone() };
        text::wordings(&plainer, plan, facts)
            .into_iter()
            .find(|wording| verify::fault_of_sentence(wording, plan, facts).is_none())
            .map(|text| Sentence { text, facts: facts_told.to_vec(), ..failed.clone() })
    };
    if let Some(other) = tell(&item.facts).or_else(|| item.required.then(|| tell(&item.must)).flatten()) {
        return vec![other];
    }
    if !item.required {
        return Vec::new();
    }
    item.must.iter().filter_map(|key| tell(&[*key])).collect()
}

/// The first headline that verifies, the fullest first, and those before it that do not.
pub fn proofread_headline(candidates: Vec<String>, facts: &Facts) -> (Option<String>, Vec<TakenBack>) {
    let mut taken_back: Vec<TakenBack> = Vec::new();
    for candidate in candidates {
        match verify::verify_line(&candidate, facts).gravest() {
            None => {
                taken_back.iter_mut().for_each(|t| t.retold = true);
                return (Some(candidate), taken_back);
            }
            Some(problem) => taken_back.push(TakenBack {
                text: candidate,
                reason: problem.reason,
                detail: problem.detail.clone(),
                retold: false,
            }),
        }
    }
    (None, taken_back)
}
