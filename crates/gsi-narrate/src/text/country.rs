//! Wordings about single countries' scores.

use super::TextContext;
use crate::facts::{Fact, FactKind, FactWord, FigureForm, Subject};
use crate::names;
use crate::plan::Item;

/// The shorter name of a country's score.
fn short_name(fact: &Fact) -> String {
    match fact.subject {
        Subject::Country(c) => format!("the score of {}", names::country(c)),
        _ => String::new(),
    }
}

/// `the score of Sudan rose 6.2 points to 74; the score of Iran fell 4.1 points to 58`.
pub fn moves(context: &TextContext, item: &Item) -> Vec<String> {
    let clause = |delta: &Fact| {
        let level = context.facts.get(FactKind::Level, delta.subject)?;
        let verb = if delta.is_up() { "rose" } else { "fell" };
        let by = delta.figures.last().map_or("", |f| f.text.as_str());
        let score = level.shown(FigureForm::Score);
        Some(format!("{} {verb} {by} points to {score}", short_name(delta)))
    };
    let clauses: Vec<String> =
        context.facts_of(item, FactKind::Delta).into_iter().filter_map(clause).collect();
    if clauses.is_empty() {
        return Vec::new();
    }
    let clauses = clauses.join("; ");
    vec![
        format!("among countries, {clauses}."),
        format!("by country, over 24 hours {clauses}."),
        format!("country by country, {clauses}."),
    ]
}

pub fn band_change(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::BandChange) else { return Vec::new() };
    let who = short_name(fact);
    match fact.word {
        Some(FactWord::BandLeft(left)) => vec![
            format!("{who} has come out of the {left} band in 24 hours."),
            format!("in 24 hours {who} has come out of the {left} band."),
        ],
        Some(FactWord::BandEntered(entered)) => vec![
            format!("{who} has come into the {entered} band in 24 hours."),
            format!("in 24 hours {who} has come into the {entered} band."),
        ],
        _ => Vec::new(),
    }
}

/// The share of available inputs.
pub fn coverage(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Coverage) else { return Vec::new() };
    let (who, share) = (short_name(fact), fact.shown(FigureForm::Percent));
    vec![
        format!("by weight, {share} % of the inputs of {who} are at hand."),
        format!("of the inputs of {who}, {share} % by weight are at hand."),
    ]
}
