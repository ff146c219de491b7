//! The table of theaters, read once from `theaters.toml`.

use crate::tables::{self, GazetteerPlace};
use serde::Deserialize;
use std::sync::LazyLock;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheaterActor {
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
    a: TheaterActor,
    b: TheaterActor,
    words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TheaterFile {
    theater: Vec<RawTheater>,
}

#[derive(Debug)]
pub struct SimulatedTheater {
    pub id: String,
    pub incidents_per_day: f64,
    pub reports: f64,
    pub severity: f64,
    /// The front comes first: incidents favour the head of the list.
    pub places: Vec<&'static GazetteerPlace>,
    pub a: TheaterActor,
    pub b: TheaterActor,
    pub words: Vec<String>,
}

static THEATERS: LazyLock<Vec<SimulatedTheater>> = LazyLock::new(|| {
    // The file is compiled in and a test reads every line of it, so the defaults below are never taken.
    let file: TheaterFile =
        toml::from_str(include_str!("theaters.toml")).unwrap_or(TheaterFile { theater: Vec::new() });
    file.theater
        .into_iter()
        .map(|t| SimulatedTheater {
            places: t.places.iter().filter_map(|p| tables::place(p)).collect(),
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

pub fn all() -> &'static [SimulatedTheater] {
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
        let file: TheaterFile = toml::from_str(include_str!("theaters.toml")).unwrap();
        assert_eq!(file.theater.len(), all().len());
        for raw in &file.theater {
            for p in &raw.places {
                assert!(tables::place(p).is_some(), "{}: {p} is not in the gazetteer", raw.id);
            }
        }
    }
}
