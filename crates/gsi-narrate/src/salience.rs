//! Stage two: salience. Ranks the facts by the method's weighted sum and selects a short list. The list always has a fact about
//! each strained pillar and, if coverage is low, the gaps.

use crate::Context;
use crate::facts::{Fact, FactKey, FactKind, Facts, Subject};
use gsi_model::{EventStatus, Pillar, PillarStatus};
use serde::Serialize;

const MAX_FACTS: usize = 7;
const MAX_PER_THEATER: usize = 2;
/// A pillar with this score is always in the list.
const STRAINED: f64 = 50.0;
/// Below this share of inputs the gaps are always in the list.
const THIN_COVERAGE: f64 = 0.6;
/// The factor for a second fact about a chosen subject.
const REPEAT_PENALTY: f64 = 0.5;
/// The number of briefings in which a repeated fact is not new.
const NOVELTY_BRIEFS: usize = 3;
const STALE_NOVELTY: f64 = 0.3;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RankedFact {
    pub key: FactKey,
    pub salience: f64,
}

/// Returns the method's weighted sum, each part clamped to 0–1, times the fact's confidence.
fn salience(fact: &Fact, facts: &Facts, context: &Context) -> f64 {
    let push = match (fact.kind, fact.subject) {
        (FactKind::Delta, Subject::Pillar(_)) => {
            facts.get(FactKind::Push, fact.subject).and_then(|f| f.value).unwrap_or(0.0)
        }
        (FactKind::Delta | FactKind::Push, _) => fact.value.unwrap_or(0.0),
        _ => 0.0,
    };
    let rarity = match fact.kind {
        FactKind::Record => 1.0,
        FactKind::Percentile => fact.value.unwrap_or(0.0) / 100.0,
        _ => fact.rarity,
    };
    let is_repeated = context
        .recent_briefings
        .iter()
        .rev()
        .take(NOVELTY_BRIEFS)
        .any(|b| b.facts.iter().any(|f| f.id == fact.id));
    let novelty = if is_repeated { STALE_NOVELTY } else { 1.0 };
    let breadth = f64::from(context.snapshot.breadth) / Pillar::ALL.len() as f64;
    let sum = 0.35 * (push.abs() / facts.past.usual_move).clamp(0.0, 1.0)
        + 0.25 * rarity.clamp(0.0, 1.0)
        + 0.20 * fact.escalation.clamp(0.0, 1.0)
        + 0.10 * novelty
        + 0.10 * breadth.clamp(0.0, 1.0);
    sum * fact.confidence.clamp(0.0, 1.0)
}

/// Whether a fact may be in the short list. Facts that every text states may not.
fn can_be_salient(fact: &Fact, facts: &Facts) -> bool {
    match fact.kind {
        // Countries have separate briefings and a separate sentence.
        FactKind::Delta => fact.news && !matches!(fact.subject, Subject::Global | Subject::Country(_)),
        FactKind::Record | FactKind::Rarity | FactKind::Held | FactKind::Streak => true,
        FactKind::Event => {
            facts.events.iter().any(|e| e.subject == fact.subject && e.status != EventStatus::Unconfirmed)
        }
        _ => false,
    }
}

fn theater(fact: &Fact, facts: &Facts) -> Option<gsi_model::CountryCode> {
    facts.events.iter().find(|e| e.subject == fact.subject).and_then(|e| e.country)
}

fn pillar_of(subject: Subject) -> Option<Pillar> {
    match subject {
        Subject::Pillar(p) | Subject::Indicator(p, _) => Some(p),
        Subject::Event(_) | Subject::Theater(_) => Some(Pillar::Conflict),
        _ => None,
    }
}

/// Returns the short list, most salient first.
pub fn select(facts: &Facts, context: &Context) -> Vec<RankedFact> {
    let mut pool: Vec<(RankedFact, &Fact)> = facts
        .list
        .iter()
        .filter(|f| can_be_salient(f, facts))
        .map(|f| (RankedFact { key: FactKey(f.kind, f.subject), salience: salience(f, facts, context) }, f))
        .collect();
    pool.sort_by(|a, b| b.0.salience.total_cmp(&a.0.salience).then(a.0.key.cmp(&b.0.key)));
    let mut chosen: Vec<(RankedFact, &Fact)> = Vec::new();
    while chosen.len() < MAX_FACTS && !pool.is_empty() {
        let discounted = |(ranked, fact): &(RankedFact, &Fact)| {
            let seen = chosen.iter().any(|(_, c)| c.subject == fact.subject);
            ranked.salience * if seen { REPEAT_PENALTY } else { 1.0 }
        };
        let mut best = 0;
        for n in 1..pool.len() {
            if discounted(&pool[n]) > discounted(&pool[best]) {
                best = n;
            }
        }
        let (mut ranked, fact) = pool.remove(best);
        let place = theater(fact, facts);
        let crowded = place.is_some()
            && chosen.iter().filter(|(_, c)| theater(c, facts) == place).count() >= MAX_PER_THEATER;
        if !crowded {
            ranked.salience = {
                let seen = chosen.iter().any(|(_, c)| c.subject == fact.subject);
                ranked.salience * if seen { REPEAT_PENALTY } else { 1.0 }
            };
            chosen.push((ranked, fact));
        }
    }
    let mut list: Vec<RankedFact> = chosen.iter().map(|c| c.0).collect();
    for p in &context.snapshot.pillars {
        let covered = list.iter().any(|r| pillar_of(r.key.1) == Some(p.pillar));
        if p.score >= STRAINED && p.status != PillarStatus::Unavailable && !covered {
            list.push(RankedFact { key: FactKey(FactKind::Level, Subject::Pillar(p.pillar)), salience: 0.1 });
        }
    }
    if context.snapshot.coverage < THIN_COVERAGE {
        list.extend(facts.gaps().map(|f| RankedFact { key: FactKey(f.kind, f.subject), salience: 0.1 }));
    }
    list
}
