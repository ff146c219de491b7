//! Stage five: does the text say only what the facts say? Symbolic throughout: every number, date, name, direction and
//! grade is looked up in the facts of the plan, in the place where it stands, and everything that must be said is there.
//! It reads the finished text and knows nothing of the templates that made it.

mod claims;
mod figures_in_text;
mod lexicon;
mod names_in_text;
mod numbers;
mod reader;
mod tokens;

pub use lexicon::likelihood;

use crate::facts::{Facts, Form, Key, Kind};
use crate::plan::Plan;
use reader::Reader;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Marks that no prose of ours contains: markup, control characters, addresses.
    Format,
    Number,
    Date,
    Name,
    /// A word outside the vocabulary, which could carry anything.
    Word,
    Direction,
    /// A move too small to be told as news.
    NotNews,
    Record,
    Rank,
    Band,
    Calm,
    Confidence,
    Status,
    Category,
    Negation,
    Likelihood,
    /// Likelihood and confidence in one sentence.
    LikelihoodWithConfidence,
    Causal,
    Advice,
    Future,
    Blame,
    /// Reporting and assessment in one sentence.
    MixedReporting,
    /// A sentence that rests on no fact.
    Unlinked,
    MustSay,
    /// A figure used more often than the plan lists it.
    Repeated,
    /// The first sentence is too long for a bottom line.
    BottomLine,
}

impl Reason {
    /// A bounded label, fit for metrics.
    pub fn code(self) -> &'static str {
        match self {
            Reason::Format => "format",
            Reason::Number => "unsupported_number",
            Reason::Date => "unsupported_date",
            Reason::Name => "unsupported_name",
            Reason::Word => "unsupported_word",
            Reason::Direction => "wrong_direction",
            Reason::NotNews => "not_news",
            Reason::Record => "unsupported_record",
            Reason::Rank => "unsupported_rank",
            Reason::Band => "wrong_band",
            Reason::Calm => "claim_of_calm",
            Reason::Confidence => "wrong_confidence",
            Reason::Status => "wrong_status",
            Reason::Category => "wrong_category",
            Reason::Negation => "negation",
            Reason::Likelihood => "likelihood",
            Reason::LikelihoodWithConfidence => "likelihood_with_confidence",
            Reason::Causal => "causal",
            Reason::Advice => "advice",
            Reason::Future => "future",
            Reason::Blame => "blame",
            Reason::MixedReporting => "mixed_reporting",
            Reason::Unlinked => "unlinked_sentence",
            Reason::MustSay => "must_say_missing",
            Reason::Repeated => "repeated_figure",
            Reason::BottomLine => "bottom_line",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    pub reason: Reason,
    /// Counted from 0 in reading order.
    pub sentence: usize,
    pub detail: String,
}

/// What was checked and what was found wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    pub sentences: usize,
    pub numbers: usize,
    pub names: usize,
    pub claims: usize,
    pub problems: Vec<Problem>,
}

impl Report {
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problem that best says what is wrong: what is never said, then invented names, then the rest as read.
    pub fn gravest(&self) -> Option<&Problem> {
        self.problems.iter().min_by_key(|p| match p.reason {
            Reason::Format => 0,
            Reason::Advice
            | Reason::Future
            | Reason::Causal
            | Reason::Blame
            | Reason::LikelihoodWithConfidence
            | Reason::Likelihood => 1,
            Reason::Negation => 2,
            Reason::Name | Reason::Word => 3,
            Reason::MustSay | Reason::Repeated | Reason::Unlinked | Reason::BottomLine => 5,
            _ => 4,
        })
    }
}

const BOTTOM_LINE_WORDS: usize = 30;

/// Checks a text against the facts of its plan.
pub fn verify(text: &str, plan: &Plan, facts: &Facts) -> Report {
    verify_against(text, plan, facts, None)
}

/// The same; with the template's text at hand, no figure may be used more often than there.
pub fn verify_against(text: &str, plan: &Plan, facts: &Facts, template: Option<&str>) -> Report {
    let allowed: Vec<&crate::facts::Fact> = plan.keys().iter().filter_map(|k| facts.get(k.0, k.1)).collect();
    let mut reader = Reader::new(text, &allowed, facts.partial);
    reader.read();
    for item in &plan.items {
        for key in &item.must {
            if !is_said(&reader, facts, *key) {
                let id = facts.get(key.0, key.1).map_or("", |f| f.id.as_str());
                reader.problem(Reason::MustSay, id.to_owned());
            }
        }
    }
    if reader.first_sentence_words > BOTTOM_LINE_WORDS {
        reader.problem_at(0, Reason::BottomLine, format!("{} words", reader.first_sentence_words));
    }
    if let Some(template) = template {
        let mut listed = Reader::new(template, &allowed, facts.partial);
        listed.read();
        for (fact, form, count) in &reader.uses.clone() {
            let before = listed.uses.iter().find(|u| u.0 == *fact && u.1 == *form).map_or(0, |u| u.2);
            if *count > before.max(1) {
                let detail = allowed.get(*fact).map_or(String::new(), |f| f.id.clone());
                reader.problem_later(Reason::Repeated, detail);
            }
        }
    }
    reader.finish()
}

/// Checks a line that stands alone, such as a headline, against all facts.
pub fn verify_line(line: &str, facts: &Facts) -> Report {
    let allowed: Vec<&crate::facts::Fact> = facts.list.iter().collect();
    let mut reader = Reader::new(line, &allowed, facts.partial);
    reader.read();
    reader.finish()
}

/// The gravest fault of a sentence of a text, read by itself. What is amiss only among its neighbours is not seen.
pub fn fault_of_sentence(sentence: &str, plan: &Plan, facts: &Facts) -> Option<Problem> {
    let allowed: Vec<&crate::facts::Fact> = plan.keys().iter().filter_map(|k| facts.get(k.0, k.1)).collect();
    let mut reader = Reader::new(sentence, &allowed, facts.partial);
    reader.read();
    reader.finish().gravest().cloned()
}

/// The facts of the plan that a text states, each with the first sentence that does, counted from 0.
pub fn stated(text: &str, plan: &Plan, facts: &Facts) -> Vec<(Key, usize)> {
    let keys = plan.keys();
    let allowed: Vec<&crate::facts::Fact> = keys.iter().filter_map(|k| facts.get(k.0, k.1)).collect();
    let mut reader = Reader::new(text, &allowed, facts.partial);
    reader.read();
    let mut said: Vec<(Key, usize)> =
        keys.into_iter().filter_map(|key| reader.said_in(key).map(|sentence| (key, sentence))).collect();
    said.sort_by_key(|(key, sentence)| (*sentence, *key));
    said
}

/// A fact with a figure is said by its figure; one without, by its words.
fn is_said(reader: &Reader, facts: &Facts, key: Key) -> bool {
    let Some(fact) = facts.get(key.0, key.1) else { return true };
    let by_figure = match fact.kind {
        Kind::Delta => fact.news,
        Kind::Level
        | Kind::Push
        | Kind::PillarPush
        | Kind::CoveragePush
        | Kind::Part
        | Kind::Coverage
        | Kind::GapCount => true,
        Kind::FeedGap => !fact.shown(Form::Date).is_empty(),
        Kind::Theater | Kind::Event | Kind::Earlier | Kind::Late | Kind::Correction => true,
        _ => false,
    };
    if by_figure { reader.has_figure(key) } else { reader.has_link(key) }
}
