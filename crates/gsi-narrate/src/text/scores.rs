//! Wordings about scores: levels, moves, confidence.

use super::{TextContext, words};
use crate::facts::{
    ConfidenceLimit, CountedNoun, DailySwing, DataQuality, Fact, FactKind, FactWord, FigureForm,
    RecordWindow, Sign, Subject,
};
use crate::names::{list, sentence_case};
use crate::plan::{About, Item, SentenceJob};
use gsi_model::Band;

/// The maximum length of the bottom line.
pub(super) const MAX_LEAD_WORDS: usize = 30;

const fn moved(sign: Option<Sign>) -> (&'static str, &'static str, &'static str, &'static str) {
    match sign {
        Some(Sign::Up) => ("up", "rose", "risen", "climbed"),
        _ => ("down", "fell", "fallen", "dropped"),
    }
}

fn s(count: &str) -> &'static str {
    if count == "1" { "" } else { "s" }
}

/// Always plural, because a decimal takes the plural: `1.0 points`.
fn points(fact: &Fact, form: FigureForm) -> String {
    format!("{} points", fact.figures.iter().rev().find(|f| f.form == form).map_or("", |f| f.text.as_str()))
}

pub(super) fn record_words(record: &Fact) -> String {
    let extreme = if record.is_up() { "highest" } else { "lowest" };
    let date = record.shown(FigureForm::Date);
    if record.word == Some(FactWord::Record(RecordWindow::WholeHistory)) {
        format!("its {extreme} since the record began on {date}")
    } else {
        format!("its {extreme} since {date}")
    }
}

/// The words for incomplete or old data.
pub(super) fn data_words(status: Option<&Fact>) -> &'static str {
    match status.and_then(Fact::data_quality) {
        Some(DataQuality::Partial) => " on partial data",
        Some(DataQuality::Stale) => " on stale data",
        Some(DataQuality::Thin) => " on thin data",
        Some(DataQuality::Held) | None => "",
    }
}

/// The bottom line for the world or for one pillar.
pub fn lead(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(level) = context.fact_of(item, FactKind::Level) else { return Vec::new() };
    let score = level.shown(FigureForm::Score);
    let who = context.name(level.subject);
    let status = context.fact_of(item, FactKind::Status);
    if status.is_some_and(Fact::is_held) {
        return prefixed(context, item, held_lead(&who, score));
    }
    let band = match level.band() {
        // A calm band is not named while inputs are missing.
        Some(Band::Calm | Band::Guarded) if context.facts.partial => String::new(),
        Some(band) => format!(", in the {band} band"),
        None => String::new(),
    };
    let data = data_words(status);
    let record =
        context.fact_of(item, FactKind::Record).map(|r| format!(", {}", record_words(r))).unwrap_or_default();
    let build = |record: &str| match (
        context.fact_of(item, FactKind::Delta),
        context.fact_of(item, FactKind::NoBaseline),
    ) {
        (Some(delta), _) if delta.news => news_lead(&who, score, &band, data, delta, record),
        (Some(_), _) => flat_lead(&who, score, &band, data, context.facts.partial, record),
        (None, Some(_)) => first_lead(&who, score, &band, data, record),
        (None, None) => vec![format!("{who} stands at {score}{band}{data}{record}.")],
    };
    let short = |wordings: Vec<String>| -> Vec<String> {
        wordings.into_iter().filter(|t| words(t) <= MAX_LEAD_WORDS).collect()
    };
    let with_record = prefixed(context, item, build(&record));
    match short(with_record.clone()) {
        fits if fits.len() == with_record.len() => fits,
        _ => short(prefixed(context, item, build(""))),
    }
}

fn prefixed(context: &TextContext, item: &Item, wordings: Vec<String>) -> Vec<String> {
    if context.fact_of(item, FactKind::Simulated).is_some() {
        wordings.into_iter().map(|t| format!("Simulated data: {t}")).collect()
    } else {
        wordings.into_iter().map(|t| sentence_case(&t)).collect()
    }
}

fn held_lead(who: &str, score: &str) -> Vec<String> {
    vec![
        format!("{who} cannot be scored for want of fresh data and is held at its last score of {score}."),
        format!("for want of fresh data {who} is held at its last score of {score}."),
        format!(
            "{who} is held at its last score of {score}, as too little fresh data has come in to score it."
        ),
    ]
}

fn news_lead(who: &str, score: &str, band: &str, data: &str, delta: &Fact, record: &str) -> Vec<String> {
    let (up, rose, _, climbed) = moved(delta.sign);
    let by = points(delta, FigureForm::Delta);
    vec![
        format!("{who} stands at {score}{data}{band}, {up} {by} in 24 hours{record}."),
        format!("{who} {rose} {by} in 24 hours to {score}{data}{band}{record}."),
        format!("at {score}{data}{band}, {who} is {up} {by} over 24 hours{record}."),
        format!("in 24 hours {who} has {climbed} {by} to {score}{data}{band}{record}."),
    ]
}

fn flat_lead(who: &str, score: &str, band: &str, data: &str, partial: bool, record: &str) -> Vec<String> {
    let contrast = record.strip_prefix(", ").map_or(String::new(), |r| format!(" but is at {r}"));
    if partial {
        return vec![
            format!(
                "{who} reads {score}{data}{band}{record}, with no move of 3 points or more measured in 24 hours."
            ),
            format!("at {score}{data}{band}, {who} shows no move of 3 points or more in 24 hours{contrast}."),
            format!(
                "{who} is put at {score}{data}{band}{record}; what is at hand shows no move of 3 points or more in 24 hours."
            ),
        ];
    }
    vec![
        format!("{who} stands at {score}{band}{record}, little changed over 24 hours."),
        format!("at {score}{band}, {who} is little changed from 24 hours ago{contrast}."),
        format!("{who} is little changed over 24 hours at {score}{band}{record}."),
        format!("little changed over 24 hours, {who} stands at {score}{band}{record}."),
    ]
}

fn first_lead(who: &str, score: &str, band: &str, data: &str, record: &str) -> Vec<String> {
    vec![
        format!(
            "{who} stands at {score}{data}{band}{record}; there is no score from 24 hours ago to compare it with."
        ),
        format!("{who} reads {score}{data}{band}{record}, without a score from 24 hours ago for comparison."),
        format!("at {score}{data}{band}, {who} has no score from 24 hours ago to compare with{record}."),
    ]
}

fn pushed(fact: &Fact) -> &'static str {
    if fact.is_up() { "added" } else { "took off" }
}

/// The parts of a newsworthy change, in the plan's order.
pub fn change(context: &TextContext, item: &Item) -> Vec<String> {
    let kind = if item.facts.iter().any(|k| k.0 == FactKind::PillarPush) {
        FactKind::PillarPush
    } else {
        FactKind::Push
    };
    let all = context.facts_of(item, kind);
    let Some(first) = all.first() else { return Vec::new() };
    let clause =
        |f: &Fact| format!("{} {} {}", context.name(f.subject), pushed(f), points(f, FigureForm::Push));
    if kind == FactKind::PillarPush {
        let clauses: Vec<String> = all.iter().map(|f| clause(f)).collect();
        return vec![
            format!("{}.", clauses.join("; ")),
            format!("in the pillar's own points, {}.", list(&clauses)),
            format!("by contribution, {}.", clauses.join("; ")),
        ];
    }
    let pillars: Vec<&&Fact> = all.iter().filter(|f| matches!(f.subject, Subject::Pillar(_))).collect();
    let inside = all.iter().find(|f| matches!(f.subject, Subject::Indicator(..)));
    let alone = inside.map_or(String::new(), |f| {
        let name = context.name(f.subject);
        // A part may be larger than the whole if other parts have the opposite sign; then it is named without a number.
        let smaller = f.value.unwrap_or(0.0).abs() < first.value.unwrap_or(0.0).abs() - 0.05;
        match (smaller, f.is_up()) {
            (true, true) => format!(", {name} adding {} of that", points(f, FigureForm::Push)),
            (true, false) => format!(", {name} taking off {} of that", points(f, FigureForm::Push)),
            (false, _) => format!(", led by {name}"),
        }
    });
    let rest: Vec<String> = pillars.iter().skip(1).map(|f| clause(f)).collect();
    let tail = if rest.is_empty() { String::new() } else { format!("; {}", list(&rest)) };
    let head = clause(first);
    let who = context.name(first.subject);
    let by = points(first, FigureForm::Push);
    let verb = pushed(first);
    let mut wordings = vec![format!("{head}{alone}{tail}."), format!("by pillar, {head}{alone}{tail}.")];
    // "That move" refers to the lead, so it must follow the lead directly.
    let before = context.plan.items.iter().take_while(|i| i.slot != SentenceJob::Change).last();
    if before.is_some_and(|i| i.slot == SentenceJob::Lead) {
        wordings.push(format!("of that move, {head}{alone}{tail}."));
    }
    if context.fact_of(item, FactKind::MainPush).is_some() {
        wordings.push(format!("the main driver is {who}, which {verb} {by}{alone}{tail}."));
        wordings.push(format!("{who} is the main driver and {verb} {by}{alone}{tail}."));
    } else {
        wordings.push(format!("among the drivers, {head}{alone}{tail}."));
    }
    wordings
}

pub fn coverage_change(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(push) =
        context.fact_of(item, FactKind::Push).or_else(|| context.fact_of(item, FactKind::CoveragePush))
    else {
        return Vec::new();
    };
    let (verb, by) = (pushed(push), points(push, FigureForm::Push));
    vec![
        format!("apart from events, a change in data coverage {verb} {by}."),
        format!("the change in data coverage alone {verb} {by}."),
        format!("a change in data coverage, not in the world, {verb} {by}."),
    ]
}

pub fn pillar_move(context: &TextContext, item: &Item) -> Vec<String> {
    let (Some(delta), Some(level)) =
        (context.fact_of(item, FactKind::Delta), context.fact_of(item, FactKind::Level))
    else {
        return Vec::new();
    };
    let (up, rose, risen, climbed) = moved(delta.sign);
    let (who, by, score) =
        (context.name(delta.subject), points(delta, FigureForm::Delta), level.shown(FigureForm::Score));
    let inside = context.fact_of(item, FactKind::PillarPush).map_or(String::new(), |f| {
        let verb = if f.is_up() { "adding" } else { "taking off" };
        format!(", with {} {verb} {}", context.name(f.subject), points(f, FigureForm::Push))
    });
    // After a sentence with the levels, only the move is stated.
    let states_levels = context
        .plan
        .items
        .iter()
        .take_while(|i| i.slot != SentenceJob::PillarMove)
        .any(|i| i.slot == SentenceJob::Levels);
    if states_levels {
        return vec![
            format!("{who} {rose} {by} in 24 hours{inside}."),
            format!("{who} is {up} {by} over 24 hours{inside}."),
            format!("in 24 hours {who} has {risen} {by}{inside}."),
        ];
    }
    vec![
        format!("{who} {rose} {by} in 24 hours to {score}{inside}."),
        format!("{who} is {up} {by} over 24 hours at {score}{inside}."),
        format!("in 24 hours {who} has {risen} {by} to {score}{inside}."),
        format!("{who} has {climbed} {by} to {score} in 24 hours{inside}."),
    ]
}

/// The levels of the pillars in one sentence.
pub fn levels(context: &TextContext, item: &Item) -> Vec<String> {
    let levels = context.facts_of(item, FactKind::Level);
    if levels.is_empty() {
        return Vec::new();
    }
    let entry = |f: &Fact, joint: &str| {
        let delta = item
            .facts
            .iter()
            .find(|k| k.0 == FactKind::Delta && k.1 == f.subject)
            .and_then(|k| context.fact(*k));
        let delta = delta.map_or(String::new(), |d| format!(" ({})", d.shown(FigureForm::Delta)));
        format!("{}{joint}{}{delta}", context.name(f.subject), f.shown(FigureForm::Score))
    };
    let bare: Vec<String> = levels.iter().map(|f| entry(f, " ")).collect();
    let at: Vec<String> = levels.iter().map(|f| entry(f, " at ")).collect();
    let mut first = at.clone();
    first[0] = entry(levels[0], " is at ");
    let states_moves = context.plan.items.iter().any(|i| i.slot == SentenceJob::PillarMove);
    if states_moves && context.plan.about == About::Summary {
        return match levels.len() {
            1 => vec![
                format!("{}.", list(&first)),
                format!("elsewhere, {}.", list(&first)),
                format!("in turn, {}.", list(&first)),
            ],
            _ => vec![
                format!("elsewhere, {}.", list(&first)),
                format!("the other pillars: {}.", list(&bare)),
                format!("among the others, {}.", list(&first)),
                format!("{}.", list(&first)),
            ],
        };
    }
    vec![
        format!("by pillar: {}.", list(&bare)),
        format!("{}.", list(&first)),
        format!("among the pillars, {}.", list(&first)),
        format!("the pillar scores are {}.", list(&bare)),
    ]
}

pub fn held_pillars(context: &TextContext, item: &Item) -> Vec<String> {
    let levels = context.facts_of(item, FactKind::Level);
    match levels[..] {
        [] => Vec::new(),
        [one] => {
            let (who, score) = (context.name(one.subject), one.shown(FigureForm::Score));
            vec![
                format!(
                    "{who} cannot be scored for want of fresh data and is held at its last score of {score}."
                ),
                format!("for want of fresh data {who} is held at its last score of {score}."),
                format!("too little fresh data has come in to score {who}, which is held at {score}."),
            ]
        }
        _ => {
            let each: Vec<String> = levels
                .iter()
                .map(|f| format!("{} ({})", context.name(f.subject), f.shown(FigureForm::Score)))
                .collect();
            let all = list(&each);
            vec![
                format!("{all} cannot be scored for want of fresh data and are held at their last scores."),
                format!("for want of fresh data {all} are held at their last scores."),
                format!(
                    "too little fresh data has come in to score {all}, which are held at their last scores."
                ),
            ]
        }
    }
}

pub fn thin_pillars(context: &TextContext, item: &Item) -> Vec<String> {
    let names: Vec<String> =
        context.facts_of(item, FactKind::Status).iter().map(|f| context.name(f.subject)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let (all, rests) = (list(&names), if names.len() == 1 { "rests" } else { "rest" });
    vec![
        format!("{all} {rests} on thin data."),
        format!("data behind {all} are thin."),
        format!("inputs for {all} are thin."),
    ]
}

pub fn part(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(part) = context.fact_of(item, FactKind::Part) else { return Vec::new() };
    let who = context.name(part.subject);
    let of = format!("{} of the {} points", part.shown(FigureForm::Part), part.shown(FigureForm::Total));
    if context.fact_of(item, FactKind::Lead).is_some() {
        vec![
            format!("{who} makes up {of}, more than any other pillar."),
            format!("{who} carries the largest share of the score, {of}."),
            format!("{who} alone accounts for {of}, the largest share."),
        ]
    } else {
        vec![
            format!("{who} makes up {of} in the global score."),
            format!("{who} accounts for {of} in the global score."),
            format!("{who} brings {of} to the global score."),
        ]
    }
}

pub fn rarity(context: &TextContext, item: &Item) -> Vec<String> {
    let (Some(rare), Some(level)) =
        (context.fact_of(item, FactKind::Rarity), context.fact_of(item, FactKind::Level))
    else {
        return Vec::new();
    };
    let (inside, who, days) =
        (context.name(level.subject), context.name(rare.subject), rare.shown(FigureForm::OneIn));
    // A name that contains its pillar's name does not repeat it.
    let (within, in_) = if who.contains(&inside) {
        (String::new(), String::new())
    } else {
        (format!("within {inside}, "), format!("in {inside}, "))
    };
    vec![
        format!("{within}{who} is at a level reached on 1 day in {days} of its history."),
        format!("{in_}{who} is where it has been on only 1 day in {days}."),
        format!("{in_}{who} is at a rare level: its history has one like it on 1 day in {days}."),
    ]
}

pub fn record(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(record) = context.fact_of(item, FactKind::Record) else { return Vec::new() };
    let who = context.name(record.subject);
    let words = record_words(record);
    vec![
        format!("{who} is at {words}."),
        format!("{who} stands at {words}."),
        format!("for {who} this is {words}."),
    ]
}

pub fn streak(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(streak) = context.fact_of(item, FactKind::Streak) else { return Vec::new() };
    let (up, _, risen, _) = moved(streak.sign);
    let days = streak.shown(FigureForm::Count(CountedNoun::Days));
    vec![
        format!("the global score has {risen} {days} days in a row."),
        format!("this is {days} days in a row with the global score {up}."),
        format!("day by day, the global score has {risen} for {days} days running."),
    ]
}

pub fn unusual(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Unusual) else { return Vec::new() };
    let is_usual = fact.word == Some(FactWord::Swing(DailySwing::Usual));
    let relation = if is_usual { "within" } else { "beyond" };
    vec![
        format!("the move is {relation} the usual daily range of the global score."),
        format!("for the global score, such a move is {relation} the usual daily range."),
        format!("such a move in 24 hours is {relation} the usual daily range of the global score."),
    ]
}

pub fn trend(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Trend) else { return Vec::new() };
    let Some(FactWord::Trend(trend)) = fact.word else { return Vec::new() };
    vec![
        format!("the underlying trend of the global score is {trend}."),
        format!("underneath, the trend of the global score is {trend}."),
        format!("smoothed over days, the trend of the global score is {trend}."),
    ]
}

pub fn percentile(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Percentile) else { return Vec::new() };
    let share = fact.shown(FigureForm::Percent);
    vec![
        format!("the global score is above its level on {share} % of the days on record."),
        format!("on record, the global score was below this level on {share} % of days."),
        format!("the global score was below this level on {share} % of the days on record."),
    ]
}

pub fn range(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(range) = context.fact_of(item, FactKind::Range) else { return Vec::new() };
    let (Some(low), Some(high)) = (range.figures.first(), range.figures.get(1)) else { return Vec::new() };
    let (low, high) = (&low.text, &high.text);
    vec![
        format!("the 90 % range of the global score runs from {low} to {high}."),
        format!("a 90 % range puts the global score between {low} and {high}."),
        format!("the global score has a 90 % range from {low} to {high}."),
    ]
}

pub fn breadth(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Breadth) else { return Vec::new() };
    let count = fact.shown(FigureForm::Count(CountedNoun::Pillars));
    let (plural, verb) = (s(count), if count == "1" { "stands" } else { "stand" });
    vec![format!("{count} pillar{plural} {verb} at 50 or more.")]
}

pub fn no_news(context: &TextContext, item: &Item) -> Vec<String> {
    if let Some(delta) = context.fact_of(item, FactKind::Delta) {
        let who = context.name(delta.subject);
        return vec![
            format!("{who} shows no move of 3 points or more in 24 hours."),
            format!("there was no move of 3 points or more in {who} in 24 hours."),
            format!("over 24 hours {who} shows no move of 3 points or more."),
        ];
    }
    vec![
        "no pillar moved by 3 points or more in 24 hours.".to_owned(),
        "over 24 hours no pillar moved by 3 points or more.".to_owned(),
        "in the past 24 hours no pillar moved by 3 points or more.".to_owned(),
    ]
}

pub fn confidence(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Confidence) else { return Vec::new() };
    let Some(FactWord::Confidence(word, limit)) = fact.word else { return Vec::new() };
    let reason = match (limit, context.fact_of(item, FactKind::Coverage)) {
        (Some(ConfidenceLimit::Coverage), Some(c)) => {
            format!(", limited by inputs at {} % of full coverage", c.shown(FigureForm::Percent))
        }
        (Some(ConfidenceLimit::Coverage), None) | (None, _) => String::new(),
        (Some(ConfidenceLimit::Calibration), _) => {
            ", limited by short histories behind the indicators".to_owned()
        }
        (Some(ConfidenceLimit::Agreement), _) => ", limited by indicators that disagree".to_owned(),
    };
    let who = context.name(fact.subject);
    if fact.subject == Subject::Global {
        vec![
            format!("confidence is {word}{reason}."),
            format!("confidence in this reading is {word}{reason}."),
            format!("overall confidence is {word}{reason}."),
        ]
    } else {
        vec![
            format!("confidence in {who} is {word}{reason}."),
            format!("confidence in the {who} score is {word}{reason}."),
            format!("the {who} score carries {word} confidence{reason}."),
        ]
    }
}

pub fn coverage(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Coverage) else { return Vec::new() };
    let share = fact.shown(FigureForm::Percent);
    vec![
        format!("inputs at hand cover {share} % of the index by weight."),
        format!("by weight, {share} % of the inputs are at hand."),
        format!("the inputs at hand make up {share} % of the index by weight."),
    ]
}

pub fn scale() -> Vec<String> {
    vec![
        "scores run from 0 to 100, and a higher score is less stable.".to_owned(),
        "on the scale from 0 to 100 a higher score is less stable.".to_owned(),
        "all scores run from 0 to 100; a higher one is less stable.".to_owned(),
    ]
}

/// For a text with scores and escalations.
pub fn both_scales() -> Vec<String> {
    vec![
        "scores run from 0 to 100, and a higher score is less stable; escalation runs from 0 to 1."
            .to_owned(),
        "on the scale from 0 to 100 a higher score is less stable; escalation runs from 0 to 1.".to_owned(),
    ]
}
