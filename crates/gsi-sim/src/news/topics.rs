//! Subjects of background articles, from `data/topics.toml`: share of articles, typical codes, and the words of addresses.
//!
//! In real rows most conflict codes belong to crime, courts, politics, history, sport and opinion, by a count of rows read by
//! hand. The table reproduces that, so filtering and corroboration are tested on realistic noise.

use super::measured;
use crate::world::geography::{self, Country};
use crate::world::{Rng, Weighted};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A subject of background articles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    pub name: String,
    pub share: f64,
    pub tone: f64,
    us: f64,
    conflict_countries: f64,
    tilt: BTreeMap<String, f64>,
    pub sections: Vec<String>,
    subjects: Vec<String>,
    verbs: Vec<String>,
    objects: Vec<String>,
}

#[derive(Deserialize)]
struct TopicFile {
    topic: Vec<Topic>,
}

static TOPICS: LazyLock<Vec<Topic>> = LazyLock::new(|| {
    let file: TopicFile = crate::data::parse("topics.toml", include_str!("../../data/topics.toml"));
    file.topic
});

pub fn all() -> &'static [Topic] {
    &TOPICS
}

/// Factors on the codes of an article about fighting, apart from the incident itself.
const WAR_TILT: [(&str, f64); 8] =
    [("19", 3.0), ("18", 2.0), ("13", 2.0), ("15", 2.0), ("20", 2.0), ("17", 1.2), ("06", 0.5), ("05", 0.6)];

pub fn names() -> Vec<&'static str> {
    TOPICS.iter().map(|t| t.name.as_str()).collect()
}

struct TopicDraws {
    codes: Vec<Weighted>,
    countries: Vec<Weighted>,
    conflict: Vec<Weighted>,
    war_codes: Weighted,
}

fn tilted(tilt: impl Fn(&str) -> Option<f64>) -> Weighted {
    Weighted::new(measured::codes().iter().map(|c| c.share * tilt(c.root()).unwrap_or(1.0)))
}

static DRAWS: LazyLock<TopicDraws> = LazyLock::new(|| {
    let countries = |topic: &Topic, share: fn(&Country) -> f64| {
        Weighted::new(
            geography::countries().iter().map(|c| share(c) * if c.fips == "US" { topic.us } else { 1.0 }),
        )
    };
    TopicDraws {
        codes: TOPICS.iter().map(|t| tilted(|root| t.tilt.get(root).copied())).collect(),
        countries: TOPICS.iter().map(|t| countries(t, |c| c.share)).collect(),
        conflict: TOPICS.iter().map(|t| countries(t, |c| c.conflict_share)).collect(),
        war_codes: tilted(|root| WAR_TILT.iter().find(|(r, _)| *r == root).map(|(_, factor)| *factor)),
    }
});

pub fn draw_code(topic: usize, rng: &mut Rng) -> usize {
    DRAWS.codes[topic].draw(rng)
}

pub fn draw_war_code(rng: &mut Rng) -> usize {
    DRAWS.war_codes.draw(rng)
}

pub fn draw_country(topic: usize, rng: &mut Rng) -> &'static Country {
    let conflict = rng.chance(TOPICS[topic].conflict_countries);
    let weights = if conflict { &DRAWS.conflict[topic] } else { &DRAWS.countries[topic] };
    &geography::countries()[weights.draw(rng)]
}

/// Writes `subject-verb-object`, with the name of the place in half of them.
pub fn write_slug(out: &mut String, topic: usize, place: &str, rng: &mut Rng) {
    let t = &TOPICS[topic];
    if rng.chance(0.5) {
        out.push_str(place);
        out.push('-');
    }
    for (i, bank) in [&t.subjects, &t.verbs, &t.objects].into_iter().enumerate() {
        if i > 0 {
            out.push('-');
        }
        let word: &String = rng.pick(bank);
        out.push_str(word);
    }
}
