//! The rows of a tab-separated file, each checked for its number of cells and for being text at all.

use super::separators::Separators;
use super::span::CellSpan;
use gsi_model::Reject;

/// Looked at together. Small enough that the bytes and their separators stay in the nearest cache until they are read.
const PIECE: usize = 16 << 10;
/// The same after a row that is not UTF-8: where one is, more may follow, and each ends a piece.
const CAUTIOUS_PIECE: usize = 256;

/// Gives the rows of `MARKS - 1` cells.
pub struct RowScanner<'a, const MARKS: usize> {
    /// From the start of the current piece to the end of the file.
    rest: &'a [u8],
    /// The current piece, whole rows; `None` for a single row that is not UTF-8.
    piece: Option<&'a str>,
    length: usize,
    /// How far the next piece may go.
    reach: usize,
    separators: Separators,
    /// Lines of the piece that have been given out.
    given: usize,
    first_mark: usize,
}

/// The cells of one row.
pub struct CellRow<'s, 'a, const MARKS: usize> {
    /// The file from some point before the row to its end.
    rest: &'a [u8],
    /// The same as far as it has been looked at: past the row.
    text: &'a str,
    /// Cell `i` lies between mark `i` and mark `i + 1`.
    marks: &'s [u32; MARKS],
}

impl<'a, const MARKS: usize> RowScanner<'a, MARKS> {
    pub fn new(body: &'a [u8]) -> Self {
        let separators = Separators::new();
        RowScanner { rest: body, piece: None, length: 0, reach: PIECE, separators, given: 0, first_mark: 0 }
    }

    /// The next row, or why it is none.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Result<CellRow<'_, 'a, MARKS>, Reject>> {
        if self.given == self.separators.lines().len() && !self.next_piece() {
            // Even if it looks whole, its address may have been cut.
            let is_cut = !std::mem::take(&mut self.rest).is_empty();
            return is_cut.then_some(Err(Reject::Truncated));
        }
        let end = self.separators.lines()[self.given];
        let marks = &self.separators.marks()[self.first_mark..=end];
        self.given += 1;
        self.first_mark = end;
        let Ok(marks) = <&[u32; MARKS]>::try_from(marks) else { return Some(Err(Reject::Columns)) };
        let row = CellRow { rest: self.rest, text: self.piece.unwrap_or(""), marks };
        if self.separators.has_nul() && memchr::memchr(0, row.bytes()).is_some() {
            return Some(Err(Reject::Nul));
        }
        Some(self.piece.map(|_| row).ok_or(Reject::Utf8))
    }

    /// Goes on to a piece of whole rows; `false` if there is none.
    #[cold]
    fn next_piece(&mut self) -> bool {
        self.rest = &self.rest[self.length..];
        let near = &self.rest[..self.rest.len().min(self.reach)];
        self.reach = (self.reach * 2).min(PIECE);
        let end = memchr::memrchr(b'\n', near).or_else(|| memchr::memchr(b'\n', self.rest));
        self.length = end.map_or(0, |end| end + 1);
        self.piece = simdutf8::basic::from_utf8(&self.rest[..self.length]).ok();
        if self.piece.is_none() {
            self.part_of_piece();
        }
        self.separators.find(&self.rest[..self.length], MARKS - 1);
        (self.given, self.first_mark) = (0, 0);
        self.length > 0
    }

    /// A piece that is not UTF-8 becomes the rows before the bad one, or the bad one alone.
    #[cold]
    fn part_of_piece(&mut self) {
        let piece = &self.rest[..self.length];
        let valid = std::str::from_utf8(piece).map_or_else(|error| error.valid_up_to(), str::len);
        match memchr::memrchr(b'\n', &piece[..valid]) {
            Some(end) => {
                self.length = end + 1;
                self.piece = std::str::from_utf8(&piece[..self.length]).ok();
            }
            None => self.length = memchr::memchr(b'\n', piece).map_or(piece.len(), |end| end + 1),
        }
        self.reach = CAUTIOUS_PIECE;
    }
}

impl<'a, const MARKS: usize> CellRow<'_, 'a, MARKS> {
    #[inline(always)]
    fn start(&self, i: usize) -> usize {
        self.marks[i].wrapping_add(1) as usize
    }

    /// The whole row, without its line end.
    #[inline(always)]
    pub fn bytes(&self) -> &'a [u8] {
        self.cells(0, MARKS - 2)
    }

    #[inline(always)]
    pub fn cell(&self, i: usize) -> &'a [u8] {
        self.cells(i, i)
    }

    /// The cells from `first` to `last`, with the tabs between them.
    #[inline(always)]
    pub fn cells(&self, first: usize, last: usize) -> &'a [u8] {
        &self.rest[self.start(first)..self.marks[last + 1] as usize]
    }

    #[inline(always)]
    pub fn text(&self, i: usize) -> &'a str {
        // Separators are characters of their own, so the range is never refused.
        self.text.get(self.start(i)..self.marks[i + 1] as usize).unwrap_or("")
    }

    /// The cells from `first` to `last` with what follows them.
    #[inline(always)]
    pub fn span(&self, first: usize, last: usize) -> CellSpan<'a> {
        CellSpan::new(self.rest, self.start(first), self.marks[last + 1] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells joined by `|`, or why the row is none.
    fn split(body: &[u8]) -> Vec<String> {
        let mut rows = RowScanner::<4>::new(body);
        let mut found = Vec::new();
        while let Some(row) = rows.next() {
            found.push(match row {
                Ok(row) => [0, 1, 2].map(|i| std::str::from_utf8(row.cell(i)).unwrap()).join("|"),
                Err(reason) => reason.to_string(),
            });
        }
        found
    }

    #[test]
    fn rows_have_exactly_as_many_cells() {
        let check = |body: &[u8], want: &[&str]| assert_eq!(split(body), want);
        check(b"", &[]);
        check(b"a\t\tccc\n", &["a||ccc"]);
        check(b"\n\na\tb\na\tb\tc\td\n\t\t\n", &["columns", "columns", "columns", "columns", "||"]);
        check(b"a\tb\tc", &["truncated"]);
        check(b"a\tb\tc\nd", &["a|b|c", "truncated"]);
        check(b"a\t\0\tc\na\tb\tc\n", &["nul", "a|b|c"]);
        check(b"a\t\xff\tc\na\t\xc3\xa9\tc\n", &["utf8", "a|\u{e9}|c"]);
        check(
            b"a\tb\tc\na\t\xff\tc\n\xff\na\t\xff\t\0\n\xff\tb\tc\na\tb\tc\n\xff",
            &["a|b|c", "utf8", "columns", "nul", "utf8", "a|b|c", "truncated"],
        );
        check(&[b'\t'; 1000], &["truncated"]);
    }

    #[test]
    fn rows_lie_anywhere_in_blocks_and_pieces() {
        let long = "x".repeat(PIECE * 2);
        let mut body = String::new();
        let mut want = Vec::new();
        for i in 0..3_000 {
            let cell = match i {
                700 => &long,
                _ => &long[..i * 7 % 90],
            };
            body += &format!("{i}\t{cell}\t\u{e9}\n");
            want.push(format!("{i}|{cell}|\u{e9}"));
        }
        assert_eq!(split(body.as_bytes()), want);
        let tabs = "\t".repeat(PIECE * 3) + "\n" + &body;
        want.insert(0, "columns".to_owned());
        assert_eq!(split(tabs.as_bytes()), want);
    }
}
