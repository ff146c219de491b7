//! The rows of a tab-separated file, each checked for its number of cells and for being text at all.

use super::separators::Separators;

/// Looked at together. Small enough that the bytes and their separators stay in the nearest cache until they are read.
const PIECE: usize = 16 << 10;

/// Rows of `MARKS - 1` cells.
pub struct Rows<'a, const MARKS: usize> {
    /// From the start of the current piece to the end of the file.
    rest: &'a [u8],
    piece: usize,
    separators: Separators,
    /// Lines of the piece that have been given out.
    given: usize,
    first_mark: usize,
}

/// The cells of one row.
pub struct Row<'s, 'a, const MARKS: usize> {
    /// The file from some point before the row to its end.
    text: &'a [u8],
    /// Cell `i` lies between mark `i` and mark `i + 1`.
    marks: &'s [u32; MARKS],
}

impl<'a, const MARKS: usize> Rows<'a, MARKS> {
    pub fn new(body: &'a [u8]) -> Self {
        Rows { rest: body, piece: 0, separators: Separators::new(), given: 0, first_mark: 0 }
    }

    /// The next row, or why it is none.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Result<Row<'_, 'a, MARKS>, &'static str>> {
        if self.given == self.separators.lines().len() && !self.next_piece() {
            // Even if it looks whole, its address may have been cut.
            let is_cut = !std::mem::take(&mut self.rest).is_empty();
            return is_cut.then_some(Err("truncated"));
        }
        let line = self.separators.lines()[self.given];
        let marks = &self.separators.marks()[self.first_mark..=line.mark as usize];
        self.given += 1;
        self.first_mark = line.mark as usize;
        let Ok(marks) = <&[u32; MARKS]>::try_from(marks) else { return Some(Err("columns")) };
        let row = Row { text: self.rest, marks };
        if self.separators.has_nul() && memchr::memchr(0, row.bytes()).is_some() {
            return Some(Err("nul"));
        }
        if line.beyond_ascii_until > row.start() as u32 && std::str::from_utf8(row.bytes()).is_err() {
            return Some(Err("utf8"));
        }
        Some(Ok(row))
    }

    /// Goes on to a piece of whole rows; `false` if there is none.
    #[cold]
    fn next_piece(&mut self) -> bool {
        self.rest = &self.rest[self.piece..];
        let near = &self.rest[..self.rest.len().min(PIECE)];
        let end = memchr::memrchr(b'\n', near).or_else(|| memchr::memchr(b'\n', self.rest));
        self.piece = end.map_or(0, |end| end + 1);
        self.separators.find(&self.rest[..self.piece]);
        (self.given, self.first_mark) = (0, 0);
        self.piece > 0
    }
}

impl<'a, const MARKS: usize> Row<'_, 'a, MARKS> {
    #[inline(always)]
    fn start(&self) -> usize {
        self.marks[0].wrapping_add(1) as usize
    }

    /// The whole row, without its line end.
    #[inline(always)]
    pub fn bytes(&self) -> &'a [u8] {
        &self.text[self.start()..self.marks[MARKS - 1] as usize]
    }

    #[inline(always)]
    pub fn cell(&self, i: usize) -> &'a [u8] {
        self.cells(i, i)
    }

    /// The cells from `first` to `last`, with the tabs between them.
    #[inline(always)]
    pub fn cells(&self, first: usize, last: usize) -> &'a [u8] {
        &self.text[self.marks[first].wrapping_add(1) as usize..self.marks[last + 1] as usize]
    }

    /// The `N` cells from `first` on, as text.
    pub fn texts<const N: usize>(&self, first: usize) -> [&'a str; N] {
        // Rows are given out only if they are UTF-8.
        let text = std::str::from_utf8(self.cells(first, first + N - 1)).unwrap_or("");
        let start = self.marks[first].wrapping_add(1);
        std::array::from_fn(|i| {
            let cell = self.marks[first + i].wrapping_add(1).wrapping_sub(start);
            text.get(cell as usize..(self.marks[first + i + 1] - start) as usize).unwrap_or("")
        })
    }

    /// The bytes from the start of cell `i` on, unless the file ends too soon.
    #[inline(always)]
    pub fn window<const WIDTH: usize>(&self, i: usize) -> Option<&'a [u8; WIDTH]> {
        self.text[self.marks[i].wrapping_add(1) as usize..].first_chunk()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells joined by `|`, or why the row is none.
    fn split(body: &[u8]) -> Vec<String> {
        let mut rows = Rows::<4>::new(body);
        let mut found = Vec::new();
        while let Some(row) = rows.next() {
            found.push(match row {
                Ok(row) => [0, 1, 2].map(|i| std::str::from_utf8(row.cell(i)).unwrap()).join("|"),
                Err(reason) => reason.to_owned(),
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
