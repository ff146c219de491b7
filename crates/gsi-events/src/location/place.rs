//! An event's place: a cleaned name, valid coordinates, and the country they are in.
//!
//! The coder resolves names through a gazetteer whose country column is partly out of date (Gaza is filed under Israel),
//! so city coordinates are looked up on a map: © OpenStreetMap contributors, ODbL, through `country-boundaries`.

use crate::parameters::{PARAMETERS, has_pair};
use country_boundaries::{BOUNDARIES_ODBL_60X30, CountryBoundaries, LatLon};
use gsi_model::{CountryCode, Geo, GeoPrecision};
use std::sync::LazyLock;

/// Longest place name kept; the longest valid one in a year of files has 89 characters.
pub const MAX_PLACE: usize = 120;
const EARTH_RADIUS_KM: f64 = 6371.0088;

static BORDERS: LazyLock<Option<CountryBoundaries>> =
    LazyLock::new(|| CountryBoundaries::from_reader(BOUNDARIES_ODBL_60X30).ok());

#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub lat: f64,
    pub lon: f64,
    pub precision: GeoPrecision,
    pub name: String,
    pub country: CountryCode,
    /// Empty when the coder gave none or only the country's catch-all region.
    pub adm1: String,
}

/// Why a row has no usable place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceError {
    Missing,
    BadCoordinates,
}

impl Place {
    pub fn from_geo(geo: Option<&Geo>) -> Result<Self, PlaceError> {
        let geo = geo.ok_or(PlaceError::Missing)?;
        let coded = geo.country.ok_or(PlaceError::Missing)?;
        if !((-90.0..=90.0).contains(&geo.lat) && (-180.0..=180.0).contains(&geo.lon)) {
            return Err(PlaceError::BadCoordinates);
        }
        let mut precision = match geo.kind {
            3 | 4 => GeoPrecision::City,
            2 | 5 => GeoPrecision::Region,
            1 => GeoPrecision::Country,
            _ => return Err(PlaceError::Missing),
        };
        let mut country = coded;
        if precision == GeoPrecision::City {
            match locate(geo.lat, geo.lon, coded) {
                Located::AsCoded => {}
                Located::Recoded(actual) => country = actual,
                Located::Elsewhere => precision = GeoPrecision::Country,
            }
        }
        let adm1 = specific_adm1(&geo.adm1).to_owned();
        Ok(Place { lat: geo.lat, lon: geo.lon, precision, name: String::new(), country, adm1 })
    }

    /// Adds the name, which is needed only for the few rows that become reports.
    pub fn named(mut self, geo: Option<&Geo>) -> Self {
        self.name = clean_name(geo.map_or("", |g| &g.name), self.country);
        // The gazetteer's own names for countries are not always the proper ones.
        if self.name.is_empty() || self.precision == GeoPrecision::Country {
            self.name = self.country.name().to_owned();
        }
        self
    }

    /// Only the country.
    pub fn middle_of(country: CountryCode) -> Option<Self> {
        let (lat, lon) = crate::location::mention::center(country)?;
        let (name, adm1) = (country.name().to_owned(), String::new());
        Some(Place { lat, lon, precision: GeoPrecision::Country, name, country, adm1 })
    }

    /// Rank of a place's precision; a better one replaces a worse one.
    pub fn rank(&self) -> u8 {
        match self.precision {
            GeoPrecision::City => 3,
            GeoPrecision::Region => 2,
            GeoPrecision::Country => 1,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Located {
    AsCoded,
    Recoded(CountryCode),
    /// On land of another country.
    Elsewhere,
}

fn locate(lat: f64, lon: f64, coded: CountryCode) -> Located {
    let (Some(borders), Ok(position)) = (BORDERS.as_ref(), LatLon::new(lat, lon)) else {
        return Located::AsCoded;
    };
    let ids = borders.ids(position);
    // Open sea, or a gap between simplified borders: no contradiction.
    if ids.is_empty() || ids.contains(&coded.as_str()) {
        return Located::AsCoded;
    }
    for id in &ids {
        if has_pair(&PARAMETERS.places.recoded, coded.as_str(), id) {
            return CountryCode::from_iso2(id).map_or(Located::AsCoded, Located::Recoded);
        }
        if has_pair(&PARAMETERS.places.disputed, coded.as_str(), id) {
            return Located::AsCoded;
        }
    }
    // Only a country in the table can contradict; the map also names regions and its own areas.
    if ids.iter().any(|id| CountryCode::from_iso2(id).is_some()) {
        Located::Elsewhere
    } else {
        Located::AsCoded
    }
}

/// First-order regions ending in `00` mean "somewhere in the country", and a bare country code means nothing more.
fn specific_adm1(code: &str) -> &str {
    let is_plain = code.len() > 2 && code.len() <= 8 && code.bytes().all(|b| b.is_ascii_alphanumeric());
    if is_plain && code.get(2..) != Some("00") { code } else { "" }
}

/// Great-circle distance.
pub fn haversine_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (lat_a, lat_b) = (a.0.to_radians(), b.0.to_radians());
    let s_lat = libm::sin((lat_b - lat_a) / 2.0);
    let s_lon = libm::sin((b.1 - a.1).to_radians() / 2.0);
    let h = s_lat * s_lat + libm::cos(lat_a) * libm::cos(lat_b) * s_lon * s_lon;
    2.0 * EARTH_RADIUS_KM * libm::asin(h.sqrt().min(1.0))
}

/// "Gaza, Israel (general), Israel" becomes "Gaza, Palestinian Territories": removes catch-all regions, codes,
/// repetitions and every character that does not belong into a name. The country gets its proper name, whatever the
/// gazetteer calls it.
fn clean_name(raw: &str, country: CountryCode) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in raw.split(',') {
        let plain = clean_text(part, MAX_PLACE);
        let plain = plain.strip_suffix("(general)").map_or(plain.as_str(), str::trim_end);
        let is_code = plain.starts_with('(');
        if !plain.is_empty() && !is_code && !parts.iter().any(|p| p == plain) {
            parts.push(plain.to_owned());
        }
    }
    if parts.len() > 1 {
        parts.pop();
        parts.push(country.name().to_owned());
    }
    let mut name = parts.join(", ");
    if let Some((cut, _)) = name.char_indices().nth(MAX_PLACE) {
        name.truncate(cut);
    }
    name.trim_end_matches([',', ' ']).to_owned()
}

/// Letters, digits and the punctuation of names, single spaces, at most `limit` characters.
pub fn clean_text(raw: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for c in raw.chars() {
        let c =
            if c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '.' | '(' | ')') { c } else { ' ' };
        if c == ' ' && (out.is_empty() || out.ends_with(' ')) {
            continue;
        }
        if length >= limit {
            break;
        }
        length += 1;
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geo(kind: u8, name: &str, country: &str, adm1: &str, lat: f64, lon: f64) -> Geo {
        let country = CountryCode::from_iso2(country);
        Geo { kind, name: name.into(), country, adm1: adm1.into(), lat, lon }
    }

    #[test]
    fn names_read_well() {
        for (raw, country, want) in [
            ("Kyiv, Kyyiv, Misto, Ukraine", "UA", "Kyiv, Kyyiv, Misto, Ukraine"),
            ("Tel Aviv, Tel Aviv, Israel", "IL", "Tel Aviv, Israel"),
            ("Phnom Penh, (CB11), Cambodia", "KH", "Phnom Penh, Cambodia"),
            ("Wellington, New Zealand (general), New Zealand", "NZ", "Wellington, New Zealand"),
            ("Brazzaville, Republic Of The Congo", "CG", "Brazzaville, Republic of the Congo"),
            ("Goma, Nord-Kivu, Congo", "CD", "Goma, Nord-Kivu, Democratic Republic of the Congo"),
            ("Gaza, Israel (general), Israel", "PS", "Gaza, Palestinian Territories"),
            ("<script>alert(1)</script>, \u{202e}X\0, Y", "UA", "script alert(1) script, X, Ukraine"),
            (" ,, ", "UA", ""),
        ] {
            assert_eq!(clean_name(raw, CountryCode::from_iso2(country).unwrap()), want);
        }
        let long = clean_name(&"Å".repeat(900), CountryCode::from_iso2("SE").unwrap());
        assert!(long.chars().count() <= MAX_PLACE);
    }

    #[test]
    fn places_and_their_country() {
        let check = |geo: Geo, want: (GeoPrecision, &str, &str, &str)| {
            let place = Place::from_geo(Some(&geo)).unwrap().named(Some(&geo));
            let got = (place.precision, place.country.as_str(), place.adm1.as_str(), place.name.as_str());
            assert_eq!(got, want);
        };
        use GeoPrecision::{City, Country, Region};
        check(
            geo(4, "Kharkiv, Ukraine (general), Ukraine", "UA", "UP00", 49.98, 36.25),
            (City, "UA", "", "Kharkiv, Ukraine"),
        );
        check(
            geo(4, "Gaza, Israel (general), Israel", "IL", "IS00", 31.4167, 34.3333),
            (City, "PS", "", "Gaza, Palestinian Territories"),
        );
        check(geo(4, "Paris, Texas", "FR", "FR11", 33.66, -95.55), (Country, "FR", "FR11", "France"));
        check(
            geo(4, "Sevastopol, Krym, Ukraine", "UA", "UP11", 44.6, 33.53),
            (City, "UA", "UP11", "Sevastopol, Krym, Ukraine"),
        );
        check(
            geo(2, "Texas, United States", "US", "USTX", 31.1, -97.6),
            (Region, "US", "USTX", "Texas, United States"),
        );
        check(geo(1, "Bulgaria", "BG", "BU", 43.0, 25.0), (Country, "BG", "", "Bulgaria"));
        check(geo(1, "", "BG", "", 43.0, 25.0), (Country, "BG", "", "Bulgaria"));
    }

    #[test]
    fn rows_without_a_place() {
        use PlaceError::{BadCoordinates, Missing};
        assert_eq!(Place::from_geo(None), Err(Missing));
        assert_eq!(Place::from_geo(Some(&geo(0, "", "BG", "", 1.0, 1.0))), Err(Missing));
        assert_eq!(Place::from_geo(Some(&geo(4, "Sea", "??", "", 1.0, 1.0))), Err(Missing));
        for (lat, lon) in [(91.0, 0.0), (0.0, 181.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            assert_eq!(Place::from_geo(Some(&geo(4, "X", "BG", "", lat, lon))), Err(BadCoordinates));
        }
    }

    #[test]
    fn distances() {
        for (a, b, want) in [
            ((0.0, 0.0), (0.0, 0.0), 0.0),
            ((50.45, 30.52), (49.99, 36.23), 409.4),
            ((0.0, 179.9), (0.0, -179.9), 22.2),
            ((90.0, 0.0), (-90.0, 0.0), 20_015.1),
        ] {
            assert!((haversine_km(a, b) - want).abs() < 1.0, "{a:?} {b:?} {}", haversine_km(a, b));
        }
    }
}
