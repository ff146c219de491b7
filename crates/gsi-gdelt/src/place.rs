//! Where a row says that something happened: eight neighbouring cells, of which a file repeats few.

use super::fields::{Decimal, Limit, is_code};
use super::memo::SpanMemo;
use super::rows::CellRow;
use fearless_simd::Simd;
use gsi_model::{CountryCode, Geo, Reject, Text, text};
use std::sync::LazyLock;

const MAX_FEATURE: usize = 24;

pub struct PlaceMemo<'a> {
    known: SpanMemo<'a, CodedPlace<'a>>,
    countries: &'static FipsTable,
    /// Places of kept rows, as they are kept.
    geos: Vec<Geo>,
}

#[derive(Clone, Copy)]
pub struct CodedPlace<'a> {
    pub country: Option<CountryCode>,
    kind: u8,
    /// Latitude and longitude, if it has a point on the map.
    point: Option<[Decimal<'a>; 2]>,
    /// Which of `geos` it is, once a row with it has been kept.
    geo: u32,
}

/// As many places as the kept rows of a real file have, or more.
const USUAL_KEPT: usize = 160;
const NOT_KEPT: u32 = u32::MAX;

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

impl<'a> PlaceMemo<'a> {
    pub fn new() -> Self {
        PlaceMemo { known: SpanMemo::new(), countries: &COUNTRIES, geos: Vec::with_capacity(USUAL_KEPT) }
    }

    /// The place whose columns start with `first`: where it is remembered, and its country.
    #[inline(always)]
    pub fn find<S: Simd, const MARKS: usize>(
        &mut self,
        simd: S,
        row: &CellRow<'_, 'a, MARKS>,
        first: usize,
    ) -> Result<(usize, Option<CountryCode>), Reject> {
        let span = row.cells(first, first + column::FEATURE);
        let at = match self.known.find(span) {
            Ok(at) => at,
            Err(slot) => self.known.learn(slot, span, read(simd, row, first, self.countries)?),
        };
        Ok((at, self.known.get(at).country))
    }

    /// The place found last, as it is kept, if it has a point on the map.
    #[inline(always)]
    pub fn geo<const MARKS: usize>(
        &mut self,
        at: usize,
        row: &CellRow<'_, '_, MARKS>,
        first: usize,
    ) -> Option<Geo> {
        let place = self.known.get(at);
        let [lat, lon] = place.point?;
        if place.geo == NOT_KEPT {
            place.geo = self.geos.len() as u32;
            self.geos.push(Geo {
                kind: place.kind,
                name: text::name(row.text(first + column::NAME)),
                country: place.country,
                adm1: Text::new(row.text(first + column::ADM1)),
                lat: lat.read(),
                lon: lon.read(),
            });
        }
        Some(self.geos[place.geo as usize].clone())
    }
}

#[inline(always)]
fn read<'a, S: Simd, const MARKS: usize>(
    simd: S,
    row: &CellRow<'_, 'a, MARKS>,
    first: usize,
    countries: &FipsTable,
) -> Result<CodedPlace<'a>, Reject> {
    let cell = |i: usize| row.span(first + i, first + i);
    let &[kind @ b'0'..=b'5'] = cell(column::KIND).bytes() else { return Err(Reject::Geo) };
    let kind = kind - b'0';
    let country = match *cell(column::COUNTRY).bytes() {
        [] => None,
        [a, b] if a.is_ascii_uppercase() & (b.is_ascii_uppercase() | b.is_ascii_digit()) => {
            countries.of([a, b])
        }
        _ => return Err(Reject::Geo),
    };
    let feature = cell(column::FEATURE).bytes();
    let feature = feature.strip_prefix(b"-").unwrap_or(feature);
    if !is_code(cell(column::ADM1).bytes(), 8) || !is_code(feature, MAX_FEATURE) {
        return Err(Reject::Geo);
    }
    let (lat, lon) = (cell(column::LAT), cell(column::LON));
    // A few real rows name a country without a point, or have half a point and no place; the country still counts.
    let is_blank = match (lat.len(), lon.len()) {
        (0, 0) => true,
        (0, _) | (_, 0) => kind == 0,
        _ => false,
    };
    if is_blank {
        return Ok(CodedPlace { country, kind, point: None, geo: NOT_KEPT });
    }
    let lat = Decimal::check(simd, lat, Limit::NINETY).ok_or(Reject::Geo)?;
    let lon = Decimal::check(simd, lon, Limit::HALF_CIRCLE).ok_or(Reject::Geo)?;
    Ok(CodedPlace { country, kind, point: (kind > 0).then_some([lat, lon]), geo: NOT_KEPT })
}

/// Countries by their FIPS codes, found without a search.
struct FipsTable(Vec<Option<CountryCode>>);

static COUNTRIES: LazyLock<FipsTable> = LazyLock::new(|| {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut countries = vec![None; 1 << 12];
    for code in letters[..26].iter().flat_map(|a| letters.iter().map(|b| [*a, *b])) {
        countries[FipsTable::index(code)] = std::str::from_utf8(&code).ok().and_then(CountryCode::from_fips);
    }
    FipsTable(countries)
});

impl FipsTable {
    /// Of an upper-case letter and another one or a digit.
    #[inline(always)]
    fn of(&self, code: [u8; 2]) -> Option<CountryCode> {
        self.0[Self::index(code)]
    }

    /// Six bits tell letters and digits apart.
    #[inline(always)]
    fn index(code: [u8; 2]) -> usize {
        usize::from(code[0] & 0x3f) << 6 | usize::from(code[1] & 0x3f)
    }
}
