//! Syndication: one wire report copied on forty sites is one story.
//!
//! Two articles have the same story when the words of their slugs overlap by four fifths. The comparison is exact; a
//! 64-bit sketch of the words rules nearly all pairs out first. Articles in different words may still report the same
//! happening: then they share words other than the names of countries.

use crate::article::address::hash32;
use crate::article::wording::stem;
use crate::location::mention;
use crate::parameters::PARAMETERS;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static COUNTRY_TOKENS: LazyLock<BTreeSet<u32>> =
    LazyLock::new(|| mention::country_words().map(|w| hash32(&stem(w))).collect());

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// Sorted hashes of the slug's words. Empty when the address has none, and then unlike every other.
    tokens: Vec<u32>,
    sketch: u64,
}

impl Story {
    pub fn new(tokens: Vec<u32>) -> Self {
        let sketch = tokens.iter().fold(0, |s, t| s | 1 << (t % 64));
        Story { tokens, sketch }
    }

    /// Whether the address has words to compare.
    pub fn has_words(&self) -> bool {
        !self.tokens.is_empty()
    }

    pub fn is_same(&self, other: &Story) -> bool {
        let shorter = self.tokens.len().min(other.tokens.len());
        let (share, of) = PARAMETERS.stories.same_share;
        // Every word that only one side has flips at most one bit, and a share of four fifths leaves room for a quarter of
        // the shorter side's words.
        let flipped = (self.sketch ^ other.sketch).count_ones() as usize;
        if shorter == 0 || flipped * share > shorter * (of - share) {
            return false;
        }
        let common = common_count(&self.tokens, &other.tokens);
        let all = self.tokens.len() + other.tokens.len() - common;
        common * of >= all * share
    }

    /// How many words two headlines share; 0 when they share only names of countries.
    pub fn shared_words(&self, other: &Story) -> usize {
        if self.sketch & other.sketch == 0 {
            return 0;
        }
        let shared: Vec<u32> =
            self.tokens.iter().copied().filter(|t| other.tokens.binary_search(t).is_ok()).collect();
        if shared.iter().all(|t| COUNTRY_TOKENS.contains(t)) { 0 } else { shared.len() }
    }
}

fn common_count(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (common, i, j) = (common + 1, i + 1, j + 1),
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::address::Address;
    use proptest::prelude::*;

    #[test]
    fn shared_country_names_do_not_make_one_happening() {
        let story =
            |slug: &str| Story::new(Address::parse(&format!("https://a.com/{slug}")).unwrap().slug_tokens());
        let strike = story("israeli-airstrike-hits-school-in-gaza");
        for (other, want) in [
            ("israel-gaza-famine-warning-grows-louder", 0),
            ("gaza-school-sheltering-families-bombed-by-israeli-jets", 3),
            ("airstrikes-on-gaza-go-on-for-third-night", 2),
            ("bank-profits-rise-again-this-quarter", 0),
        ] {
            assert_eq!(strike.shared_words(&story(other)), want, "{other}");
            assert_eq!(story(other).shared_words(&strike), want, "{other}");
        }
    }

    #[test]
    fn four_fifths_is_the_limit() {
        let story = |words: &[u32]| Story::new(words.to_vec());
        for (a, b, want) in [
            (&[1, 2, 3, 4][..], &[1, 2, 3, 4][..], true),
            (&[1, 2, 3, 4, 5], &[1, 2, 3, 4], true),
            (&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 6], false),
            (&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[1, 2, 3, 4, 5, 6, 7, 8, 10], true),
            (&[1, 2, 3, 4], &[5, 6, 7, 8], false),
            (&[], &[], false),
        ] {
            assert_eq!(story(a).is_same(&story(b)), want, "{a:?} {b:?}");
        }
    }

    proptest! {
        #[test]
        fn the_sketch_never_hides_a_match(
            mut a in prop::collection::vec(any::<u32>(), 4..20),
            drop in 0usize..5,
            add in prop::collection::vec(any::<u32>(), 0..4),
        ) {
            a.sort_unstable();
            a.dedup();
            let mut b: Vec<u32> = a.iter().skip(drop).copied().chain(add).collect();
            b.sort_unstable();
            b.dedup();
            let common = common_count(&a, &b);
            let all = a.len() + b.len() - common;
            let want = !b.is_empty() && common * 5 >= all * 4;
            prop_assert_eq!(Story::new(a.clone()).is_same(&Story::new(b.clone())), want);
            prop_assert_eq!(Story::new(b).is_same(&Story::new(a)), want);
        }
    }
}
