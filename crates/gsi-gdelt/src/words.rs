//! A set of words that is asked, very often, whether an address has any of them.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

/// Bytes looked at together: one bit of a machine word each.
const BLOCK: usize = 64;
/// Longer addresses are not searched, they count as having a word.
const MAX_ADDRESS: usize = 255;
const BLOCKS: usize = (MAX_ADDRESS + 1) / BLOCK;
/// What is read of an address and of what follows it.
const ROOM: usize = BLOCKS * BLOCK + PREFIX;
/// Words are told apart by so many first letters.
const PREFIX: usize = 8;
/// Shorter words are not looked up; the set has none.
const SHORTEST: usize = 4;
/// One of so many bits for each word. With a hundred words, one other word in three hundred seems to be in the set.
const BITS: usize = 1 << 15;

/// May say yes to a few other words, never no to one of its own.
pub struct WordSet {
    level: Level,
    /// Eight groups of words, one bit each: for each of the first letters, which groups have a word with that letter
    /// there. Asked about all letters of an address at once; few get past it.
    groups: [[u8; BLOCK]; SHORTEST],
    /// By the first letters and the length up to `PREFIX`.
    bits: Vec<u64>,
}

impl FromIterator<String> for WordSet {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        let mut words: Vec<String> = words.into_iter().collect();
        // Words with the same beginning belong to one group.
        words.sort();
        let mut set =
            WordSet { level: Level::new(), groups: [[0; BLOCK]; SHORTEST], bits: vec![0; BITS / 64] };
        for (i, word) in words.iter().enumerate() {
            debug_assert!(WordSet::can_hold(word), "{word}");
            for (group, letter) in set.groups.iter_mut().zip(word.bytes()) {
                group[usize::from(index_of(letter))] |= 1 << (i * 8 / words.len());
            }
            let mut prefix = [0; PREFIX];
            let length = word.len().min(PREFIX);
            prefix[..length].copy_from_slice(&word.as_bytes()[..length]);
            let bit = bit_of(u64::from_le_bytes(prefix), length);
            set.bits[bit / 64] |= 1 << (bit % 64);
        }
        set
    }
}

/// Of a letter in either case; other bytes share the places of letters.
fn index_of(byte: u8) -> u8 {
    (byte | 0x20) & 0x3f
}

impl WordSet {
    pub fn can_hold(word: &str) -> bool {
        word.len() >= SHORTEST
    }

    /// Of the path of the address of `length` bytes that the text starts with; it may go on. Words are runs of ASCII
    /// letters and digits, in either case.
    pub fn may_have_word_of(&self, text: &[u8], length: usize) -> bool {
        if length > MAX_ADDRESS {
            return true;
        }
        match text.first_chunk::<ROOM>() {
            Some(text) => dispatch!(self.level, simd => self.search(simd, text, length)),
            // Near the end of the file.
            None => {
                let mut copy = [0; ROOM];
                copy[..length].copy_from_slice(&text[..length]);
                dispatch!(self.level, simd => self.search(simd, &copy, length))
            }
        }
    }

    #[inline(always)]
    fn search<S: Simd>(&self, simd: S, text: &[u8; ROOM], length: usize) -> bool {
        // One block more, of nothing, to look ahead into.
        let (mut letters, mut candidates) = ([0; BLOCKS + 1], [0; BLOCKS]);
        let used = length / BLOCK + 1;
        let (mut any, mut before) = (0, 0);
        for i in 0..used {
            let here = bytes_at(simd, text, i * BLOCK);
            let letter = ((here | 0x20) - b'a').simd_lt(26).to_bitmask();
            letters[i] = letter | (here - b'0').simd_lt(10).to_bitmask();
            if i == 0 {
                letters[0] &= !before_path(here.simd_eq(b'/').to_bitmask());
            }
            if i + 1 == used {
                letters[i] &= (1 << (length % BLOCK)) - 1;
            }
            let mut groups = u8x64::splat(simd, 0xff);
            for (ahead, group) in self.groups.iter().enumerate() {
                let indices = (bytes_at(simd, text, i * BLOCK + ahead) | 0x20) & 0x3f;
                groups &= u8x64::from_slice(simd, group).swizzle_dyn(indices);
            }
            let starts = letters[i] & !(letters[i] << 1 | before);
            before = letters[i] >> 63;
            candidates[i] = starts & groups.simd_gt(0).to_bitmask();
            any |= candidates[i];
        }
        any != 0 && self.has_any(text, &letters, &candidates)
    }

    /// Whether a word of the set stands at any of the places.
    fn has_any(&self, text: &[u8; ROOM], letters: &[u64; BLOCKS + 1], places: &[u64; BLOCKS]) -> bool {
        places.iter().enumerate().any(|(i, places)| {
            let mut places = *places;
            while places != 0 {
                let at = i * BLOCK + places.trailing_zeros() as usize;
                places &= places - 1;
                let prefix = text[at..].first_chunk().map_or(0, |p| u64::from_le_bytes(*p));
                let bit = bit_of(prefix, letters_from(letters, at).clamp(1, PREFIX));
                if self.bits[bit / 64] >> (bit % 64) & 1 != 0 {
                    return true;
                }
            }
            false
        })
    }
}

#[inline(always)]
fn bytes_at<S: Simd>(simd: S, text: &[u8; ROOM], at: usize) -> u8x64<S> {
    u8x64::from_slice(simd, &text[at..][..BLOCK])
}

/// Scheme and host, by the slashes of the first block: all before the third of them.
#[inline(always)]
fn before_path(slashes: u64) -> u64 {
    let without_first = |slashes: u64| slashes & slashes.wrapping_sub(1);
    let from_third = without_first(without_first(slashes));
    if from_third == 0 { 0 } else { from_third ^ from_third.wrapping_sub(1) }
}

/// How many letters follow each other there, as far as two blocks go.
#[inline(always)]
fn letters_from(letters: &[u64; BLOCKS + 1], at: usize) -> usize {
    let both = u128::from(letters[at / BLOCK]) | u128::from(letters[at / BLOCK + 1]) << BLOCK;
    (both >> (at % BLOCK)).trailing_ones() as usize
}

#[inline(always)]
fn bit_of(prefix: u64, length: usize) -> usize {
    // Letters become lower case; digits stay what they are.
    let lower = (prefix | 0x2020_2020_2020_2020) << (8 * (PREFIX - length));
    (lower.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 49) as usize % BITS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::separators::tests::levels;

    /// The same address at the end and in the middle of a file.
    fn in_file(set: &WordSet, address: &str) -> [bool; 2] {
        let file = format!("{address}\n{}", "port/".repeat(ROOM));
        [address, &file].map(|text| set.may_have_word_of(text.as_bytes(), address.len()))
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        for level in levels() {
            let words: WordSet = ["ransomware", "port", "botnets1"].into_iter().map(str::to_owned).collect();
            check(&WordSet { level, ..words });
        }
    }

    fn check(set: &WordSet) {
        for before in 0..MAX_ADDRESS {
            for word in ["RansomWare", "port", "BOTNETS1", "ransomw-are"] {
                let address = format!("ab://c/{}/{word}-x", "a/".repeat(before / 2) + &"/"[..before % 2]);
                let want = word.len() < 11 || address.len() > MAX_ADDRESS;
                assert_eq!(in_file(set, &address), [want; 2], "{address}");
            }
        }
        for other in
            ["", "por", "ports", "ransom", "/xyz", "x", "xport", "p0rt", "https://port.example/b?c=d"]
        {
            assert_eq!(in_file(set, other), [false; 2], "{other}");
        }
    }
}
