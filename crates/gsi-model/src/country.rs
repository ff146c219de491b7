//! Countries and the three code systems that the feeds mix: ISO 3166-1, FIPS 10-4 and alpha-3.
//!
//! The table is data (`method/countries.tsv`: alpha-2, alpha-3, FIPS codes, name in running text, region, currency). An
//! unmapped code is never guessed.

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// ISO 3166-1 alpha-2 of a country in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode([u8; 2]);

#[derive(Debug, PartialEq, Eq)]
pub struct Country {
    pub code: CountryCode,
    pub iso3: &'static str,
    pub name: &'static str,
    /// A region of the United Nations' statisticians, with small ones merged. `None` for countries that are not
    /// scored: islands without or nearly without people, and former states.
    pub region: Option<&'static str>,
    /// ISO 4217 code of the currency that it issues, alone or with others; `None` where it uses another country's.
    pub currency: Option<&'static str>,
}

struct CountryTable {
    by_iso2: HashMap<[u8; 2], Country>,
    by_iso3: HashMap<&'static str, CountryCode>,
    by_fips: HashMap<&'static str, CountryCode>,
}

static TABLE: LazyLock<CountryTable> = LazyLock::new(|| {
    let mut table =
        CountryTable { by_iso2: HashMap::new(), by_iso3: HashMap::new(), by_fips: HashMap::new() };
    for line in crate::method_files::COUNTRIES.lines() {
        let cells: Vec<&'static str> = line.split('\t').collect();
        let &[iso2, iso3, fips, name, region, currency] = cells.as_slice() else { continue };
        let &[a, b] = iso2.as_bytes() else { continue };
        let code = CountryCode([a, b]);
        let non_empty = |cell: &'static str| Some(cell).filter(|cell| !cell.is_empty());
        let country = Country { code, iso3, name, region: non_empty(region), currency: non_empty(currency) };
        table.by_iso2.insert([a, b], country);
        table.by_iso3.insert(iso3, code);
        for one in fips.split(',') {
            table.by_fips.insert(one, code);
        }
    }
    table
});

impl CountryCode {
    /// Parses an upper-case alpha-2 code of a country in the table.
    pub fn from_iso2(text: &str) -> Option<Self> {
        let &[a, b] = text.as_bytes() else { return None };
        TABLE.by_iso2.get(&[a, b]).map(|c| c.code)
    }

    pub fn from_iso3(text: &str) -> Option<Self> {
        TABLE.by_iso3.get(text).copied()
    }

    /// Parses a FIPS 10-4 code, the code system of GDELT's geographic columns.
    pub fn from_fips(text: &str) -> Option<Self> {
        TABLE.by_fips.get(text).copied()
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("??")
    }

    /// Returns its position among [`CountryCode::PAIRS`] pairs of letters in alphabetical order, for tables by country.
    pub fn index(self) -> usize {
        let [first, second] = self.0.map(|letter| usize::from(letter.wrapping_sub(b'A')));
        first * 26 + second
    }

    pub const PAIRS: usize = 26 * 26;

    pub fn country(self) -> &'static Country {
        // Every CountryCode was made from the table.
        &TABLE.by_iso2[&self.0]
    }

    pub fn name(self) -> &'static str {
        self.country().name
    }

    pub fn iso3(self) -> &'static str {
        self.country().iso3
    }

    /// Returns all countries, by alpha-2.
    pub fn all() -> Vec<CountryCode> {
        let mut all: Vec<_> = TABLE.by_iso2.values().map(|c| c.code).collect();
        all.sort();
        all
    }
}

impl fmt::Debug for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CountryCode {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CountryCode {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        let expected = "an ISO 3166-1 alpha-2 code in capitals, such as UA";
        CountryCode::from_iso2(&text)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &expected))
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for CountryCode {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        let codes = CountryCode::all().into_iter().map(|code| code.to_string());
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::String)
            .enum_values(Some(codes))
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for CountryCode {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        assert_eq!(CountryCode::all().len(), crate::method_files::COUNTRIES.lines().count());
        let region_and_currency = |iso2: &str| {
            let country = CountryCode::from_iso2(iso2).unwrap().country();
            (country.region, country.currency)
        };
        assert_eq!(region_and_currency("UA"), (Some("eastern_europe"), Some("UAH")));
        assert_eq!(
            region_and_currency("EC"),
            (Some("south_america"), None),
            "it uses another country's currency"
        );
        assert_eq!(region_and_currency("AQ"), (None, None));
    }

    #[test]
    fn the_traps_of_fips() {
        for (fips, iso2) in [
            ("AS", "AU"),
            ("AU", "AT"),
            ("CH", "CN"),
            ("SZ", "CH"),
            ("GM", "DE"),
            ("IS", "IL"),
            ("UP", "UA"),
            ("RS", "RU"),
            ("RI", "RS"),
            ("RB", "RS"),
            ("CG", "CD"),
            ("CF", "CG"),
            ("GZ", "PS"),
            ("WE", "PS"),
            ("NI", "NG"),
            ("NG", "NE"),
            ("SU", "SD"),
            ("OD", "SS"),
            ("KS", "KR"),
            ("KN", "KP"),
            ("UK", "GB"),
        ] {
            assert_eq!(CountryCode::from_fips(fips).map(|c| c.to_string()).as_deref(), Some(iso2), "{fips}");
        }
        assert_eq!(CountryCode::from_fips("OS"), None);
        let places: Vec<usize> = CountryCode::all().into_iter().map(CountryCode::index).collect();
        assert!(places.is_sorted() && places.iter().all(|place| *place < CountryCode::PAIRS));
        assert_eq!(CountryCode::from_iso3("UKR").unwrap().name(), "Ukraine");
        assert_eq!(CountryCode::from_iso2("ua"), None);
    }
}
