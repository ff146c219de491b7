//! Wordings of sentences that only briefings have, and headlines.

use super::{TextContext, words};
use crate::facts::{CountedNoun, DataQuality, Fact, FactKind, FactWord, Facts, FigureForm, Subject};
use crate::names::{self, list, sentence_case};
use crate::plan::{About, Item, TextPlan};
use gsi_model::Pillar;

/// A headline fits on one line of a list.
const MAX_HEADLINE_WORDS: usize = 22;

/// One sentence: the subject, its level and its move.
pub fn headline(plan: &TextPlan, facts: &Facts) -> String {
    let mut headline = bare_headline(&TextContext { facts, plan });
    if words(&headline) > MAX_HEADLINE_WORDS {
        headline = headline.replace(" for want of fresh data", "");
    }
    marked(&headline, facts)
}

fn subject_of(about: About) -> Subject {
    match about {
        About::Pillar(p) => Subject::Pillar(p),
        About::Theater(c) => Subject::Theater(c),
        About::Country(c) => Subject::Country(c),
        About::Global | About::Summary => Subject::Global,
    }
}

/// Marks a headline that is simulated or a correction, and makes it a sentence.
fn marked(text: &str, facts: &Facts) -> String {
    let corrected = if facts.has(FactKind::Correction, Subject::Global) { "Correction: " } else { "" };
    if facts.has(FactKind::Simulated, Subject::Global) {
        format!("{corrected}Simulated data: {text}.")
    } else if corrected.is_empty() {
        format!("{}.", sentence_case(text))
    } else {
        format!("{corrected}{text}.")
    }
}

fn size(fact: &Fact) -> f64 {
    fact.value.unwrap_or(0.0).abs()
}

fn bare_headline(context: &TextContext) -> String {
    let subject = subject_of(context.plan.about);
    if let Subject::Theater(c) = subject {
        let Some(fact) = context.facts.get(FactKind::Theater, subject) else { return names::country(c) };
        let count = fact.shown(FigureForm::Count(CountedNoun::Events));
        let plural = if count == "1" { "" } else { "s" };
        let peak = fact.shown(FigureForm::Escalation);
        return format!(
            "outlets report {count} active event{plural} in {}, with escalation of up to {peak}",
            names::country(c)
        );
    }
    let who = context.name(subject);
    let Some(level) = context.facts.get(FactKind::Level, subject) else { return who };
    let score = level.shown(FigureForm::Score);
    let status = context.facts.get(FactKind::Status, subject);
    if status.is_some_and(Fact::is_held) {
        return format!("{who} is held at {score} for want of fresh data");
    }
    let data = super::scores::data_words(status);
    let record = context
        .facts
        .get(FactKind::Record, subject)
        .filter(|_| data.is_empty())
        .map_or(String::new(), |r| format!(", {}", super::scores::record_words(r)));
    match context.facts.get(FactKind::Delta, subject) {
        Some(d) if d.news => {
            let verb = if d.is_up() { "rises" } else { "falls" };
            let by = d.figures.last().map_or("", |f| f.text.as_str());
            let driver = Pillar::ALL
                .map(Subject::Pillar)
                .into_iter()
                .find(|p| subject == Subject::Global && context.facts.has(FactKind::MainPush, *p))
                .map_or(String::new(), |p| format!(", with {} the main driver", context.name(p)));
            format!("{who} {verb} {by} points to {score}{data}{record}{driver}")
        }
        Some(_) => {
            let mover = Pillar::ALL
                .map(Subject::Pillar)
                .into_iter()
                .filter_map(|p| {
                    context.facts.get(FactKind::Delta, p).filter(|d| d.news && subject == Subject::Global)
                })
                .max_by(|a, b| size(a).total_cmp(&size(b)).then(b.subject.cmp(&a.subject)))
                .map_or(String::new(), |d| {
                    let verb = if d.is_up() { "rises" } else { "falls" };
                    let by = d.figures.last().map_or("", |f| f.text.as_str());
                    // The comma ends the clause of the record.
                    let comma = if record.is_empty() { "" } else { "," };
                    format!("{comma} while {} {verb} {by} points", context.name(d.subject))
                });
            if data.is_empty() && !context.facts.partial {
                format!("{who} is little changed at {score}{record}{mover}")
            } else {
                format!("{who} stands at {score}{data}{record}{mover}")
            }
        }
        _ => format!("{who} stands at {score}{data}{record}"),
    }
}

/// The newest values of a pillar's main inputs in one sentence.
pub fn readings(context: &TextContext, item: &Item) -> Vec<String> {
    let each: Vec<(String, String)> = context
        .facts_of(item, FactKind::Reading)
        .into_iter()
        .filter_map(|fact| {
            let value = &fact.figures.first()?.text;
            let unit = match fact.figures.first()?.form {
                FigureForm::Percent => format!(" % {}", fact.unit),
                _ if fact.unit.is_empty() => String::new(),
                _ => format!(" {}", fact.unit),
            };
            Some((context.name(fact.subject), format!("at {value}{unit}").trim_end().to_owned()))
        })
        .collect();
    let Some((first, rest)) = each.split_first() else { return Vec::new() };
    let listed = |opening: String| {
        let mut all = vec![opening];
        all.extend(rest.iter().map(|(name, value)| format!("{name} {value}")));
        list(&all)
    };
    let standing = listed(format!("{} stands {}", first.0, first.1));
    vec![
        format!("{standing}."),
        format!("by the newest values, {standing}."),
        format!("the newest values put {}.", listed(format!("{} {}", first.0, first.1))),
    ]
}

pub fn held_back(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Held) else { return Vec::new() };
    let who = context.name(fact.subject);
    vec![
        format!("a jump in {who} is held back until a second look."),
        format!("{who} jumped in its newest reading, which is held back until a second look."),
        format!("the newest reading of {who} jumped and is held back until a second look."),
    ]
}

pub fn missing(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Missing) else { return Vec::new() };
    let (Some(gone), Some(all)) = (fact.figures.first(), fact.figures.get(1)) else { return Vec::new() };
    let (gone, all) = (&gone.text, &all.text);
    let who = context.name(fact.subject);
    if gone == all {
        return vec![format!("all {all} indicators of {who} have no value.")];
    }
    let have = if gone == "1" { "has" } else { "have" };
    vec![
        format!("in {who}, {gone} of {all} indicators {have} no value."),
        format!("{gone} of {all} indicators in {who} {have} no value."),
        format!("within {who}, {gone} of {all} indicators {have} no value."),
    ]
}

pub fn earlier(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Earlier) else { return Vec::new() };
    let (score, date) = (fact.shown(FigureForm::Earlier), fact.shown(FigureForm::Date));
    vec![
        format!("the briefing of {date} put the global score at {score}."),
        format!("in the briefing of {date} the global score was {score}."),
        format!("for comparison, the briefing of {date} had the global score at {score}."),
    ]
}

/// The lower edge of a band near the score.
pub fn edge(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Edge) else { return Vec::new() };
    let Some(band) = fact.band() else { return Vec::new() };
    let at = fact.shown(FigureForm::Edge);
    vec![
        format!("the {band} band begins at {at}."),
        format!("on the scale, the {band} band begins at {at}."),
        format!("the mark to watch: the {band} band begins at {at}."),
    ]
}

pub fn watch(context: &TextContext, item: &Item) -> Vec<String> {
    if let Some(theater) = context.fact_of(item, FactKind::Theater) {
        let who = context.name(theater.subject);
        return vec![
            format!("more outlets on the events in {who}, or fewer, would change it."),
            format!("further reports from {who} by other outlets would change it."),
            format!("a new kind of event in {who}, or wider reporting on these, would change it."),
        ];
    }
    let Some(level) = context.fact_of(item, FactKind::Level) else { return Vec::new() };
    if context.fact_of(item, FactKind::Lead).is_some() {
        let who = context.name(level.subject);
        return vec![
            format!("a turn in {who}, which carries the largest share of the score, would move it most."),
            format!("{who} carries the largest share of the score, and a turn there would move it most."),
            format!("with the largest share of the score in {who}, a turn there would move it most."),
        ];
    }
    let Some(input) = context.fact_of(item, FactKind::TopInput) else { return Vec::new() };
    let (who, what) = (context.name(level.subject), context.name(input.subject));
    vec![
        format!("{what} is the largest single part of {who}, and new readings there would move it first."),
        format!("{who} rests most on {what}; new readings there would move it first."),
        format!("new readings of {what}, the largest single part of {who}, would move it first."),
    ]
}

/// An alternative reading of the same facts.
pub fn alternative(context: &TextContext, item: &Item) -> Vec<String> {
    if let Some(range) = context.fact_of(item, FactKind::Range) {
        let (Some(low), Some(high)) = (range.figures.first(), range.figures.get(1)) else {
            return Vec::new();
        };
        let (low, high) = (&low.text, &high.text);
        return vec![
            format!(
                "an alternative reading: the indicators disagree, and any global score from {low} to {high} fits them."
            ),
            format!(
                "alternatively, the indicators disagree so much that a global score from {low} to {high} fits them."
            ),
            format!(
                "another reading: with indicators that disagree, a global score from {low} to {high} fits them."
            ),
        ];
    }
    let kind = item.facts.first().map(|k| k.0);
    let pair: Vec<_> = item.facts.iter().filter_map(|k| context.fact(*k)).collect();
    let [a, b] = pair[..] else { return Vec::new() };
    let (first, second) = (context.name(a.subject), context.name(b.subject));
    if a.sign != b.sign {
        let verb = |f: &Fact| match (kind, f.is_up()) {
            (Some(FactKind::Delta), true) => "rose",
            (Some(FactKind::Delta), false) => "fell",
            (_, true) => "added",
            (_, false) => "took off",
        };
        let form = if kind == Some(FactKind::Delta) { FigureForm::Delta } else { FigureForm::Push };
        let by = |f: &Fact| {
            f.figures.iter().rev().find(|g| g.form == form).map_or(String::new(), |g| g.text.clone())
        };
        return vec![
            format!(
                "an alternative reading: {first} {} {} points while {second} {} {} points, so the net change hides both.",
                verb(a),
                by(a),
                verb(b),
                by(b)
            ),
            format!(
                "alternatively, look at both sides: {first} {} {} points and {second} {} {} points.",
                verb(a),
                by(a),
                verb(b),
                by(b)
            ),
        ];
    }
    vec![
        format!(
            "an alternative reading: {first} and {second} moved the same way side by side, and the index shows no link between them."
        ),
        format!(
            "alternatively, {first} and {second} moved the same way by themselves; the index shows no link between them."
        ),
        format!(
            "another reading: {first} and {second} are separate stories that point the same way; the index shows no link between them."
        ),
    ]
}

/// The global score, in a briefing about a pillar, a theater or a country.
pub fn context(context: &TextContext, item: &Item) -> Vec<String> {
    let levels = context.facts_of(item, FactKind::Level);
    let Some(global) = levels.iter().find(|f| f.subject == Subject::Global) else { return Vec::new() };
    let score = global.shown(FigureForm::Score);
    let partial = super::scores::data_words(context.facts.get(FactKind::Status, Subject::Global));
    let pillar = levels.iter().find(|f| matches!(f.subject, Subject::Pillar(_)));
    let Some(pillar) = pillar else {
        return vec![
            format!("for context, the global score stands at {score}{partial}."),
            format!("the global score stands at {score}{partial}."),
            format!("the wider picture: the global score is at {score}{partial}."),
        ];
    };
    let (who, own) = (context.name(pillar.subject), pillar.shown(FigureForm::Score));
    let held = pillar.is_held();
    let (at, global) = match held {
        true => ("is held at its last score of", "the global score stands at"),
        false => ("stands at", "the global score at"),
    };
    let thin = context
        .facts
        .get(FactKind::Status, pillar.subject)
        .filter(|s| s.data_quality() == Some(DataQuality::Thin));
    let own = format!("{own}{}", super::scores::data_words(thin));
    vec![
        format!("for context, {who} {at} {own} and the global score at {score}{partial}."),
        format!("{who} {at} {own}, and {global} {score}{partial}."),
        format!("the wider picture: {who} {at} {own}; the global score is at {score}{partial}."),
    ]
}

pub fn late(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Late) else { return Vec::new() };
    let figure = |n: usize| fact.figures.get(n).map_or("", |f| f.text.as_str());
    vec![format!(
        "this briefing was written late, at {} on {}, from what was known at {} on {}.",
        figure(0),
        figure(1),
        figure(2),
        figure(3)
    )]
}

pub fn correction(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Correction) else { return Vec::new() };
    let (time, date) = (fact.shown(FigureForm::Clock), fact.shown(FigureForm::Date));
    let reason = fact.word.map_or("", FactWord::key);
    vec![format!("this corrects the briefing published at {time} on {date}: {reason}.")]
}

/// The moment from which a correction takes its facts.
pub fn correction_basis(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Correction) else { return Vec::new() };
    let figure = |n: usize| fact.figures.get(n).map_or("", |f| f.text.as_str());
    vec![format!("it is written from what was known at {} on {}.", figure(2), figure(3))]
}
