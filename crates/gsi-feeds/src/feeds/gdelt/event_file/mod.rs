//! Decodes a GDELT 2.0 event file: 61 columns between tabs, no header, one row per coded report.
//!
//! All rows are counted, by the quarter hour they were added in. Rows that may describe conflict are kept. Every column that
//! is used is validated, and the others are skipped. A file with a broken structure is refused whole.

mod cells;
mod slot;
#[cfg(test)]
mod tests;
mod themes;

use cells::{Cells, is_code, parse_day, parse_decimal, parse_whole};
use gsi_model::{
    Actor, CameoCode, CountryCode, Day, Decoded, Geo, NewsRow, PayloadRefusal, RefusalCode, Reject, Text,
    Timestamp, text,
};
use slot::SlotCounter;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

mod column {
    pub const ID: usize = 0;
    pub const DAY: usize = 1;
    pub const MONTH: usize = 2;
    pub const YEAR: usize = 3;
    pub const ACTOR1: usize = 5;
    pub const ACTOR2: usize = 15;
    pub const IS_ROOT: usize = 25;
    pub const CODE: usize = 26;
    pub const BASE_CODE: usize = 27;
    pub const ROOT_CODE: usize = 28;
    pub const QUAD_CLASS: usize = 29;
    pub const GOLDSTEIN: usize = 30;
    pub const MENTIONS: usize = 31;
    pub const SOURCES: usize = 32;
    pub const ARTICLES: usize = 33;
    pub const TONE: usize = 34;
    pub const GEO_TYPE: usize = 51;
    pub const GEO_NAME: usize = 52;
    pub const GEO_COUNTRY: usize = 53;
    pub const GEO_ADM1: usize = 54;
    pub const LATITUDE: usize = 56;
    pub const LONGITUDE: usize = 57;
    pub const GEO_FEATURE: usize = 58;
    pub const ADDED: usize = 59;
    pub const URL: usize = 60;
}

/// Roots kept as rows: threats, protest, posture, reduced relations, coercion, assault, fight, mass violence.
const FIRST_KEPT_ROOT: u8 = 13;
const LAST_ROOT: u8 = 20;
/// The largest count in the real files is 340; a million mentions in 15 minutes is not a count.
const MAX_COUNT: u64 = 1_000_000;
/// Concatenated three-letter codes; the longest seen has 18 letters.
const MAX_ACTOR_CODE: usize = 48;
/// Coded days reach back decades in backfilled files, not centuries.
const OLDEST_DAY: Day = Day(-25_567);

/// Above this share of rejected rows the file was overwritten or garbled, and its valid rows cannot be trusted.
const MAX_BAD_SHARE: f64 = 0.05;
/// Up to this number of bad rows are rejected one by one, whatever their share.
const FEW_BAD_ROWS: u64 = 8;

/// Decodes an unpacked event file. `named` is the time in the file's name, if it has one: every row must then carry it.
pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, PayloadRefusal> {
    let mut decoder = EventFileDecoder { named, ..EventFileDecoder::default() };
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', body) {
        decoder.count(&body[start..end]);
        start = end + 1;
    }
    if start < body.len() {
        // Even if the row looks complete, its address may have been cut.
        decoder.decoded.seen += 1;
        decoder.decoded.reject(Reject::Truncated);
    }
    decoder.finish()
}

/// A file repeats most of its dates, codes, places and actors, so each is parsed once, and kept rows share it.
#[derive(Default)]
struct EventFileDecoder<'a> {
    named: Option<Timestamp>,
    decoded: Decoded,
    ids: HashSet<u64>,
    /// One per stamp. Only a file without a stamp in its name may have several.
    slots: BTreeMap<Timestamp, SlotCounter<'a>>,
    days: HashMap<&'a str, Day>,
    stamps: HashMap<&'a str, Timestamp>,
    codes: HashMap<&'a str, Codes>,
    places: HashMap<&'a str, Place>,
    actors: HashMap<&'a str, Arc<Actor>>,
    addresses: HashMap<&'a str, Text>,
}

struct Codes {
    code: CameoCode,
    root: u8,
    is_root: bool,
    quad_class: u8,
    goldstein: f64,
}

struct Place {
    country: Option<CountryCode>,
    /// Absent if the place has no point on the map.
    geo: Option<Geo>,
}

impl<'a> EventFileDecoder<'a> {
    fn count(&mut self, line: &'a [u8]) {
        self.decoded.seen += 1;
        match self.read_row(line) {
            Ok(true) => self.decoded.accepted += 1,
            Ok(false) => self.decoded.duplicates += 1,
            Err(reason) => self.decoded.reject(reason),
        }
    }

    /// Returns `false` for a row whose id an earlier row has.
    fn read_row(&mut self, line: &'a [u8]) -> Result<bool, Reject> {
        let cells = Cells::split(line)?;
        let id = read_id(cells.get(column::ID))?;
        let dates = cells.span(column::DAY, column::YEAR);
        let day = *parse_once(&mut self.days, dates, || read_day(&cells))?;
        let named = self.named;
        let added = cells.get(column::ADDED);
        let added = *parse_once(&mut self.stamps, added, || read_stamp(added, named))?;
        if day > added.day().plus(1) {
            return Err(Reject::Date);
        }
        let codes = cells.span(column::IS_ROOT, column::GOLDSTEIN);
        let codes = parse_once(&mut self.codes, codes, || read_codes(&cells))?;
        let tone = parse_decimal(cells.get(column::TONE), 100.0).ok_or(Reject::Number)?;
        let mentions = read_count(cells.get(column::MENTIONS))?;
        let sources = read_count(cells.get(column::SOURCES))?;
        let articles = read_count(cells.get(column::ARTICLES))?;
        let place = cells.span(column::GEO_TYPE, column::GEO_FEATURE);
        let place = parse_once(&mut self.places, place, || read_place(&cells))?;
        let address = cells.get(column::URL);
        if address.is_empty() {
            return Err(Reject::Url);
        }
        if !self.ids.insert(id) {
            return Ok(false);
        }
        let slot = self.slots.entry(added).or_default();
        slot.count(address, codes.root, place.country);
        if codes.root >= FIRST_KEPT_ROOT {
            self.decoded.rows.push(NewsRow {
                id,
                added,
                day: day.0,
                actor1: actor(&mut self.actors, &cells, column::ACTOR1),
                actor2: actor(&mut self.actors, &cells, column::ACTOR2),
                is_root: codes.is_root,
                code: codes.code.clone(),
                quad_class: codes.quad_class,
                goldstein: codes.goldstein,
                mentions,
                sources,
                articles,
                tone,
                geo: place.geo.clone(),
                url: self.addresses.entry(address).or_insert_with(|| text::web_address(address)).clone(),
            });
        }
        Ok(true)
    }

    fn finish(mut self) -> Result<Decoded, PayloadRefusal> {
        check_structure(&self.decoded)?;
        self.decoded.newest = self.slots.keys().next_back().copied();
        self.decoded.slots = self.slots.iter().map(|(stamp, slot)| slot.summarize(*stamp)).collect();
        Ok(self.decoded)
    }
}

/// Returns the value of `text`, which is parsed only at its first occurrence. Rejected text is parsed every time.
fn parse_once<'k, 'a, T>(
    known: &'k mut HashMap<&'a str, T>,
    text: &'a str,
    parse: impl FnOnce() -> Result<T, Reject>,
) -> Result<&'k T, Reject> {
    match known.entry(text) {
        Entry::Occupied(value) => Ok(value.into_mut()),
        Entry::Vacant(free) => Ok(free.insert(parse()?)),
    }
}

fn read_id(cell: &str) -> Result<u64, Reject> {
    match parse_whole(cell, u64::MAX) {
        Some(id) if id > 0 => Ok(id),
        _ if cell.to_ascii_lowercase().starts_with("globalevent") => Err(Reject::Header),
        _ => Err(Reject::Id),
    }
}

/// Day, month and year must agree.
fn read_day(cells: &Cells<'_>) -> Result<Day, Reject> {
    let cell = cells.get(column::DAY);
    let day = parse_day(cell).filter(|day| *day >= OLDEST_DAY).ok_or(Reject::Date)?;
    let agrees = cells.get(column::MONTH) == &cell[..6] && cells.get(column::YEAR) == &cell[..4];
    if agrees { Ok(day) } else { Err(Reject::Date) }
}

fn read_stamp(cell: &str, named: Option<Timestamp>) -> Result<Timestamp, Reject> {
    let stamp = Timestamp::parse_compact(cell.as_bytes()).ok_or(Reject::Date)?;
    if named.is_some_and(|named| named != stamp) {
        return Err(Reject::Stamp);
    }
    Ok(stamp)
}

/// Event code, base code, root code and class must agree.
fn read_codes(cells: &Cells<'_>) -> Result<Codes, Reject> {
    let digits = cells.get(column::CODE);
    let code = CameoCode::new(digits).ok_or(Reject::Code)?;
    let (base_code, root_code) = (&digits[..digits.len().min(3)], &digits[..2]);
    if cells.get(column::BASE_CODE) != base_code || cells.get(column::ROOT_CODE) != root_code {
        return Err(Reject::Code);
    }
    let root: u8 = root_code.parse().map_err(|_| Reject::Code)?;
    if !(1..=LAST_ROOT).contains(&root) {
        return Err(Reject::Code);
    }
    let &[class @ b'1'..=b'4'] = cells.get(column::QUAD_CLASS).as_bytes() else { return Err(Reject::Code) };
    let is_root = match cells.get(column::IS_ROOT) {
        "0" => false,
        "1" => true,
        _ => return Err(Reject::Code),
    };
    let goldstein = parse_decimal(cells.get(column::GOLDSTEIN), 10.0).ok_or(Reject::Number)?;
    Ok(Codes { code, root, is_root, quad_class: class - b'0', goldstein })
}

fn read_count(cell: &str) -> Result<u32, Reject> {
    parse_whole(cell, MAX_COUNT).map(|count| count as u32).ok_or(Reject::Number)
}

fn read_place(cells: &Cells<'_>) -> Result<Place, Reject> {
    let &[kind @ b'0'..=b'5'] = cells.get(column::GEO_TYPE).as_bytes() else { return Err(Reject::Geo) };
    let kind = kind - b'0';
    let fips = cells.get(column::GEO_COUNTRY);
    let adm1 = cells.get(column::GEO_ADM1);
    let feature = cells.get(column::GEO_FEATURE);
    let feature = feature.strip_prefix('-').unwrap_or(feature);
    let is_country = matches!(fips.as_bytes(), [] | [b'A'..=b'Z', b'A'..=b'Z' | b'0'..=b'9']);
    if !is_country || !is_code(adm1, 8) || !is_code(feature, 24) {
        return Err(Reject::Geo);
    }
    let country = CountryCode::from_fips(fips);
    let (latitude, longitude) = (cells.get(column::LATITUDE), cells.get(column::LONGITUDE));
    // A few real rows name a country without a point, or have half a point and no place. The country still counts.
    let has_no_point = match (latitude.is_empty(), longitude.is_empty()) {
        (true, true) => true,
        (false, false) => false,
        _ => kind == 0,
    };
    if has_no_point {
        return Ok(Place { country, geo: None });
    }
    let lat = parse_decimal(latitude, 90.0).ok_or(Reject::Geo)?;
    let lon = parse_decimal(longitude, 180.0).ok_or(Reject::Geo)?;
    let name = text::name(cells.get(column::GEO_NAME));
    let geo = Geo { kind, name, country, adm1: Text::new(adm1), lat, lon };
    Ok(Place { country, geo: (kind > 0).then_some(geo) })
}

/// Returns the actor in the ten columns from `first`: code, name, country, group, three columns that are not used, and three
/// roles. A malformed code becomes empty and does not reject the row.
fn actor<'a>(known: &mut HashMap<&'a str, Arc<Actor>>, cells: &Cells<'a>, first: usize) -> Arc<Actor> {
    let code = |offset: usize, longest: usize| {
        let cell = cells.get(first + offset);
        if is_code(cell, longest) { Text::new(cell) } else { Text::default() }
    };
    let read = || {
        Arc::new(Actor {
            code: code(0, MAX_ACTOR_CODE),
            name: text::name(cells.get(first + 1)),
            country: code(2, 3),
            group: code(3, 3),
            roles: (7..10).map(|offset| code(offset, 3)).filter(|role| !role.is_empty()).collect(),
        })
    };
    known.entry(cells.span(first, first + 9)).or_insert_with(read).clone()
}

/// Checks whether the rows as a whole can be trusted: a few bad rows are ordinary, and many mean a broken file.
fn check_structure(decoded: &Decoded) -> Result<(), PayloadRefusal> {
    let (seen, bad) = (decoded.seen, decoded.rejected_total());
    let worst = decoded.rejected.iter().max_by_key(|(_, n)| **n);
    let worst = worst.map_or(String::new(), |(reason, n)| format!("; {n} rejected as {reason}"));
    let count = |reason: Reject| decoded.rejected.get(&reason).copied().unwrap_or(0);
    let (code, detail) = match () {
        () if decoded.accepted == 0 && count(Reject::Columns) * 2 > bad => {
            (RefusalCode::Schema, format!("{seen} rows, none with the columns of this file{worst}"))
        }
        () if decoded.accepted == 0 => (RefusalCode::NoValidRows, format!("{seen} rows, none valid{worst}")),
        () if bad > FEW_BAD_ROWS && bad as f64 > seen as f64 * MAX_BAD_SHARE => {
            (RefusalCode::Garbage, format!("{bad} of {seen} rows are malformed{worst}"))
        }
        () if count(Reject::Truncated) > 0 => (RefusalCode::Truncated, format!("row {seen} has no end")),
        () => return Ok(()),
    };
    Err(PayloadRefusal::new(code, detail))
}
