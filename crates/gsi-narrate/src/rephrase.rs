//! The port for an optional language model. It gets the plan, with everything from feeds as quoted data, and may only
//! say the same in other words; what it answers is used when it verifies, and otherwise the template's text goes out.

use crate::facts::Facts;
use crate::plan::Plan;
use crate::verify::{self, Problem};
use serde::Serialize;
use serde_json::json;

/// More than any honest rephrasing needs; a client may stop reading here.
pub const MAX_CANDIDATE_BYTES: usize = 16 * 1024;
/// A rephrased text may be this many words longer than the template's, or shorter by a half.
const MAX_EXTRA_WORDS: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RephraseError {
    #[error("no answer in time")]
    Timeout,
    #[error("the budget of this hour is used up")]
    Budget,
    #[error("the answer was too large")]
    TooLarge,
    #[error("the endpoint answered with status {0}")]
    Status(u16),
    #[error("the answer could not be read: {0}")]
    Malformed(String),
    #[error("the endpoint could not be reached: {0}")]
    Unreachable(String),
}

impl RephraseError {
    /// A bounded label for metrics and for `generated_by`.
    pub fn code(&self) -> &'static str {
        match self {
            RephraseError::Timeout => "timeout",
            RephraseError::Budget => "budget",
            RephraseError::TooLarge => "too_large",
            RephraseError::Status(_) => "status",
            RephraseError::Malformed(_) => "malformed",
            RephraseError::Unreachable(_) => "unreachable",
        }
    }
}

/// Says the plan in other words. Implemented outside, where there is a network.
pub trait Rephraser {
    fn rephrase(&self, plan: &Plan) -> Result<String, RephraseError>;
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    Accepted {
        text: String,
    },
    /// The template's text stands, and this is why.
    Rejected {
        text: String,
        reason: String,
    },
}

impl Outcome {
    pub fn text(&self) -> &str {
        match self {
            Outcome::Accepted { text } | Outcome::Rejected { text, .. } => text,
        }
    }
}

/// Verifies a candidate against the plan's facts. Total: whatever it is given, some true text comes back.
pub fn rephrased(plan: &Plan, facts: &Facts, template: &str, candidate: &str) -> Outcome {
    let reject = |reason: String| Outcome::Rejected { text: template.to_owned(), reason };
    if candidate.len() > MAX_CANDIDATE_BYTES {
        return reject("too_large".to_owned());
    }
    let text = candidate.trim();
    let (length, usual) = (crate::text::words(text), crate::text::words(template));
    if length == 0 {
        return reject("empty".to_owned());
    }
    if length > usual + MAX_EXTRA_WORDS || length * 2 < usual {
        return reject("length".to_owned());
    }
    let report = verify::verify_against(text, plan, facts, Some(template));
    match report.gravest() {
        None => Outcome::Accepted { text: text.to_owned() },
        Some(Problem { reason, detail, .. }) => reject(format!("{}: {detail}", reason.code())),
    }
}

/// The plan as a model sees it: sentences to say again, the facts behind each, and nothing it could take for an order.
pub fn brief_for_model(plan: &Plan, facts: &Facts, template: &str) -> serde_json::Value {
    let items: Vec<_> = plan
        .items
        .iter()
        .map(|item| {
            let facts: Vec<_> = item
                .facts
                .iter()
                .filter_map(|k| facts.get(k.0, k.1))
                .map(|f| {
                    let figures: Vec<&str> = f.figures.iter().map(|g| g.text.as_str()).collect();
                    json!({ "id": f.id, "kind": f.kind, "figures": figures, "names": f.names, "word": f.word, "sign": f.sign })
                })
                .collect();
            json!({ "slot": item.slot, "section": item.section, "required": item.required, "facts": facts })
        })
        .collect();
    json!({ "as_of": plan.as_of, "about": plan.about, "items": items, "text": template })
}
