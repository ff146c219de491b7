//! Wordings about what outlets report and what the feeds deliver. Reporting is told as reporting.

use super::Pen;
use crate::facts::feeds::when;
use crate::facts::{EventNote, Fact, Form, Kind};
use crate::names::{list, sentence_case};
use crate::plan::Item;
use gsi_model::EventStatus;

fn outlets(fact: &Fact) -> (String, &'static str) {
    let count = fact.shown(Form::Count("outlets"));
    if count == "1" { ("1 outlet".to_owned(), "reports") } else { (format!("{count} outlets"), "report") }
}

pub fn event(pen: &Pen, item: &Item) -> Vec<String> {
    let Some(fact) = pen.of(item, Kind::Event) else { return Vec::new() };
    let Some(note) = pen.facts.events.iter().find(|e| e.subject == fact.subject) else { return Vec::new() };
    let EventNote { place, actors, category, status, .. } = note;
    let who = if actors.is_empty() { String::new() } else { format!(" involving {}", list(actors)) };
    let (count, verb) = outlets(fact);
    let escalation = fact.shown(Form::Escalation);
    let lone = if *status == EventStatus::Unconfirmed { "unconfirmed " } else { "" };
    vec![
        format!("{count} {verb} {lone}{category} {place}{who} (escalation {escalation})."),
        format!("{place}, {count} {verb} {lone}{category}{who}, with escalation at {escalation}."),
        format!(
            "{lone}reports of {category} {place}{who} come from {count}, with escalation at {escalation}."
        ),
    ]
}

fn events(fact: &Fact) -> String {
    let count = fact.shown(Form::Count("events"));
    if count == "1" { "1 event".to_owned() } else { format!("{count} events") }
}

pub fn theater_lead(pen: &Pen, item: &Item) -> Vec<String> {
    let Some(fact) = pen.of(item, Kind::Theater) else { return Vec::new() };
    let (who, count, peak) = (pen.name(fact.subject), events(fact), fact.shown(Form::Escalation));
    let partial = if pen.of(item, Kind::Status).is_some() { " on partial data" } else { "" };
    let wordings = vec![
        format!(
            "in {who}, outlets report {count} active in the past 24 hours{partial}, with escalation of up to {peak}."
        ),
        format!(
            "{who} counts {count} active in the past 24 hours{partial}, with escalation of up to {peak}."
        ),
        format!(
            "reports from {who} make up {count} active in the past 24 hours{partial}, with escalation of up to {peak}."
        ),
    ];
    let simulated = pen.of(item, Kind::Simulated).is_some();
    wordings
        .into_iter()
        .map(|t| if simulated { format!("Simulated data: {t}") } else { sentence_case(&t) })
        .collect()
}

pub fn theater(pen: &Pen, item: &Item) -> Vec<String> {
    let Some(fact) = pen.of(item, Kind::Theater) else { return Vec::new() };
    let (who, count, peak) = (pen.name(fact.subject), events(fact), fact.shown(Form::Escalation));
    vec![
        format!("{who} stands out with {count} active in the past 24 hours and escalation of up to {peak}."),
        format!(
            "among theaters, {who} stands out: {count} active in the past 24 hours, escalation of up to {peak}."
        ),
        format!(
            "reporting gathers on {who}, with {count} active in the past 24 hours and escalation of up to {peak}."
        ),
    ]
}

/// What is missing, by title, and since when.
pub fn gaps(pen: &Pen, item: &Item) -> Vec<String> {
    let gaps = pen.all(item, Kind::FeedGap);
    if gaps.is_empty() {
        return Vec::new();
    }
    let bracketed: Vec<String> = gaps
        .iter()
        .map(|f| match when(f) {
            Some(at) => format!("{} (since {at})", pen.name(f.subject)),
            None => format!("{} (nothing received)", pen.name(f.subject)),
        })
        .collect();
    let clauses: Vec<String> = gaps
        .iter()
        .map(|f| match when(f) {
            Some(at) => format!("{} since {at}", pen.name(f.subject)),
            None => format!("{}, which has sent nothing", pen.name(f.subject)),
        })
        .collect();
    let (bracketed, clauses) = (list(&bracketed), clauses.join("; "));
    match pen.of(item, Kind::GapCount) {
        Some(count) => {
            let count = count.shown(Form::Count("feeds"));
            vec![
                format!("missing or late are {count} feeds, among them {bracketed}."),
                format!("there are gaps in {count} feeds, among them {bracketed}."),
                format!("data are missing or late from {count} feeds, such as {bracketed}."),
            ]
        }
        None => vec![
            format!("missing or late: {bracketed}."),
            format!("data are missing or late from {clauses}."),
            format!("gaps: {bracketed}."),
        ],
    }
}

pub fn all_feeds(pen: &Pen, item: &Item) -> Vec<String> {
    let Some(fact) = pen.of(item, Kind::AllFeeds) else { return Vec::new() };
    match fact.shown(Form::Count("feeds")) {
        "1" => vec!["the 1 feed in use is on time.".to_owned()],
        n => vec![
            format!("all {n} feeds are on time."),
            format!("data from all {n} feeds are on time."),
            format!("all {n} feeds have reported on time."),
        ],
    }
}

pub fn sources(pen: &Pen, item: &Item) -> Vec<String> {
    let entries: Vec<String> = pen
        .all(item, Kind::Source)
        .iter()
        .map(|f| match when(f) {
            Some(at) => format!("{} (to {at})", pen.name(f.subject)),
            None => pen.name(f.subject),
        })
        .collect();
    if entries.is_empty() { Vec::new() } else { vec![format!("{}.", list(&entries))] }
}
