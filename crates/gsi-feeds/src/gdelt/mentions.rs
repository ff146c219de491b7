//! The mentions file: 16 columns, one row per sentence that speaks of an event. Accounted for, not yet used.

use super::export::without_id;
use super::fields::{decimal, stamp, unsigned};
use super::memo::Memo;
use super::rows::{Row, Rows};
use gsi_model::{Decoded, Refusal, Timestamp};
use hashbrown::HashSet;

pub const COLUMNS: usize = 16;
const MARKS: usize = COLUMNS + 1;

/// Sentence numbers, offsets and lengths of one document.
const MAX_OFFSET: u64 = 100_000_000;

pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, Refusal> {
    let mut decoded = Decoded::default();
    let mut stamps = Memo::new();
    // Event, address and time alone repeat for every sentence, so only a whole row identifies a mention.
    let mut known: HashSet<&[u8]> = HashSet::with_capacity(body.len() / 200);
    let mut rows = Rows::new(body);
    while let Some(row) = rows.next() {
        decoded.seen += 1;
        let mentioned = row.and_then(|row| Ok((check(&row, &mut stamps, named)?, row.bytes())));
        match mentioned {
            Ok((mentioned, line)) if known.insert(line) => {
                decoded.accepted += 1;
                decoded.newest = decoded.newest.max(Some(mentioned));
            }
            Ok(_) => decoded.duplicates += 1,
            Err(reason) => decoded.reject(decoded.seen, reason),
        }
    }
    super::check_structure(&decoded)?;
    Ok(decoded)
}

fn check(
    row: &Row<'_, '_, MARKS>,
    stamps: &mut Memo<Timestamp, 64>,
    named: Option<Timestamp>,
) -> Result<Timestamp, &'static str> {
    if unsigned(row.span(0, 0)).is_none_or(|id| id == 0) {
        return Err(without_id(row.cell(0)));
    }
    let mut stamp_of = |i: usize| stamps.get(row.span(i, i), || stamp(row.cell(i)).ok_or("date")).copied();
    let (event, mention) = (stamp_of(1)?, stamp_of(2)?);
    if event > mention {
        return Err("date");
    }
    if named.is_some_and(|stamp| stamp != mention) {
        return Err("stamp");
    }
    if !matches!(row.cell(3), [b'1'..=b'6']) || !matches!(row.cell(10), b"0" | b"1") {
        return Err("code");
    }
    if row.cell(4).is_empty() || row.cell(5).is_empty() {
        return Err("url");
    }
    let length = |i: usize| unsigned(row.span(i, i)).is_some_and(|n| n <= MAX_OFFSET);
    let offset = |i: usize| row.cell(i) == b"-1" || length(i);
    if !(length(6) && (7..10).all(offset) && length(12)) {
        return Err("number");
    }
    if unsigned(row.span(11, 11)).is_none_or(|confidence| confidence > 100) {
        return Err("number");
    }
    decimal(row.span(13, 13), 100.0).map(|_| mention).ok_or("number")
}
