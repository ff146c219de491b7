//! Published and stored texts: the briefing of a day with its facts, and the summary of a tick.
//! `gsi-narrate` writes them, and they never change afterwards; a correction is a new briefing.

use crate::{BriefingId, Day, Timestamp};
use serde::{Deserialize, Serialize};

/// A daily briefing. Published once; a correction is a new briefing that refers to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Briefing {
    pub id: BriefingId,
    /// The UTC day it is about, as days since 1970-01-01.
    pub day: i32,
    /// `global`, a pillar key, or `theater:<slug>`.
    pub subject: String,
    pub headline: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub published_at: Timestamp,
    /// The tick of the snapshot it was written from.
    pub as_of: Timestamp,
    /// Written later than its day because the service was not running.
    pub late: bool,
    pub generated_by: GeneratedBy,
    pub facts: Vec<BriefingFact>,
    pub corrects: Option<BriefingId>,
}

impl Briefing {
    pub fn day(&self) -> Day {
        Day(self.day)
    }

    /// The summary split into sentences: at every line break and every full stop before a space.
    pub fn sentences(&self) -> Vec<&str> {
        let paragraphs = self.summary.split('\n').map(str::trim).filter(|p| !p.is_empty());
        paragraphs.flat_map(|p| p.split_inclusive(". ")).map(str::trim).collect()
    }
}

/// One supported statement: the sentence, the number or name in it, and its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BriefingFact {
    pub id: String,
    pub kind: String,
    pub subject: String,
    pub value: Option<f64>,
    pub unit: String,
    pub sentence: Option<u32>,
    pub sources: Vec<String>,
}

closed_set! {
    /// The author of a text.
    TextAuthor {
        Template = "template",
        /// A language model whose text states the same as the template's.
        Model = "model",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedBy {
    pub how: TextAuthor,
    /// Why a model's text was not used.
    pub rejected: Option<String>,
}

/// The rolling summary of one tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    pub as_of: Timestamp,
}
