//! The plan of a daily briefing. Its sections are, in this order: bottom line, judgements, changes, events, what would change
//! the view, gaps and confidence, sources.

use super::summary::{
    changes, confidence_facts, day_place, gaps, held_pillars, lead_facts, levels, movers, states_trend,
    top_indicator,
};
use super::{About, Item, PlanDraft, Section, SentenceJob, TextPlan, country};
use crate::Context;
use crate::facts::{EventNote, Fact, FactKey, FactKind, Facts, Sign, Subject};
use crate::salience::RankedFact;
use gsi_model::{CountryCode, EventStatus, Pillar};

const MAX_JUDGEMENTS: usize = 3;
const MAX_EVENTS: usize = 5;
const MAX_PUSHES: usize = 4;
const MAX_READINGS: usize = 3;
pub(super) const MAX_GAPS: usize = 5;
/// Below this agreement of the indicators the briefing gives an alternative reading.
const LOW_AGREEMENT: f64 = 0.5;

pub fn briefing(context: &Context, facts: &Facts, salient: &[RankedFact], about: About) -> TextPlan {
    let mut draft = PlanDraft::new(facts);
    draft.require(SentenceJob::Correction, Section::Lead, &[(FactKind::Correction, Subject::Global)]);
    draft.require(SentenceJob::CorrectionBasis, Section::Lead, &[(FactKind::Correction, Subject::Global)]);
    match about {
        About::Pillar(p) => pillar(context, facts, salient, p, &mut draft),
        About::Theater(c) => theater(context, facts, c, &mut draft),
        About::Country(c) => country::country(context, facts, c, &mut draft),
        About::Global | About::Summary => global(context, facts, salient, &mut draft),
    }
    draft.require(SentenceJob::Late, Section::Gaps, &[(FactKind::Late, Subject::Global)]);
    sources(context, facts, about, &mut draft);
    if about == About::Global {
        country::moves(facts, &mut draft);
    }
    draft.finish(about, context, salient)
}

fn global(context: &Context, facts: &Facts, salient: &[RankedFact], draft: &mut PlanDraft) {
    let g = Subject::Global;
    draft.require(SentenceJob::Lead, Section::Lead, &lead_facts(facts));
    held_pillars(context, draft);
    levels(context, facts, draft);
    judgements(facts, salient, draft, |_| true);
    day_place(facts, draft, Section::Judgements);
    draft.option(SentenceJob::Streak, Section::Judgements, &[(FactKind::Streak, g)], 0.3);
    changes(context, facts, draft, false);
    if facts.get(FactKind::Delta, g).is_some_and(|d| !d.news) && !facts.partial {
        draft.option(SentenceJob::NoPillarNews, Section::Changed, &[(FactKind::NoPillarNews, g)], 0.5);
    }
    draft.option(SentenceJob::Unusual, Section::Changed, &[(FactKind::Unusual, g)], 0.4);
    draft.option(SentenceJob::Earlier, Section::Changed, &[(FactKind::Earlier, g)], 0.4);
    if states_trend(facts) {
        draft.option(SentenceJob::Trend, Section::Changed, &[(FactKind::Trend, g)], 0.3);
    }
    events(facts, draft, |_| true);
    for p in Pillar::ALL.map(Subject::Pillar) {
        draft.option(SentenceJob::Watch, Section::Watch, &[(FactKind::Level, p), (FactKind::Lead, p)], 0.5);
    }
    draft.option(SentenceJob::Edge, Section::Watch, &[(FactKind::Edge, g)], 0.45);
    alternative(context, facts, draft);
    draft.require(SentenceJob::Confidence, Section::Gaps, &confidence_facts(facts, g));
    draft.option(SentenceJob::Range, Section::Gaps, &[(FactKind::Range, g)], 0.4);
    gaps(facts, draft, MAX_GAPS, |_| true);
    draft.option(SentenceJob::AllFeeds, Section::Gaps, &[(FactKind::AllFeeds, g)], 0.4);
    draft.option(SentenceJob::Scale, Section::Gaps, &[(FactKind::Scale, g)], 0.3);
}

/// Adds at most three judgements from the short list, without the moves that the next section explains.
fn judgements(
    facts: &Facts,
    salient: &[RankedFact],
    draft: &mut PlanDraft,
    wanted: impl Fn(Subject) -> bool,
) {
    let mut said = 0;
    for p in Pillar::ALL.map(Subject::Pillar) {
        if facts.has(FactKind::Lead, p) && wanted(p) {
            let done = draft.option(
                SentenceJob::Part,
                Section::Judgements,
                &[(FactKind::Part, p), (FactKind::Lead, p)],
                0.6,
            );
            said += usize::from(done);
        }
    }
    for r in salient {
        if said >= MAX_JUDGEMENTS || !wanted(r.key.1) {
            continue;
        }
        let done = match (r.key.0, r.key.1) {
            (FactKind::Rarity, Subject::Indicator(p, _)) => {
                let keys = [(FactKind::Rarity, r.key.1), (FactKind::Level, Subject::Pillar(p))];
                draft.option(SentenceJob::Rarity, Section::Judgements, &keys, r.salience)
            }
            (FactKind::Record, s @ Subject::Pillar(_)) => draft.option(
                SentenceJob::Record,
                Section::Judgements,
                &[(FactKind::Record, s), (FactKind::Level, s)],
                r.salience,
            ),
            (FactKind::Held, Subject::Indicator(p, _)) => {
                let keys = [(FactKind::Held, r.key.1), (FactKind::Level, Subject::Pillar(p))];
                draft.option(SentenceJob::HeldBack, Section::Judgements, &keys, r.salience)
            }
            _ => false,
        };
        said += usize::from(done);
    }
    if let Some(t) = facts.theaters.first().filter(|t| t.deserves && wanted(Subject::Theater(t.country))) {
        let key = (FactKind::Theater, Subject::Theater(t.country));
        if said < MAX_JUDGEMENTS {
            draft.option(SentenceJob::Theater, Section::Judgements, &[key], 0.3);
        }
    }
}

pub(super) fn events(facts: &Facts, draft: &mut PlanDraft, wanted: impl Fn(Option<CountryCode>) -> bool) {
    // At most two events of one country, unless the briefing is about that country.
    let mut countries: Vec<Option<CountryCode>> = Vec::new();
    let one_country =
        facts.events.iter().filter(|e| wanted(e.country)).all(|e| e.country == facts.events[0].country);
    let mut groups: Vec<Vec<&EventNote>> = Vec::new();
    for e in facts.events.iter().filter(|e| wanted(e.country)) {
        let crowded = countries.iter().filter(|c| **c == e.country).count() >= 2 && !one_country;
        if countries.len() < MAX_EVENTS && !crowded {
            countries.push(e.country);
            match groups.iter_mut().find(|g| belong_together(g, e)) {
                Some(group) => group.push(e),
                None => groups.push(vec![e]),
            }
        }
    }
    for group in groups {
        let keys: Vec<(FactKind, Subject)> = group.iter().map(|e| (FactKind::Event, e.subject)).collect();
        draft.option(SentenceJob::Event, Section::Events, &keys, group[0].escalation);
    }
}

/// Whether an event has the category and the sides of the group, at another named place.
fn belong_together(group: &[&EventNote], e: &EventNote) -> bool {
    let first = group[0];
    let named = |e: &EventNote| e.place.starts_with("near ");
    first.category == e.category
        && !e.actors.is_empty()
        && first.sides.alone == e.sides.alone
        && [first.status, e.status].iter().all(|s| *s != EventStatus::Unconfirmed)
        && named(first)
        && named(e)
        && group.iter().all(|g| g.place != e.place)
}

/// Adds an alternative reading if the drivers are in different pillars or disagree.
fn alternative(context: &Context, facts: &Facts, draft: &mut PlanDraft) {
    let g = Subject::Global;
    let change = draft.items.iter().find(|i| i.slot == SentenceJob::Change);
    let pillars: Vec<FactKey> = change.map_or(Vec::new(), |i| {
        i.facts
            .iter()
            .copied()
            .filter(|k| k.0 == FactKind::Push && matches!(k.1, Subject::Pillar(_)))
            .collect()
    });
    if let [a, b, ..] = pillars[..] {
        draft.option(SentenceJob::Alternative, Section::Watch, &[(a.0, a.1), (b.0, b.1)], 0.6);
    } else if context.snapshot.confidence.agreement < LOW_AGREEMENT {
        draft.option(SentenceJob::Alternative, Section::Watch, &[(FactKind::Range, g)], 0.6);
    } else if let [a, b, ..] = movers(context, facts)[..] {
        draft.option(
            SentenceJob::Alternative,
            Section::Watch,
            &[(FactKind::Delta, a), (FactKind::Delta, b)],
            0.6,
        );
    }
}

fn pillar(context: &Context, facts: &Facts, salient: &[RankedFact], p: Pillar, draft: &mut PlanDraft) {
    let subject = Subject::Pillar(p);
    let g = Subject::Global;
    let kinds = [FactKind::Level, FactKind::Delta, FactKind::NoBaseline, FactKind::Record, FactKind::Status];
    let mut lead: Vec<(FactKind, Subject)> = kinds.into_iter().map(|k| (k, subject)).collect();
    lead.push((FactKind::Simulated, g));
    draft.require(SentenceJob::Lead, Section::Lead, &lead);
    draft.option(SentenceJob::Part, Section::Judgements, &[(FactKind::Part, subject)], 0.6);
    let own = |s: Subject| matches!(s, Subject::Indicator(q, _) if q == p);
    let mut said = 1;
    for r in salient.iter().filter(|r| own(r.key.1)) {
        let slot = match r.key.0 {
            FactKind::Rarity => SentenceJob::Rarity,
            FactKind::Held => SentenceJob::HeldBack,
            _ => continue,
        };
        if said < MAX_JUDGEMENTS {
            let done = draft.option(
                slot,
                Section::Judgements,
                &[(r.key.0, r.key.1), (FactKind::Level, subject)],
                r.salience,
            );
            said += usize::from(done);
        }
    }
    let held = facts.get(FactKind::Status, subject).is_some_and(Fact::is_held);
    if !held {
        let readings: Vec<(FactKind, Subject)> = main_inputs(context, p)
            .into_iter()
            .map(|i| (FactKind::Reading, i))
            .filter(|(k, i)| facts.has(*k, *i))
            .take(MAX_READINGS)
            .collect();
        draft.option(SentenceJob::Readings, Section::Readings, &readings, 0.4);
    }
    pillar_changes(facts, subject, draft);
    draft.require(SentenceJob::CoverageChange, Section::Changed, &[(FactKind::CoveragePush, subject)]);
    if p == Pillar::Conflict {
        events(facts, draft, |_| true);
    }
    watch(facts, subject, draft);
    draft.require(SentenceJob::Confidence, Section::Gaps, &confidence_facts(facts, subject));
    draft.option(SentenceJob::Missing, Section::Gaps, &[(FactKind::Missing, subject)], 0.5);
    let feeds: Vec<Subject> = feeds_of(context, p);
    gaps(facts, draft, MAX_GAPS, |s| feeds.contains(&s));
    draft.require(SentenceJob::Context, Section::Gaps, &[(FactKind::Level, g), (FactKind::Status, g)]);
}

/// Adds the parts of the pillar's change.
fn pillar_changes(facts: &Facts, pillar: Subject, draft: &mut PlanDraft) {
    let Some(delta) = facts.get(FactKind::Delta, pillar) else { return };
    let mut pushes: Vec<_> = facts
        .list
        .iter()
        .filter(|f| f.kind == FactKind::PillarPush)
        .filter(|f| matches!((f.subject, pillar), (Subject::Indicator(a, _), Subject::Pillar(b)) if a == b))
        .collect();
    pushes.sort_by(|a, b| {
        let size = |f: &crate::facts::Fact| f.value.unwrap_or(0.0).abs();
        (b.sign == delta.sign)
            .cmp(&(a.sign == delta.sign))
            .then(size(b).total_cmp(&size(a)))
            .then(a.subject.cmp(&b.subject))
    });
    // If the score did not move, only inputs with a newsworthy push are stated.
    pushes.retain(|f| delta.news || crate::figures::is_news(f.value.unwrap_or(0.0)));
    let keys: Vec<FactKey> = pushes.iter().take(MAX_PUSHES).map(|f| FactKey(f.kind, f.subject)).collect();
    if !keys.is_empty() {
        draft.items.push(Item::required(SentenceJob::Change, Section::Changed, keys));
    }
}

fn watch(facts: &Facts, pillar: Subject, draft: &mut PlanDraft) {
    let inside = |i: Subject| matches!((i, pillar), (Subject::Indicator(a, _), Subject::Pillar(b)) if a == b);
    if let Some(top) = facts.list.iter().find(|f| f.kind == FactKind::TopInput && inside(f.subject)) {
        draft.option(
            SentenceJob::Watch,
            Section::Watch,
            &[(FactKind::Level, pillar), (FactKind::TopInput, top.subject)],
            0.5,
        );
    }
    let up = top_indicator(facts, pillar, FactKind::PillarPush, Some(Sign::Up));
    let down = top_indicator(facts, pillar, FactKind::PillarPush, Some(Sign::Down));
    let states_change = draft.items.iter().any(|i| i.slot == SentenceJob::Change);
    // A small push in one direction gives no alternative reading.
    let size = |s: Option<Subject>| {
        s.and_then(|s| facts.get(FactKind::PillarPush, s)).and_then(|f| f.value).unwrap_or(0.0).abs()
    };
    let balanced = size(up).min(size(down)) * 3.0 >= size(up).max(size(down));
    if let (Some(u), Some(d), true) = (up, down, states_change && balanced) {
        draft.option(
            SentenceJob::Alternative,
            Section::Watch,
            &[(FactKind::PillarPush, u), (FactKind::PillarPush, d)],
            0.5,
        );
    }
}

/// Returns a pillar's indicators, the largest contribution first.
fn main_inputs(context: &Context, pillar: Pillar) -> Vec<Subject> {
    let Some(score) = context.snapshot.pillar(pillar) else { return Vec::new() };
    let mut order: Vec<usize> = (0..score.indicators.len().min(u8::MAX as usize)).collect();
    order.sort_by(|&a, &b| {
        score.indicators[b]
            .pillar_contribution
            .total_cmp(&score.indicators[a].pillar_contribution)
            .then(a.cmp(&b))
    });
    order.into_iter().map(|n| Subject::Indicator(pillar, n as u8)).collect()
}

fn theater(context: &Context, facts: &Facts, country: CountryCode, draft: &mut PlanDraft) {
    let subject = Subject::Theater(country);
    let g = Subject::Global;
    draft.require(
        SentenceJob::Lead,
        Section::Lead,
        &[(FactKind::Theater, subject), (FactKind::Status, g), (FactKind::Simulated, g)],
    );
    let several = facts.theaters.iter().any(|t| t.country == country && t.events > 1);
    if several {
        draft.option(SentenceJob::TheaterKinds, Section::Judgements, &[(FactKind::Theater, subject)], 0.6);
    }
    country::score(country, draft);
    events(facts, draft, |c| c == Some(country));
    draft.option(SentenceJob::Watch, Section::Watch, &[(FactKind::Theater, subject)], 0.5);
    let conflict = Subject::Pillar(Pillar::Conflict);
    draft.require(SentenceJob::Confidence, Section::Gaps, &confidence_facts(facts, conflict));
    draft.require(
        SentenceJob::Context,
        Section::Gaps,
        &[(FactKind::Level, conflict), (FactKind::Status, conflict), (FactKind::Level, g)],
    );
    let feeds = feeds_of(context, Pillar::Conflict);
    gaps(facts, draft, MAX_GAPS, |s| feeds.contains(&s));
}

/// Returns the feeds of a pillar: those that its indicators read, and those that name the pillar.
pub(super) fn feeds_of(context: &Context, pillar: Pillar) -> Vec<Subject> {
    let used = |feed: &str| {
        context.snapshot.pillar(pillar).is_some_and(|p| p.indicators.iter().any(|i| i.feed == feed))
    };
    (0..context.feeds.len())
        .filter(|&n| context.feeds[n].pillar == Some(pillar) || used(&context.feeds[n].feed))
        .map(|n| Subject::Feed(n as u16))
        .collect()
}

fn sources(context: &Context, facts: &Facts, about: About, draft: &mut PlanDraft) {
    let wanted: Vec<Subject> = match about {
        About::Pillar(p) => feeds_of(context, p),
        About::Theater(_) | About::Country(_) => feeds_of(context, Pillar::Conflict),
        About::Global | About::Summary => (0..context.feeds.len()).map(|n| Subject::Feed(n as u16)).collect(),
    };
    let keys: Vec<(FactKind, Subject)> =
        wanted.into_iter().map(|s| (FactKind::Source, s)).filter(|(k, s)| facts.has(*k, *s)).collect();
    draft.require(SentenceJob::Sources, Section::Sources, &keys);
}
