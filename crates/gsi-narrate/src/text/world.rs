//! Wordings about events and feeds. Events are phrased as reports of outlets.

use super::TextContext;
use crate::facts::feeds::when;
use crate::facts::{CountedNoun, EventNote, Fact, FactKind, FigureForm, Subject};
use crate::names::{self, list, sentence_case};
use crate::plan::Item;
use gsi_model::EventStatus;

fn outlets(fact: &Fact) -> (String, &'static str) {
    let count = fact.shown(FigureForm::Count(CountedNoun::Outlets));
    if count == "1" { ("1 outlet".to_owned(), "reports") } else { (format!("{count} outlets"), "report") }
}

pub fn event(context: &TextContext, item: &Item) -> Vec<String> {
    let facts = context.facts_of(item, FactKind::Event);
    if facts.len() > 1 {
        return event_group(context, &facts);
    }
    let Some(fact) = facts.first() else { return Vec::new() };
    let Some(note) = note_of(context, fact) else { return Vec::new() };
    let EventNote { place, sides, category, status, .. } = note;
    let category = names::category(*category);
    // "near Kharkiv, Ukraine" needs a closing comma inside a sentence.
    let comma = if place.contains(',') { "," } else { "" };
    let has_no_sides = sides.in_place.is_empty();
    let who = if has_no_sides { String::new() } else { format!(" involving {}", sides.in_place) };
    let placed = if has_no_sides { place.clone() } else { format!("{place}{comma}{who}") };
    let (count, verb) = outlets(fact);
    let escalation = fact.shown(FigureForm::Escalation);
    let lone = if *status == EventStatus::Unconfirmed { "unconfirmed " } else { "" };
    let close = if has_no_sides { comma } else { "" };
    // The escalation is not in brackets after another bracket.
    let tail = match placed.ends_with(')') {
        true => format!(", with escalation at {escalation}"),
        false => format!(" (escalation {escalation})"),
    };
    vec![
        format!("{count} {verb} {lone}{category} {placed}{tail}."),
        format!("{place}, {count} {verb} {lone}{category}{who}, with escalation at {escalation}."),
        format!(
            "{lone}reports of {category} {placed}{close} come from {count}, with escalation at {escalation}."
        ),
    ]
}

fn note_of<'p>(context: &'p TextContext, fact: &Fact) -> Option<&'p EventNote> {
    context.facts.events.iter().find(|e| e.subject == fact.subject)
}

/// Groups events of one category between the same sides into one sentence. A country that all of them share is named once.
fn event_group(context: &TextContext, facts: &[&Fact]) -> Vec<String> {
    let notes: Vec<(&Fact, &EventNote)> =
        facts.iter().filter_map(|f| Some((*f, note_of(context, f)?))).collect();
    let Some((_, first)) = notes.first() else { return Vec::new() };
    let counted = |fact: &Fact, place: &str| {
        format!("{place} ({}, escalation {})", outlets(fact).0, fact.shown(FigureForm::Escalation))
    };
    let (who, category) = (&first.sides.alone, names::category(first.category));
    if let Some(country) = first.country.filter(|c| notes.iter().all(|(_, n)| n.country == Some(*c))) {
        let towns: Vec<String> = notes.iter().map(|(f, n)| counted(f, town(&n.place))).collect();
        let (towns, who, country) = (list(&towns), &first.sides.in_place, names::country(country));
        return vec![
            format!("in {country}, outlets report {category} involving {who} near {towns}."),
            format!("reports from {country} speak of {category} involving {who} near {towns}."),
        ];
    }
    let places: Vec<String> = notes.iter().map(|(f, n)| counted(f, &n.place)).collect();
    let places = list(&places);
    let is = if category.ends_with('s') { "are" } else { "is" };
    vec![
        format!("outlets report {category} involving {who} {places}."),
        format!("{category} involving {who} {is} reported {places}."),
    ]
}

/// `Kharkiv` of `near Kharkiv, Ukraine`.
fn town(place: &str) -> &str {
    let bare = place.strip_prefix("near ").unwrap_or(place);
    bare.split(',').next().unwrap_or(bare)
}

/// `7 events active in the past 24 hours, 4 of them new`.
fn events(fact: &Fact) -> String {
    let count = fact.shown(FigureForm::Count(CountedNoun::Events));
    let plural = if count == "1" { "" } else { "s" };
    let fresh = match fact.shown(FigureForm::Count(CountedNoun::NewEvents)) {
        "" => String::new(),
        new => format!(" ({new} of them new)"),
    };
    format!("{count} event{plural} active in the past 24 hours{fresh}")
}

pub fn theater_kinds(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Theater) else { return Vec::new() };
    let theater = context.facts.theaters.iter().find(|t| Subject::Theater(t.country) == fact.subject);
    let Some(theater) = theater.filter(|t| t.categories.len() > 1) else { return Vec::new() };
    let kinds: Vec<String> = theater.categories.iter().map(|c| names::category(*c).to_owned()).collect();
    let kinds = list(&kinds);
    let who = context.name(fact.subject);
    vec![
        format!("outlets report {kinds} in {who}."),
        format!("in {who}, outlets report {kinds}."),
        format!("reports from {who} speak of {kinds}."),
    ]
}

pub fn theater_lead(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Theater) else { return Vec::new() };
    let (who, count, peak) = (context.name(fact.subject), events(fact), fact.shown(FigureForm::Escalation));
    let is = if fact.shown(FigureForm::Count(CountedNoun::Events)) == "1" { "is" } else { "are" };
    let partial = super::scores::data_words(context.fact_of(item, FactKind::Status));
    let simulated = context.fact_of(item, FactKind::Simulated).is_some();
    let wordings = [
        format!("in {who}, outlets report {count}{partial}, with escalation of up to {peak}."),
        format!("outlets report {count} in {who}{partial}, with escalation of up to {peak}."),
        format!("{count} {is} reported from {who}{partial}, with escalation of up to {peak}."),
        format!("in {who}, {count}{partial}; escalation of up to {peak}."),
    ];
    let mut fitting: Vec<String> = wordings
        .into_iter()
        .map(|t| if simulated { format!("Simulated data: {t}") } else { sentence_case(&t) })
        .filter(|t| super::words(t) <= super::scores::MAX_LEAD_WORDS)
        .collect();
    // The last wording has no verb, for long names.
    if fitting.len() > 1 {
        fitting.retain(|t| t.contains("report"));
    }
    fitting
}

pub fn theater(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::Theater) else { return Vec::new() };
    let (who, count, peak) = (context.name(fact.subject), events(fact), fact.shown(FigureForm::Escalation));
    vec![
        format!("one theater stands out, {who}, with {count} and escalation of up to {peak}."),
        format!("among theaters, reporting gathers on {who}: {count}, escalation of up to {peak}."),
        format!("reporting gathers on {who}, with {count} and escalation of up to {peak}."),
    ]
}

/// The feeds with gaps, and when the gaps began.
pub fn gaps(context: &TextContext, item: &Item) -> Vec<String> {
    let gaps = context.facts_of(item, FactKind::FeedGap);
    if gaps.is_empty() {
        return Vec::new();
    }
    if let ([only], None) = (&gaps[..], context.fact_of(item, FactKind::GapCount)) {
        let who = context.name(only.subject);
        return match when(only) {
            Some(at) => vec![
                format!("data from {who} have been missing or late since {at}."),
                format!("{who} has been missing or late since {at}."),
                format!("there are gaps in {who} (since {at})."),
            ],
            None => vec![
                format!("data from {who} are missing or late (nothing received)."),
                format!("missing or late: {who} (nothing received)."),
                format!("there are gaps in {who} (nothing received)."),
            ],
        };
    }
    let bracketed: Vec<String> = gaps
        .iter()
        .map(|f| match when(f) {
            Some(at) => format!("{} (since {at})", context.name(f.subject)),
            None => format!("{} (nothing received)", context.name(f.subject)),
        })
        .collect();
    let bracketed = list(&bracketed);
    match context.fact_of(item, FactKind::GapCount) {
        Some(count) => {
            let count = count.shown(FigureForm::Count(CountedNoun::Feeds));
            vec![
                format!("missing or late are {count} feeds, among them {bracketed}."),
                format!("there are gaps in {count} feeds, among them {bracketed}."),
                format!("data are missing or late from {count} feeds, such as {bracketed}."),
            ]
        }
        None => vec![
            format!("missing or late: {bracketed}."),
            format!("data are missing or late from {bracketed}."),
            format!("there are gaps in {bracketed}."),
        ],
    }
}

pub fn all_feeds(context: &TextContext, item: &Item) -> Vec<String> {
    let Some(fact) = context.fact_of(item, FactKind::AllFeeds) else { return Vec::new() };
    match fact.shown(FigureForm::Count(CountedNoun::Feeds)) {
        "1" => vec!["the 1 feed in use is on time.".to_owned()],
        n => vec![
            format!("all {n} feeds are on time."),
            format!("data from all {n} feeds are on time."),
            format!("all {n} feeds have reported on time."),
        ],
    }
}

pub fn sources(context: &TextContext, item: &Item) -> Vec<String> {
    let entries: Vec<String> = context
        .facts_of(item, FactKind::Source)
        .iter()
        .map(|f| match when(f) {
            Some(at) => format!("{} (to {at})", context.name(f.subject)),
            None => context.name(f.subject),
        })
        .collect();
    if entries.is_empty() { Vec::new() } else { vec![format!("{}.", list(&entries))] }
}
