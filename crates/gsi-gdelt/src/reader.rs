//! The event file: 61 columns, no header, one row per coded report.
//!
//! Every column that is used is validated; the others are passed over. Rows that are only counted cost no heap
//! allocation. A file that is structurally broken is refused whole rather than half read.

use super::COLUMNS;
use super::fields::{Decimal, Limit, day, decimal, is_code, stamp, unsigned};
use super::ids::KnownIds;
use super::memo::{CellMemo, SpanMemo};
use super::place::PlaceMemo;
use super::rows::{CellRow, RowScanner};
use super::slot::SlotCounter;
use super::span::CellSpan;
use fearless_simd::{Level, Simd, dispatch};
use gsi_model::{Actor, CameoCode, Day, Decoded, NewsRow, PayloadRefusal, Reject, Text, Timestamp, text};
use std::sync::Arc;

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
pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, PayloadRefusal> {
    let mut reader = EventFileReader::new(body, named);
    // All of it is compiled for the processor at hand, with its wide comparisons.
    dispatch!(Level::new(), simd => reader.read(simd, body));
    reader.finish()
}

#[derive(Clone, Default)]
struct Codes {
    code: CameoCode,
    root: u8,
    is_root: bool,
    quad_class: u8,
    goldstein: f64,
}

/// When a row was added, and the last day that it may speak of.
#[derive(Clone, Copy, Default)]
struct Added {
    stamp: Timestamp,
    tomorrow: Day,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    mentions: u32,
    sources: u32,
    articles: u32,
}

struct EventFileReader<'a> {
    named: Option<Timestamp>,
    decoded: Decoded,
    /// One per stamp; only a file without a stamp in its name may hold several.
    slots: Vec<SlotCounter<'a>>,
    slot_size: usize,
    days: CellMemo<Day, 1>,
    stamps: CellMemo<Added, 1>,
    codes: CellMemo<Codes, 512>,
    counts: CellMemo<Counts, 128>,
    places: PlaceMemo<'a>,
    actors: SpanMemo<'a, Arc<Actor>>,
    ids: KnownIds,
}

impl<'a> EventFileReader<'a> {
    fn new(body: &[u8], named: Option<Timestamp>) -> Self {
        EventFileReader {
            named,
            decoded: Decoded {
                rows: Vec::with_capacity(body.len() / BYTES_PER_KEPT_ROW),
                ..Decoded::default()
            },
            slots: Vec::new(),
            slot_size: body.len(),
            days: CellMemo::new(),
            stamps: CellMemo::new(),
            codes: CellMemo::new(),
            counts: CellMemo::new(),
            places: PlaceMemo::new(),
            actors: SpanMemo::new(),
            ids: KnownIds::new(body.len() / BYTES_PER_ROW),
        }
    }

    #[inline(always)]
    fn read<S: Simd>(&mut self, simd: S, body: &'a [u8]) {
        let mut rows = RowScanner::new(body);
        while let Some(row) = rows.next() {
            self.decoded.seen += 1;
            let read = match &row {
                Ok(row) => self.row(simd, row),
                Err(reason) => Err(*reason),
            };
            match read {
                Ok(true) => self.decoded.accepted += 1,
                Ok(false) => self.decoded.duplicates += 1,
                Err(reason) => self.decoded.reject(reason),
            }
        }
    }

    /// `false` is a row whose id the file has had before.
    #[inline(always)]
    fn row<S: Simd>(&mut self, simd: S, row: &CellRow<'_, 'a, MARKS>) -> Result<bool, Reject> {
        let id = row.span(column::ID, column::ID);
        let id = unsigned(id).filter(|n| *n > 0).ok_or_else(|| without_id(id.bytes()))?;
        let day = *self.days.get(row.span(column::DAY, column::YEAR), || read_day(row))?;
        let span = row.span(column::ADDED, column::ADDED);
        let Added { stamp: added, tomorrow } = *self.stamps.get(span, || read_added(span, self.named))?;
        if day > tomorrow {
            return Err(Reject::Date);
        }
        let codes = self.codes.get(row.span(column::IS_ROOT, column::GOLDSTEIN), || read_codes(row))?;
        let tone = Decimal::check(simd, row.span(column::TONE, column::TONE), Limit::HUNDRED)
            .ok_or(Reject::Number)?;
        let counts = self.counts.get(row.span(column::MENTIONS, column::ARTICLES), || read_counts(row))?;
        let (place, country) = self.places.find(simd, row, column::GEO_TYPE)?;
        let address = row.span(column::URL, column::URL);
        if address.len() == 0 {
            return Err(Reject::Url);
        }
        if !self.ids.insert(id) {
            return Ok(false);
        }
        let slot = slot(&mut self.slots, added, self.slot_size);
        slot.count(address, codes.root, country);
        if codes.root >= FIRST_KEPT_ROOT {
            let kept = NewsRow {
                id,
                added,
                day: day.0,
                actor1: actor(&mut self.actors, row, column::ACTOR1),
                actor2: actor(&mut self.actors, row, column::ACTOR2),
                is_root: codes.is_root,
                code: codes.code.clone(),
                quad_class: codes.quad_class,
                goldstein: codes.goldstein,
                mentions: counts.mentions,
                sources: counts.sources,
                articles: counts.articles,
                tone: tone.read(),
                geo: self.places.geo(place, row, column::GEO_TYPE),
                url: slot.keep_address(|| text::web_address(row.text(column::URL))),
            };
            self.decoded.rows.push(kept);
        }
        Ok(true)
    }

    fn finish(mut self) -> Result<Decoded, PayloadRefusal> {
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
    let index = match slots.last() {
        Some(last) if last.stamp == stamp => slots.len() - 1,
        _ => slots.iter().rposition(|slot| slot.stamp == stamp).unwrap_or_else(|| {
            // A pile of many files is counted slot by slot; only the first guess at its size is worth memory.
            let size = if slots.is_empty() { file_size } else { 0 };
            slots.push(SlotCounter::new(stamp, size));
            slots.len() - 1
        }),
    };
    &mut slots[index]
}

/// Why a row has no number; it may be somebody's column titles at the top of the file.
#[cold]
fn without_id(cell: &[u8]) -> Reject {
    if cell.to_ascii_lowercase().starts_with(b"globalevent") { Reject::Header } else { Reject::Id }
}

/// Day, month and year have to agree.
fn read_day(row: &CellRow<'_, '_, MARKS>) -> Result<Day, Reject> {
    let cell = row.cell(column::DAY);
    let day = day(row.span(column::DAY, column::DAY)).filter(|d| *d >= OLDEST_DAY).ok_or(Reject::Date)?;
    if row.cell(column::MONTH) != &cell[..6] || row.cell(column::YEAR) != &cell[..4] {
        return Err(Reject::Date);
    }
    Ok(day)
}

fn read_added(cell: CellSpan<'_>, named: Option<Timestamp>) -> Result<Added, Reject> {
    let stamp = stamp(cell.bytes()).ok_or(Reject::Date)?;
    if named.is_some_and(|named| named != stamp) {
        return Err(Reject::Stamp);
    }
    Ok(Added { stamp, tomorrow: stamp.day().plus(1) })
}

/// Event code, base code, root code and class have to agree.
fn read_codes(row: &CellRow<'_, '_, MARKS>) -> Result<Codes, Reject> {
    let digits = row.cell(column::CODE);
    let code = CameoCode::new(row.text(column::CODE)).ok_or(Reject::Code)?;
    let (base, root) = (row.cell(column::BASE_CODE), row.cell(column::ROOT_CODE));
    let agrees = |part: &[u8], length: usize| part.iter().eq(digits.iter().take(length));
    if !agrees(root, 2) || !agrees(base, 3) {
        return Err(Reject::Code);
    }
    let root = (digits[0] - b'0') * 10 + (digits[1] - b'0');
    let &[class @ b'1'..=b'4'] = row.cell(column::QUAD_CLASS) else { return Err(Reject::Code) };
    if !(1..=LAST_ROOT).contains(&root) {
        return Err(Reject::Code);
    }
    let is_root = match row.cell(column::IS_ROOT) {
        b"0" => false,
        b"1" => true,
        _ => return Err(Reject::Code),
    };
    let goldstein = decimal(row.span(column::GOLDSTEIN, column::GOLDSTEIN), 10.0).ok_or(Reject::Number)?;
    Ok(Codes { code, root, is_root, quad_class: class - b'0', goldstein })
}

fn read_counts(row: &CellRow<'_, '_, MARKS>) -> Result<Counts, Reject> {
    let count = |i: usize| {
        unsigned(row.span(i, i)).filter(|n| *n <= MAX_COUNT).map(|n| n as u32).ok_or(Reject::Number)
    };
    Ok(Counts {
        mentions: count(column::MENTIONS)?,
        sources: count(column::SOURCES)?,
        articles: count(column::ARTICLES)?,
    })
}

/// Code, name, country, group, then (two further on) three role codes. A malformed code is unknown, not an error:
/// the row's own claim stands without it.
#[inline(always)]
fn actor<'a>(known: &mut SpanMemo<'a, Arc<Actor>>, row: &CellRow<'_, 'a, MARKS>, first: usize) -> Arc<Actor> {
    let span = row.cells(first, first + 9);
    let at = match known.find(span) {
        Ok(at) => at,
        Err(slot) => known.learn(slot, span, Arc::new(read_actor(row, first))),
    };
    known.get(at).clone()
}

fn read_actor(row: &CellRow<'_, '_, MARKS>, first: usize) -> Actor {
    let code = |i: usize, longest: usize| {
        let i = first + i;
        Text::new(if is_code(row.cell(i), longest) { row.text(i) } else { "" })
    };
    Actor {
        code: code(0, MAX_ACTOR_CODE),
        name: text::name(row.text(first + 1)),
        country: code(2, 3),
        group: code(3, 3),
        roles: (7..10).map(|i| code(i, 3)).filter(|role| !role.is_empty()).collect(),
    }
}
