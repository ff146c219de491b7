//! From a snapshot to words that can be trusted: facts, salience, plan, text, verification.
//!
//! Each stage is a pure function whose output can be looked at. The text is made from facts alone and then checked
//! against them by a verifier that shares nothing with the templates; a sentence or a headline that does not verify is told
//! in other words that do, or not at all.
//! A language model, if there is one, is asked elsewhere; its answer passes the same verifier or is not used.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::unwrap_used))]

mod briefs;
mod context;
pub mod facts;
mod figures;
mod names;
pub mod plan;
mod proofread;
mod rephrase;
pub mod salience;
pub mod text;
pub mod verify;

pub use briefs::{BriefingDraft, brief_day, correct, draft_day, narrate_day};
pub use context::Context;
pub use figures::NEWS_POINTS;
pub use proofread::{Proof, TakenBack, proofread, proofread_headline};
pub use rephrase::{MAX_CANDIDATE_BYTES, Outcome, Question, rephrased};

use facts::Facts;
use gsi_model::Summary;
use plan::TextPlan;
use serde::Serialize;
use text::Sentence;
use verify::VerifierReport;

/// The summary's length in words, by contract.
pub const SUMMARY_WORDS: std::ops::RangeInclusive<usize> = 60..=160;
/// Optional sentences are added up to here …
const COMFORTABLE_WORDS: usize = 125;
/// … and filler until here.
const ENOUGH_WORDS: usize = 70;

/// A text with everything it was made from.
#[derive(Clone, Debug, Serialize)]
pub struct Narration {
    pub facts: Facts,
    pub plan: TextPlan,
    pub sentences: Vec<Sentence>,
    pub text: String,
    /// A summary has none.
    pub headline: Option<String>,
    pub checks: VerifierReport,
    /// Words of our own that did not verify and were not published. Any is a fault in a template.
    pub taken_back: Vec<TakenBack>,
}

/// The rolling summary of this tick.
pub fn summarise(context: &Context) -> Summary {
    Summary { text: narrate_summary(context).text, as_of: context.snapshot.tick }
}

/// The rolling summary with its facts, plan and checks.
pub fn narrate_summary(context: &Context) -> Narration {
    let facts = Facts::gather(context);
    let salient = salience::select(&facts, context);
    let make = |terse: bool| {
        let plan = plan::summary(context, &facts, &salient, terse);
        let made = text::sentences(&plan, &facts, context.previous_summary);
        // The context of the number brings its own room: it pushes nothing out.
        let context = made.iter().filter(|s| s.slot == plan::SentenceJob::DayPlace).map(Sentence::words);
        let room = COMFORTABLE_WORDS + context.sum::<usize>();
        let kept = text::fit(made, ENOUGH_WORDS, room);
        (plan, kept)
    };
    let (mut plan, mut sentences) = make(false);
    if sentences.iter().map(Sentence::words).sum::<usize>() > *SUMMARY_WORDS.end() {
        (plan, sentences) = make(true);
    }
    plan.items.retain(|i| sentences.iter().any(|s| s.slot == i.slot && s.facts == i.facts));
    let Proof { sentences, taken_back, checks } = proofread(sentences, &plan, &facts, &text::paragraph);
    let text = text::paragraph(&sentences);
    Narration { facts, plan, sentences, text, headline: None, checks, taken_back }
}
