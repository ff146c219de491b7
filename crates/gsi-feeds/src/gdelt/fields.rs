//! Cells of a tab-separated row, and the strict readers for what may stand in them.
//!
//! The readers are written for the few shapes that the publisher prints. Each is total: any other bytes are `None`.

use gsi_model::{Day, Timestamp};
use wide::u8x16;

/// The cells of one row, located in a single pass over its bytes.
pub struct Cells<'a, const N: usize> {
    row: &'a [u8],
    /// Cell `i` ends before `ends[i]`, where its tab or the end of the row is.
    ends: [u32; ROOM],
    /// The row holds bytes beyond ASCII, so it has yet to prove that it is UTF-8.
    pub beyond_ascii: bool,
    pub has_nul: bool,
}

/// Bytes looked at together: one bit of a machine word each.
const BLOCK: usize = 64;
/// Room for the cells of the widest row and for what a last block may add before it is counted.
const ROOM: usize = 128;
/// Tab positions written at once, whether there are so many or not: cheaper than guessing their number wrong.
const BURST: usize = 8;

impl<'a, const N: usize> Cells<'a, N> {
    /// An empty set, to be filled row after row without allocating.
    pub fn new() -> Self {
        const { assert!(N > 0 && N + BLOCK < ROOM) };
        Cells { row: &[], ends: [0; ROOM], beyond_ascii: false, has_nul: false }
    }

    /// Whether the row has exactly `N` cells; only then may they be read.
    ///
    /// Cells are seven bytes long on average, so that searching for one tab after the other costs more than looking at
    /// many bytes at a time and taking all tabs there are.
    #[inline]
    pub fn split(&mut self, row: &'a [u8]) -> bool {
        self.row = row;
        let (blocks, rest) = row.as_chunks::<BLOCK>();
        let mut last = [b' '; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        let mut count = 0;
        let mut start = 0u32;
        // Over all bytes: their union shows a high bit, their minimum a NUL.
        let (mut union, mut least) = (u8x16::splat(0), u8x16::splat(0xff));
        for block in blocks.iter().chain([&last]) {
            let mut tabs = 0u64;
            let (lanes, _) = block.as_chunks::<16>();
            for (i, lane) in lanes.iter().enumerate() {
                let bytes = u8x16::new(*lane);
                union |= bytes;
                least = least.min(bytes);
                tabs |= u64::from(bytes.simd_eq(u8x16::splat(b'\t')).to_bitmask()) << (i * 16);
            }
            let after = count + tabs.count_ones() as usize;
            if after >= N {
                return false;
            }
            while count < after {
                for i in 0..BURST {
                    // Beyond the last tab these are leftovers, overwritten by the next block or never read.
                    self.ends[(count + i) % ROOM] = start + tabs.trailing_zeros();
                    tabs &= tabs.wrapping_sub(1);
                }
                count += BURST;
            }
            count = after;
            start += BLOCK as u32;
        }
        self.beyond_ascii = union.to_bitmask() != 0;
        self.has_nul = least.simd_eq(u8x16::splat(0)).to_bitmask() != 0;
        self.ends[N - 1] = row.len() as u32;
        count == N - 1
    }

    #[inline]
    pub fn get(&self, i: usize) -> &'a [u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize + 1 };
        self.row.get(start..self.ends[i] as usize).unwrap_or_default()
    }

    /// Whether the row's bytes are text at all.
    #[inline]
    pub fn check_bytes(&self) -> Result<(), &'static str> {
        match () {
            () if self.has_nul => Err("nul"),
            () if self.beyond_ascii && std::str::from_utf8(self.row).is_err() => Err("utf8"),
            () => Ok(()),
        }
    }
}

/// Digits only, no sign, no blank.
#[inline]
pub fn unsigned(cell: &[u8]) -> Option<u64> {
    if cell.is_empty() || cell.len() > 19 {
        return None;
    }
    let mut value = 0u64;
    for &b in cell {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

const POWERS: [f64; 20] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19,
];

/// A decimal number such as `-5.9627354378282`, finite and within ±`limit`.
#[inline]
pub fn decimal(cell: &[u8], limit: f64) -> Option<f64> {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    let (whole, mantissa) = leading_digits(digits, 0);
    let (places, mantissa) = match &digits[whole..] {
        [] => (0, mantissa),
        [b'.', fraction @ ..] => {
            let (places, mantissa) = leading_digits(fraction, mantissa);
            if places == 0 || places != fraction.len() {
                return slow_decimal(cell, limit);
            }
            (places, mantissa)
        }
        _ => return slow_decimal(cell, limit),
    };
    // Fifteen digits and a power of ten below 1e22 are exact in f64, so one division rounds correctly.
    if whole == 0 || whole + places > 15 {
        return slow_decimal(cell, limit);
    }
    let magnitude = mantissa as f64 / POWERS[places];
    (magnitude <= limit).then_some(if cell.len() > digits.len() { -magnitude } else { magnitude })
}

/// How many digits lead, and the number they continue.
#[inline]
fn leading_digits(bytes: &[u8], mut number: u64) -> (usize, u64) {
    let mut count = 0;
    for &b in bytes {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (count, number)
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

/// `YYYYMMDD`. Remembers the last answer: a file repeats few dates.
#[derive(Default)]
pub struct DayReader {
    last: Option<([u8; 8], Day)>,
}

impl DayReader {
    #[inline]
    pub fn read(&mut self, cell: &[u8]) -> Option<Day> {
        let key: [u8; 8] = cell.try_into().ok()?;
        if let Some((known, day)) = self.last
            && known == key
        {
            return Some(day);
        }
        let number = unsigned(&key)?;
        let day = Day::from_ymd((number / 10_000) as i16, (number / 100 % 100) as i8, (number % 100) as i8)?;
        self.last = Some((key, day));
        Some(day)
    }
}

/// `YYYYMMDDHHMMSS`, with the same memory.
#[derive(Default)]
pub struct StampReader {
    last: Option<([u8; 14], Timestamp)>,
}

impl StampReader {
    #[inline]
    pub fn read(&mut self, cell: &[u8]) -> Option<Timestamp> {
        let key: [u8; 14] = cell.try_into().ok()?;
        if let Some((known, stamp)) = self.last
            && known == key
        {
            return Some(stamp);
        }
        let stamp = Timestamp::parse_compact(&key)?;
        self.last = Some((key, stamp));
        Some(stamp)
    }
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
    fn rows_split_into_exactly_as_many_cells() {
        let mut cells = Cells::<3>::new();
        assert!(cells.split(b"a\t\tccc"));
        assert_eq!((cells.get(0), cells.get(1), cells.get(2)), (&b"a"[..], &b""[..], &b"ccc"[..]));
        for row in [&b""[..], b"a\tb", b"a\tb\tc\td"] {
            assert!(!cells.split(row));
        }
        let long = "x".repeat(40);
        let row = format!("{long}\t{long}\té");
        assert!(cells.split(row.as_bytes()));
        assert_eq!((cells.get(1), cells.get(2)), (long.as_bytes(), "é".as_bytes()));
        for (row, want) in [
            (&b"a\tb\tc"[..], Ok(())),
            (b"a\t\xc3\xa9\tc", Ok(())),
            (b"a\t\0\tc", Err("nul")),
            (b"a\t\xff\tc", Err("utf8")),
        ] {
            assert!(cells.split(row));
            assert_eq!(cells.check_bytes(), want);
        }
    }

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
        let mut days = DayReader::default();
        assert_eq!(days.read(b"20240229").unwrap().to_string(), "2024-02-29");
        assert_eq!(days.read(b"20240229").unwrap().to_string(), "2024-02-29");
        for bad in [&b"20230229"[..], b"2024022", b"2024-2-9", b"", b"99999999"] {
            assert_eq!(days.read(bad), None);
        }
        assert_eq!(unsigned(b"1258623886"), Some(1_258_623_886));
        for bad in [&b""[..], b"-1", b"1 ", b"99999999999999999999", b"1.0"] {
            assert_eq!(unsigned(bad), None);
        }
    }
}
