//! The figures that make the simulated news look like the real one, as measured on 21 export files of 2018–2025
//! (29,232 rows, 6,225 articles): countries, places, event codes, actors.
//!
//! The tables are data files beside this module; the shapes that are not tables are the constants below.

use crate::chance::Weighted;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Rows per article are log-normal: median 3, mean 4.7, the 99th percentile 30, 0.1 % above 80.
pub const ROWS_PER_ARTICLE_MU: f64 = 1.0;
pub const ROWS_PER_ARTICLE_SIGMA: f64 = 1.06;
/// The largest article ever seen had 235 rows.
pub const ROWS_PER_ARTICLE_MAX: f64 = 235.0;
/// Mean of the two above after rounding and clamping.
pub const ROWS_PER_ARTICLE_MEAN: f64 = 4.7;

/// Share of rows whose event day lies 365, 7, 30 or 1 days before the file's day (265, 216, 182, 151 of 29,232).
pub const EARLIER_DAY: [(i32, f64); 4] = [(365, 0.0091), (7, 0.0074), (30, 0.0062), (1, 0.0052)];

pub const NO_PLACE: f64 = 0.0231;
pub const ROOT_EVENT: f64 = 0.5685;
pub const NO_ACTOR1: f64 = 0.0951;
pub const NO_ACTOR2: f64 = 0.2794;
/// Given an actor: only a role (POLICE), only a country, or both.
pub const ACTOR1_KINDS: [f64; 3] = [0.333, 0.474, 0.098];
pub const ACTOR2_KINDS: [f64; 3] = [0.268, 0.378, 0.075];
/// Actor places equal the action's place (of the rows that have one).
pub const SAME_ACTOR_PLACE: f64 = 0.79;

/// `NumMentions` and `NumArticles`: the even numbers come from the publisher's own doubling.
pub const MENTIONS: [(u32, f64); 16] = [
    (2, 0.2718),
    (1, 0.149),
    (10, 0.1383),
    (4, 0.1299),
    (6, 0.0928),
    (3, 0.0673),
    (5, 0.0668),
    (8, 0.0515),
    (7, 0.0117),
    (20, 0.0045),
    (12, 0.0044),
    (9, 0.0028),
    (16, 0.0021),
    (15, 0.0013),
    (40, 0.0008),
    (90, 0.0002),
];

/// `NumSources` is 1 in 98 % of rows.
pub const ONE_SOURCE: f64 = 0.98;

/// Spread of `AvgTone` within a topic, and the mean of articles about fighting.
pub const TONE_SPREAD: f64 = 3.3;
pub const TONE_OF_FIGHTING: f64 = -6.6;

/// Rows per slot, Monday to Sunday, against the mean (weekend files hold about two thirds of a weekday's).
pub const BY_WEEKDAY: [f64; 7] = [1.06, 1.12, 1.12, 1.12, 1.06, 0.79, 0.73];
/// Rows per slot by UTC hour: low before dawn in Europe, high in the American morning.
pub const BY_HOUR: [f64; 24] = [
    0.94, 0.90, 0.88, 0.86, 0.86, 0.88, 0.92, 0.96, 1.00, 1.03, 1.05, 1.06, 1.08, 1.11, 1.14, 1.15, 1.14,
    1.12, 1.08, 1.05, 1.03, 1.01, 0.98, 0.97,
];
/// Slot-to-slot scatter of the volume (standard deviation of the logarithm); files ranged from 775 to 2,111 rows.
pub const VOLUME_SCATTER: f64 = 0.18;

/// Geography by resolution: (country only, state, city) in the US and (country, first-level, city) elsewhere.
pub const US_RESOLUTION: [f64; 3] = [0.06, 0.40, 0.54];
pub const WORLD_RESOLUTION: [f64; 3] = [0.30, 0.04, 0.66];

#[derive(Debug)]
pub struct GazetteerCountry {
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

impl GazetteerCountry {
    pub fn pick_place(&self, chance: &mut crate::chance::Chance) -> &'static GazetteerPlace {
        &PLACES[self.places[self.place_weights.draw(chance)]]
    }
}

#[derive(Debug)]
pub struct GazetteerPlace {
    pub fips: &'static str,
    pub city: &'static str,
    pub latitude: f64,
    pub longitude: f64,
    /// The eight geographic columns of a city-level row, and of a row that names only its first-level division.
    pub geo: String,
    pub geo_adm1: String,
    /// For URL slugs.
    pub slug: String,
    weight: f64,
}

static PLACES: LazyLock<Vec<GazetteerPlace>> = LazyLock::new(|| {
    include_str!("tables/gazetteer.tsv")
        .lines()
        .filter_map(|line| {
            let c: Vec<&'static str> = line.split('\t').collect();
            let &[fips, weight, name, adm1, adm2, lat, lon, feature] = c.as_slice() else { return None };
            let (city, rest) = name.split_once(", ")?;
            let (kind, kind_adm1) = if fips == "US" { (3, 2) } else { (4, 5) };
            let feature_adm1 = adm1.strip_prefix("US").unwrap_or(adm1);
            Some(GazetteerPlace {
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

static COUNTRIES: LazyLock<Vec<GazetteerCountry>> = LazyLock::new(|| {
    include_str!("tables/countries.tsv")
        .lines()
        .filter_map(|line| {
            let c: Vec<&'static str> = line.split('\t').collect();
            let &[fips, iso2, cameo, name, geo_name, lat, lon, share, conflict] = c.as_slice() else {
                return None;
            };
            let places: Vec<usize> = (0..PLACES.len()).filter(|i| PLACES[*i].fips == fips).collect();
            Some(GazetteerCountry {
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

pub fn places() -> &'static [GazetteerPlace] {
    &PLACES
}

pub fn countries() -> &'static [GazetteerCountry] {
    &COUNTRIES
}

pub fn country(fips: &str) -> Option<&'static GazetteerCountry> {
    BY_FIPS.get(fips).map(|i| &COUNTRIES[*i])
}

/// `FIPS:City`.
pub fn place(key: &str) -> Option<&'static GazetteerPlace> {
    BY_KEY.get(key).map(|i| &PLACES[*i])
}

/// A CAMEO event code with its class, its scale value as printed, and its share in ten-thousandths of rows.
#[derive(Debug)]
pub struct Code {
    pub code: &'static str,
    pub quad: u8,
    pub goldstein: &'static str,
    pub share: f64,
}

impl Code {
    pub fn root(&self) -> &'static str {
        &self.code[..2]
    }

    pub fn base(&self) -> &'static str {
        &self.code[..3]
    }
}

static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| {
    include_str!("tables/codes.tsv")
        .lines()
        .filter_map(|line| {
            let c: Vec<&'static str> = line.split('\t').collect();
            let &[code, quad, goldstein, share] = c.as_slice() else { return None };
            Some(Code { code, quad: quad.parse().ok()?, goldstein, share: share.parse().ok()? })
        })
        .collect()
});

pub fn codes() -> &'static [Code] {
    &CODES
}

pub fn code_index(code: &str) -> Option<usize> {
    CODES.iter().position(|c| c.code == code)
}

/// Role-only actors with their weight: (code, name, weight), the 40 most frequent.
pub const ROLES: [(&str, &str, f64); 40] = [
    ("COP", "POLICE", 546.0),
    ("GOV", "PRESIDENT", 488.0),
    ("GOV", "GOVERNMENT", 313.0),
    ("EDU", "SCHOOL", 218.0),
    ("BUS", "COMPANY", 192.0),
    ("CVL", "COMMUNITY", 190.0),
    ("EDU", "STUDENT", 181.0),
    ("BUS", "BUSINESS", 158.0),
    ("MED", "MEDIA", 153.0),
    ("HLH", "HOSPITAL", 144.0),
    ("MIL", "MILITARY", 115.0),
    ("GOV", "AUTHORITIES", 112.0),
    ("JUD", "JUDGE", 112.0),
    ("EDU", "UNIVERSITY", 111.0),
    ("GOV", "GOVERNOR", 107.0),
    ("COP", "PRISON", 102.0),
    ("JUD", "ATTORNEY", 102.0),
    ("GOV", "MINIST", 98.0),
    ("GOV", "ADMINISTRATION", 93.0),
    ("LEG", "LAWMAKER", 93.0),
    ("GOV", "PRIME MINISTER", 88.0),
    ("CRM", "CRIMINAL", 85.0),
    ("LAB", "WORKER", 82.0),
    ("JUD", "LAWYER", 80.0),
    ("LEG", "CONGRESS", 78.0),
    ("BUS", "INDUSTRY", 77.0),
    ("BUS", "BANK", 76.0),
    ("CVL", "RESIDENTS", 73.0),
    ("JUD", "PROSECUTOR", 69.0),
    ("LAB", "EMPLOYEE", 69.0),
    ("GOV", "MAYOR", 60.0),
    ("ELI", "ACTOR", 60.0),
    ("OPP", "ACTIVIST", 60.0),
    ("OPP", "PROTESTER", 56.0),
    ("MIL", "ARMY", 55.0),
    ("SPY", "INTELLIGENCE", 50.0),
    ("AGR", "FARMER", 49.0),
    ("REB", "REBEL", 45.0),
    ("UAF", "MILITIA", 40.0),
    ("MNC", "MULTINATIONAL", 30.0),
];

/// Lower-case words joined by hyphens.
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
    fn the_data_files_are_read_whole() {
        assert_eq!(places().len(), include_str!("tables/gazetteer.tsv").lines().count());
        assert_eq!(countries().len(), include_str!("tables/countries.tsv").lines().count());
        assert_eq!(codes().len(), include_str!("tables/codes.tsv").lines().count());
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
