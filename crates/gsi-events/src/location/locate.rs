//! The place of an article's happening: first the country, then the best place that a row of the article has there.
//!
//! The coder often files a happening under the capital of the government that commented on it. So every country that
//! the rows, the sides, the headline or the section name is a candidate, and a small trained model weighs the
//! features of each.

use crate::actors::Side;
use crate::article::address::{Address, words};
use crate::article::event_filter::EventFilter;
use crate::location::mention::{self, HeadlinePart};
use crate::location::outlet;
use crate::location::place::Place;
use crate::parameters::PARAMETERS;
use gsi_model::{CountryCode, GeoPrecision, NewsRow};
use std::collections::BTreeMap;

/// The names of a candidate's features, in the order of [`PlaceFeatures`].
pub const PLACE_FEATURES: [&str; 20] = [
    "share_of_rows",
    "share_of_exact_rows",
    "has_exact_row",
    "has_vague_rows_only",
    "place_in_headline",
    "headline_place",
    "headline_name",
    "headline_people",
    "headline_victim",
    "headline_actor",
    "headline_subject",
    "headline_seat",
    "headline_only_country",
    "headline_has_other_actor",
    "first_side",
    "second_side",
    "section",
    "home_of_outlet",
    "local_news_of_outlet",
    "world_news_of_outlet",
];
pub type PlaceFeatures = [f64; PLACE_FEATURES.len()];

/// A candidate row's place, and whether it may name an event.
pub struct Candidate<'a> {
    pub row: &'a NewsRow,
    pub place: Place,
    /// More than a country, and neither a seat of government nor a homonym.
    is_exact: bool,
    /// The headline contains its name.
    in_headline: bool,
}

/// The candidate places of an article.
pub struct PlaceCandidates<'a> {
    rows: usize,
    placed: Vec<Candidate<'a>>,
    features: BTreeMap<CountryCode, PlaceFeatures>,
}

impl<'a> PlaceCandidates<'a> {
    pub fn from_rows(address: &Address, rows: &[&'a NewsRow]) -> Self {
        let headline: Vec<&str> = words(address.headline()).collect();
        let placed: Vec<Candidate<'a>> =
            rows.iter().filter_map(|row| Candidate::from_row(row, &headline)).collect();
        let mut found = PlaceCandidates { rows: rows.len(), placed, features: BTreeMap::new() };
        found.note_rows(rows);
        found.note_headline(&headline);
        found.note_outlet(address);
        found
    }

    /// Every candidate country with its features.
    pub fn candidates(&self) -> &BTreeMap<CountryCode, PlaceFeatures> {
        &self.features
    }

    /// The likeliest country, and how probable it is among the candidates.
    pub fn likeliest(&self, filter: &EventFilter) -> Option<(CountryCode, f64)> {
        let scores: Vec<(CountryCode, f64)> =
            self.features.iter().map(|(country, f)| (*country, filter.place_score(f))).collect();
        let (country, best) =
            *scores.iter().max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)))?;
        let total: f64 = scores.iter().map(|(_, score)| libm::exp(score - best)).sum();
        Some((country, 1.0 / total))
    }

    /// The best place in the country: one that the headline names, else an exact one, preferring rows of `preferred`;
    /// else only the country.
    pub fn best_place(&self, country: CountryCode, preferred: impl Fn(&NewsRow) -> bool) -> Option<Place> {
        let there = self.placed.iter().filter(|c| c.place.country == country);
        let best = there
            .filter(|c| c.is_exact || c.in_headline)
            // At a tie the first row stays: later ones must be better.
            .fold(None::<&Candidate<'a>>, |best, c| {
                let rank =
                    |c: &Candidate<'a>| (c.in_headline, preferred(c.row), c.place.rank(), c.row.is_root);
                best.filter(|b| rank(b) >= rank(c)).or(Some(c))
            });
        best.map(|c| c.place.clone().named(c.row.geo.as_ref())).or_else(|| Place::middle_of(country))
    }

    fn feature(&mut self, country: CountryCode, name: &str) -> &mut f64 {
        let at = PLACE_FEATURES.iter().position(|f| *f == name);
        debug_assert!(at.is_some(), "{name}");
        &mut self.features.entry(country).or_default()[at.unwrap_or(0)]
    }

    fn note_rows(&mut self, rows: &[&NewsRow]) {
        let share = 1.0 / self.rows.max(1) as f64;
        let placed: Vec<(CountryCode, bool, bool)> =
            self.placed.iter().map(|c| (c.place.country, c.is_exact, c.in_headline)).collect();
        for (country, is_exact, in_headline) in &placed {
            *self.feature(*country, "share_of_rows") += share;
            if *is_exact {
                *self.feature(*country, "share_of_exact_rows") += share;
                *self.feature(*country, "has_exact_row") = 1.0;
            }
            if *is_exact && *in_headline {
                *self.feature(*country, "place_in_headline") = 1.0;
            }
        }
        for (country, ..) in placed {
            *self.feature(country, "has_vague_rows_only") = 1.0 - *self.feature(country, "has_exact_row");
        }
        for row in rows {
            for (actor, side) in [(&row.actor1, "first_side"), (&row.actor2, "second_side")] {
                if let Some(country) = Side::from_actor(actor).country {
                    *self.feature(country, side) += share;
                }
            }
        }
    }

    fn note_headline(&mut self, headline: &[&str]) {
        let mentions = mention::mentions(headline);
        let is_ground = |p: HeadlinePart| {
            matches!(
                p,
                HeadlinePart::Place | HeadlinePart::Name | HeadlinePart::People | HeadlinePart::Victim
            )
        };
        let mut grounds: Vec<CountryCode> =
            mentions.iter().filter(|m| is_ground(m.part)).map(|m| m.country).collect();
        grounds.sort_unstable();
        grounds.dedup();
        if let [only] = grounds[..] {
            *self.feature(only, "headline_only_country") = 1.0;
        }
        for mention in &mentions {
            let name = match mention.part {
                HeadlinePart::Place => "headline_place",
                HeadlinePart::Name => "headline_name",
                HeadlinePart::People => "headline_people",
                HeadlinePart::Victim => "headline_victim",
                HeadlinePart::Actor => "headline_actor",
                HeadlinePart::Subject => "headline_subject",
                HeadlinePart::Seat => "headline_seat",
                HeadlinePart::Topic => continue,
            };
            *self.feature(mention.country, name) = 1.0;
        }
        let acts = |country: CountryCode| {
            let acting = |p: HeadlinePart| matches!(p, HeadlinePart::Actor | HeadlinePart::Subject);
            mentions.iter().any(|m| m.country == country && acting(m.part))
        };
        let actors: Vec<CountryCode> = mentions.iter().map(|m| m.country).filter(|c| acts(*c)).collect();
        let others: Vec<CountryCode> = self.features.keys().copied().filter(|c| !acts(*c)).collect();
        for country in others {
            let concerned =
                *self.feature(country, "second_side") > 0.0 || *self.feature(country, "share_of_rows") > 0.0;
            if concerned && actors.iter().any(|a| *a != country) {
                *self.feature(country, "headline_has_other_actor") = 1.0;
            }
        }
    }

    fn note_outlet(&mut self, address: &Address) {
        let headline = address.headline();
        let sections: Vec<&str> = address.segments().filter(|s| *s != headline).collect();
        let section_words: Vec<&str> = sections.iter().flat_map(|s| words(s)).collect();
        for mention in mention::mentions(&section_words) {
            if mention.part != HeadlinePart::Seat {
                *self.feature(mention.country, "section") = 1.0;
            }
        }
        let domain = address.registrable_domain();
        let known = outlet::known_country(address.host()).or_else(|| outlet::known_country(domain));
        let Some(home) = known.or_else(|| outlet::source_country(domain)) else { return };
        let is_world = sections.iter().any(|s| PARAMETERS.places.world_sections.contains(*s));
        let is_local = sections.iter().any(|s| PARAMETERS.places.local_sections.contains(*s)) && !is_world;
        *self.feature(home, "home_of_outlet") = f64::from(known.is_some());
        *self.feature(home, "local_news_of_outlet") = f64::from(is_local);
        *self.feature(home, "world_news_of_outlet") = f64::from(is_world);
    }
}

impl<'a> Candidate<'a> {
    fn from_row(row: &'a NewsRow, headline: &[&str]) -> Option<Self> {
        let place = Place::from_geo(row.geo.as_ref()).ok()?;
        let name = row.geo.as_ref().map_or("", |g| &*g.name);
        let town = name.split(',').next().unwrap_or("").trim().to_ascii_lowercase();
        let first = town.split_whitespace().next().unwrap_or("");
        let is_more = place.precision != GeoPrecision::Country;
        let is_town = is_more && !PARAMETERS.places.homonyms.contains(&town);
        Some(Candidate {
            is_exact: is_town && !mention::is_seat(name, place.country),
            in_headline: is_town
                && first.len() >= PARAMETERS.places.min_name_letters
                && headline.contains(&first),
            row,
            place,
        })
    }
}
