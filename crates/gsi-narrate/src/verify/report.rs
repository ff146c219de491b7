//! What the verifier found: how much was checked, and each thing that is wrong.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemReason {
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

impl ProblemReason {
    /// A bounded label, fit for metrics.
    pub fn code(self) -> &'static str {
        match self {
            ProblemReason::Format => "format",
            ProblemReason::Number => "unsupported_number",
            ProblemReason::Date => "unsupported_date",
            ProblemReason::Name => "unsupported_name",
            ProblemReason::Word => "unsupported_word",
            ProblemReason::Direction => "wrong_direction",
            ProblemReason::NotNews => "not_news",
            ProblemReason::Record => "unsupported_record",
            ProblemReason::Rank => "unsupported_rank",
            ProblemReason::Band => "wrong_band",
            ProblemReason::Calm => "claim_of_calm",
            ProblemReason::Confidence => "wrong_confidence",
            ProblemReason::Status => "wrong_status",
            ProblemReason::Category => "wrong_category",
            ProblemReason::Negation => "negation",
            ProblemReason::Likelihood => "likelihood",
            ProblemReason::LikelihoodWithConfidence => "likelihood_with_confidence",
            ProblemReason::Causal => "causal",
            ProblemReason::Advice => "advice",
            ProblemReason::Future => "future",
            ProblemReason::Blame => "blame",
            ProblemReason::MixedReporting => "mixed_reporting",
            ProblemReason::Unlinked => "unlinked_sentence",
            ProblemReason::MustSay => "must_say_missing",
            ProblemReason::Repeated => "repeated_figure",
            ProblemReason::BottomLine => "bottom_line",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextProblem {
    pub reason: ProblemReason,
    /// Counted from 0 in reading order.
    pub sentence: usize,
    pub detail: String,
}

/// What was checked and what was found wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VerifierReport {
    pub sentences: usize,
    pub numbers: usize,
    pub names: usize,
    pub claims: usize,
    pub problems: Vec<TextProblem>,
}

impl VerifierReport {
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problem that best says what is wrong: what is never said, then invented names, then the rest as read.
    pub fn gravest(&self) -> Option<&TextProblem> {
        self.problems.iter().min_by_key(|p| match p.reason {
            ProblemReason::Format => 0,
            ProblemReason::Advice
            | ProblemReason::Future
            | ProblemReason::Causal
            | ProblemReason::Blame
            | ProblemReason::LikelihoodWithConfidence
            | ProblemReason::Likelihood => 1,
            ProblemReason::Negation => 2,
            ProblemReason::Name | ProblemReason::Word => 3,
            ProblemReason::MustSay
            | ProblemReason::Repeated
            | ProblemReason::Unlinked
            | ProblemReason::BottomLine => 5,
            _ => 4,
        })
    }
}
