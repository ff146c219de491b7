//! Texts from a snapshot, in four stages: facts, salience, plan, text.
//!
//! Each stage is a pure function whose output can be inspected. Templates phrase facts and nothing else; the tests check
//! them on ten thousand generated worlds with a checker that shares no code with them. A language model may rephrase a text
//! (`gsi-pipeline` asks it); its answer is used only if every sentence states the same as the template's.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::unwrap_used))]

mod briefs;
mod context;
pub mod facts;
mod figures;
mod names;
pub mod plan;
mod rephrase;
pub mod salience;
pub mod text;

pub use briefs::{BriefingDraft, brief_day, correct, draft_day, narrate_day};
pub use context::Context;
pub use figures::NEWS_POINTS;
pub use rephrase::{MAX_CANDIDATE_BYTES, Outcome, Question};

use facts::Facts;
use gsi_model::Summary;
use plan::TextPlan;
use text::Sentence;

/// The summary's length in words, by contract.
pub const SUMMARY_WORDS: std::ops::RangeInclusive<usize> = 60..=160;
/// Optional sentences are added up to this length.
const COMFORTABLE_WORDS: usize = 125;
/// Filler sentences are added up to this length.
const ENOUGH_WORDS: usize = 70;

/// A text and everything it was made from.
#[derive(Clone, Debug)]
pub struct Narration {
    pub facts: Facts,
    pub plan: TextPlan,
    pub sentences: Vec<Sentence>,
    pub text: String,
    /// `None` for a summary.
    pub headline: Option<String>,
}

/// Returns the rolling summary of this tick.
pub fn summarise(context: &Context) -> Summary {
    Summary { text: narrate_summary(context).text, as_of: context.snapshot.tick }
}

/// Returns the rolling summary with its facts and plan.
pub fn narrate_summary(context: &Context) -> Narration {
    let facts = Facts::gather(context);
    let salient = salience::select(&facts, context);
    let make = |terse: bool| {
        let plan = plan::summary(context, &facts, &salient, terse);
        let made = text::sentences(&plan, &facts, context.previous_summary);
        // The sentence that compares the score with past days does not replace another one.
        let day_place = made.iter().filter(|s| s.slot == plan::SentenceJob::DayPlace).map(Sentence::words);
        let room = COMFORTABLE_WORDS + day_place.sum::<usize>();
        let kept = text::fit(made, ENOUGH_WORDS, room);
        (plan, kept)
    };
    let (mut plan, mut sentences) = make(false);
    if sentences.iter().map(Sentence::words).sum::<usize>() > *SUMMARY_WORDS.end() {
        (plan, sentences) = make(true);
    }
    plan.items.retain(|i| sentences.iter().any(|s| s.slot == i.slot && s.facts == i.facts));
    let text = text::paragraph(&sentences);
    Narration { facts, plan, sentences, text, headline: None }
}
