//! The event file: 61 columns, no header, one row per coded report.
//!
//! Every column that is used is validated; the others are passed over. Rows that are only counted cost no heap
//! allocation. A file that is structurally broken is refused whole rather than half read.

use super::fields::{Cells, DayReader, StampReader, decimal, is_code, unsigned};
use super::slot::SlotCounter;
use crate::text;
use gsi_model::{Actor, CountryCode, Day, Decoded, Geo, NewsRow, Refusal, Timestamp};
use hashbrown::HashSet;

pub const COLUMNS: usize = 61;

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
    pub const GEO_LAT: usize = 56;
    pub const GEO_LON: usize = 57;
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
const MAX_FEATURE: usize = 24;
/// Coded days reach back decades in backfilled files, not centuries.
const OLDEST_DAY: Day = Day(-25_567);

/// Rows of one file, decoded. `named` is the stamp in the file's name, when it has one.
pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, Refusal> {
    let mut reader = Reader::new(body, named);
    reader.read(body);
    reader.finish()
}

/// Everything a row says that counts, as plain values.
struct Row {
    id: u64,
    added: Timestamp,
    day: Day,
    root: u8,
    is_root: bool,
    quad_class: u8,
    goldstein: f64,
    mentions: u32,
    sources: u32,
    articles: u32,
    tone: f64,
    country: Option<CountryCode>,
    point: Option<(u8, f64, f64)>,
}

/// Country, and kind with latitude and longitude.
type Place = (Option<CountryCode>, Option<(u8, f64, f64)>);

struct Reader<'a> {
    named: Option<Timestamp>,
    decoded: Decoded,
    /// One per stamp; only a file without a stamp in its name may hold several.
    slots: Vec<SlotCounter<'a>>,
    slot_size: usize,
    days: DayReader,
    stamps: StampReader,
    countries: CountryReader,
    ids: IdLog,
}

impl<'a> Reader<'a> {
    fn new(body: &[u8], named: Option<Timestamp>) -> Self {
        Reader {
            named,
            decoded: Decoded::default(),
            slots: Vec::new(),
            slot_size: body.len(),
            days: DayReader::default(),
            stamps: StampReader::default(),
            countries: CountryReader::default(),
            ids: IdLog::default(),
        }
    }

    fn read(&mut self, body: &'a [u8]) {
        let mut cells = Cells::<COLUMNS>::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', body) {
            let line = &body[start..end];
            start = end + 1;
            self.decoded.seen += 1;
            let number = self.decoded.seen;
            match self.row(line, &mut cells) {
                Ok(Some(row)) => {
                    self.decoded.accepted += 1;
                    self.slot(row.added).count(cells.get(column::URL), row.root, row.country);
                    if row.root >= FIRST_KEPT_ROOT {
                        self.decoded.rows.push(kept_row(&row, &cells));
                    }
                }
                Ok(None) => self.decoded.duplicates += 1,
                Err(reason) => self.decoded.reject(number, reason),
            }
        }
        if start < body.len() {
            // Even if it looks whole, its address may have been cut.
            self.decoded.seen += 1;
            self.decoded.reject(self.decoded.seen, "truncated");
        }
    }

    #[inline]
    fn slot(&mut self, stamp: Timestamp) -> &mut SlotCounter<'a> {
        let known = self.slots.iter().rposition(|slot| slot.stamp == stamp);
        let index = known.unwrap_or_else(|| {
            // A pile of many files is counted slot by slot; only the first guess at its size is worth memory.
            let size = if self.slots.is_empty() { self.slot_size } else { 0 };
            self.slots.push(SlotCounter::new(stamp, size));
            self.slots.len() - 1
        });
        &mut self.slots[index]
    }

    /// `None` is a row whose id the file has had before.
    #[inline]
    fn row(&mut self, line: &'a [u8], cells: &mut Cells<'a, COLUMNS>) -> Result<Option<Row>, &'static str> {
        if !cells.split(line) {
            return Err("columns");
        }
        cells.check_bytes()?;
        let id = match unsigned(cells.get(column::ID)) {
            Some(id) if id > 0 => id,
            _ if is_header(cells.get(column::ID)) => return Err("header"),
            _ => return Err("id"),
        };
        let day_cell = cells.get(column::DAY);
        let day = self.days.read(day_cell).filter(|d| *d >= OLDEST_DAY).ok_or("date")?;
        if cells.get(column::MONTH) != &day_cell[..6] || cells.get(column::YEAR) != &day_cell[..4] {
            return Err("date");
        }
        let added = self.stamps.read(cells.get(column::ADDED)).ok_or("date")?;
        if self.named.is_some_and(|stamp| stamp != added) {
            return Err("stamp");
        }
        if day > added.day().plus(1) {
            return Err("date");
        }
        let root = check_codes(cells)?;
        let is_root = match cells.get(column::IS_ROOT) {
            b"0" => false,
            b"1" => true,
            _ => return Err("code"),
        };
        let count =
            |i: usize| unsigned(cells.get(i)).filter(|n| *n <= MAX_COUNT).map(|n| n as u32).ok_or("number");
        let goldstein = decimal(cells.get(column::GOLDSTEIN), 10.0).ok_or("number")?;
        let tone = decimal(cells.get(column::TONE), 100.0).ok_or("number")?;
        let (mentions, sources, articles) =
            (count(column::MENTIONS)?, count(column::SOURCES)?, count(column::ARTICLES)?);
        let (country, point) = self.place(cells)?;
        if cells.get(column::URL).is_empty() {
            return Err("url");
        }
        if !self.ids.is_new(id) {
            return Ok(None);
        }
        let quad_class = cells.get(column::QUAD_CLASS)[0] - b'0';
        Ok(Some(Row {
            id,
            added,
            day,
            root,
            is_root,
            quad_class,
            goldstein,
            mentions,
            sources,
            articles,
            tone,
            country,
            point,
        }))
    }

    #[inline]
    fn place(&mut self, cells: &Cells<'a, COLUMNS>) -> Result<Place, &'static str> {
        let kind = match cells.get(column::GEO_TYPE) {
            [b @ b'0'..=b'5'] => b - b'0',
            _ => return Err("geo"),
        };
        let country = match cells.get(column::GEO_COUNTRY) {
            b"" => None,
            &[a, b] if a.is_ascii_uppercase() && (b.is_ascii_uppercase() || b.is_ascii_digit()) => {
                self.countries.read([a, b])
            }
            _ => return Err("geo"),
        };
        if !is_code(cells.get(column::GEO_ADM1), 8) {
            return Err("geo");
        }
        let feature = cells.get(column::GEO_FEATURE);
        if !is_code(feature.strip_prefix(b"-").unwrap_or(feature), MAX_FEATURE) {
            return Err("geo");
        }
        let (lat, lon) = (cells.get(column::GEO_LAT), cells.get(column::GEO_LON));
        // A few real rows name a country without a point, or have half a point and no place; the country still counts.
        let blank = lat.is_empty() && lon.is_empty() || kind == 0 && (lat.is_empty() || lon.is_empty());
        let point =
            if blank { None } else { Some(decimal(lat, 90.0).zip(decimal(lon, 180.0)).ok_or("geo")?) };
        let point = point.filter(|_| kind > 0).map(|(lat, lon)| (kind, lat, lon));
        Ok((country, point))
    }

    fn finish(mut self) -> Result<Decoded, Refusal> {
        super::check_structure(&self.decoded)?;
        self.decoded.newest = self.slots.iter().map(|slot| slot.stamp).max();
        self.decoded.slots = self.slots.into_iter().map(SlotCounter::finish).collect();
        self.decoded.slots.sort_by_key(|slot| slot.stamp);
        Ok(self.decoded)
    }
}

/// Somebody's column titles at the top of the file.
#[cold]
pub(super) fn is_header(cell: &[u8]) -> bool {
    cell.to_ascii_lowercase().starts_with(b"globalevent")
}

/// Event code, base code, root code and class have to agree. Returns the root.
#[inline]
fn check_codes<const N: usize>(cells: &Cells<'_, N>) -> Result<u8, &'static str> {
    let code = cells.get(column::CODE);
    let &[tens, ones, ref rest @ ..] = code else { return Err("code") };
    let digits = tens.is_ascii_digit() && ones.is_ascii_digit() && rest.iter().all(u8::is_ascii_digit);
    if !digits || rest.len() > 2 {
        return Err("code");
    }
    let base = cells.get(column::BASE_CODE);
    if cells.get(column::ROOT_CODE) != &code[..2] || base != &code[..code.len().min(3)] {
        return Err("code");
    }
    let root = (tens - b'0') * 10 + (ones - b'0');
    if !(1..=LAST_ROOT).contains(&root) || !matches!(cells.get(column::QUAD_CLASS), [b'1'..=b'4']) {
        return Err("code");
    }
    Ok(root)
}

/// FIPS codes of a file repeat; the table lookup is paid once for each of the 676.
struct CountryReader {
    known: Vec<Option<Option<CountryCode>>>,
}

impl Default for CountryReader {
    fn default() -> Self {
        CountryReader { known: vec![None; 36 * 36] }
    }
}

impl CountryReader {
    #[inline]
    fn read(&mut self, code: [u8; 2]) -> Option<CountryCode> {
        let index = |b: u8| usize::from(if b.is_ascii_digit() { b - b'0' + 26 } else { b - b'A' });
        let slot = &mut self.known[index(code[0]) * 36 + index(code[1])];
        *slot.get_or_insert_with(|| std::str::from_utf8(&code).ok().and_then(CountryCode::from_fips))
    }
}

/// Finds repeated ids. The publisher writes them in ascending order, so the set is built only when that fails.
#[derive(Default)]
struct IdLog {
    ids: Vec<u64>,
    set: Option<HashSet<u64>>,
}

impl IdLog {
    #[inline]
    fn is_new(&mut self, id: u64) -> bool {
        match &mut self.set {
            Some(set) => set.insert(id),
            None if self.ids.last().is_none_or(|last| *last < id) => {
                self.ids.push(id);
                true
            }
            None => {
                let mut set: HashSet<u64> = self.ids.drain(..).collect();
                let new = set.insert(id);
                self.set = Some(set);
                new
            }
        }
    }
}

fn kept_row(row: &Row, cells: &Cells<'_, COLUMNS>) -> NewsRow {
    let text = |i: usize| std::str::from_utf8(cells.get(i)).unwrap_or("");
    let geo = row.point.map(|(kind, lat, lon)| Geo {
        kind,
        name: text::name(text(column::GEO_NAME)),
        country: row.country,
        adm1: text(column::GEO_ADM1).to_owned(),
        lat,
        lon,
        feature: text(column::GEO_FEATURE).to_owned(),
    });
    NewsRow {
        id: row.id,
        added: row.added,
        day: row.day.0,
        actor1: actor(cells, column::ACTOR1),
        actor2: actor(cells, column::ACTOR2),
        is_root: row.is_root,
        code: text(column::CODE).to_owned(),
        quad_class: row.quad_class,
        goldstein: row.goldstein,
        mentions: row.mentions,
        sources: row.sources,
        articles: row.articles,
        tone: row.tone,
        geo,
        url: text::web_address(text(column::URL)),
    }
}

/// Code, name, country, group, then (two further on) three role codes. A malformed code is unknown, not an error:
/// the row's own claim stands without it.
fn actor(cells: &Cells<'_, COLUMNS>, first: usize) -> Actor {
    let code = |i: usize, longest: usize| {
        let cell = cells.get(first + i);
        if is_code(cell, longest) {
            std::str::from_utf8(cell).unwrap_or("").to_owned()
        } else {
            String::new()
        }
    };
    Actor {
        code: code(0, MAX_ACTOR_CODE),
        name: text::name(std::str::from_utf8(cells.get(first + 1)).unwrap_or("")),
        country: code(2, 3),
        group: code(3, 3),
        types: (7..10).map(|i| code(i, 3)).filter(|c| !c.is_empty()).collect(),
    }
}
