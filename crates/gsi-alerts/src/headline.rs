//! One line for each alert. Numbers are rounded as everywhere else.

use gsi_model::{Band, Briefing, Event, FeedStanding, Pillar, round_half_away};

pub fn points(value: f64) -> String {
    format!("{:.1}", round_half_away(value, 1))
}

pub fn subject(pillar: Option<Pillar>) -> &'static str {
    match pillar {
        None => "The composite",
        Some(Pillar::Conflict) => "Conflict",
        Some(Pillar::Cyber) => "Cyber",
        Some(Pillar::SupplyChain) => "Supply chain",
        Some(Pillar::Macro) => "Macro",
    }
}

pub fn score(pillar: Option<Pillar>, value: f64, level: f64) -> String {
    format!(
        "{} is on alert: {} before smoothing, at or above {} and well above its recent past.",
        subject(pillar),
        points(value),
        points(level)
    )
}

pub fn country_score(name: &str, value: f64, share: f64) -> String {
    format!(
        "{name} is on alert: {}, higher than on {:.0} % of the days of its last year.",
        points(value),
        (share * 100.0).floor()
    )
}

pub fn band(band: Band, value: f64) -> String {
    format!("The composite is {band}: {}.", points(value))
}

pub fn country_band(name: &str, band: &str, value: f64) -> String {
    format!("{name} is {band}: {}.", points(value))
}

pub fn event(event: &Event) -> String {
    format!(
        "A confirmed {} event at {} has an escalation of {:.2}.",
        event.category,
        if event.place.is_empty() { "an unnamed place" } else { &event.place },
        round_half_away(event.escalation, 2)
    )
}

pub fn feed(feed: &FeedStanding) -> String {
    match feed.newest_content {
        Some(newest) => format!("The feed {} is stale: its newest content is of {newest}.", feed.title),
        None => format!("The feed {} is stale.", feed.title),
    }
}

pub fn briefing(briefing: &Briefing) -> String {
    format!("The briefing of {} on {} was published.", briefing.day(), briefing.subject)
}
