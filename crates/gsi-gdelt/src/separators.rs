//! Where cells and rows end: the tabs and line ends of a piece of a file, found 64 bytes at a time.
//!
//! Cells are six bytes long on average, so that searching for one tab after the other costs more than looking at many
//! bytes at a time and taking all separators there are.

use fearless_simd::{Level, Simd, dispatch, mask8x64, prelude::*, u8x64};

/// Bytes looked at together: one bit of a machine word each.
const BLOCK: usize = 64;
/// More separators than a block holds as a rule.
const MANY: usize = 32;
/// What stands before the first cell, so that every cell lies between two marks. Adding one gives the first position.
const BEFORE_ALL: u32 = u32::MAX;

/// The separators of one piece. Refilled piece after piece without allocating.
pub struct Separators {
    level: Level,
    /// Positions of tabs and line ends, ascending, after one `BEFORE_ALL`. Longer than what is filled.
    marks: Vec<u32>,
    /// Which marks are ends of rows.
    lines: Vec<usize>,
    found: SeparatorCounts,
}

#[derive(Clone, Copy, Default)]
struct SeparatorCounts {
    marks: usize,
    lines: usize,
    has_nul: bool,
}

impl Separators {
    pub fn new() -> Self {
        Separators {
            level: Level::new(),
            marks: Vec::new(),
            lines: Vec::new(),
            found: SeparatorCounts::default(),
        }
    }

    /// Positions in the piece; a cell lies between each two of them. The first stands before the piece.
    pub fn marks(&self) -> &[u32] {
        &self.marks[..self.found.marks]
    }

    /// For each row the mark of its end.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }

    pub fn has_nul(&self) -> bool {
        self.found.has_nul
    }

    /// Finds those of a piece whose rows have, as a rule, so many `cells`.
    pub fn find(&mut self, piece: &[u8], cells: usize) {
        let marks = &mut self.marks;
        self.found = dispatch!(self.level, simd => find_with(simd, piece, marks));
        self.lines.clear();
        let marks = &self.marks[..self.found.marks];
        let ends_row = |mark: usize| piece[marks[mark] as usize] == b'\n';
        // If there are no more line ends than these, no other separator is one.
        let regular = (1..=self.found.lines).map(|row| row * cells);
        if self.found.lines * cells + 1 == marks.len() && regular.clone().all(ends_row) {
            self.lines.extend(regular);
        } else {
            self.lines.extend((1..marks.len()).filter(|mark| ends_row(*mark)));
        }
    }
}

#[inline(always)]
fn find_with<S: Simd>(simd: S, piece: &[u8], marks: &mut Vec<u32>) -> SeparatorCounts {
    let (blocks, rest) = piece.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let positions = u8x64::from_slice(simd, &POSITIONS);
    // The least byte so far, lane by lane: shows a NUL.
    let mut least = u8x64::splat(simd, 0xff);
    let (mut mark, mut lines, mut start) = (1, 0, 0);
    make_room(marks, mark);
    marks[0] = BEFORE_ALL;
    for block in blocks.iter().chain([&last]) {
        let bytes = u8x64::from_slice(simd, block);
        least = least.min(bytes);
        let line_ends = bytes.simd_eq(b'\n').to_bitmask();
        lines += line_ends.count_ones() as usize;
        let separators = bytes.simd_eq(b'\t').to_bitmask() | line_ends;
        if marks.len() < mark + BLOCK {
            make_room(marks, mark);
        }
        let taken: [u8; BLOCK] = positions.compress(mask8x64::from_bitmask(simd, separators)).into();
        let (near, far) = taken.split_at(MANY);
        let room = &mut marks[mark..mark + BLOCK];
        // Beyond the last separator these are leftovers, overwritten by the next block or never read.
        for (mark, position) in room.iter_mut().zip(near) {
            *mark = start + u32::from(*position);
        }
        let count = separators.count_ones() as usize;
        if count > MANY {
            for (mark, position) in room[MANY..].iter_mut().zip(far) {
                *mark = start + u32::from(*position);
            }
        }
        mark += count;
        start += BLOCK as u32;
    }
    SeparatorCounts { marks: mark, lines, has_nul: least.simd_eq(0).any_true() }
}

/// Room for whatever one more block may hold.
#[cold]
fn make_room(marks: &mut Vec<u32>, used: usize) {
    let length = (used + BLOCK).next_power_of_two().max(512).max(marks.len());
    marks.resize(length, 0);
}

const POSITIONS: [u8; BLOCK] = {
    let mut all = [0; BLOCK];
    let mut i = 0;
    while i < BLOCK {
        all[i] = i as u8;
        i += 1;
    }
    all
};

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Every instruction set of this processor, the least of them included.
    pub fn levels() -> Vec<Level> {
        #[cfg_attr(
            not(target_arch = "x86_64"),
            expect(unused_mut, reason = "more levels are named for x86-64")
        )]
        let mut levels = vec![Level::baseline(), Level::new()];
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(Level::new().as_sse2().map(Level::Sse2));
            levels.extend(Level::new().as_sse4_2().map(Level::Sse4_2));
            levels.extend(Level::new().as_avx2().map(Level::Avx2));
        }
        levels
    }

    #[test]
    fn every_instruction_set_finds_the_same() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for round in 0..400 {
            // From hardly any separators to nothing else, in any length.
            let dense = 1 + round % 20;
            let letters = [b"ab\t", b"a\t\n", b"\t\t\n", "\u{e9}\t".as_bytes()][round % 4];
            let body: Vec<u8> = (0..next() % 700)
                .map(|_| if next() % dense == 0 { letters[next() % letters.len()] } else { b'x' })
                .collect();
            let is_separator = |b: u8| b == b'\t' || b == b'\n';
            let mut marks = vec![BEFORE_ALL];
            marks.extend((0..body.len()).filter(|i| is_separator(body[*i])).map(|i| i as u32));
            let ends: Vec<usize> = (1..marks.len()).filter(|m| body[marks[*m] as usize] == b'\n').collect();
            for level in levels() {
                let mut found = Separators { level, ..Separators::new() };
                found.find(&body, 1 + round % 3);
                assert_eq!(found.marks(), marks, "{level:?} {body:?}");
                assert_eq!(found.lines(), ends, "{level:?} {body:?}");
                assert_eq!(found.has_nul(), body.contains(&0), "{level:?}");
            }
        }
    }
}
