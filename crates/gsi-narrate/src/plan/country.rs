//! Sentences about single countries' scores: in a country's briefing, in a theater's and in the world's.

use super::briefing::{MAX_GAPS, events, feeds_of};
use super::summary::gaps;
use super::{Item, PlanDraft, Section, SentenceJob};
use crate::Context;
use crate::facts::{FactKey, FactKind, Facts, Subject};
use crate::figures::is_news;
use gsi_model::{CountryCode, Pillar};

/// Maximum countries that the world's briefing names.
const MAX_MOVES: usize = 3;

/// Plans the briefing of a country whose score changed its band and that has too few events for a theater's briefing.
pub(super) fn country(context: &Context, facts: &Facts, country: CountryCode, draft: &mut PlanDraft) {
    let (subject, g) = (Subject::Country(country), Subject::Global);
    let kinds = [FactKind::Level, FactKind::Delta, FactKind::NoBaseline];
    let mut lead: Vec<(FactKind, Subject)> = kinds.into_iter().map(|k| (k, subject)).collect();
    lead.push((FactKind::Simulated, g));
    draft.require(SentenceJob::Lead, Section::Lead, &lead);
    draft.require(SentenceJob::BandChange, Section::Judgements, &[(FactKind::BandChange, subject)]);
    events(facts, draft, |c| c == Some(country));
    draft.require(SentenceJob::CountryCoverage, Section::Gaps, &[(FactKind::Coverage, subject)]);
    draft.require(SentenceJob::Context, Section::Gaps, &[(FactKind::Level, g), (FactKind::Status, g)]);
    let feeds = feeds_of(context, Pillar::Conflict);
    gaps(facts, draft, MAX_GAPS, |s| feeds.contains(&s));
}

/// Adds the country's score and change of band to a theater's briefing.
pub(super) fn score(country: CountryCode, draft: &mut PlanDraft) {
    let subject = Subject::Country(country);
    let kinds = [FactKind::Level, FactKind::Delta, FactKind::NoBaseline];
    draft.require(SentenceJob::CountryScore, Section::Judgements, &kinds.map(|kind| (kind, subject)));
    draft.require(SentenceJob::BandChange, Section::Changed, &[(FactKind::BandChange, subject)]);
}

/// Adds the countries whose scores moved most, each with its score.
pub(super) fn moves(facts: &Facts, draft: &mut PlanDraft) {
    let moved = facts.countries.iter().filter(|c| is_news(c.moved)).take(MAX_MOVES);
    let keys: Vec<FactKey> = moved
        .flat_map(|c| {
            [FactKind::Delta, FactKind::Level].map(|kind| FactKey(kind, Subject::Country(c.country)))
        })
        .collect();
    if !keys.is_empty() {
        draft.items.push(Item::required(SentenceJob::CountryMoves, Section::Changed, keys));
    }
}
