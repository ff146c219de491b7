//! Where a row says that something happened: eight neighbouring cells, of which a file repeats few.

use super::fields::{decimal, is_code};
use super::memo::Spans;
use crate::text;
use gsi_model::{CountryCode, Geo, Text};

const MAX_FEATURE: usize = 24;

pub struct Places<'a> {
    known: Spans<'a, Place>,
    countries: Countries,
}

pub struct Place {
    pub country: Option<CountryCode>,
    point: Option<Point>,
    /// Written when the first row with this place is kept.
    geo: Option<Geo>,
}

struct Point {
    kind: u8,
    lat: f64,
    lon: f64,
}

/// Kind, name, country, first-order region, second-order region, latitude, longitude, number.
type Cells<T> = [T; 8];

impl<'a> Places<'a> {
    pub fn new() -> Self {
        Places { known: Spans::new(), countries: Countries::default() }
    }

    /// `span` is all eight cells, `cells` says where each of them is.
    #[inline(always)]
    pub fn find(
        &mut self,
        span: &'a [u8],
        cells: impl FnOnce() -> Cells<&'a [u8]>,
    ) -> Result<&mut Place, &'static str> {
        self.known.get(span, |_| {
            let (country, point) = read(&cells(), &mut self.countries)?;
            Ok(Place { country, point, geo: None })
        })
    }
}

impl Place {
    /// As it is kept, if there is a point on the map.
    pub fn geo<'a>(&mut self, cells: impl FnOnce() -> Cells<&'a str>) -> Option<Geo> {
        let Point { kind, lat, lon } = *self.point.as_ref()?;
        let geo = self.geo.get_or_insert_with(|| {
            let [_, name, _, adm1, _, _, _, feature] = cells();
            let (adm1, feature) = (Text::new(adm1), Text::new(feature));
            Geo { kind, name: text::name(name), country: self.country, adm1, lat, lon, feature }
        });
        Some(geo.clone())
    }
}

fn read(
    cells: &Cells<&[u8]>,
    countries: &mut Countries,
) -> Result<(Option<CountryCode>, Option<Point>), &'static str> {
    let &[kind, _, country, adm1, _, lat, lon, feature] = cells;
    let &[kind @ b'0'..=b'5'] = kind else { return Err("geo") };
    let kind = kind - b'0';
    let country = match country {
        b"" => None,
        &[a, b] if a.is_ascii_uppercase() && (b.is_ascii_uppercase() || b.is_ascii_digit()) => {
            countries.read([a, b])
        }
        _ => return Err("geo"),
    };
    let number = feature.strip_prefix(b"-").unwrap_or(feature);
    if !is_code(adm1, 8) || !is_code(number, MAX_FEATURE) {
        return Err("geo");
    }
    // A few real rows name a country without a point, or have half a point and no place; the country still counts.
    let blank = lat.is_empty() && lon.is_empty() || kind == 0 && (lat.is_empty() || lon.is_empty());
    let point = if blank { None } else { Some(decimal(lat, 90.0).zip(decimal(lon, 180.0)).ok_or("geo")?) };
    Ok((country, point.filter(|_| kind > 0).map(|(lat, lon)| Point { kind, lat, lon })))
}

/// FIPS codes of a file repeat; the table lookup is paid once for each of them.
struct Countries {
    known: Vec<Option<Option<CountryCode>>>,
}

impl Default for Countries {
    fn default() -> Self {
        Countries { known: vec![None; 26 * 36] }
    }
}

impl Countries {
    /// Of an upper-case letter and another one or a digit.
    #[inline(always)]
    fn read(&mut self, code: [u8; 2]) -> Option<CountryCode> {
        let index = |b: u8| usize::from(if b.is_ascii_digit() { b - b'0' + 26 } else { b - b'A' });
        let slot = &mut self.known[index(code[0]) * 36 + index(code[1])];
        *slot.get_or_insert_with(|| std::str::from_utf8(&code).ok().and_then(CountryCode::from_fips))
    }
}
