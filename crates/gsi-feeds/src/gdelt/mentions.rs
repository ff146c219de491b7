//! The mentions file: 16 columns, one row per sentence that speaks of an event. Accounted for, not yet used.

use super::export::is_header;
use super::fields::{Cells, StampReader, decimal, unsigned};
use gsi_model::{Decoded, Refusal, Timestamp};
use hashbrown::HashSet;

pub const COLUMNS: usize = 16;

/// Sentence numbers, offsets and lengths of one document.
const MAX_OFFSET: u64 = 100_000_000;

pub fn decode(body: &[u8], named: Option<Timestamp>) -> Result<Decoded, Refusal> {
    let mut decoded = Decoded::default();
    let mut cells = Cells::<COLUMNS>::new();
    let mut stamps = (StampReader::default(), StampReader::default());
    // Event, address and time alone repeat for every sentence, so only a whole row identifies a mention.
    let mut known: HashSet<&[u8]> = HashSet::with_capacity(body.len() / 200);
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', body) {
        let line = &body[start..end];
        start = end + 1;
        decoded.seen += 1;
        match check(line, &mut cells, &mut stamps, named) {
            Ok(mentioned) if known.insert(line) => {
                decoded.accepted += 1;
                decoded.newest = decoded.newest.max(Some(mentioned));
            }
            Ok(_) => decoded.duplicates += 1,
            Err(reason) => decoded.reject(decoded.seen, reason),
        }
    }
    if start < body.len() {
        decoded.seen += 1;
        decoded.reject(decoded.seen, "truncated");
    }
    super::check_structure(&decoded)?;
    Ok(decoded)
}

fn check<'a>(
    line: &'a [u8],
    cells: &mut Cells<'a, COLUMNS>,
    stamps: &mut (StampReader, StampReader),
    named: Option<Timestamp>,
) -> Result<Timestamp, &'static str> {
    if !cells.split(line) {
        return Err("columns");
    }
    cells.check_bytes()?;
    match unsigned(cells.get(0)) {
        Some(id) if id > 0 => {}
        _ if is_header(cells.get(0)) => return Err("header"),
        _ => return Err("id"),
    }
    let event = stamps.0.read(cells.get(1)).ok_or("date")?;
    let mention = stamps.1.read(cells.get(2)).ok_or("date")?;
    if event > mention {
        return Err("date");
    }
    if named.is_some_and(|stamp| stamp != mention) {
        return Err("stamp");
    }
    if !matches!(cells.get(3), [b'1'..=b'6']) || !matches!(cells.get(10), b"0" | b"1") {
        return Err("code");
    }
    if cells.get(4).is_empty() || cells.get(5).is_empty() {
        return Err("url");
    }
    let length = |i: usize| unsigned(cells.get(i)).is_some_and(|n| n <= MAX_OFFSET);
    let offset = |i: usize| cells.get(i) == b"-1" || length(i);
    if !(length(6) && (7..10).all(offset) && length(12)) {
        return Err("number");
    }
    if unsigned(cells.get(11)).is_none_or(|confidence| confidence > 100) {
        return Err("number");
    }
    decimal(cells.get(13), 100.0).map(|_| mention).ok_or("number")
}
