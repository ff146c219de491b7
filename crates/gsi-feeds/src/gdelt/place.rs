//! Where a row says that something happened: eight neighbouring cells, of which a file repeats few.

use super::fields::{decimal, is_code, is_signed_code};
use super::memo::Spans;
use super::rows::Row;
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

/// The columns of a place, counted from its first.
mod column {
    pub const KIND: usize = 0;
    pub const NAME: usize = 1;
    pub const COUNTRY: usize = 2;
    pub const ADM1: usize = 3;
    pub const LAT: usize = 5;
    pub const LON: usize = 6;
    pub const FEATURE: usize = 7;
}

impl<'a> Places<'a> {
    pub fn new() -> Self {
        Places { known: Spans::new(), countries: Countries::default() }
    }

    /// The place whose columns start with `first`.
    #[inline(always)]
    pub fn find<const MARKS: usize>(
        &mut self,
        row: &Row<'_, 'a, MARKS>,
        first: usize,
    ) -> Result<&mut Place, &'static str> {
        let span = row.cells(first, first + column::FEATURE);
        self.known.get(span, |_| read(row, first, &mut self.countries))
    }
}

impl Place {
    /// As it is kept, if there is a point on the map.
    pub fn geo<const MARKS: usize>(&mut self, row: &Row<'_, '_, MARKS>, first: usize) -> Option<Geo> {
        let Point { kind, lat, lon } = *self.point.as_ref()?;
        let geo = self.geo.get_or_insert_with(|| Geo {
            kind,
            name: text::name(row.text(first + column::NAME)),
            country: self.country,
            adm1: Text::new(row.text(first + column::ADM1)),
            lat,
            lon,
            feature: Text::new(row.text(first + column::FEATURE)),
        });
        Some(geo.clone())
    }
}

fn read<const MARKS: usize>(
    row: &Row<'_, '_, MARKS>,
    first: usize,
    countries: &mut Countries,
) -> Result<Place, &'static str> {
    let cell = |i: usize| row.span(first + i, first + i);
    let &[kind @ b'0'..=b'5'] = cell(column::KIND).bytes else { return Err("geo") };
    let kind = kind - b'0';
    let country = match *cell(column::COUNTRY).bytes {
        [] => None,
        [a, b] if a.is_ascii_uppercase() && (b.is_ascii_uppercase() || b.is_ascii_digit()) => {
            countries.read([a, b])
        }
        _ => return Err("geo"),
    };
    if !is_code(cell(column::ADM1), 8) || !is_signed_code(cell(column::FEATURE), MAX_FEATURE) {
        return Err("geo");
    }
    let (lat, lon) = (cell(column::LAT), cell(column::LON));
    // A few real rows name a country without a point, or have half a point and no place; the country still counts.
    let is_blank = match (lat.len(), lon.len()) {
        (0, 0) => true,
        (0, _) | (_, 0) => kind == 0,
        _ => false,
    };
    let point = if is_blank { None } else { Some(decimal(lat, 90.0).zip(decimal(lon, 180.0)).ok_or("geo")?) };
    let point = point.filter(|_| kind > 0).map(|(lat, lon)| Point { kind, lat, lon });
    Ok(Place { country, point, geo: None })
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
