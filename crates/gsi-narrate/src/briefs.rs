//! A day's briefings: one for the world, one for each pillar, one for each theater with enough events, and one for each
//! country whose score entered or left a band. A briefing is published once. A wrong one is corrected by a new one, which
//! names it.

use crate::facts::{FactKind, Facts, Subject};
use crate::plan::{self, About, TextPlan};
use crate::text::{self, Sentence};
use crate::{Context, Narration, Outcome, names, salience};
use gsi_model::{
    Briefing, BriefingFact, BriefingId, CorrectionReason, CountryCode, Day, GeneratedBy, Pillar, TextAuthor,
    Timestamp,
};

/// Maximum theaters with a briefing if countries have no scores. With scores there is no maximum.
const MAX_THEATERS: usize = 5;
/// Optional sentences beyond this many words are left out, least salient first.
const BRIEFING_WORDS: usize = 320;
/// The first edition of a day's briefing on a subject.
const FIRST_EDITION: u32 = 1;

/// Returns the briefings of `day` from the snapshot in the context.
pub fn brief_day(context: &Context, day: Day, published_at: Timestamp, late: bool) -> Vec<Briefing> {
    draft_day(context, day, published_at, late).into_iter().map(|d| d.briefing).collect()
}

/// Returns the same briefings with their narrations, so that rephrased texts can be judged.
pub fn draft_day(context: &Context, day: Day, published_at: Timestamp, late: bool) -> Vec<BriefingDraft> {
    narrate_day(context, published_at, late)
        .into_iter()
        .map(|narration| {
            let briefing = briefing(&narration, context, day, published_at, late, FIRST_EDITION);
            BriefingDraft { narration, briefing }
        })
        .collect()
}

/// A briefing with the template's text, before it is published.
#[derive(Clone, Debug)]
pub struct BriefingDraft {
    pub narration: Narration,
    pub briefing: Briefing,
}

impl BriefingDraft {
    /// Returns the briefing with the accepted text, or with the reason for which it was rejected.
    pub fn into_briefing(self, outcome: Outcome) -> Briefing {
        let mut briefing = self.briefing;
        match outcome {
            Outcome::Accepted { text } => {
                // Each sentence replaces one of the template's, so the facts keep their sentence numbers.
                briefing.summary = text;
                briefing.generated_by = GeneratedBy { how: TextAuthor::Model, rejected: None };
            }
            Outcome::Rejected { reason, .. } => briefing.generated_by.rejected = Some(reason),
        }
        briefing
    }
}

/// Returns the narrations of a day's briefings.
pub fn narrate_day(context: &Context, published_at: Timestamp, late: bool) -> Vec<Narration> {
    let mut facts = Facts::gather(context);
    if late {
        let fact = facts.late(published_at);
        facts = facts.with(fact);
    }
    let salient = salience::select(&facts, context);
    let most = if context.countries.is_some() { usize::MAX } else { MAX_THEATERS };
    let theaters: Vec<About> =
        facts.theaters.iter().filter(|t| t.deserves).take(most).map(|t| About::Theater(t.country)).collect();
    let is_theater = |country| theaters.contains(&About::Theater(country));
    let countries = facts
        .countries
        .iter()
        .filter(|c| c.changed_band && !is_theater(c.country))
        .map(|c| About::Country(c.country));
    let subjects: Vec<About> = [About::Global]
        .into_iter()
        .chain(Pillar::ALL.map(About::Pillar))
        .chain(theaters.iter().copied())
        .chain(countries)
        .collect();
    subjects.into_iter().map(|about| narrate(context, &facts, &salient, about)).collect()
}

fn narrate(context: &Context, facts: &Facts, salient: &[salience::RankedFact], about: About) -> Narration {
    let mut plan = plan::briefing(context, facts, salient, about);
    let made = text::sentences(&plan, facts, None);
    let sentences = text::fit(made, BRIEFING_WORDS, BRIEFING_WORDS);
    plan.items.retain(|i| sentences.iter().any(|s| s.slot == i.slot && s.facts == i.facts));
    let text = text::sections(&sentences);
    let headline = text::headline(&plan, facts);
    Narration { facts: facts.clone(), plan, sentences, text, headline: Some(headline) }
}

/// Returns a new edition of `wrong` from another context. The old edition stays unchanged. Returns `None` if the context has
/// no facts about the subject: a theater without an event, or a country without a move.
pub fn correct(
    context: &Context,
    wrong: &Briefing,
    edition: u32,
    published_at: Timestamp,
    why: CorrectionReason,
) -> Option<BriefingDraft> {
    let about = about(&wrong.subject, context)?;
    let facts = Facts::gather(context);
    let is_known = match about {
        About::Theater(country) => facts.has(FactKind::Theater, Subject::Theater(country)),
        About::Country(country) => facts.has(FactKind::Level, Subject::Country(country)),
        _ => true,
    };
    if !is_known {
        return None;
    }
    let note = facts.correction(wrong.published_at, why);
    let facts = facts.with(note);
    let salient = salience::select(&facts, context);
    let narration = narrate(context, &facts, &salient, about);
    let edition = edition.max(FIRST_EDITION + 1);
    let mut new = briefing(&narration, context, wrong.day(), published_at, wrong.late, edition);
    new.corrects = Some(wrong.id.clone());
    Some(BriefingDraft { narration, briefing: new })
}

fn about(subject: &str, context: &Context) -> Option<About> {
    if subject == "global" {
        return Some(About::Global);
    }
    if let Some(p) = Pillar::from_key(subject) {
        return Some(About::Pillar(p));
    }
    if let Some(code) = subject.strip_prefix("country:") {
        return CountryCode::from_iso2(&code.to_ascii_uppercase()).map(About::Country);
    }
    let slug = subject.strip_prefix("theater:")?;
    context.events.iter().filter_map(|e| e.country).find(|c| names::slug(*c) == slug).map(About::Theater)
}

fn briefing(
    n: &Narration,
    context: &Context,
    day: Day,
    published_at: Timestamp,
    late: bool,
    edition: u32,
) -> Briefing {
    let subject = n.plan.about.key();
    Briefing {
        id: BriefingId::derive(format!("{day}|{subject}|{edition}").as_bytes()),
        day: day.0,
        headline: n.headline.clone().unwrap_or_default(),
        summary: n.text.clone(),
        tags: tags(&n.plan, &n.facts),
        published_at,
        as_of: context.snapshot.tick,
        late,
        generated_by: GeneratedBy { how: TextAuthor::Template, rejected: None },
        facts: stated_facts(&n.facts, &n.sentences),
        corrects: None,
        subject,
    }
}

/// Returns the facts that the text states, each with the first sentence that states it.
fn stated_facts(facts: &Facts, sentences: &[Sentence]) -> Vec<BriefingFact> {
    let mut stated: Vec<BriefingFact> = Vec::new();
    for (position, n) in text::reading_order(sentences).into_iter().enumerate() {
        for key in &sentences[n].facts {
            let Some(fact) = facts.get(key.0, key.1) else { continue };
            if stated.iter().any(|s| s.id == fact.id) {
                continue;
            }
            stated.push(BriefingFact {
                id: fact.id.clone(),
                kind: fact.kind.key().to_owned(),
                subject: fact.names.first().cloned().unwrap_or_else(|| fact.subject.to_string()),
                value: fact.value.filter(|v| v.is_finite()),
                unit: fact.unit.clone().into_owned(),
                sentence: Some(position as u32),
                sources: fact.sources.clone(),
            });
        }
    }
    stated
}

/// Returns tags of the closed list.
fn tags(plan: &TextPlan, facts: &Facts) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let mut add = |tag: String| {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    };
    match plan.about {
        About::Global | About::Summary => {
            add("global".to_owned());
            Pillar::ALL.iter().for_each(|p| add(p.key().to_owned()));
        }
        About::Pillar(p) => add(p.key().to_owned()),
        About::Country(_) => {}
        About::Theater(c) => {
            add(Pillar::Conflict.key().to_owned());
            add(format!("theater:{}", names::slug(c)));
            add(format!("country:{}", c.as_str().to_ascii_lowercase()));
        }
    }
    if let About::Country(c) = plan.about {
        add(format!("country:{}", c.as_str().to_ascii_lowercase()));
    }
    let keys = plan.keys();
    for event in facts.events.iter().filter(|e| keys.iter().any(|k| k.1 == e.subject)) {
        add(event.category.key().to_owned());
        if let Some(c) = event.country {
            add(format!("country:{}", c.as_str().to_ascii_lowercase()));
        }
    }
    if keys.iter().any(|k| k.0 == FactKind::FeedGap || k.0 == FactKind::Status || k.0 == FactKind::Missing) {
        add("data-gap".to_owned());
    }
    if keys.iter().any(|k| k.0 == FactKind::Record) {
        add("record".to_owned());
    }
    tags
}
