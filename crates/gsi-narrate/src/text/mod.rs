//! Stage four: the text. Each sentence of a plan has several wordings, and the snapshot's id selects one, so that replicas
//! and replays agree. Numbers and names are copied from facts; the templates format nothing.

mod briefing;
mod country;
mod day_place;
mod scores;
mod world;

use crate::facts::{Fact, FactKey, FactKind, Facts, Subject};
use crate::names;
use crate::plan::{About, Item, Section, SentenceJob, TextPlan};
use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sentence {
    pub slot: SentenceJob,
    pub section: Section,
    pub text: String,
    /// The facts that the sentence states.
    pub facts: Vec<FactKey>,
    pub required: bool,
    pub salience: f64,
}

impl Sentence {
    pub fn words(&self) -> usize {
        words(&self.text)
    }
}

pub fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The facts and the plan, as templates use them.
pub(crate) struct TextContext<'a> {
    pub facts: &'a Facts,
    pub plan: &'a TextPlan,
}

impl TextContext<'_> {
    fn fact(&self, key: FactKey) -> Option<&Fact> {
        self.facts.get(key.0, key.1)
    }

    /// Returns the item's first fact of this kind.
    fn fact_of<'s>(&'s self, item: &Item, kind: FactKind) -> Option<&'s Fact> {
        item.facts.iter().find(|k| k.0 == kind).and_then(|k| self.fact(*k))
    }

    fn facts_of<'s>(&'s self, item: &Item, kind: FactKind) -> Vec<&'s Fact> {
        item.facts.iter().filter(|k| k.0 == kind).filter_map(|k| self.fact(*k)).collect()
    }

    /// Returns the name of a subject inside a sentence.
    fn name(&self, subject: Subject) -> String {
        match subject {
            Subject::Global => "the global score".to_owned(),
            Subject::Coverage => "data coverage".to_owned(),
            Subject::Pillar(p) => names::pillar(p).to_owned(),
            Subject::Theater(c) => names::country(c),
            Subject::Country(c) => format!("the country score of {}", names::country(c)),
            Subject::Indicator(..) | Subject::Feed(_) | Subject::Event(_) => self
                .facts
                .list
                .iter()
                .find(|f| f.subject == subject && !f.names.is_empty())
                .map_or_else(|| "an unnamed measure".to_owned(), |f| f.names[0].clone()),
        }
    }

    /// Returns all wordings of an item, or none if a fact is missing.
    fn wordings(&self, item: &Item) -> Vec<String> {
        match item.slot {
            SentenceJob::Headline => Vec::new(),
            SentenceJob::Lead => match self.plan.about {
                About::Theater(_) => world::theater_lead(self, item),
                _ => scores::lead(self, item),
            },
            SentenceJob::Change => scores::change(self, item),
            SentenceJob::CoverageChange => scores::coverage_change(self, item),
            SentenceJob::PillarMove => scores::pillar_move(self, item),
            SentenceJob::Levels => scores::levels(self, item),
            SentenceJob::HeldPillars => scores::held_pillars(self, item),
            SentenceJob::ThinPillars => scores::thin_pillars(self, item),
            SentenceJob::Part => scores::part(self, item),
            SentenceJob::Rarity => scores::rarity(self, item),
            SentenceJob::Record => scores::record(self, item),
            SentenceJob::Streak => scores::streak(self, item),
            SentenceJob::Unusual => scores::unusual(self, item),
            SentenceJob::Trend => scores::trend(self, item),
            SentenceJob::Percentile => scores::percentile(self, item),
            SentenceJob::DayPlace => day_place::day_place(self, item),
            SentenceJob::Range => scores::range(self, item),
            SentenceJob::Breadth => scores::breadth(self, item),
            SentenceJob::NoPillarNews => scores::no_news(self, item),
            SentenceJob::Confidence => scores::confidence(self, item),
            SentenceJob::Coverage => scores::coverage(self, item),
            SentenceJob::Scale => match self.plan.items.iter().any(|i| i.slot == SentenceJob::Event) {
                true if self.plan.about != About::Summary => scores::both_scales(),
                _ => scores::scale(),
            },
            SentenceJob::Edge => briefing::edge(self, item),
            SentenceJob::Event => world::event(self, item),
            SentenceJob::Theater => world::theater(self, item),
            SentenceJob::TheaterKinds => world::theater_kinds(self, item),
            SentenceJob::Gaps => world::gaps(self, item),
            SentenceJob::AllFeeds => world::all_feeds(self, item),
            SentenceJob::Sources => world::sources(self, item),
            SentenceJob::Readings => briefing::readings(self, item),
            SentenceJob::HeldBack => briefing::held_back(self, item),
            SentenceJob::Missing => briefing::missing(self, item),
            SentenceJob::Earlier => briefing::earlier(self, item),
            SentenceJob::Watch => briefing::watch(self, item),
            SentenceJob::Alternative => briefing::alternative(self, item),
            SentenceJob::Context => briefing::context(self, item),
            SentenceJob::Late => briefing::late(self, item),
            SentenceJob::Correction => briefing::correction(self, item),
            SentenceJob::CorrectionBasis => briefing::correction_basis(self, item),
            // The same wordings as a lead, inside a section.
            SentenceJob::CountryScore => scores::lead(self, item),
            SentenceJob::CountryMoves => country::moves(self, item),
            SentenceJob::BandChange => country::band_change(self, item),
            SentenceJob::CountryCoverage => country::coverage(self, item),
        }
    }
}

/// Returns all wordings of an item as sentences.
fn wordings(item: &Item, plan: &TextPlan, facts: &Facts) -> Vec<String> {
    TextContext { facts, plan }.wordings(item).iter().map(|wording| names::sentence_case(wording)).collect()
}

/// Returns one sentence for each item. A wording that is in the text `before` is skipped if there is another one.
pub fn sentences(plan: &TextPlan, facts: &Facts, before: Option<&str>) -> Vec<Sentence> {
    let mut made: Vec<Sentence> = Vec::with_capacity(plan.items.len());
    // Sentences of one slot use their wordings in turn, so that a list of events is less monotonous.
    let mut turns: Vec<(SentenceJob, usize, usize)> = Vec::new();
    for (n, item) in plan.items.iter().enumerate() {
        let wordings = wordings(item, plan, facts);
        if wordings.is_empty() {
            continue;
        }
        let turn = match turns.iter_mut().find(|t| t.0 == item.slot) {
            Some(turn) => {
                turn.2 += 1;
                turn.1 + turn.2
            }
            None => {
                let first = choose(&plan.snapshot, &plan.about.key(), n, item.slot);
                turns.push((item.slot, first, 0));
                first
            }
        };
        let start = turn % wordings.len();
        let pick = (0..wordings.len())
            .map(|step| (start + step) % wordings.len())
            .find(|&i| before.is_none_or(|b| !b.contains(&wordings[i])))
            .unwrap_or(start);
        let text = wordings[pick].clone();
        made.push(Sentence {
            slot: item.slot,
            section: item.section,
            text,
            facts: item.facts.clone(),
            required: item.required,
            salience: item.salience,
        });
    }
    made
}

/// Hashes the snapshot and the slot with FNV-1a, which gives the same choice on every machine.
fn choose(snapshot: &str, about: &str, position: usize, slot: SentenceJob) -> usize {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |byte: u8| {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    };
    snapshot.bytes().for_each(&mut mix);
    about.bytes().for_each(&mut mix);
    mix(position as u8);
    mix(slot as u8);
    // The low bits of FNV are weak.
    (hash >> 33) as usize
}

/// Keeps the required sentences, and optional ones by salience while there is room, in the plan's order.
pub fn fit(sentences: Vec<Sentence>, least: usize, comfortable: usize) -> Vec<Sentence> {
    let mut keep: Vec<bool> = sentences.iter().map(|s| s.required).collect();
    let mut count: usize = sentences.iter().filter(|s| s.required).map(Sentence::words).sum();
    let mut order: Vec<usize> = (0..sentences.len()).filter(|&n| !sentences[n].required).collect();
    order.sort_by(|&a, &b| sentences[b].salience.total_cmp(&sentences[a].salience).then(a.cmp(&b)));
    for n in order {
        let more = sentences[n].words();
        // Filler sentences are added only while the text is too short.
        let filler = sentences[n].salience < FILLER;
        if count + more <= comfortable && (!filler || count < least) {
            keep[n] = true;
            count += more;
        }
    }
    sentences.into_iter().zip(keep).filter(|(_, k)| *k).map(|(s, _)| s).collect()
}

/// Sentences below this salience are filler for short texts.
const FILLER: f64 = 0.2;

/// Returns the positions of the sentences in reading order: by section, then in the order given.
pub fn reading_order(sentences: &[Sentence]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(|&n| (sentences[n].section, n));
    order
}

/// Joins the sentences into one paragraph.
pub fn paragraph(sentences: &[Sentence]) -> String {
    let texts: Vec<&str> = sentences.iter().map(|s| s.text.as_str()).collect();
    texts.join(" ")
}

/// Joins the sentences into one paragraph for each section, with its label.
pub fn sections(sentences: &[Sentence]) -> String {
    let mut order: Vec<Section> = sentences.iter().map(|s| s.section).collect();
    order.sort();
    order.dedup();
    let paragraphs: Vec<String> = order
        .into_iter()
        .map(|section| {
            let own: Vec<Sentence> = sentences.iter().filter(|s| s.section == section).cloned().collect();
            format!("{}{}", section.label(), paragraph(&own))
        })
        .collect();
    paragraphs.join("\n\n")
}

pub(crate) use briefing::headline;
