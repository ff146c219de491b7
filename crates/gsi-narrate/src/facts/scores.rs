//! Facts about the snapshot: the global score, its pillars and their indicators.

use super::{
    ConfidenceLimit, CountedNoun, DailySwing, DataQuality, Fact, FactKind, FactWord, Facts, FigureForm,
    RecordWindow, Sign, Subject, past,
};
use crate::Context;
use crate::figures::{integer, is_news, one_decimal, parts_of, percent, signed, significant};
use crate::names;
use gsi_model::{
    Band, Confidence, ConfidenceLevel, DataStatus, Direction, IndicatorScore, PillarScore, PillarStatus,
    ReadingStyle, Timestamp, Trend, WordsByIndicator, round_half_away,
};

/// The survival probability at which an indicator is rare, if its baseline rests on its own history rather than on the prior.
const RARE: f64 = 0.1;
const RARE_CALIBRATION: f64 = 0.5;
/// The points by which a change in coverage must move the score to be stated.
const COVERAGE_POINTS: f64 = 1.0;
/// Smaller pushes are not stated.
const PUSH_POINTS: f64 = 0.3;

pub(super) fn gather(context: &Context, facts: &mut Facts) {
    composite(context, facts);
    let s = context.snapshot;
    let shares = parts_of(&s.pillars.iter().map(|p| p.contribution).collect::<Vec<_>>(), s.score);
    for (p, share) in s.pillars.iter().zip(&shares) {
        pillar(context, facts, p, *share);
    }
    leads(context, facts, &shares);
    let quiet = s.pillars.len() == 4
        && s.pillars
            .iter()
            .all(|p| p.status != PillarStatus::Unavailable && p.shown_delta().is_some_and(|d| !is_news(d)));
    if quiet {
        facts.push(
            new(FactKind::NoPillarNews, Subject::Global, s.tick).window("24 h").sources([s.id.to_string()]),
        );
    }
}

pub(super) fn new(kind: FactKind, subject: Subject, as_of: Timestamp) -> Fact {
    Fact::new(kind, subject, format!("{subject}.{}", kind.key()), as_of)
}

fn composite(context: &Context, facts: &mut Facts) {
    let s = context.snapshot;
    let g = Subject::Global;
    let fact = |kind| new(kind, g, s.tick).sources([s.id.to_string()]).sure(s.confidence.value);

    facts.push(
        fact(FactKind::Level)
            .value(s.score, "score")
            .figure(FigureForm::Score, integer(s.score))
            .word(FactWord::Band(s.band)),
    );
    delta(facts, g, s.shown_delta(), s.tick, s.confidence.value, s.id.as_str());
    if let Some(d) = s.shown_delta().filter(|d| is_news(*d) && facts.past.knows_usual()) {
        let swing = if s.delta_significant { DailySwing::Unusual } else { DailySwing::Usual };
        facts.push(fact(FactKind::Unusual).value(d, "points").word(FactWord::Swing(swing)));
    }
    if facts.past.has_trend() {
        let sign = match s.trend {
            Trend::Up => Sign::Up,
            Trend::Down => Sign::Down,
            Trend::Flat => Sign::Flat,
        };
        facts.push(
            fact(FactKind::Trend)
                .value(s.momentum, "points")
                .sign(sign)
                .word(FactWord::Trend(s.trend))
                .window("72 h"),
        );
    }
    if let Some(record) = past::record(context.history, s.score, s.tick)
        && (record.sign == Sign::Up || !facts.partial)
    {
        facts.push(record_fact(fact(FactKind::Record), record, s.score, s.tick));
    }
    if let Some((sign, days)) = facts.past.streak(s.score)
        && (sign == Sign::Up || !facts.partial)
    {
        facts.push(
            fact(FactKind::Streak)
                .value(days as f64, "days")
                .sign(sign)
                .figure(FigureForm::Count(CountedNoun::Days), days.to_string())
                .news(true),
        );
    }
    if s.high - s.low >= 1.0 {
        facts.push(
            fact(FactKind::Range)
                .value(s.high - s.low, "points")
                .figure(FigureForm::Bound, integer(s.low))
                .figure(FigureForm::Bound, integer(s.high)),
        );
    }
    if let Some(p) = s.percentile_10y.filter(|p| p.is_finite()) {
        facts.push(
            fact(FactKind::Percentile)
                .value(p, "%")
                .figure(FigureForm::Percent, percent(p / 100.0))
                .window("10 y"),
        );
    }
    facts.push(
        fact(FactKind::Breadth)
            .value(f64::from(s.breadth), "pillars")
            .figure(FigureForm::Count(CountedNoun::Pillars), s.breadth.to_string()),
    );
    facts.push(confidence(fact(FactKind::Confidence), &s.confidence));
    facts.push(fact(FactKind::Scale).value(100.0, "score"));
    if let Some((edge, band)) = near_edge(context).filter(|e| !(facts.partial && e.1 == Band::Guarded)) {
        facts.push(
            fact(FactKind::Edge)
                .value(edge, "score")
                .word(FactWord::Band(band))
                .figure(FigureForm::Edge, significant(edge, 4)),
        );
    }
    if let Some((day, level)) = earlier(context) {
        facts.push(
            fact(FactKind::Earlier)
                .value(level, "score")
                .figure(FigureForm::Earlier, integer(level))
                .figure(FigureForm::Date, crate::figures::date(day.start(), s.tick)),
        );
    }
    facts.push(
        fact(FactKind::Coverage).value(s.coverage, "share").figure(FigureForm::Percent, percent(s.coverage)),
    );
    if facts.partial {
        let quality = if s.status == DataStatus::Stale { DataQuality::Stale } else { DataQuality::Partial };
        facts.push(fact(FactKind::Status).word(FactWord::Data(quality)));
    }
    if s.simulated {
        facts.push(fact(FactKind::Simulated));
    }
    let coverage_push: f64 =
        s.pillars.iter().flat_map(|p| &p.indicators).filter_map(|i| i.coverage_effect).sum();
    if s.delta_24h.is_some() && round_half_away(coverage_push, 1).abs() >= COVERAGE_POINTS {
        let fact =
            new(FactKind::Push, Subject::Coverage, s.tick).name("data coverage").sources([s.id.to_string()]);
        facts.push(push(fact, coverage_push));
    }
}

/// Returns the nearest edge between two bands and the band above it, if the score is near enough to cross it soon.
fn near_edge(context: &Context) -> Option<(f64, Band)> {
    const NEAR: f64 = 5.0;
    let bands = [Band::Guarded, Band::Elevated, Band::High, Band::Severe];
    let off = |edge: f64| (context.snapshot.score - edge).abs();
    let nearest = context.band_edges.into_iter().zip(bands).min_by(|a, b| off(a.0).total_cmp(&off(b.0)))?;
    (off(nearest.0) <= NEAR).then_some(nearest)
}

/// Returns the day and the global score of the previous global briefing.
fn earlier(context: &Context) -> Option<(gsi_model::Day, f64)> {
    let last = context
        .recent_briefings
        .iter()
        .filter(|b| b.subject == "global" && b.as_of < context.snapshot.tick)
        .max_by_key(|b| b.as_of)?;
    let level = last.facts.iter().find(|f| f.id == "global.level")?.value?;
    Some((last.day(), level))
}

fn record_fact(fact: Fact, record: past::Record, value: f64, now: Timestamp) -> Fact {
    let window = if record.whole_history { RecordWindow::WholeHistory } else { RecordWindow::Since };
    fact.value(value, "score")
        .sign(record.sign)
        .word(FactWord::Record(window))
        .figure(FigureForm::Date, crate::figures::date(record.since, now))
        .news(true)
}

fn confidence(fact: Fact, c: &Confidence) -> Fact {
    let factors = [
        (c.coverage, ConfidenceLimit::Coverage),
        (c.calibration, ConfidenceLimit::Calibration),
        (c.agreement, ConfidenceLimit::Agreement),
    ];
    // The smallest factor is the reason; a high confidence needs none.
    let smallest = factors.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, limit)| limit);
    let limit = smallest.filter(|_| c.level() != ConfidenceLevel::High);
    fact.value(c.value, limit.map_or("", ConfidenceLimit::key)).word(FactWord::Confidence(c.level(), limit))
}

pub(super) fn delta(
    facts: &mut Facts,
    subject: Subject,
    delta: Option<f64>,
    as_of: Timestamp,
    sure: f64,
    source: &str,
) {
    let Some(d) = delta else {
        facts.push(new(FactKind::NoBaseline, subject, as_of).sources([source.to_owned()]));
        return;
    };
    facts.push(
        new(FactKind::Delta, subject, as_of)
            .value(d, "points")
            .window("24 h")
            .sign(Sign::from_change(round_half_away(d, 1)))
            .news(is_news(d))
            .figure(FigureForm::Delta, signed(d))
            .figure(FigureForm::Delta, one_decimal(d))
            .sure(sure)
            .sources([source.to_owned()]),
    );
}

fn push(fact: Fact, points: f64) -> Fact {
    fact.value(points, "points")
        .window("24 h")
        .sign(Sign::from_change(round_half_away(points, 1)))
        .figure(FigureForm::Push, one_decimal(points))
}

fn pillar(context: &Context, facts: &mut Facts, p: &PillarScore, share: i64) {
    let s = context.snapshot;
    let subject = Subject::Pillar(p.pillar);
    let sure = p.confidence.value;
    let fact = |kind| new(kind, subject, s.tick).sources([format!("{}/{}", s.id, p.pillar.key())]).sure(sure);
    let held = p.status == PillarStatus::Unavailable;
    let quality = match p.status {
        PillarStatus::Ok => None,
        PillarStatus::Degraded => Some(DataQuality::Thin),
        PillarStatus::Unavailable => Some(DataQuality::Held),
    };
    let mut level = fact(FactKind::Level)
        .value(p.score, "score")
        .figure(FigureForm::Score, integer(p.score))
        .name(names::pillar(p.pillar));
    level.word = held.then_some(FactWord::Data(DataQuality::Held));
    facts.push(level);
    if let Some(quality) = quality {
        facts.push(fact(FactKind::Status).word(FactWord::Data(quality)));
    }
    facts.push(confidence(fact(FactKind::Confidence), &p.confidence));
    facts.push(
        fact(FactKind::Coverage).value(p.coverage, "share").figure(FigureForm::Percent, percent(p.coverage)),
    );
    let missing = p.indicators.iter().filter(|i| i.value.is_none()).count();
    if missing > 0 {
        facts.push(
            fact(FactKind::Missing)
                .value(missing as f64, "indicators")
                .figure(FigureForm::Count(CountedNoun::Indicators), missing.to_string())
                .figure(FigureForm::Count(CountedNoun::Indicators), p.indicators.len().to_string()),
        );
    }
    if !held {
        delta(facts, subject, p.shown_delta(), s.tick, sure, &format!("{}/{}", s.id, p.pillar.key()));
        if share > 0 {
            facts.push(
                fact(FactKind::Part)
                    .value(p.contribution, "points")
                    .figure(FigureForm::Part, share.to_string())
                    .figure(FigureForm::Total, integer(s.score)),
            );
        }
        let history = context.pillar_history[p.pillar.index()];
        if let Some(record) = past::record(history, p.score, s.tick)
            && (record.sign == Sign::Up || !facts.partial)
        {
            facts.push(record_fact(fact(FactKind::Record), record, p.score, s.tick));
        }
        let covered: f64 = p.indicators.iter().filter_map(|i| i.pillar_coverage_effect).sum();
        if p.delta_24h.is_some() && round_half_away(covered, 1).abs() >= COVERAGE_POINTS {
            facts.push(push(fact(FactKind::CoveragePush).name("data coverage"), covered));
        }
        let pushed: f64 = p.indicators.iter().filter_map(|i| i.data_effect).sum();
        if s.delta_24h.is_some() && round_half_away(pushed, 1).abs() >= PUSH_POINTS {
            facts.push(push(fact(FactKind::Push), pushed));
        }
    }
    if let Some(n) = top_input(p).filter(|_| !held) {
        let key = &p.indicators[n].key;
        facts.push(
            Fact::new(
                FactKind::TopInput,
                Subject::Indicator(p.pillar, n as u8),
                format!("{}.{key}.top_input", p.pillar),
                s.tick,
            )
            .value(p.indicators[n].pillar_contribution, "points")
            .name(name_of(context.words, key))
            .sources([format!("{}/{}", s.id, p.pillar.key())]),
        );
    }
    for (n, i) in p.indicators.iter().enumerate() {
        indicator(context, facts, p, Subject::Indicator(p.pillar, n as u8), i, held);
    }
}

fn name_of(words: &WordsByIndicator, key: &str) -> String {
    words.get(key).map_or_else(|| names::unnamed_indicator(key), |w| w.name.clone())
}

/// Returns the indicator with the largest contribution, if no other comes near it.
fn top_input(p: &PillarScore) -> Option<usize> {
    let part = |n: usize| p.indicators[n].pillar_contribution;
    let mut order: Vec<usize> =
        (0..p.indicators.len()).filter(|&n| p.indicators[n].value.is_some()).collect();
    order.sort_by(|&a, &b| part(b).total_cmp(&part(a)).then(a.cmp(&b)));
    let first = *order.first()?;
    let clear = order.get(1).is_none_or(|&second| part(first) >= part(second) + 0.1);
    (clear && part(first) > 0.0).then_some(first)
}

fn indicator(
    context: &Context,
    facts: &mut Facts,
    p: &PillarScore,
    subject: Subject,
    i: &IndicatorScore,
    held: bool,
) {
    let (name, words) = (name_of(context.words, &i.key), context.words.get(&i.key));
    let tick = context.snapshot.tick;
    let sources: Vec<String> = i
        .inputs
        .iter()
        .take(4)
        .map(|o| {
            format!("{}{}{}@{}", o.series, if o.entity.is_empty() { "" } else { ":" }, o.entity, o.period_end)
        })
        .collect();
    let fact = |kind: FactKind| {
        Fact::new(kind, subject, format!("{}.{}.{}", p.pillar.key(), i.key, kind.key()), tick)
            .name(name.clone())
            .sources(sources.iter().cloned())
            .sure(p.confidence.value)
    };
    let Some(value) = i.value else {
        return;
    };
    let survival = i.survival.unwrap_or(1.0).clamp(0.0, 1.0);
    if !held {
        // Texts about the world state points of the global score, a pillar's briefing states points of the pillar.
        for (kind, effect) in [(FactKind::Push, i.data_effect), (FactKind::PillarPush, i.pillar_data_effect)]
        {
            if let Some(points) = effect.filter(|e| round_half_away(*e, 1).abs() >= PUSH_POINTS) {
                let mut one = push(fact(kind), points);
                one.rarity = 1.0 - survival;
                one.notable = words.is_none_or(|w| match w.notable {
                    Direction::Up => points > 0.0,
                    Direction::Down => points < 0.0,
                    Direction::Either => true,
                });
                facts.push(one);
            }
        }
        if survival <= RARE && survival > 0.0 && i.calibration >= RARE_CALIBRATION && i.sample >= 250 {
            let days = (1.0 / survival).min(f64::from(i.sample));
            let mut one =
                fact(FactKind::Rarity).value(survival, "p").figure(FigureForm::OneIn, significant(days, 2));
            one.rarity = 1.0 - survival;
            facts.push(one);
        }
    }
    let ratio = |exponent: f64, unit| {
        let ratio = libm::exp2(exponent);
        (exponent.abs() < 10.0).then(|| (FigureForm::Times, significant(ratio, 2), unit))
    };
    // An indicator without words in the method has no form for its value.
    let shown = words.and_then(|w| match w.told {
        ReadingStyle::Percent => Some((FigureForm::Percent, significant(value, 2), w.of.as_str())),
        ReadingStyle::Pace => ratio(value, "times its usual pace"),
        ReadingStyle::Ratio => ratio(value / 100.0 / std::f64::consts::LN_2, "times its usual level"),
        ReadingStyle::Count => Some((FigureForm::Value, integer(value), "")),
        ReadingStyle::Amount => Some((FigureForm::Value, significant(value, 2), w.of.as_str())),
        ReadingStyle::Level => Some((FigureForm::Value, significant(value, 3), "")),
        ReadingStyle::Nothing => None,
    });
    if let Some((form, text, unit)) = shown {
        facts.push(fact(FactKind::Reading).value(value, unit.to_owned()).figure(form, text));
    }
    if i.held {
        facts.push(fact(FactKind::Held));
    }
}

/// Adds the pillar that makes up most of the score, and the pillar that moved it most, unless rounded values tie.
fn leads(context: &Context, facts: &mut Facts, shares: &[i64]) {
    let s = context.snapshot;
    let mut order: Vec<(i64, usize)> = shares.iter().copied().zip(0..).collect();
    order.sort_by(|a, b| b.cmp(a));
    if let [first, second, ..] = order[..]
        && first.0 > second.0
        && s.pillars[first.1].status != PillarStatus::Unavailable
    {
        let lead = new(FactKind::Lead, Subject::Pillar(s.pillars[first.1].pillar), s.tick);
        facts.push(lead.sources([s.id.to_string()]));
    }
    let Some(way) = s.shown_delta().filter(|d| is_news(*d)).map(|d| Sign::from_change(round_half_away(d, 1)))
    else {
        return;
    };
    let shown = |f: &Fact| round_half_away(f.value.unwrap_or(0.0).abs(), 1);
    let mut pushes: Vec<(f64, Subject)> = facts
        .list
        .iter()
        .filter(|f| {
            f.kind == FactKind::Push && matches!(f.subject, Subject::Pillar(_)) && f.sign == Some(way)
        })
        .map(|f| (shown(f), f.subject))
        .collect();
    // A change in coverage belongs to no pillar, but it may be larger than every pillar's push.
    if let Some(coverage) = facts.get(FactKind::Push, Subject::Coverage).filter(|f| f.sign == Some(way)) {
        pushes.push((shown(coverage), Subject::Coverage));
    }
    pushes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pushes.truncate(2);
    if pushes.first().is_some_and(|first| first.1 == Subject::Coverage) {
        return;
    }
    if let Some(first) = pushes.first().filter(|first| pushes.get(1).is_none_or(|second| first.0 > second.0))
    {
        let main = new(FactKind::MainPush, first.1, s.tick).sign(way);
        facts.push(main.sources([s.id.to_string()]));
    }
}
