//! Countries and places, with their shares in the real news.

use super::{Rng, Weighted};
use crate::data;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A country of the gazetteer.
#[derive(Debug)]
pub struct Country {
    pub fips: &'static str,
    pub iso2: &'static str,
    pub cameo: &'static str,
    pub name: &'static str,
    /// The eight geographic columns of a country-level row.
    pub geo: String,
    pub actor_name: String,
    /// Per thousand of all rows, and of the rows of material conflict.
    pub share: f64,
    pub conflict_share: f64,
    /// Indexes into [`places`].
    pub places: Vec<usize>,
    place_weights: Weighted,
}

impl Country {
    pub fn pick_place(&self, rng: &mut Rng) -> &'static Place {
        &PLACES[self.places[self.place_weights.draw(rng)]]
    }
}

/// A city of the gazetteer.
#[derive(Debug)]
pub struct Place {
    pub fips: &'static str,
    pub city: &'static str,
    pub latitude: f64,
    pub longitude: f64,
    /// The eight geographic columns of a city-level row, and of a row that names only its first-level division.
    pub geo: String,
    pub geo_adm1: String,
    /// The city in an address.
    pub slug: String,
    weight: f64,
}

static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    data::lines(include_str!("../../data/gazetteer.tsv"))
        .filter_map(|c| {
            let &[fips, weight, name, adm1, adm2, lat, lon, feature] = c.as_slice() else { return None };
            let (city, rest) = name.split_once(", ")?;
            let (kind, kind_adm1) = if fips == "US" { (3, 2) } else { (4, 5) };
            let feature_adm1 = adm1.strip_prefix("US").unwrap_or(adm1);
            Some(Place {
                fips,
                city,
                latitude: lat.parse().ok()?,
                longitude: lon.parse().ok()?,
                geo: format!("{kind}\t{name}\t{fips}\t{adm1}\t{adm2}\t{lat}\t{lon}\t{feature}"),
                geo_adm1: format!("{kind_adm1}\t{rest}\t{fips}\t{adm1}\t\t{lat}\t{lon}\t{feature_adm1}"),
                slug: slug(city),
                weight: weight.parse().ok()?,
            })
        })
        .collect()
});

static COUNTRIES: LazyLock<Vec<Country>> = LazyLock::new(|| {
    data::lines(include_str!("../../data/countries.tsv"))
        .filter_map(|c| {
            let &[fips, iso2, cameo, name, geo_name, lat, lon, share, conflict] = c.as_slice() else {
                return None;
            };
            let places: Vec<usize> = (0..PLACES.len()).filter(|i| PLACES[*i].fips == fips).collect();
            Some(Country {
                fips,
                iso2,
                cameo,
                name,
                geo: format!("1\t{geo_name}\t{fips}\t{fips}\t\t{lat}\t{lon}\t{fips}"),
                actor_name: name.to_uppercase(),
                share: share.parse().ok()?,
                conflict_share: conflict.parse().ok()?,
                place_weights: Weighted::new(places.iter().map(|i| PLACES[*i].weight)),
                places,
            })
        })
        .collect()
});

static BY_FIPS: LazyLock<HashMap<&'static str, usize>> =
    LazyLock::new(|| COUNTRIES.iter().enumerate().map(|(i, c)| (c.fips, i)).collect());

static BY_KEY: LazyLock<HashMap<String, usize>> =
    LazyLock::new(|| PLACES.iter().enumerate().map(|(i, p)| (format!("{}:{}", p.fips, p.city), i)).collect());

pub fn places() -> &'static [Place] {
    &PLACES
}

pub fn countries() -> &'static [Country] {
    &COUNTRIES
}

pub fn country(fips: &str) -> Option<&'static Country> {
    BY_FIPS.get(fips).map(|i| &COUNTRIES[*i])
}

/// Finds a place by `FIPS:City`.
pub fn place(key: &str) -> Option<&'static Place> {
    BY_KEY.get(key).map(|i| &PLACES[*i])
}

/// Returns a text as lower-case words with hyphens.
pub fn slug(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_files_is_read() {
        assert_eq!(places().len(), include_str!("../../data/gazetteer.tsv").lines().count());
        assert_eq!(countries().len(), include_str!("../../data/countries.tsv").lines().count());
        assert!(places().len() >= 150);
        for c in countries() {
            assert!(!c.places.is_empty(), "{} has no place", c.name);
            assert!(gsi_model::CountryCode::from_fips(c.fips).is_some(), "{}", c.fips);
            assert_eq!(c.geo.split('\t').count(), 8, "{}", c.name);
        }
        for p in places() {
            assert_eq!((p.geo.split('\t').count(), p.geo_adm1.split('\t').count()), (8, 8), "{}", p.city);
            assert!(country(p.fips).is_some(), "{}", p.fips);
            assert!(p.latitude.abs() <= 90.0 && p.longitude.abs() <= 180.0);
        }
    }

    #[test]
    fn slugs() {
        assert_eq!(slug("Port-Au-Prince"), "port-au-prince");
        assert_eq!(slug("N'Djamena (capital)"), "n-djamena-capital");
    }
}
