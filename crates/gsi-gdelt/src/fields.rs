//! Strict readers for what may stand in a cell.
//!
//! They are written for the few shapes that the publisher prints. Each is total: any other bytes are `None`.

use super::span::{CellSpan, WIDTH};
use fearless_simd::{Simd, prelude::*, u8x32};
use gsi_model::{Day, Timestamp};

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Eight digits, the first in the lowest byte.
#[inline(always)]
fn eight_digits(word: u64) -> Option<u64> {
    let digits = word ^ ZEROS;
    if (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    // Neighbours are joined to pairs, pairs to fours and fours to eight, each with one multiplication.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let (even, odd) = (pairs & 0x0000_00ff_0000_00ff, (pairs >> 16) & 0x0000_00ff_0000_00ff);
    let hundreds = even.wrapping_mul(100 + (1_000_000 << 32));
    Some(hundreds.wrapping_add(odd.wrapping_mul(1 + (10_000 << 32))) >> 32)
}

/// The first `count` bytes of a word, one to eight, as digits.
#[inline(always)]
fn few_digits(word: u64, count: usize) -> Option<u64> {
    // Shifted to the high end, where the last digit belongs; what was shifted in reads as leading zeros.
    eight_digits((word ^ ZEROS) << (8 * (8 - count)) ^ ZEROS)
}

/// The first `count` bytes of two words, one to sixteen.
#[inline(always)]
fn digits(head: u64, tail: u64, count: usize) -> Option<u64> {
    if count <= 8 {
        return few_digits(head, count);
    }
    Some(eight_digits(head)? * TENS[count - 8] + few_digits(tail, count - 8)?)
}

#[inline(always)]
fn word(window: &[u8; WIDTH], at: usize) -> u64 {
    window[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Digits only, no sign, no blank.
#[inline(always)]
pub fn unsigned(cell: CellSpan<'_>) -> Option<u64> {
    match cell.window() {
        Some(window) if (1..=16).contains(&cell.len()) => {
            digits(word(window, 0), word(window, 8), cell.len())
        }
        _ => slow_unsigned(cell.bytes()),
    }
}

/// More digits, and the last cells of a file, by the standard library.
#[cold]
fn slow_unsigned(cell: &[u8]) -> Option<u64> {
    let plausible = cell.len() <= 19 && cell.first().is_some_and(u8::is_ascii_digit);
    std::str::from_utf8(cell).ok().filter(|_| plausible)?.parse().ok()
}

/// A decimal number such as `-5.9627354378282`, finite and within ±`limit`.
#[inline(always)]
pub fn decimal(cell: CellSpan<'_>, limit: f64) -> Option<f64> {
    match plain_decimal(cell) {
        Some(value) if value.abs() <= limit => Some(value),
        Some(_) => None,
        None => slow_decimal(cell.bytes(), limit),
    }
}

/// A decimal number that has been checked, to be read when it is needed.
#[derive(Clone, Copy)]
pub struct Decimal<'a> {
    cell: CellSpan<'a>,
    limit: Limit,
}

/// The most that the amount of a number may be: the same in both forms.
#[derive(Clone, Copy)]
pub struct Limit {
    most: f64,
    digits: [u8; 4],
}

impl Limit {
    pub const NINETY: Limit = Limit { most: 90.0, digits: *b"0090" };
    pub const HUNDRED: Limit = Limit { most: 100.0, digits: *b"0100" };
    pub const HALF_CIRCLE: Limit = Limit { most: 180.0, digits: *b"0180" };
}

impl<'a> Decimal<'a> {
    #[inline(always)]
    pub fn check<S: Simd>(simd: S, cell: CellSpan<'a>, limit: Limit) -> Option<Self> {
        let is_sound = is_plain_below(simd, cell, limit.digits) || decimal(cell, limit.most).is_some();
        is_sound.then_some(Decimal { cell, limit })
    }

    /// What has been checked is always there; a test asks about every short text.
    #[inline(always)]
    pub fn read(self) -> f64 {
        decimal(self.cell, self.limit.most).unwrap_or_default()
    }
}

/// Digits with one point among them or none, perhaps after a minus, and a whole part of four digits at most that is less
/// than `limit`. No arithmetic: what the bytes are is asked about all of them at once.
#[inline(always)]
fn is_plain_below<S: Simd>(simd: S, cell: CellSpan<'_>, limit: [u8; 4]) -> bool {
    let (Some(window), length @ 1..WIDTH) = (cell.window(), cell.len()) else { return false };
    let bytes = u8x32::from_slice(simd, window);
    let digits = (bytes - b'0').simd_lt(10).to_bitmask();
    let cell = (1 << length) - 1;
    let points = bytes.simd_eq(b'.').to_bitmask() & cell;
    let first = usize::from(window[0] == b'-');
    let ends = 1 << first | 1 << (length - 1);
    let is_number = (digits | points | first as u64) & cell == cell
        && points & points.wrapping_sub(1) == 0
        && digits & ends == ends;
    let whole = (points | 1 << length).trailing_zeros() as usize - first;
    let head = window[first..].first_chunk().map_or(0, |head| u32::from_le_bytes(*head));
    // As four digits, the last of them in the highest byte; so the order of the bytes is that of the numbers.
    let padded = (head ^ ZEROS as u32) << (8 * (4 - whole.clamp(1, 4))) ^ ZEROS as u32;
    is_number && whole <= 4 && padded.swap_bytes() < u32::from_be_bytes(limit)
}

/// At most sixteen digits, with a point behind one of the first seven or none at all.
#[inline(always)]
fn plain_decimal(cell: CellSpan<'_>) -> Option<f64> {
    let window = cell.window()?;
    let first = usize::from(window[0] == b'-');
    let length = cell.len() - first.min(cell.len());
    let head = word(window, first);
    let point = position_in(head ^ u64::from_le_bytes([b'.'; 8]));
    let has_point = point < length;
    let count = length - usize::from(has_point);
    if point == 0 || has_point && (point == 8 || point + 1 == length) || count == 0 || count > 16 {
        return None;
    }
    // The point is taken out and what follows it moves up.
    let before = (1 << (8 * point.min(7))) - 1;
    let head = if has_point { head & before | word(window, first + 1) & !before } else { head };
    let tail = word(window, first + 8 + usize::from(has_point));
    let all = digits(head, tail, count).filter(|all| *all <= EXACT)?;
    // Both numbers are exact in f64, so one division rounds correctly.
    let places = if has_point { count - point } else { 0 };
    Some(with_sign(all as f64 / POWERS[places], first == 1))
}

/// All whole numbers up to this one are exact in f64.
const EXACT: u64 = 1 << 53;

const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

#[inline(always)]
fn with_sign(magnitude: f64, is_negative: bool) -> f64 {
    if is_negative { -magnitude } else { magnitude }
}

/// Of the first zero byte; eight if there is none.
#[inline(always)]
fn position_in(word: u64) -> usize {
    let zero = word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080;
    zero.trailing_zeros() as usize / 8
}

/// Exponents and longer numbers, which are rare, by the standard library.
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
pub fn day(cell: CellSpan<'_>) -> Option<Day> {
    let number = unsigned(cell).filter(|_| cell.len() == 8)?;
    Day::from_ymd((number / 10_000) as i16, (number / 100 % 100) as i8, (number % 100) as i8)
}

/// `YYYYMMDDHHMMSS`.
pub fn stamp(cell: &[u8]) -> Option<Timestamp> {
    Timestamp::parse_compact(cell)
}

/// A code of letters and digits, at most `longest`; empty is a code too.
pub fn is_code(cell: &[u8], longest: usize) -> bool {
    cell.len() <= longest && cell.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::separators::tests::levels;
    use fearless_simd::{Level, dispatch};

    /// The same cell in the middle and at the end of a file.
    fn in_file<'a>(text: &'a str, file: &'a mut String) -> [CellSpan<'a>; 2] {
        *file = format!("{text}\t{}", "7".repeat(WIDTH));
        [CellSpan::new(file.as_bytes(), 0, text.len()), CellSpan::new(text.as_bytes(), 0, text.len())]
    }

    #[test]
    fn decimals_agree_with_the_standard_library() {
        let check = |text: &str, want: Option<f64>| {
            for cell in in_file(text, &mut String::new()) {
                assert_eq!(decimal(cell, 100.0).map(f64::to_bits), want.map(f64::to_bits), "{text}");
            }
        };
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
            "49.98",
            "-97.6428",
            "1234567.1e-5",
            "0.00000000000001",
            "100",
            "0000100.0",
            "99.9999999999999",
            "12345678e-7",
            "00000012",
            "0000001.5",
            "00000001.5",
            "000000001",
            "0.123456789012345",
            "9.007199254740993",
            "0.9007199254740993",
        ] {
            let want: f64 = text.parse().unwrap();
            check(text, Some(want));
        }
        for text in [
            "", "-", ".", "1.", ".5", "1.2.3", "nan", "inf", "1e999", "100.1", "1,5", " 1", "--1", "\u{664}",
            "e",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn what_is_checked_can_be_read() {
        // Every text of these bytes with up to five of them, in the middle of a file and at its end.
        let bytes = b"-.01899e";
        let texts = (0..=5u32).flat_map(|length| {
            (0..bytes.len().pow(length)).map(move |n| {
                let at = |i| bytes[n / bytes.len().pow(i) % bytes.len()];
                (0..length).map(at).collect::<Vec<u8>>()
            })
        });
        let check = |text: &str, is_plain: Option<bool>| {
            for limit in [Limit::NINETY, Limit::HUNDRED, Limit::HALF_CIRCLE] {
                for cell in in_file(text, &mut String::new()) {
                    for level in levels() {
                        let got = dispatch!(level, simd => Decimal::check(simd, cell, limit));
                        let want = decimal(cell, limit.most);
                        assert_eq!(
                            got.map(Decimal::read).map(f64::to_bits),
                            want.map(f64::to_bits),
                            "{text}"
                        );
                    }
                }
                let mut file = String::new();
                let [cell, _] = in_file(text, &mut file);
                let got = dispatch!(Level::new(), simd => is_plain_below(simd, cell, limit.digits));
                assert!(is_plain.is_none_or(|is_plain| got == is_plain), "{text}");
            }
        };
        for text in texts {
            check(std::str::from_utf8(&text).unwrap(), None);
        }
        for plain in ["-5.9627354378282", "0.123456789012345", "0", "-0", "0089.99999999999999999999"] {
            check(plain, Some(true));
        }
        for other in ["90000", "00001", "-180.0", "1e1", "1.2.3", ".5", "5.", "-", "", "1\u{664}", "+1"] {
            check(other, Some(false));
        }
        check(&"1".repeat(WIDTH), Some(false));
    }

    #[test]
    fn days_and_numbers() {
        let day_of = |text: &str| in_file(text, &mut String::new()).map(day);
        assert_eq!(day_of("20240229").map(|day| day.unwrap().to_string()), ["2024-02-29"; 2]);
        for bad in ["20230229", "2024022", "2024-2-9", "", "99999999"] {
            assert_eq!(day_of(bad), [None; 2]);
        }
        let check = |text: &str, want: Option<u64>| {
            assert_eq!(in_file(text, &mut String::new()).map(unsigned), [want; 2], "{text}");
        };
        let all = "1258623886042917753";
        (1..=all.len()).for_each(|i| check(&all[..i], all[..i].parse().ok()));
        for bad in [
            "",
            "-1",
            "1 ",
            "99999999999999999999",
            "1.0",
            "12345678x",
            "x23456789",
            "+1234567890123456",
            "+1",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn codes_are_letters_and_digits() {
        for (text, want) in [("", true), ("azAZ09", true), ("a b", false), ("a-b", false), ("toolong", false)]
        {
            assert_eq!(is_code(text.as_bytes(), 6), want, "{text}");
        }
        assert!(!is_code("ab\u{e9}".as_bytes(), 9));
    }
}
