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
    /// By the first letters and the length up to `PREFIX`.
    bits: Vec<u64>,
    /// By the first `SHORTEST` letters alone: the first question, which nearly all words fail.
    starts: Vec<u64>,
}

impl FromIterator<String> for WordSet {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        let mut set = WordSet { level: Level::new(), bits: vec![0; BITS / 64], starts: vec![0; BITS / 64] };
        for word in words {
            debug_assert!(WordSet::can_hold(&word), "{word}");
            let mut prefix = [0; PREFIX];
            let length = word.len().min(PREFIX);
            prefix[..length].copy_from_slice(&word.as_bytes()[..length]);
            let prefix = u64::from_le_bytes(prefix);
            for (bits, length) in [(&mut set.bits, length), (&mut set.starts, SHORTEST)] {
                let bit = bit_of(prefix, length);
                bits[bit / 64] |= 1 << (bit % 64);
            }
        }
        set
    }
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
        let mut letters = [0; BLOCKS + 1];
        let used = length / BLOCK + 1;
        for (block, letters) in text.as_chunks::<BLOCK>().0.iter().zip(&mut letters).take(used) {
            let bytes = u8x64::from_slice(simd, block);
            let letter = ((bytes | 0x20) - b'a').simd_lt(26).to_bitmask();
            *letters = letter | (bytes - b'0').simd_lt(10).to_bitmask();
        }
        letters[used - 1] &= (1 << (length % BLOCK)) - 1;
        letters[0] &= !before_path(u8x64::from_slice(simd, &text[..BLOCK]).simd_eq(b'/').to_bitmask());
        let mut before = 0;
        for (i, pair) in letters.windows(2).take(used).enumerate() {
            let ahead = |by: usize| pair[0] >> by | pair[1] << (64 - by);
            let long = (1..SHORTEST).fold(pair[0], |long, by| long & ahead(by));
            let mut starts = long & !(pair[0] << 1 | before);
            before = pair[0] >> 63;
            while starts != 0 {
                let at = starts.trailing_zeros() as usize;
                starts &= starts - 1;
                let prefix = text[i * BLOCK + at..].first_chunk().map_or(0, |p| u64::from_le_bytes(*p));
                let bit = bit_of(prefix, SHORTEST);
                if self.starts[bit / 64] >> (bit % 64) & 1 != 0 {
                    let length =
                        (1..PREFIX).take_while(|by| letters_at(&letters, i * BLOCK + at + by)).count() + 1;
                    let bit = bit_of(prefix, length);
                    if self.bits[bit / 64] >> (bit % 64) & 1 != 0 {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// Scheme and host, by the slashes of the first block: all before the third of them.
#[inline(always)]
fn before_path(slashes: u64) -> u64 {
    let without_first = |slashes: u64| slashes & slashes.wrapping_sub(1);
    let from_third = without_first(without_first(slashes));
    if from_third == 0 { 0 } else { from_third ^ from_third.wrapping_sub(1) }
}

#[inline(always)]
fn letters_at(letters: &[u64; BLOCKS + 1], at: usize) -> bool {
    letters[at / BLOCK] >> (at % BLOCK) & 1 != 0
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

    /// The same address at the end and in the middle of a file.
    fn in_file(set: &WordSet, address: &str) -> [bool; 2] {
        let file = format!("{address}\n{}", "port/".repeat(ROOM));
        [address, &file].map(|text| set.may_have_word_of(text.as_bytes(), address.len()))
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let set: WordSet = ["ransomware", "port", "botnets1"].into_iter().map(str::to_owned).collect();
        for before in 0..MAX_ADDRESS {
            for word in ["RansomWare", "port", "BOTNETS1", "ransomw-are"] {
                let address = format!("ab://c/{}/{word}-x", "a/".repeat(before / 2) + &"/"[..before % 2]);
                let want = word.len() < 11 || address.len() > MAX_ADDRESS;
                assert_eq!(in_file(&set, &address), [want; 2], "{address}");
            }
        }
        for other in
            ["", "por", "ports", "ransom", "/xyz", "x", "xport", "p0rt", "https://port.example/b?c=d"]
        {
            assert_eq!(in_file(&set, other), [false; 2], "{other}");
        }
    }
}
