//! The searchable columns of an event version: the same numbers and folded names in every backend, so that a filter selects
//! the same events everywhere and agrees with the published values.

use crate::EventQuery;
use gsi_model::{Category, Event, EventStatus, round_half_away};

/// Separates actor labels. A search text that contains it matches nothing.
const SEPARATOR: char = '\n';

pub struct EventColumns {
    pub category: i32,
    pub status: i32,
    pub country: Option<String>,
    /// Rounded as published, so that a filter agrees with the published digits.
    pub escalation: f64,
    pub lat: f64,
    pub lon: f64,
    pub actors: String,
}

impl EventColumns {
    pub fn of(event: &Event) -> Self {
        EventColumns {
            category: event.category as i32,
            status: event.status as i32,
            country: event.country.map(|c| c.to_string()),
            escalation: round_half_away(event.escalation, 3),
            lat: round_half_away(event.lat, 4),
            lon: round_half_away(event.lon, 4),
            actors: fold_case(&event.actors.join(&SEPARATOR.to_string())),
        }
    }
}

/// The query's filters as values of columns. Unused ones are `None`.
pub struct EventColumnFilter {
    /// One bit per [`Category`].
    pub categories: Option<i32>,
    /// One bit per [`EventStatus`].
    pub statuses: Option<i32>,
    pub countries: Option<Vec<String>>,
    pub actor: Option<String>,
    pub min_escalation: Option<f64>,
    pub bbox: Option<[f64; 4]>,
}

impl EventColumnFilter {
    /// Returns `None` if nothing can match.
    pub fn of(query: &EventQuery) -> Option<Self> {
        let actor = query.actor.as_deref().map(fold_case);
        if actor.as_deref().is_some_and(|a| a.contains([SEPARATOR, '\0'])) {
            return None;
        }
        Some(EventColumnFilter {
            categories: mask(query.categories.iter().map(|&c: &Category| c as i32)),
            statuses: mask(query.statuses.iter().map(|&s: &EventStatus| s as i32)),
            countries: (!query.countries.is_empty())
                .then(|| query.countries.iter().map(|c| c.to_string()).collect()),
            actor,
            min_escalation: query.min_escalation,
            bbox: query.bbox,
        })
    }
}

fn mask(bits: impl Iterator<Item = i32>) -> Option<i32> {
    bits.fold(None, |mask, bit| Some(mask.unwrap_or(0) | 1 << bit))
}

/// Folds case for comparison. The detour through upper case makes `ß` equal `SS`, and a final sigma equal the others.
pub fn fold_case(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_folds_beyond_ascii() {
        for (a, b) in
            [("Россия", "РОССИЯ"), ("Straße", "STRASSE"), ("Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"), ("Türkiye", "TÜRKIYE")]
        {
            assert_eq!(fold_case(a), fold_case(b));
        }
        assert_ne!(fold_case("Mali"), fold_case("Malí"));
    }

    #[test]
    fn masks_are_any_of() {
        assert_eq!(mask([].into_iter()), None);
        assert_eq!(mask([0, 2, 2].into_iter()), Some(0b101));
    }
}
