//! The event file: 61 columns, no header, one row per coded report.
//!
//! Every column that is used is validated; the others are passed over. Rows that are only counted cost no heap
//! allocation. A file that is structurally broken is refused whole rather than half read.

use super::fields::{day, decimal, is_code, stamp, unsigned};
use super::memo::{Memo, Spans};
use super::place::Places;
use super::rows::{Row, Rows};
use super::slot::{Address, SlotCounter};
use crate::text;
use fearless_simd::{Level, dispatch};
use gsi_model::{Actor, ActorTexts, CameoCode, Day, Decoded, NewsRow, Refusal, Timestamp};
use hashbrown::HashSet;
use std::convert::Infallible;

pub const COLUMNS: usize = 61;
/// A cell lies between each two of these.
const MARKS: usize = COLUMNS + 1;

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
/// Somewhat less than in the real files, so that what is reserved suffices.
const BYTES_PER_ROW: usize = 360;
/// One row in six is kept.
const BYTES_PER_KEPT_ROW: usize = 6 * 400;
/// Coded days reach back decades in backfilled files, not centuries.
const OLDEST_DAY: Day = Day(-25_567);

/// Rows of one file, decoded. `named` is the stamp in the file's name, when it has one.
pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, Refusal> {
    let mut reader = Reader::new(body, named);
    // All of it is compiled for the processor at hand, with its wide comparisons.
    dispatch!(Level::new(), _ => reader.read(body));
    reader.finish()
}

#[derive(Clone, Copy, Default)]
struct Codes {
    code: CameoCode,
    root: u8,
    is_root: bool,
    quad_class: u8,
    goldstein: f64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    mentions: u32,
    sources: u32,
    articles: u32,
}

struct Reader<'a> {
    named: Option<Timestamp>,
    decoded: Decoded,
    /// One per stamp; only a file without a stamp in its name may hold several.
    slots: Vec<SlotCounter<'a>>,
    slot_size: usize,
    days: Memo<Day, 1>,
    stamps: Memo<Timestamp, 1>,
    codes: Memo<Codes, 512>,
    counts: Memo<Counts, 128>,
    places: Places<'a>,
    actors: Spans<'a, Actor>,
    ids: IdLog,
}

impl<'a> Reader<'a> {
    fn new(body: &[u8], named: Option<Timestamp>) -> Self {
        Reader {
            named,
            decoded: Decoded {
                rows: Vec::with_capacity(body.len() / BYTES_PER_KEPT_ROW),
                ..Decoded::default()
            },
            slots: Vec::new(),
            slot_size: body.len(),
            days: Memo::new(),
            stamps: Memo::new(),
            codes: Memo::new(),
            counts: Memo::new(),
            places: Places::new(),
            actors: Spans::new(),
            ids: IdLog { ids: Vec::with_capacity(body.len() / BYTES_PER_ROW), set: None },
        }
    }

    #[inline(always)]
    fn read(&mut self, body: &'a [u8]) {
        let mut rows = Rows::new(body);
        while let Some(row) = rows.next() {
            self.decoded.seen += 1;
            let read = match &row {
                Ok(row) => self.row(row),
                Err(reason) => Err(*reason),
            };
            match read {
                Ok(true) => self.decoded.accepted += 1,
                Ok(false) => self.decoded.duplicates += 1,
                Err(reason) => self.decoded.reject(self.decoded.seen, reason),
            }
        }
    }

    /// `false` is a row whose id the file has had before.
    #[inline(always)]
    fn row(&mut self, row: &Row<'_, 'a, MARKS>) -> Result<bool, &'static str> {
        let id = read_id(row)?;
        let day = *self.days.get(row.span(column::DAY, column::YEAR), || read_day(row))?;
        let span = row.span(column::ADDED, column::ADDED);
        let added = *self.stamps.get(span, || stamp(span.bytes).ok_or("date"))?;
        if self.named.is_some_and(|stamp| stamp != added) {
            return Err("stamp");
        }
        if day > added.day().plus(1) {
            return Err("date");
        }
        let codes = self.codes.get(row.span(column::IS_ROOT, column::GOLDSTEIN), || read_codes(row))?;
        let tone = decimal(row.span(column::TONE, column::TONE), 100.0).ok_or("number")?;
        let counts = self.counts.get(row.span(column::MENTIONS, column::ARTICLES), || read_counts(row))?;
        let (at, place) = self.places.find(row, column::GEO_TYPE)?;
        let address = Address { bytes: row.cell(column::URL), text: row.from(column::URL) };
        if address.bytes.is_empty() {
            return Err("url");
        }
        if !self.ids.is_new(id) {
            return Ok(false);
        }
        let slot = slot(&mut self.slots, added, self.slot_size);
        slot.count(address, codes.root, place.country);
        if codes.root >= FIRST_KEPT_ROOT {
            let kept = NewsRow {
                id,
                added,
                day: day.0,
                actor1: actor(&mut self.actors, row, column::ACTOR1),
                actor2: actor(&mut self.actors, row, column::ACTOR2),
                is_root: codes.is_root,
                code: codes.code,
                quad_class: codes.quad_class,
                goldstein: codes.goldstein,
                mentions: counts.mentions,
                sources: counts.sources,
                articles: counts.articles,
                tone,
                geo: self.places.geo(at, row, column::GEO_TYPE),
                url: slot.kept_address(|| text::web_address(row.text(column::URL))),
            };
            self.decoded.rows.push(kept);
        }
        Ok(true)
    }

    fn finish(mut self) -> Result<Decoded, Refusal> {
        super::check_structure(&self.decoded)?;
        self.decoded.newest = self.slots.iter().map(|slot| slot.stamp).max();
        self.decoded.slots = self.slots.into_iter().map(SlotCounter::finish).collect();
        self.decoded.slots.sort_by_key(|slot| slot.stamp);
        Ok(self.decoded)
    }
}

#[inline(always)]
fn slot<'s, 'a>(
    slots: &'s mut Vec<SlotCounter<'a>>,
    stamp: Timestamp,
    file_size: usize,
) -> &'s mut SlotCounter<'a> {
    let known = slots.iter().rposition(|slot| slot.stamp == stamp);
    let index = known.unwrap_or_else(|| {
        // A pile of many files is counted slot by slot; only the first guess at its size is worth memory.
        let size = if slots.is_empty() { file_size } else { 0 };
        slots.push(SlotCounter::new(stamp, size));
        slots.len() - 1
    });
    &mut slots[index]
}

/// Somebody's column titles at the top of the file.
#[cold]
pub(super) fn is_header(cell: &[u8]) -> bool {
    cell.to_ascii_lowercase().starts_with(b"globalevent")
}

#[inline(always)]
fn read_id(row: &Row<'_, '_, MARKS>) -> Result<u64, &'static str> {
    match unsigned(row.span(column::ID, column::ID)) {
        Some(id) if id > 0 => Ok(id),
        _ if is_header(row.cell(column::ID)) => Err("header"),
        _ => Err("id"),
    }
}

/// Day, month and year have to agree.
fn read_day(row: &Row<'_, '_, MARKS>) -> Result<Day, &'static str> {
    let cell = row.cell(column::DAY);
    let day = day(row.span(column::DAY, column::DAY)).filter(|d| *d >= OLDEST_DAY).ok_or("date")?;
    if row.cell(column::MONTH) != &cell[..6] || row.cell(column::YEAR) != &cell[..4] {
        return Err("date");
    }
    Ok(day)
}

/// Event code, base code, root code and class have to agree.
fn read_codes(row: &Row<'_, '_, MARKS>) -> Result<Codes, &'static str> {
    let digits = row.cell(column::CODE);
    let code = CameoCode::new(digits).ok_or("code")?;
    let (base, root) = (row.cell(column::BASE_CODE), row.cell(column::ROOT_CODE));
    let agrees = |part: &[u8], length: usize| part.iter().eq(digits.iter().take(length));
    if !agrees(root, 2) || !agrees(base, 3) {
        return Err("code");
    }
    let root = (digits[0] - b'0') * 10 + (digits[1] - b'0');
    let &[class @ b'1'..=b'4'] = row.cell(column::QUAD_CLASS) else { return Err("code") };
    if !(1..=LAST_ROOT).contains(&root) {
        return Err("code");
    }
    let is_root = match row.cell(column::IS_ROOT) {
        b"0" => false,
        b"1" => true,
        _ => return Err("code"),
    };
    let goldstein = decimal(row.span(column::GOLDSTEIN, column::GOLDSTEIN), 10.0).ok_or("number")?;
    Ok(Codes { code, root, is_root, quad_class: class - b'0', goldstein })
}

fn read_counts(row: &Row<'_, '_, MARKS>) -> Result<Counts, &'static str> {
    let count =
        |i: usize| unsigned(row.span(i, i)).filter(|n| *n <= MAX_COUNT).map(|n| n as u32).ok_or("number");
    Ok(Counts {
        mentions: count(column::MENTIONS)?,
        sources: count(column::SOURCES)?,
        articles: count(column::ARTICLES)?,
    })
}

/// Finds repeated ids. The publisher writes them in ascending order, so the set is built only when that fails.
struct IdLog {
    ids: Vec<u64>,
    set: Option<HashSet<u64>>,
}

impl IdLog {
    #[inline(always)]
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

/// Code, name, country, group, then (two further on) three role codes. A malformed code is unknown, not an error:
/// the row's own claim stands without it.
#[inline(always)]
fn actor<'a>(known: &mut Spans<'a, Actor>, row: &Row<'_, 'a, MARKS>, first: usize) -> Actor {
    let read = || {
        let code = |i: usize, longest: usize| {
            let i = first + i;
            if is_code(row.span(i, i), longest) { row.text(i) } else { "" }
        };
        let roles = [code(7, 3), code(8, 3), code(9, 3)];
        Ok::<_, Infallible>(Actor::from(ActorTexts {
            code: code(0, MAX_ACTOR_CODE),
            name: &text::neutral(row.text(first + 1), text::MAX_NAME),
            country: code(2, 3),
            group: code(3, 3),
            roles: &roles,
        }))
    };
    let Ok(at) = known.find(row.cells(first, first + 9), read);
    known.get(at).clone()
}
