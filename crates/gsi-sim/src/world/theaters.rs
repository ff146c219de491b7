//! The theaters of armed conflict, from `data/theaters.toml`.

use super::geography::{self, Place};
use crate::data;
use serde::Deserialize;
use std::sync::LazyLock;

/// A side of a conflict, in CAMEO codes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    pub code: String,
    pub name: String,
    pub country: String,
    pub role: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTheater {
    id: String,
    incidents_per_day: f64,
    reports: f64,
    severity: f64,
    places: Vec<String>,
    a: Actor,
    b: Actor,
    words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TheaterFile {
    theater: Vec<RawTheater>,
}

/// A place where an armed conflict is, or where a scenario can start one.
#[derive(Debug)]
pub struct Theater {
    pub id: String,
    pub incidents_per_day: f64,
    pub reports: f64,
    pub severity: f64,
    /// The front comes first: most incidents happen at the head of the list.
    pub places: Vec<&'static Place>,
    pub a: Actor,
    pub b: Actor,
    pub words: Vec<String>,
}

static THEATERS: LazyLock<Vec<Theater>> = LazyLock::new(|| {
    let file: TheaterFile = data::parse("theaters.toml", include_str!("../../data/theaters.toml"));
    file.theater
        .into_iter()
        .map(|t| Theater {
            places: t.places.iter().filter_map(|p| geography::place(p)).collect(),
            id: t.id,
            incidents_per_day: t.incidents_per_day,
            reports: t.reports,
            severity: t.severity,
            a: t.a,
            b: t.b,
            words: t.words,
        })
        .filter(|t| !t.places.is_empty())
        .collect()
});

pub fn all() -> &'static [Theater] {
    &THEATERS
}

pub fn ids() -> Vec<&'static str> {
    THEATERS.iter().map(|t| t.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theater_and_every_place_is_known() {
        let file: TheaterFile = toml::from_str(include_str!("../../data/theaters.toml")).unwrap();
        assert_eq!(file.theater.len(), all().len());
        for raw in &file.theater {
            for p in &raw.places {
                assert!(geography::place(p).is_some(), "{}: {p} is not in the gazetteer", raw.id);
            }
        }
    }
}
