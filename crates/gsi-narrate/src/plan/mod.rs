//! Stage three: the plan. It lists the sentences of a text in order, each with the facts it may state. The templates, and
//! a language model if there is one, use the plan alone.

use crate::Context;
use crate::facts::{FactKey, FactKind, Facts, Subject};
use crate::salience::RankedFact;
use gsi_model::{CountryCode, Pillar, Timestamp};
use serde::Serialize;
use sha2::{Digest, Sha256};

mod briefing;
mod country;
mod summary;

pub use briefing::briefing;
pub use summary::summary;

/// The purpose of a sentence. Each has several wordings. The order of the variants is not an order of sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SentenceJob {
    Headline,
    Lead,
    Change,
    CoverageChange,
    PillarMove,
    Levels,
    HeldPillars,
    ThinPillars,
    Part,
    Rarity,
    Record,
    Streak,
    Unusual,
    Trend,
    Percentile,
    Range,
    Breadth,
    NoPillarNews,
    Event,
    Theater,
    TheaterKinds,
    Readings,
    HeldBack,
    Missing,
    Confidence,
    Coverage,
    Gaps,
    AllFeeds,
    Scale,
    Earlier,
    Watch,
    Edge,
    Alternative,
    Context,
    Sources,
    Late,
    Correction,
    CorrectionBasis,
    // New variants are added at the end: the choice of a wording depends on the position, and a replay must choose the same.
    /// The score's place among the days before it.
    DayPlace,
    /// A country's score, in a text about the events there.
    CountryScore,
    /// The countries whose scores moved most.
    CountryMoves,
    BandChange,
    CountryCoverage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Lead,
    Judgements,
    Changed,
    Readings,
    Events,
    Watch,
    Gaps,
    Sources,
}

impl Section {
    pub const ALL: [Section; 8] = [
        Section::Lead,
        Section::Judgements,
        Section::Changed,
        Section::Readings,
        Section::Events,
        Section::Watch,
        Section::Gaps,
        Section::Sources,
    ];

    /// The words that begin the section in a briefing.
    pub const fn label(self) -> &'static str {
        match self {
            Section::Lead => "",
            Section::Judgements => "Key judgements: ",
            Section::Changed => "What changed: ",
            Section::Readings => "Readings: ",
            Section::Events => "Events: ",
            Section::Watch => "What would change this view: ",
            Section::Gaps => "Gaps and confidence: ",
            Section::Sources => "Sources: ",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    pub slot: SentenceJob,
    pub section: Section,
    pub facts: Vec<FactKey>,
    /// Optional sentences are kept in this order while there is room.
    pub salience: f64,
    pub required: bool,
}

impl Item {
    fn required(slot: SentenceJob, section: Section, facts: Vec<FactKey>) -> Item {
        Item { slot, section, facts, salience: 1.0, required: true }
    }

    fn optional(slot: SentenceJob, section: Section, facts: Vec<FactKey>, salience: f64) -> Item {
        Item { slot, section, facts, salience, required: false }
    }
}

/// The subject of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Summary,
    Global,
    Pillar(Pillar),
    Theater(CountryCode),
    /// A country with a score and few reported events.
    Country(CountryCode),
}

impl About {
    /// The subject's key in briefings and ids.
    pub fn key(self) -> String {
        match self {
            About::Summary => "summary".to_owned(),
            About::Global => "global".to_owned(),
            About::Pillar(p) => p.key().to_owned(),
            About::Theater(c) => format!("theater:{}", crate::names::slug(c)),
            About::Country(c) => format!("country:{}", c.as_str().to_ascii_lowercase()),
        }
    }
}

impl Serialize for About {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.key())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextPlan {
    pub about: About,
    /// The snapshot's id, which selects the wordings together with the slot.
    pub snapshot: String,
    pub as_of: Timestamp,
    /// The most salient facts.
    pub salient: Vec<RankedFact>,
    pub items: Vec<Item>,
}

impl TextPlan {
    /// Returns the facts that the text may state.
    pub fn keys(&self) -> Vec<FactKey> {
        let mut keys: Vec<FactKey> = self.items.iter().flat_map(|i| i.facts.iter().copied()).collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// Returns a digest of the plan and its facts, the key of a cache of rephrased texts.
    pub fn digest(&self, facts: &Facts) -> String {
        let mut hash = Sha256::new();
        hash.update(serde_json::to_vec(self).unwrap_or_default());
        for key in self.keys() {
            if let Some(fact) = facts.get(key.0, key.1) {
                hash.update(serde_json::to_vec(fact).unwrap_or_default());
            }
        }
        hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
    }
}

/// Collects items and skips those whose facts do not exist.
struct PlanDraft<'a> {
    facts: &'a Facts,
    items: Vec<Item>,
}

impl<'a> PlanDraft<'a> {
    fn new(facts: &'a Facts) -> Self {
        PlanDraft { facts, items: Vec::with_capacity(24) }
    }

    fn existing(&self, keys: &[(FactKind, Subject)]) -> Vec<FactKey> {
        keys.iter().filter(|(k, s)| self.facts.has(*k, *s)).map(|(k, s)| FactKey(*k, *s)).collect()
    }

    /// Adds an optional sentence if all of `keys` exist, and returns whether it did.
    fn option(
        &mut self,
        slot: SentenceJob,
        section: Section,
        keys: &[(FactKind, Subject)],
        salience: f64,
    ) -> bool {
        let found = self.existing(keys);
        let whole = !found.is_empty() && found.len() == keys.len();
        if whole {
            self.items.push(Item::optional(slot, section, found, salience));
        }
        whole
    }

    /// Adds a required sentence with those of `keys` that exist, if any.
    fn require(&mut self, slot: SentenceJob, section: Section, keys: &[(FactKind, Subject)]) {
        let found = self.existing(keys);
        if !found.is_empty() {
            self.items.push(Item::required(slot, section, found));
        }
    }

    fn finish(self, about: About, context: &Context, salient: &[RankedFact]) -> TextPlan {
        TextPlan {
            about,
            snapshot: context.snapshot.id.to_string(),
            as_of: context.snapshot.tick,
            salient: salient.to_vec(),
            items: self.items,
        }
    }
}
