//! The cells of a row, and strict parsers for their contents.

use gsi_model::{Day, Reject};

pub const COLUMNS: usize = 61;

/// Room for the end of each cell: a power of two, so that an index wraps instead of needing a check.
const ROOM: usize = 64;

pub struct Cells<'a> {
    line: &'a str,
    /// For each cell the position after its last byte.
    ends: [usize; ROOM],
}

impl<'a> Cells<'a> {
    pub fn split(line: &'a [u8]) -> Result<Self, Reject> {
        let mut ends = [0; ROOM];
        let mut tabs = 0;
        for (position, byte) in line.iter().enumerate() {
            // Cells have about six bytes, so a branch at each tab would often be mispredicted. Only the last write to an end
            // counts, and a line with too many tabs is rejected below.
            ends[tabs % ROOM] = position;
            tabs += usize::from(*byte == b'\t');
        }
        if tabs != COLUMNS - 1 {
            return Err(Reject::Columns);
        }
        ends[COLUMNS - 1] = line.len();
        if memchr::memchr(0, line).is_some() {
            return Err(Reject::Nul);
        }
        let line = std::str::from_utf8(line).map_err(|_| Reject::Utf8)?;
        Ok(Cells { line, ends })
    }

    pub fn get(&self, column: usize) -> &'a str {
        self.span(column, column)
    }

    /// Returns the cells from `first` to `last`, with the tabs between them.
    pub fn span(&self, first: usize, last: usize) -> &'a str {
        let start = if first == 0 { 0 } else { self.ends[first - 1] + 1 };
        &self.line[start..self.ends[last]]
    }
}

/// Tells whether the cell is a code of ASCII letters and digits with at most `longest` of them. An empty cell is one.
pub fn is_code(cell: &str, longest: usize) -> bool {
    cell.len() <= longest && cell.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Parses a whole number of at most 19 digits, without sign and blanks.
pub fn parse_whole(cell: &str, most: u64) -> Option<u64> {
    // The standard library accepts a plus sign as well.
    let starts_with_digit = cell.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    if !starts_with_digit || cell.len() > 19 {
        return None;
    }
    cell.parse().ok().filter(|number| *number <= most)
}

/// Parses a decimal number such as `-5.9627354378282`, finite and within ±`limit`.
pub fn parse_decimal(cell: &str, limit: f64) -> Option<f64> {
    // The standard library also accepts `+1`, `.5`, `1.`, `inf` and `nan`.
    let first = cell.bytes().find(|byte| *byte != b'-')?;
    let last = cell.bytes().next_back()?;
    if !first.is_ascii_digit() || !last.is_ascii_digit() || cell.len() > 40 {
        return None;
    }
    cell.parse().ok().filter(|number: &f64| number.abs() <= limit)
}

/// Parses `YYYYMMDD`.
pub fn parse_day(cell: &str) -> Option<Day> {
    if cell.len() != 8 {
        return None;
    }
    let number = parse_whole(cell, 99_999_999)?;
    Day::from_ymd((number / 10_000) as i16, (number / 100 % 100) as i8, (number % 100) as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_61_cells() {
        let split = |line: &[u8]| Cells::split(line).map(|cells| cells.get(COLUMNS - 1).to_owned());
        let line = |columns: usize, last: &[u8]| [b"\t".repeat(columns - 1), last.to_vec()].concat();
        assert_eq!(split(&line(61, b"")), Ok(String::new()));
        assert_eq!(split(&line(61, "é".as_bytes())), Ok("é".to_owned()));
        assert_eq!(split(&line(61, b"\xff")), Err(Reject::Utf8));
        assert_eq!(split(&line(61, b"\0\xff")), Err(Reject::Nul));
        for columns in [1, 60, 62, 500] {
            let ends: [&[u8]; 3] = [b"", b"\0", b"\xff"];
            for last in ends {
                assert_eq!(split(&line(columns, last)), Err(Reject::Columns), "{columns} {last:?}");
            }
        }
        let text = (0..COLUMNS).map(|column| column.to_string()).collect::<Vec<_>>().join("\t");
        let cells = Cells::split(text.as_bytes()).unwrap();
        assert_eq!((cells.get(0), cells.get(60), cells.span(0, 2)), ("0", "60", "0\t1\t2"));
    }

    #[test]
    fn decimals_agree_with_the_standard_library() {
        let check = |text: &str, want: Option<f64>| {
            assert_eq!(parse_decimal(text, 100.0).map(f64::to_bits), want.map(f64::to_bits), "{text}");
        };
        for text in [
            "0",
            "-0",
            "1",
            "-10.0",
            "3.4",
            "-5.9627354378282",
            "12.345678901234567",
            "1e1",
            "-0.001",
            "1234567.1e-5",
            "0.00000000000001",
            "100",
            "0000100.0",
            "99.9999999999999",
            "00000001.5",
            "0.9007199254740993",
        ] {
            check(text, Some(text.parse().unwrap()));
        }
        for text in [
            "", "-", ".", "1.", ".5", "-.5", "1.2.3", "nan", "inf", "-inf", "1e999", "100.1", "1,5", " 1",
            "1 ", "--1", "+1", "\u{664}", "e", "1e", "1_0",
        ] {
            check(text, None);
        }
        check(&format!("1.{}", "0".repeat(38)), Some(1.0));
        check(&format!("1.{}", "0".repeat(39)), None);
    }

    #[test]
    fn days_and_whole_numbers() {
        assert_eq!(parse_day("20240229").unwrap().to_string(), "2024-02-29");
        for bad in ["20230229", "2024022", "2024-2-9", "+2024022", "", "99999999"] {
            assert_eq!(parse_day(bad), None, "{bad}");
        }
        let longest = "1258623886042917753";
        for length in 1..=longest.len() {
            assert_eq!(parse_whole(&longest[..length], u64::MAX), longest[..length].parse().ok());
        }
        assert_eq!(
            [parse_whole("7", 7), parse_whole("8", 7), parse_whole("007", 7)],
            [Some(7), None, Some(7)]
        );
        for bad in ["", "-1", "+1", "1 ", " 1", "1.0", "12345678x", "x23456789", "99999999999999999999"] {
            assert_eq!(parse_whole(bad, u64::MAX), None, "{bad}");
        }
    }

    #[test]
    fn codes_are_letters_and_digits() {
        for (text, want) in [("", true), ("azAZ09", true), ("a b", false), ("a-b", false), ("toolong", false)]
        {
            assert_eq!(is_code(text, 6), want, "{text}");
        }
        assert!(!is_code("ab\u{e9}", 9));
    }
}
