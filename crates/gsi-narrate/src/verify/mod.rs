//! Stage five: does the text say only what the facts say? Symbolic throughout: every number, date, name, direction and
//! grade is looked up in the facts of the plan, in the place where it stands, and everything that must be said is there.
//! It reads the finished text and knows nothing of the templates that made it.

mod claims;
mod figures_in_text;
mod lexicon;
mod names_in_text;
mod numbers;
mod reader;
mod report;
mod tokens;

pub use lexicon::likelihood;
pub use report::{ProblemReason, TextProblem, VerifierReport};

use crate::facts::{FactKey, FactKind, Facts, FigureForm};
use crate::plan::TextPlan;
use reader::TextReader;

const BOTTOM_LINE_WORDS: usize = 30;

/// Checks a text against the facts of its plan.
pub fn verify(text: &str, plan: &TextPlan, facts: &Facts) -> VerifierReport {
    verify_against(text, plan, facts, None)
}

/// The same; with the template's text at hand, no figure may be used more often than there.
pub fn verify_against(text: &str, plan: &TextPlan, facts: &Facts, template: Option<&str>) -> VerifierReport {
    let allowed: Vec<&crate::facts::Fact> = plan.keys().iter().filter_map(|k| facts.get(k.0, k.1)).collect();
    let mut reader = TextReader::new(text, &allowed, facts.partial);
    reader.read();
    for item in &plan.items {
        for key in &item.must {
            if !is_said(&reader, facts, *key) {
                let id = facts.get(key.0, key.1).map_or("", |f| f.id.as_str());
                reader.add_problem(ProblemReason::MustSay, id.to_owned());
            }
        }
    }
    if reader.first_sentence_words > BOTTOM_LINE_WORDS {
        reader.add_problem_at(0, ProblemReason::BottomLine, format!("{} words", reader.first_sentence_words));
    }
    if let Some(template) = template {
        let mut listed = TextReader::new(template, &allowed, facts.partial);
        listed.read();
        for (fact, form, count) in &reader.uses.clone() {
            let before = listed.uses.iter().find(|u| u.0 == *fact && u.1 == *form).map_or(0, |u| u.2);
            if *count > before.max(1) {
                let detail = allowed.get(*fact).map_or(String::new(), |f| f.id.clone());
                reader.add_problem_at_end(ProblemReason::Repeated, detail);
            }
        }
    }
    reader.finish()
}

/// Checks a line that stands alone, such as a headline, against all facts.
pub fn verify_line(line: &str, facts: &Facts) -> VerifierReport {
    let allowed: Vec<&crate::facts::Fact> = facts.list.iter().collect();
    let mut reader = TextReader::new(line, &allowed, facts.partial);
    reader.read();
    reader.finish()
}

/// The gravest fault of a sentence of a text, read by itself. What is amiss only among its neighbours is not seen.
pub fn fault_of_sentence(sentence: &str, plan: &TextPlan, facts: &Facts) -> Option<TextProblem> {
    let allowed: Vec<&crate::facts::Fact> = plan.keys().iter().filter_map(|k| facts.get(k.0, k.1)).collect();
    let mut reader = TextReader::new(sentence, &allowed, facts.partial);
    reader.read();
    reader.finish().gravest().cloned()
}

/// The facts of the plan that a text states, each with the first sentence that does, counted from 0.
pub fn stated(text: &str, plan: &TextPlan, facts: &Facts) -> Vec<(FactKey, usize)> {
    let keys = plan.keys();
    let allowed: Vec<&crate::facts::Fact> = keys.iter().filter_map(|k| facts.get(k.0, k.1)).collect();
    let mut reader = TextReader::new(text, &allowed, facts.partial);
    reader.read();
    let mut said: Vec<(FactKey, usize)> =
        keys.into_iter().filter_map(|key| reader.said_in(key).map(|sentence| (key, sentence))).collect();
    said.sort_by_key(|(key, sentence)| (*sentence, *key));
    said
}

/// A fact with a figure is said by its figure; one without, by its words.
fn is_said(reader: &TextReader, facts: &Facts, key: FactKey) -> bool {
    let Some(fact) = facts.get(key.0, key.1) else { return true };
    let by_figure = match fact.kind {
        FactKind::Delta => fact.news,
        FactKind::Level
        | FactKind::Push
        | FactKind::PillarPush
        | FactKind::CoveragePush
        | FactKind::Part
        | FactKind::Coverage
        | FactKind::GapCount => true,
        FactKind::FeedGap => !fact.shown(FigureForm::Date).is_empty(),
        FactKind::Theater | FactKind::Event | FactKind::Earlier | FactKind::Late | FactKind::Correction => {
            true
        }
        _ => false,
    };
    if by_figure { reader.has_figure(key) } else { reader.has_link(key) }
}
