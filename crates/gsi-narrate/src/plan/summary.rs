//! The plan of the rolling summary: the same backbone every tick, the rest in order of what matters now.

use super::{About, Draft, Item, Plan, Section, Slot};
use crate::Context;
use crate::facts::feeds::NAMED_GAPS;
use crate::facts::{Facts, Key, Kind, Sign, Subject};
use crate::salience::Ranked;
use gsi_model::{DataStatus, EventStatus, Pillar, PillarStatus};

/// From here on an event outranks the table of levels.
const SEVERE_ESCALATION: f64 = 0.65;
/// Drivers named beside a newsworthy global move.
const MAX_PUSHES: usize = 3;

/// `terse` names one gap and counts the rest, for the day everything fails at once.
pub fn summary(context: &Context, facts: &Facts, salient: &[Ranked], terse: bool) -> Plan {
    use Section::{Events, Gaps, Judgements, Lead, Watch};
    let g = Subject::Global;
    let mut draft = Draft::new(facts);
    draft.require(Slot::Lead, Lead, &lead_facts(facts));
    changes(context, facts, &mut draft, terse);
    held_pillars(context, &mut draft);

    let events: Vec<_> = facts.events.iter().filter(|e| e.status != EventStatus::Unconfirmed).collect();
    let first = events.first();
    let second = events.iter().find(|e| Some(e.country) != first.map(|f| f.country));
    let salience_of = |key: Key| salient.iter().find(|r| r.key == key).map_or(0.0, |r| r.salience);
    let event = |draft: &mut Draft, n: Option<&&&crate::facts::EventNote>, floor: f64| {
        if let Some(e) = n {
            let key = (Kind::Event, e.subject);
            draft.option(Slot::Event, Events, &[key], salience_of(Key(key.0, key.1)).max(floor));
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

    if facts.has(Kind::NoPillarNews, g) && !facts.partial {
        draft.option(Slot::NoPillarNews, Judgements, &[(Kind::NoPillarNews, g)], 0.5);
    }
    for p in Pillar::ALL.map(Subject::Pillar) {
        if facts.has(Kind::Lead, p) {
            draft.option(Slot::Part, Judgements, &[(Kind::Part, p), (Kind::Lead, p)], 0.45);
        }
    }
    for r in salient.iter().filter(|r| matches!(r.key.0, Kind::Rarity | Kind::Held)).take(2) {
        if let Subject::Indicator(p, _) = r.key.1 {
            let slot = if r.key.0 == Kind::Rarity { Slot::Rarity } else { Slot::HeldBack };
            draft.option(
                slot,
                Judgements,
                &[(r.key.0, r.key.1), (Kind::Level, Subject::Pillar(p))],
                r.salience.max(0.2),
            );
        }
    }
    draft.option(Slot::Streak, Judgements, &[(Kind::Streak, g)], 0.35);
    draft.option(Slot::Unusual, Judgements, &[(Kind::Unusual, g)], 0.3);
    if trend_speaks(facts) {
        draft.option(Slot::Trend, Judgements, &[(Kind::Trend, g)], 0.25);
    }
    if !facts.partial {
        draft.option(Slot::Percentile, Judgements, &[(Kind::Percentile, g)], 0.28);
    }
    draft.require(Slot::Confidence, Gaps, &confidence_facts(facts, g));
    gaps(facts, &mut draft, if terse { 1 } else { NAMED_GAPS }, |_| true);
    draft.option(Slot::AllFeeds, Gaps, &[(Kind::AllFeeds, g)], 0.22);
    draft.option(Slot::Range, Gaps, &[(Kind::Range, g)], 0.12);
    draft.option(Slot::Coverage, Gaps, &[(Kind::Coverage, g)], 0.08);
    draft.option(Slot::Scale, Watch, &[(Kind::Scale, g)], 0.05);
    draft.finish(About::Summary, context, salient)
}

/// The trend is told unless a run of days says more, or it would sound like rest while data are missing.
pub(super) fn trend_speaks(facts: &Facts) -> bool {
    let g = Subject::Global;
    !facts.has(Kind::Streak, g)
        && facts.get(Kind::Trend, g).is_some_and(|t| t.sign == Some(Sign::Up) || !facts.partial)
}

pub(super) fn lead_facts(facts: &Facts) -> Vec<(Kind, Subject)> {
    let kinds = [Kind::Level, Kind::Delta, Kind::NoBaseline, Kind::Record, Kind::Status, Kind::Simulated];
    let g = Subject::Global;
    kinds.into_iter().map(|k| (k, g)).filter(|(k, s)| facts.has(*k, *s)).collect()
}

/// The confidence, and the share at hand when that is what limits it.
pub(super) fn confidence_facts(facts: &Facts, subject: Subject) -> Vec<(Kind, Subject)> {
    let limited = facts.get(Kind::Confidence, subject).is_some_and(|f| f.unit == "coverage");
    let mut keys = vec![(Kind::Confidence, subject)];
    if limited {
        keys.push((Kind::Coverage, subject));
    }
    keys
}

/// A newsworthy global move with its pushes, the moves of pillars it does not explain, and what lost inputs did.
pub(super) fn changes(context: &Context, facts: &Facts, draft: &mut Draft, terse: bool) {
    let g = Subject::Global;
    let global_news = facts.get(Kind::Delta, g).filter(|d| d.news);
    if let Some(delta) = global_news {
        let mut pushes = pillar_pushes(facts);
        // Those that explain the move come before those that held it back.
        pushes.sort_by(|a, b| {
            (b.0 == delta.sign).cmp(&(a.0 == delta.sign)).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
        });
        pushes.truncate(if terse { 1 } else { MAX_PUSHES });
        let mut keys: Vec<(Kind, Subject)> = Vec::new();
        for (n, (sign, _, subject)) in pushes.iter().enumerate() {
            keys.push((Kind::Push, *subject));
            if n == 0 {
                if facts.has(Kind::MainPush, *subject) {
                    keys.push((Kind::MainPush, *subject));
                }
                if let Some(i) = top_indicator(facts, *subject, Kind::Push, *sign) {
                    keys.push((Kind::Push, i));
                }
            }
        }
        if !keys.is_empty() {
            draft.items.push(Item {
                must: draft.existing(&keys[..1]),
                ..Item::required(Slot::Change, Section::Changed, draft.existing(&keys))
            });
        }
    }
    draft.require(Slot::CoverageChange, Section::Changed, &[(Kind::Push, Subject::Coverage)]);
    // Lost inputs that outweigh the news come first.
    if let [.., change, coverage] = &mut draft.items[..]
        && change.slot == Slot::Change
        && coverage.slot == Slot::CoverageChange
    {
        let size = |item: &Item| {
            item.facts.first().and_then(|k| facts.get(k.0, k.1)).and_then(|f| f.value).unwrap_or(0.0).abs()
        };
        if size(coverage) > size(change) {
            std::mem::swap(change, coverage);
        }
    }
    for p in movers(context, facts).into_iter().take(if terse || global_news.is_some() { 1 } else { 2 }) {
        let explained =
            draft.items.iter().any(|i| i.slot == Slot::Change && i.facts.contains(&Key(Kind::Push, p)));
        if explained {
            continue;
        }
        let mut keys = vec![(Kind::Delta, p), (Kind::Level, p)];
        let sign = facts.get(Kind::Delta, p).and_then(|d| d.sign);
        keys.extend(top_indicator(facts, p, Kind::PillarPush, sign).map(|i| (Kind::PillarPush, i)));
        draft.require(Slot::PillarMove, Section::Changed, &keys);
    }
}

fn pillar_pushes(facts: &Facts) -> Vec<(Option<Sign>, f64, Subject)> {
    facts
        .list
        .iter()
        .filter(|f| f.kind == Kind::Push && matches!(f.subject, Subject::Pillar(_)))
        .map(|f| (f.sign, f.value.unwrap_or(0.0).abs(), f.subject))
        .collect()
}

/// The indicator of a pillar that pushed it most, the given way, among those that are named for going that way.
pub(super) fn top_indicator(
    facts: &Facts,
    pillar: Subject,
    kind: Kind,
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

/// Pillars whose own move is news, largest first.
pub(super) fn movers(context: &Context, facts: &Facts) -> Vec<Subject> {
    let mut moved: Vec<(f64, Subject)> = context
        .snapshot
        .pillars
        .iter()
        .map(|p| Subject::Pillar(p.pillar))
        .filter_map(|s| {
            facts.get(Kind::Delta, s).filter(|d| d.news).map(|d| (d.value.unwrap_or(0.0).abs(), s))
        })
        .collect();
    moved.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    moved.into_iter().map(|m| m.1).collect()
}

/// Scored pillars, those that moved first, then by level. Every one of the four is in here or among the held.
///
/// A pillar whose move has a sentence of its own is not told twice.
pub(super) fn levels(context: &Context, facts: &Facts, draft: &mut Draft) {
    let told: Vec<Subject> = draft
        .items
        .iter()
        .filter(|i| i.slot == Slot::PillarMove)
        .flat_map(|i| i.facts.iter().filter(|k| k.0 == Kind::Level).map(|k| k.1))
        .collect();
    let mut scored: Vec<_> =
        context.snapshot.pillars.iter().filter(|p| p.status != PillarStatus::Unavailable).collect();
    scored.retain(|p| !told.contains(&Subject::Pillar(p.pillar)));
    let moved = |p: Pillar| {
        facts
            .get(Kind::Delta, Subject::Pillar(p))
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
        keys.push((Kind::Level, subject));
        if facts.get(Kind::Delta, subject).is_some_and(|d| d.news) {
            keys.push((Kind::Delta, subject));
        }
    }
    draft.require(Slot::Levels, Section::Judgements, &keys);
    let thin: Vec<_> = Pillar::ALL
        .map(Subject::Pillar)
        .into_iter()
        .filter(|s| facts.get(Kind::Status, *s).is_some_and(|f| f.word == "thin"))
        .map(|s| (Kind::Status, s))
        .collect();
    if context.snapshot.status != DataStatus::Ok || !thin.is_empty() {
        draft.require(Slot::ThinPillars, Section::Gaps, &thin);
    }
}

pub(super) fn held_pillars(context: &Context, draft: &mut Draft) {
    let held: Vec<_> = context
        .snapshot
        .pillars
        .iter()
        .filter(|p| p.status == PillarStatus::Unavailable)
        .flat_map(|p| [(Kind::Level, Subject::Pillar(p.pillar)), (Kind::Status, Subject::Pillar(p.pillar))])
        .collect();
    draft.require(Slot::HeldPillars, Section::Judgements, &held);
}

/// The worst gaps by name, and how many there are when not all are named.
pub(super) fn gaps(facts: &Facts, draft: &mut Draft, named: usize, wanted: impl Fn(Subject) -> bool) {
    let all: Vec<_> =
        facts.gaps().filter(|f| wanted(f.subject)).map(|f| (Kind::FeedGap, f.subject)).collect();
    let mut keys: Vec<_> = all.iter().copied().take(named).collect();
    if all.len() > named && all.len() == facts.gaps().count() {
        keys.push((Kind::GapCount, Subject::Global));
    }
    draft.require(Slot::Gaps, Section::Gaps, &keys);
}
