//! Strict readers for what may stand in a cell.
//!
//! They are written for the few shapes that the publisher prints. Each is total: any other bytes are `None`.

use gsi_model::{Day, Timestamp};

/// Eight digits, the first in the lowest byte.
#[inline(always)]
fn eight_digits(word: u64) -> Option<u64> {
    let digits = word ^ 0x3030_3030_3030_3030;
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    // Neighbours are joined to pairs, pairs to fours and fours to eight, each with one multiplication.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let (even, odd) = (pairs & 0x0000_00ff_0000_00ff, (pairs >> 16) & 0x0000_00ff_0000_00ff);
    let hundreds = even.wrapping_mul(100 + (1_000_000 << 32));
    Some(hundreds.wrapping_add(odd.wrapping_mul(1 + (10_000 << 32))) >> 32)
}

/// The bytes of a cell, the first in the lowest byte, zeros after the last; `None` for more than 16.
#[inline]
fn word_of(cell: &[u8]) -> Option<u128> {
    let n = cell.len();
    if let (Some(head), Some(tail)) = (cell.first_chunk(), cell.last_chunk()) {
        let (head, tail) = (u64::from_le_bytes(*head), u64::from_le_bytes(*tail));
        return (n <= 16).then(|| u128::from(head) | u128::from(tail) << (8 * (n - 8)));
    }
    Some(u128::from(small_word_of(cell)))
}

/// The same for fewer than eight bytes.
#[inline]
fn small_word_of(cell: &[u8]) -> u64 {
    if let (Some(head), Some(tail)) = (cell.first_chunk(), cell.last_chunk()) {
        u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << (8 * (cell.len() - 4))
    } else {
        cell.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b))
    }
}

/// Up to 16 digits of a word that holds nothing else.
#[inline]
fn digits(word: u128, count: usize) -> Option<u64> {
    // Shifted to the high end, where the last digit belongs; what was shifted in reads as leading zeros.
    let zeros = u128::from_le_bytes([b'0'; 16]);
    let aligned = ((word ^ zeros) << (8 * (16 - count))) ^ zeros;
    let (high, low) = (eight_digits(aligned as u64)?, eight_digits((aligned >> 64) as u64)?);
    Some(high * 100_000_000 + low)
}

/// Digits only, no sign, no blank.
#[inline]
pub fn unsigned(cell: &[u8]) -> Option<u64> {
    match cell.len() {
        1..=16 => digits(word_of(cell)?, cell.len()),
        17..=19 => std::str::from_utf8(cell).ok().filter(|_| cell[0] != b'+')?.parse().ok(),
        _ => None,
    }
}

/// The same for a cell that `window` starts with, eight digits at a time.
#[inline(always)]
pub fn unsigned_in(window: Option<&[u8; 32]>, cell: &[u8]) -> Option<u64> {
    let Some(window) = window.filter(|_| (9..=16).contains(&cell.len())) else { return unsigned(cell) };
    let (words, _) = window.as_chunks::<8>();
    let high = eight_digits(u64::from_le_bytes(words[0]))?;
    // Shifted to the high end, where the last digit belongs; zeros lead.
    let zeros = u64::from_le_bytes([b'0'; 8]);
    let low = (u64::from_le_bytes(words[1]) ^ zeros) << (8 * (16 - cell.len()));
    Some(high * TENS[cell.len() - 9] + eight_digits(low ^ zeros)?)
}

/// From ten to a hundred million.
const TENS: [u64; 8] = [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A decimal number such as `-5.9627354378282`, finite and within ±`limit`.
pub fn decimal(cell: &[u8], limit: f64) -> Option<f64> {
    let unsigned = cell.strip_prefix(b"-").unwrap_or(cell);
    let magnitude = match unsigned.len() {
        0..8 => short_decimal(small_word_of(unsigned), unsigned.len()),
        length => word_of(unsigned).and_then(|word| plain_decimal(word, length)),
    };
    signed(cell, cell.len() > unsigned.len(), magnitude, limit)
}

#[inline]
fn signed(cell: &[u8], is_negative: bool, magnitude: Option<f64>, limit: f64) -> Option<f64> {
    match magnitude {
        Some(magnitude) if magnitude <= limit => Some(if is_negative { -magnitude } else { magnitude }),
        Some(_) => None,
        None => slow_decimal(cell, limit),
    }
}

/// At most fifteen digits with at most one point among them, `length` bytes in all.
#[inline]
fn plain_decimal(word: u128, length: usize) -> Option<f64> {
    let point = position_of_point(word);
    let (places, count, word) = if point < length {
        // The point is taken out and what follows it moves up.
        let before = (1u128 << (8 * point)) - 1;
        (length - 1 - point, length - 1, word & before | (word >> 8) & !before)
    } else {
        (0, length, word)
    };
    if point == 0 || point + 1 == length || count == 0 || count > 15 {
        return None;
    }
    // Fifteen digits and a power of ten below 1e22 are exact in f64, so one division rounds correctly.
    Some(digits(word, count)? as f64 / POWERS[places])
}

/// The same for fewer than eight bytes, as in degrees: one word is enough.
#[inline]
fn short_decimal(word: u64, length: usize) -> Option<f64> {
    let point = position_in(word ^ u64::from_le_bytes([b'.'; 8]));
    let (places, count, word) = if point < length {
        let before = (1 << (8 * point)) - 1;
        (length - 1 - point, length - 1, word & before | (word >> 8) & !before)
    } else {
        (0, length, word)
    };
    if point == 0 || point + 1 == length || count == 0 {
        return None;
    }
    let zeros = u64::from_le_bytes([b'0'; 8]);
    let aligned = ((word ^ zeros) << (8 * (8 - count))) ^ zeros;
    Some(eight_digits(aligned)? as f64 / POWERS[places])
}

/// Of the first zero byte; eight if there is none.
#[inline]
fn position_in(word: u64) -> usize {
    let zero = word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080;
    zero.trailing_zeros() as usize / 8
}

/// Sixteen or more if there is none.
#[inline]
fn position_of_point(word: u128) -> usize {
    let points = word ^ u128::from_le_bytes([b'.'; 16]);
    // Nearly all points are among the first eight bytes.
    match position_in(points as u64) {
        8 => 8 + position_in((points >> 64) as u64),
        position => position,
    }
}

/// Exponents and longer mantissas, which are rare, by the standard library.
#[cold]
fn slow_decimal(cell: &[u8], limit: f64) -> Option<f64> {
    let plausible = cell.len() <= 40
        && cell.iter().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'))
        && cell.last().is_some_and(u8::is_ascii_digit)
        && cell.iter().find(|b| **b != b'-').is_some_and(u8::is_ascii_digit);
    if !plausible {
        return None;
    }
    let value: f64 = std::str::from_utf8(cell).ok()?.parse().ok()?;
    (value.abs() <= limit).then_some(value)
}

/// `YYYYMMDD`.
pub fn day(cell: &[u8]) -> Option<Day> {
    let number = unsigned(cell).filter(|_| cell.len() == 8)?;
    Day::from_ymd((number / 10_000) as i16, (number / 100 % 100) as i8, (number % 100) as i8)
}

/// `YYYYMMDDHHMMSS`.
pub fn stamp(cell: &[u8]) -> Option<Timestamp> {
    Timestamp::parse_compact(cell)
}

/// A code of letters and digits, at most `longest`; empty is a code too.
#[inline]
pub fn is_code(cell: &[u8], longest: usize) -> bool {
    cell.len() <= longest && cell.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_agree_with_the_standard_library() {
        for text in [
            "0",
            "-0",
            "1",
            "-10.0",
            "3.4",
            "-5.9627354378282",
            "1.0230179028133",
            "12.345678901234567",
            "1e1",
            "-0.001",
        ] {
            let want: f64 = text.parse().unwrap();
            assert_eq!(decimal(text.as_bytes(), 100.0).map(f64::to_bits), Some(want.to_bits()), "{text}");
        }
        for text in [
            "", "-", ".", "1.", ".5", "1.2.3", "nan", "inf", "1e999", "100.1", "1,5", " 1", "--1", "\u{664}",
            "e",
        ] {
            assert_eq!(decimal(text.as_bytes(), 100.0), None, "{text}");
        }
    }

    #[test]
    fn days_and_numbers() {
        assert_eq!(day(b"20240229").unwrap().to_string(), "2024-02-29");
        for bad in [&b"20230229"[..], b"2024022", b"2024-2-9", b"", b"99999999"] {
            assert_eq!(day(bad), None);
        }
        let check = |text: &str, want: Option<u64>| {
            assert_eq!(unsigned(text.as_bytes()), want, "{text}");
            let row = format!("{text}\t{}", "7".repeat(32));
            assert_eq!(unsigned_in(row.as_bytes().first_chunk(), text.as_bytes()), want, "{text}");
        };
        let all = "1258623886042917753";
        (1..=all.len()).for_each(|i| check(&all[..i], all[..i].parse().ok()));
        for bad in
            ["", "-1", "1 ", "99999999999999999999", "1.0", "12345678x", "x23456789", "+1234567890123456"]
        {
            check(bad, None);
        }
    }
}
