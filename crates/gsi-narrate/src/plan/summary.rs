//! The plan of the rolling summary: the same required sentences at every tick, and optional ones by salience.

use super::{About, Item, PlanDraft, Section, SentenceJob, TextPlan};
use crate::Context;
use crate::facts::feeds::NAMED_GAPS;
use crate::facts::{ConfidenceLimit, DataQuality, FactKey, FactKind, FactWord, Facts, Sign, Subject};
use crate::salience::RankedFact;
use gsi_model::{DataStatus, EventStatus, Pillar, PillarStatus};

/// An event of this escalation comes before the levels.
const SEVERE_ESCALATION: f64 = 0.65;
/// The comparison with past days ranks after a severe event and before other optional sentences.
const DAY_PLACE_SALIENCE: f64 = 0.55;
/// Maximum drivers of a newsworthy global move.
const MAX_PUSHES: usize = 3;

/// Plans the summary. A `terse` plan names one gap and counts the rest, for ticks at which many feeds fail.
pub fn summary(context: &Context, facts: &Facts, salient: &[RankedFact], terse: bool) -> TextPlan {
    use Section::{Events, Gaps, Judgements, Lead, Watch};
    let g = Subject::Global;
    let mut draft = PlanDraft::new(facts);
    draft.require(SentenceJob::Lead, Lead, &lead_facts(facts));
    changes(context, facts, &mut draft, terse);
    held_pillars(context, &mut draft);

    let events: Vec<_> = facts.events.iter().filter(|e| e.status != EventStatus::Unconfirmed).collect();
    let first = events.first();
    let second = events.iter().find(|e| Some(e.country) != first.map(|f| f.country));
    let salience_of = |key: FactKey| salient.iter().find(|r| r.key == key).map_or(0.0, |r| r.salience);
    let event = |draft: &mut PlanDraft, n: Option<&&&crate::facts::EventNote>, floor: f64| {
        if let Some(e) = n {
            let key = (FactKind::Event, e.subject);
            draft.option(SentenceJob::Event, Events, &[key], salience_of(FactKey(key.0, key.1)).max(floor));
        }
    };
    let severe = first.is_some_and(|e| e.escalation >= SEVERE_ESCALATION);
    if severe {
        event(&mut draft, first.as_ref(), 0.9);
    }
    levels(context, facts, &mut draft);
    if !severe {
        event(&mut draft, first.as_ref(), 0.6);
    }
    event(&mut draft, second.as_ref(), 0.15);

    if facts.has(FactKind::NoPillarNews, g) && !facts.partial {
        draft.option(SentenceJob::NoPillarNews, Judgements, &[(FactKind::NoPillarNews, g)], 0.5);
    }
    for p in Pillar::ALL.map(Subject::Pillar) {
        if facts.has(FactKind::Lead, p) {
            draft.option(SentenceJob::Part, Judgements, &[(FactKind::Part, p), (FactKind::Lead, p)], 0.45);
        }
    }
    for r in salient.iter().filter(|r| matches!(r.key.0, FactKind::Rarity | FactKind::Held)).take(2) {
        if let Subject::Indicator(p, _) = r.key.1 {
            let slot = if r.key.0 == FactKind::Rarity { SentenceJob::Rarity } else { SentenceJob::HeldBack };
            draft.option(
                slot,
                Judgements,
                &[(r.key.0, r.key.1), (FactKind::Level, Subject::Pillar(p))],
                r.salience.max(0.2),
            );
        }
    }
    draft.option(SentenceJob::Streak, Judgements, &[(FactKind::Streak, g)], 0.35);
    draft.option(SentenceJob::Unusual, Judgements, &[(FactKind::Unusual, g)], 0.3);
    if states_trend(facts) {
        draft.option(SentenceJob::Trend, Judgements, &[(FactKind::Trend, g)], 0.25);
    }
    if !day_place(facts, &mut draft, Judgements) && !facts.partial {
        draft.option(SentenceJob::Percentile, Judgements, &[(FactKind::Percentile, g)], 0.28);
    }
    draft.require(SentenceJob::Confidence, Gaps, &confidence_facts(facts, g));
    gaps(facts, &mut draft, if terse { 1 } else { NAMED_GAPS }, |_| true);
    draft.option(SentenceJob::AllFeeds, Gaps, &[(FactKind::AllFeeds, g)], 0.22);
    draft.option(SentenceJob::Range, Gaps, &[(FactKind::Range, g)], 0.12);
    draft.option(SentenceJob::Coverage, Gaps, &[(FactKind::Coverage, g)], 0.08);
    draft.option(SentenceJob::Scale, Watch, &[(FactKind::Scale, g)], 0.05);
    draft.finish(About::Summary, context, salient)
}

/// Adds the comparison with reconstructed days, or with published days if there is none. Returns whether it did.
pub(super) fn day_place(facts: &Facts, draft: &mut PlanDraft, section: Section) -> bool {
    let g = Subject::Global;
    let reconstructed = [(FactKind::ReconstructedPlace, g), (FactKind::ReconstructedHigh, g)];
    let published = [(FactKind::PublishedPlace, g), (FactKind::PublishedHigh, g)];
    let keys = if facts.has(FactKind::ReconstructedPlace, g) { reconstructed } else { published };
    draft.option(SentenceJob::DayPlace, section, &keys, DAY_PLACE_SALIENCE)
}

/// Whether the trend is stated: not next to a streak, and not if it would sound calm while data are missing.
pub(super) fn states_trend(facts: &Facts) -> bool {
    let g = Subject::Global;
    !facts.has(FactKind::Streak, g)
        && facts.get(FactKind::Trend, g).is_some_and(|t| t.sign == Some(Sign::Up) || !facts.partial)
}

pub(super) fn lead_facts(facts: &Facts) -> Vec<(FactKind, Subject)> {
    let kinds = [
        FactKind::Level,
        FactKind::Delta,
        FactKind::NoBaseline,
        FactKind::Record,
        FactKind::Status,
        FactKind::Simulated,
    ];
    let g = Subject::Global;
    kinds.into_iter().map(|k| (k, g)).filter(|(k, s)| facts.has(*k, *s)).collect()
}

/// Returns the confidence, and the coverage if it limits the confidence.
pub(super) fn confidence_facts(facts: &Facts, subject: Subject) -> Vec<(FactKind, Subject)> {
    let limited = facts
        .get(FactKind::Confidence, subject)
        .is_some_and(|f| matches!(f.word, Some(FactWord::Confidence(_, Some(ConfidenceLimit::Coverage)))));
    let mut keys = vec![(FactKind::Confidence, subject)];
    if limited {
        keys.push((FactKind::Coverage, subject));
    }
    keys
}

/// Adds a newsworthy global move with its pushes, the effect of coverage, and other newsworthy moves of pillars.
pub(super) fn changes(context: &Context, facts: &Facts, draft: &mut PlanDraft, terse: bool) {
    let g = Subject::Global;
    let global_news = facts.get(FactKind::Delta, g).filter(|d| d.news);
    if let Some(delta) = global_news {
        let mut pushes = pillar_pushes(facts);
        // Pushes in the direction of the move come first.
        pushes.sort_by(|a, b| {
            (b.0 == delta.sign).cmp(&(a.0 == delta.sign)).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
        });
        pushes.truncate(if terse { 1 } else { MAX_PUSHES });
        let mut keys: Vec<(FactKind, Subject)> = Vec::new();
        for (n, (sign, _, subject)) in pushes.iter().enumerate() {
            keys.push((FactKind::Push, *subject));
            if n == 0 {
                if facts.has(FactKind::MainPush, *subject) {
                    keys.push((FactKind::MainPush, *subject));
                }
                if let Some(i) = top_indicator(facts, *subject, FactKind::Push, *sign) {
                    keys.push((FactKind::Push, i));
                }
            }
        }
        if !keys.is_empty() {
            let existing = draft.existing(&keys);
            draft.items.push(Item::required(SentenceJob::Change, Section::Changed, existing));
        }
    }
    draft.require(SentenceJob::CoverageChange, Section::Changed, &[(FactKind::Push, Subject::Coverage)]);
    // An effect of coverage that is larger than the first push comes first.
    if let [.., change, coverage] = &mut draft.items[..]
        && change.slot == SentenceJob::Change
        && coverage.slot == SentenceJob::CoverageChange
    {
        let size = |item: &Item| {
            item.facts.first().and_then(|k| facts.get(k.0, k.1)).and_then(|f| f.value).unwrap_or(0.0).abs()
        };
        if size(coverage) > size(change) {
            std::mem::swap(change, coverage);
        }
    }
    for p in movers(context, facts).into_iter().take(if terse || global_news.is_some() { 1 } else { 2 }) {
        let explained = draft
            .items
            .iter()
            .any(|i| i.slot == SentenceJob::Change && i.facts.contains(&FactKey(FactKind::Push, p)));
        if explained {
            continue;
        }
        let mut keys = vec![(FactKind::Delta, p), (FactKind::Level, p)];
        let sign = facts.get(FactKind::Delta, p).and_then(|d| d.sign);
        keys.extend(top_indicator(facts, p, FactKind::PillarPush, sign).map(|i| (FactKind::PillarPush, i)));
        draft.require(SentenceJob::PillarMove, Section::Changed, &keys);
    }
}

fn pillar_pushes(facts: &Facts) -> Vec<(Option<Sign>, f64, Subject)> {
    facts
        .list
        .iter()
        .filter(|f| f.kind == FactKind::Push && matches!(f.subject, Subject::Pillar(_)))
        .map(|f| (f.sign, f.value.unwrap_or(0.0).abs(), f.subject))
        .collect()
}

/// Returns the notable indicator of a pillar with the largest push in the given direction.
pub(super) fn top_indicator(
    facts: &Facts,
    pillar: Subject,
    kind: FactKind,
    sign: Option<Sign>,
) -> Option<Subject> {
    facts
        .list
        .iter()
        .filter(|f| f.kind == kind && f.sign == sign && f.notable)
        .filter(|f| matches!((f.subject, pillar), (Subject::Indicator(p, _), Subject::Pillar(q)) if p == q))
        .max_by(|a, b| {
            let size = |f: &crate::facts::Fact| f.value.unwrap_or(0.0).abs();
            size(a).total_cmp(&size(b)).then(b.subject.cmp(&a.subject))
        })
        .map(|f| f.subject)
}

/// Returns the pillars whose move is news, the largest first.
pub(super) fn movers(context: &Context, facts: &Facts) -> Vec<Subject> {
    let mut moved: Vec<(f64, Subject)> = context
        .snapshot
        .pillars
        .iter()
        .map(|p| Subject::Pillar(p.pillar))
        .filter_map(|s| {
            facts.get(FactKind::Delta, s).filter(|d| d.news).map(|d| (d.value.unwrap_or(0.0).abs(), s))
        })
        .collect();
    moved.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    moved.into_iter().map(|m| m.1).collect()
}

/// Adds the scored pillars, those that moved first, then by score, and the pillars with thin data. A pillar whose move has a
/// separate sentence is not repeated.
pub(super) fn levels(context: &Context, facts: &Facts, draft: &mut PlanDraft) {
    let stated: Vec<Subject> = draft
        .items
        .iter()
        .filter(|i| i.slot == SentenceJob::PillarMove)
        .flat_map(|i| i.facts.iter().filter(|k| k.0 == FactKind::Level).map(|k| k.1))
        .collect();
    let mut scored: Vec<_> =
        context.snapshot.pillars.iter().filter(|p| p.status != PillarStatus::Unavailable).collect();
    scored.retain(|p| !stated.contains(&Subject::Pillar(p.pillar)));
    let moved = |p: Pillar| {
        facts
            .get(FactKind::Delta, Subject::Pillar(p))
            .filter(|d| d.news)
            .map_or(0.0, |d| d.value.unwrap_or(0.0).abs())
    };
    scored.sort_by(|a, b| {
        moved(b.pillar)
            .total_cmp(&moved(a.pillar))
            .then(b.score.total_cmp(&a.score))
            .then(a.pillar.cmp(&b.pillar))
    });
    let mut keys = Vec::new();
    for p in scored {
        let subject = Subject::Pillar(p.pillar);
        keys.push((FactKind::Level, subject));
        if facts.get(FactKind::Delta, subject).is_some_and(|d| d.news) {
            keys.push((FactKind::Delta, subject));
        }
    }
    draft.require(SentenceJob::Levels, Section::Judgements, &keys);
    let thin: Vec<_> = Pillar::ALL
        .map(Subject::Pillar)
        .into_iter()
        .filter(|s| {
            facts.get(FactKind::Status, *s).is_some_and(|f| f.data_quality() == Some(DataQuality::Thin))
        })
        .map(|s| (FactKind::Status, s))
        .collect();
    if context.snapshot.status != DataStatus::Ok || !thin.is_empty() {
        draft.require(SentenceJob::ThinPillars, Section::Gaps, &thin);
    }
}

pub(super) fn held_pillars(context: &Context, draft: &mut PlanDraft) {
    let held: Vec<_> = context
        .snapshot
        .pillars
        .iter()
        .filter(|p| p.status == PillarStatus::Unavailable)
        .flat_map(|p| {
            [(FactKind::Level, Subject::Pillar(p.pillar)), (FactKind::Status, Subject::Pillar(p.pillar))]
        })
        .collect();
    draft.require(SentenceJob::HeldPillars, Section::Judgements, &held);
}

/// Adds the worst gaps by name, and their number if not all are named.
pub(super) fn gaps(facts: &Facts, draft: &mut PlanDraft, named: usize, wanted: impl Fn(Subject) -> bool) {
    let all: Vec<_> =
        facts.gaps().filter(|f| wanted(f.subject)).map(|f| (FactKind::FeedGap, f.subject)).collect();
    let mut keys: Vec<_> = all.iter().copied().take(named).collect();
    if all.len() > named && all.len() == facts.gaps().count() {
        keys.push((FactKind::GapCount, Subject::Global));
    }
    draft.require(SentenceJob::Gaps, Section::Gaps, &keys);
}
