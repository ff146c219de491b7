//! Facts about events and theaters, the countries with confirmed or reported events.

use super::sides::{self, Sides};
use super::{CountedNoun, Fact, FactKind, FactWord, Facts, FigureForm, Subject};
use crate::Context;
use crate::figures::{clock, date, two_decimals};
use crate::names;
use gsi_model::{Category, CountryCode, DAY, Event, EventStatus, GeoPrecision, Timestamp};

/// Active events with facts, by escalation.
const MAX_EVENTS: usize = 24;
const EVENTS_OF_A_THEATER: usize = 5;
/// The maximum with the events of theaters.
const MOST_EVENTS: usize = 48;
/// A confirmed event of this escalation (the band "high") gives its theater a briefing.
const THEATER_ESCALATION: f64 = 0.45;
const THEATER_EVENTS: u32 = 3;
const THEATER_DAYS: usize = 2;
const MAX_ACTORS: usize = 2;

/// An event for texts, with cleaned names and rounded numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct EventNote {
    pub subject: Subject,
    pub country: Option<CountryCode>,
    /// `near Kharkiv, Ukraine`, `in Ukraine`, `at an unnamed place`.
    pub place: String,
    /// One label for each side.
    pub actors: Vec<String>,
    /// The names of all sides.
    pub sides: Sides,
    pub outlets: u32,
    pub status: EventStatus,
    pub category: Category,
    pub escalation: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TheaterNote {
    pub country: CountryCode,
    pub events: u32,
    pub categories: Vec<Category>,
    /// Whether the theater gets a briefing.
    pub deserves: bool,
    pub weight: f64,
}

pub(super) fn gather(context: &Context, facts: &mut Facts) {
    let now = context.snapshot.tick;
    let mut active: Vec<&Event> = context
        .events
        .iter()
        .filter(|e| e.last_activity <= now && now.since(e.last_activity) <= DAY && e.escalation.is_finite())
        // An event without a country tells a reader nothing.
        .filter(|e| e.country.is_some())
        .collect();
    // Unconfirmed events come last, whatever their escalation.
    active.sort_by(|a, b| {
        let lone = |e: &Event| e.status == EventStatus::Unconfirmed;
        lone(a)
            .cmp(&lone(b))
            .then(b.escalation.total_cmp(&a.escalation))
            .then(b.domains.cmp(&a.domains))
            .then(a.id.cmp(&b.id))
    });
    let theaters = theaters(context, &active);
    let mut countries: Vec<Option<CountryCode>> = Vec::new();
    for event in &active {
        // A theater with a briefing keeps some events, even if many events elsewhere are worse.
        let is_of_theater = |c: CountryCode| {
            event.status != EventStatus::Unconfirmed
                && theaters.iter().any(|(t, _)| t.country == c && t.deserves)
                && countries.iter().filter(|t| **t == Some(c)).count() < EVENTS_OF_A_THEATER
        };
        if countries.len() < MAX_EVENTS
            || (countries.len() < MOST_EVENTS && event.country.is_some_and(is_of_theater))
        {
            let note = note(event, Subject::Event(countries.len() as u16));
            facts.push(event_fact(event, &note, now));
            facts.events.push(note);
            countries.push(event.country);
        }
    }
    for (theater, fact) in theaters {
        facts.push(fact);
        facts.theaters.push(theater);
    }
    facts.theaters.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.country.cmp(&b.country)));
}

fn note(event: &Event, subject: Subject) -> EventNote {
    let country = event.country.map(names::country);
    let town = names::place(&event.place).filter(|t| {
        // A country's name is not a town.
        event.country.is_some_and(|c| t != c.name()) && names::country_named(t).is_none()
    });
    let place = match (town, country, event.precision) {
        (Some(town), Some(country), GeoPrecision::City) => format!("near {town}, {country}"),
        (Some(town), Some(country), GeoPrecision::Region) => {
            format!("in the {} area, {country}", town.strip_prefix("The ").unwrap_or(&town))
        }
        (_, Some(country), _) => format!("in {country}"),
        (_, None, _) => "at an unnamed place".to_owned(),
    };
    let mut actors: Vec<String> = Vec::new();
    for label in event.actors.iter().filter_map(|a| names::actor(a)) {
        if actors.len() < MAX_ACTORS && !actors.contains(&label) {
            actors.push(label);
        }
    }
    EventNote {
        subject,
        country: event.country,
        place,
        sides: sides::describe(&actors, event.country),
        actors,
        outlets: event.domains.max(1),
        status: event.status,
        category: event.category,
        escalation: event.escalation.clamp(0.0, 1.0),
    }
}

fn event_fact(event: &Event, note: &EventNote, now: Timestamp) -> Fact {
    let mut fact = Fact::new(FactKind::Event, note.subject, format!("{}.event", event.id), now)
        .value(note.escalation, "escalation")
        .word(FactWord::Category(event.category))
        .figure(FigureForm::Count(CountedNoun::Outlets), note.outlets.to_string())
        .figure(FigureForm::Escalation, two_decimals(note.escalation))
        .figure(FigureForm::Clock, clock(event.occurred_at))
        .figure(FigureForm::Date, date(event.occurred_at, now))
        .sure(match event.status {
            EventStatus::Confirmed => 1.0,
            EventStatus::Reported => 0.7,
            EventStatus::Unconfirmed => 0.4,
        })
        .sources([event.id.to_string()])
        .sources(event.sources.iter().take(3).map(|s| s.url.clone()));
    if event.status == EventStatus::Unconfirmed {
        // Readers of a briefing's facts find the status in the unit.
        fact.unit = "unconfirmed".into();
    }
    fact.escalation = note.escalation;
    let town = note.place.strip_prefix("near ").or_else(|| note.place.strip_prefix("in the "));
    if let Some(town) = town.and_then(|t| t.split(',').next()).filter(|_| note.place.contains(',')) {
        fact.names.push(town.trim_end_matches(" area").to_owned());
    }
    if let Some(country) = event.country {
        fact.names.push(names::country(country));
    }
    let mut sides = note.actors.clone();
    for description in [&note.sides.alone, &note.sides.in_place] {
        if !description.is_empty() && !sides.contains(description) {
            sides.push(description.clone());
        }
    }
    fact.names.extend(sides);
    fact
}

fn theaters(context: &Context, active: &[&Event]) -> Vec<(TheaterNote, Fact)> {
    let now = context.snapshot.tick;
    let mut found = Vec::new();
    let mut countries: Vec<CountryCode> =
        active.iter().filter(|e| e.status != EventStatus::Unconfirmed).filter_map(|e| e.country).collect();
    countries.sort();
    countries.dedup();
    for country in countries {
        let here: Vec<&&Event> = active
            .iter()
            .filter(|e| e.country == Some(country) && e.status != EventStatus::Unconfirmed)
            .collect();
        let peak = here.iter().map(|e| e.escalation.clamp(0.0, 1.0)).fold(0.0, f64::max);
        let confirmed = here.iter().any(|e| e.status == EventStatus::Confirmed);
        let recent: Vec<i32> = context
            .events
            .iter()
            .filter(|e| {
                e.country == Some(country)
                    && e.status == EventStatus::Confirmed
                    && e.occurred_at <= now
                    && now.since(e.occurred_at) <= 3 * DAY
            })
            .map(|e| e.occurred_at.day().0)
            .collect();
        let mut days = recent.clone();
        days.sort_unstable();
        days.dedup();
        let busy = recent.len() as u32 >= THEATER_EVENTS && days.len() >= THEATER_DAYS;
        let mut categories: Vec<_> = here.iter().map(|e| e.category).collect();
        categories.sort();
        categories.dedup();
        let events = here.len() as u32;
        let theater = TheaterNote {
            country,
            events,
            categories,
            deserves: busy || (confirmed && peak >= THEATER_ESCALATION),
            weight: peak * (1.0 + libm::log(1.0 + f64::from(events)) / 4.0),
        };
        let mut fact = Fact::new(
            FactKind::Theater,
            Subject::Theater(country),
            format!("theater:{}", names::slug(country)),
            now,
        )
        .value(f64::from(events), "events")
        .window("24 h")
        .name(names::country(country))
        .figure(FigureForm::Count(CountedNoun::Events), events.to_string())
        .figure(FigureForm::Escalation, two_decimals(peak))
        .sources(here.iter().take(8).map(|e| e.id.to_string()));
        let fresh = here.iter().filter(|e| now.since(e.occurred_at) <= DAY).count() as u32;
        if fresh > 0 && fresh < events {
            fact = fact.figure(FigureForm::Count(CountedNoun::NewEvents), fresh.to_string());
        }
        fact.escalation = peak;
        found.push((theater, fact));
    }
    found
}
