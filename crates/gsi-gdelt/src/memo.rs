//! What neighbouring cells were found to mean, so that the same bytes are not read twice.
//!
//! Dates, codes and counts repeat all over a file. A memo only ever answers with what the strict readers said about the
//! very same bytes, and forgets rather than grows.

use super::span::{CellSpan, WIDTH};

/// Answers by content, one for each of `SLOTS` places (a power of two).
pub struct CellMemo<T, const SLOTS: usize> {
    slots: Vec<MemoSlot<T>>,
    /// The last answer about a span that is too long or too near to the end of the file.
    unremembered: T,
}

#[derive(Clone)]
struct MemoSlot<T> {
    /// The remembered span and its separator, then zeros. All zeros, without a separator, is no span.
    key: [u64; WIDTH / 8],
    value: T,
}

impl<T: Clone + Default, const SLOTS: usize> CellMemo<T, SLOTS> {
    pub fn new() -> Self {
        const { assert!(SLOTS.is_power_of_two()) };
        let empty = MemoSlot { key: [0; WIDTH / 8], value: T::default() };
        CellMemo { slots: vec![empty; SLOTS], unremembered: T::default() }
    }

    /// What `span` means. The separator after it belongs to what is compared: with it, equal bytes are equal cells.
    #[inline(always)]
    pub fn get<E>(&mut self, span: CellSpan<'_>, read: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let (Some(window), Some(mask)) = (span.window(), MASKS.get(span.len())) else {
            self.unremembered = read()?;
            return Ok(&self.unremembered);
        };
        let (words, _) = window.as_chunks::<8>();
        let key = std::array::from_fn(|i| u64::from_le_bytes(words[i]) & mask[i]);
        let slot = &mut self.slots[slot_of::<SLOTS>(key[0])];
        let differs = (0..WIDTH / 8).fold(0, |differs, i| differs | (key[i] ^ slot.key[i]));
        if differs != 0 {
            *slot = MemoSlot { key, value: read()? };
        }
        Ok(&slot.value)
    }
}

/// For each length of a span, ones where it and its separator are.
static MASKS: [[u64; WIDTH / 8]; WIDTH] = {
    let mut masks = [[0; WIDTH / 8]; WIDTH];
    let mut byte = 0;
    while byte < WIDTH * WIDTH {
        let (length, at) = (byte / WIDTH, byte % WIDTH);
        if at <= length {
            masks[length][at / 8] |= 0xff << (8 * (at % 8));
        }
        byte += 1;
    }
    masks
};

/// By the first bytes, which differ among the spans that are remembered here.
#[inline(always)]
fn slot_of<const SLOTS: usize>(head: u64) -> usize {
    (head.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % SLOTS
}

/// Answers about longer spans, of which a file repeats few: `T` for each, to be read, copied and completed.
pub struct SpanMemo<'a, T> {
    /// For each slot which of `known` is in it. When two spans share a slot, the newer one is remembered.
    slots: Vec<u16>,
    known: Vec<(&'a [u8], T)>,
}

/// A file names a few hundred places and actors.
pub const SPAN_SLOTS: usize = 1 << 11;
const NOT_KNOWN: u16 = u16::MAX;

pub struct SpanSlot(usize);

impl<'a, T> SpanMemo<'a, T> {
    pub fn new() -> Self {
        SpanMemo { slots: vec![NOT_KNOWN; SPAN_SLOTS], known: Vec::with_capacity(SPAN_SLOTS / 4) }
    }

    /// Where the answer about `span` is, or the slot for one.
    #[inline(always)]
    pub fn find(&self, span: &[u8]) -> Result<usize, SpanSlot> {
        let slot = span_slot(span);
        let at = usize::from(self.slots[slot]);
        // Compared in full, so that a slot cannot lie.
        match self.known.get(at) {
            Some((known, _)) if *known == span => Ok(at),
            _ => Err(SpanSlot(slot)),
        }
    }

    /// The answer that was found last at `at`.
    #[inline(always)]
    pub fn get(&mut self, at: usize) -> &mut T {
        &mut self.known[at].1
    }

    /// Remembers the answer; where it is.
    #[inline(always)]
    pub fn learn(&mut self, SpanSlot(slot): SpanSlot, span: &'a [u8], value: T) -> usize {
        let at = usize::from(self.slots[slot]);
        if let Some(known) = self.known.get_mut(at) {
            *known = (span, value);
            return at;
        }
        let at = self.known.len();
        self.slots[slot] = at as u16;
        self.known.push((span, value));
        at
    }
}

/// By both ends: spans begin with a code or a kind and end with a number or a role.
#[inline(always)]
pub fn span_slot(span: &[u8]) -> usize {
    let word = |chunk: Option<&[u8; 8]>| chunk.map_or(0, |chunk| u64::from_le_bytes(*chunk));
    let (head, tail) = (word(span.first_chunk()), word(span.last_chunk()));
    let mixed = head.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tail.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed.wrapping_add(span.len() as u64) >> 40) as usize % SPAN_SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_cells_are_answered_from_memory() {
        let mut memo = CellMemo::<usize, 1>::new();
        let mut reads = 0;
        let mut check = |span: &str, after: &str, is_read: bool| {
            let text = format!("{span}{after}{}", "x".repeat(WIDTH));
            let before = reads;
            let got = memo.get(CellSpan::new(text.as_bytes(), 0, span.len()), || {
                reads += 1;
                Ok::<_, ()>(span.len())
            });
            assert_eq!((got, reads - before), (Ok(&span.len()), usize::from(is_read)), "{span:?}");
        };
        check("190\t19", "\t4", true);
        check("190\t19", "\t3", false);
        check("190\t1", "\t9", true);
        check("190\t19", "\t4", true);
        check("", "\t4", true);
        check("", "\tz", false);
        check(&"y".repeat(31), "\t", true);
        check(&"y".repeat(31), "\tz", false);
        check(&"y".repeat(32), "\t", true);
        check(&"y".repeat(32), "\t", true);
    }

    #[test]
    fn what_is_refused_is_not_remembered() {
        let mut memo = CellMemo::<u8, 4>::new();
        let text = [b'a'; WIDTH];
        let span = CellSpan::new(&text, 0, 2);
        for answer in [Err("bad"), Err("bad"), Ok(7), Ok(7)] {
            assert_eq!(memo.get(span, || answer), answer.as_ref().map_err(|e| *e));
        }
        assert_eq!(memo.get(span, || Err("not asked")), Ok(&7));
    }

    #[test]
    fn long_spans_are_compared_in_full() {
        let mut spans = SpanMemo::new();
        // Both ends and the length are the same, so they share a slot.
        for (span, is_read) in
            [("start---a---finish", true), ("start---b---finish", true), ("start---b---finish", false)]
        {
            let found = spans.find(span.as_bytes());
            assert_eq!(found.is_err(), is_read, "{span}");
            let at = found.unwrap_or_else(|slot| spans.learn(slot, span.as_bytes(), span.to_owned()));
            assert_eq!(spans.get(at), span);
        }
    }
}
