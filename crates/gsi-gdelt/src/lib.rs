//! GDELT 2.0 event files, decoded many times faster than by splitting lines: what makes back-filling years of them cheap.
//!
//! The whole interface is [`decode`]. What it must return is defined by the plain decoder in `plain.rs`, which the tests
//! compare it with on real, damaged and made-up files.

mod fields;
mod ids;
mod keywords;
mod memo;
mod place;
#[cfg(test)]
mod plain;
mod reader;
mod rows;
mod separators;
mod slot;
mod span;
#[cfg(test)]
mod tests;
mod words;

use gsi_model::{Decoded, PayloadRefusal, RefusalCode, Reject, Timestamp};

/// Columns of an event file. It has no header.
const COLUMNS: usize = 61;

/// Above this share of rejected rows the file was overwritten or garbled, and its good-looking rows prove nothing.
const MAX_BAD_SHARE: f64 = 0.05;
/// So few bad rows are judged one by one, whatever their share.
const FEW_BAD_ROWS: u64 = 8;

/// Decodes an unpacked event file. All rows are counted, by the quarter hour they were added in; rows that may describe
/// conflict are kept; bad rows are counted by reason. `stamp` is the time in the file's name, if it has one: then every row
/// must carry it.
pub fn decode(body: &[u8], stamp: Option<Timestamp>) -> Result<Decoded, PayloadRefusal> {
    reader::decode(body, stamp)
}

/// Whether the rows as a whole can be trusted: a few bad ones are data, many are a broken file.
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
