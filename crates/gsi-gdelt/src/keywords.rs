//! Which addresses speak of cyber attacks or of disrupted supply, judged by the words of their slug.
//!
//! The word lists (`method/cyber.words`, `method/supply.words`) are reviewed data: one phrase a line, matched on whole
//! words; a phrase after `!` takes the match back.

use super::words::WordSet;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use gsi_model::method_files;
use hashbrown::HashSet;
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    Cyber,
    Supply,
}

const LISTS: [(Theme, &str); 2] =
    [(Theme::Cyber, method_files::CYBER_WORDS), (Theme::Supply, method_files::SUPPLY_WORDS)];

/// Longer slugs are cut: the publisher itself stops at 255 bytes.
const MAX_SLUG: usize = 255;
/// A slug without at least this many words is a section name or a number, not a headline.
const MIN_WORDS: usize = 3;

pub struct Themes {
    /// Absent only if the lists do not compile, which a test rules out.
    matcher: Option<AhoCorasick>,
    /// A word of each phrase: most addresses have none and need no closer look.
    hints: WordSet,
    /// Theme of each phrase, and whether it speaks for or against.
    meaning: Vec<(Theme, bool)>,
}

static SHARED: LazyLock<Themes> = LazyLock::new(Themes::build);

impl Themes {
    pub fn shared() -> &'static Themes {
        &SHARED
    }

    fn build() -> Themes {
        let mut phrases = Vec::new();
        let mut meaning = Vec::new();
        for (theme, list) in LISTS {
            for line in list.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
                let (phrase, speaks_for) = match line.strip_prefix('!') {
                    Some(rest) => (rest.trim(), false),
                    None => (line, true),
                };
                phrases.push(format!("-{}-", phrase.replace(' ', "-")));
                meaning.push((theme, speaks_for));
            }
        }
        let speaking = phrases.iter().zip(&meaning).filter(|(_, (_, speaks_for))| *speaks_for);
        let hints = one_word_of_each(speaking.map(|(phrase, _)| phrase.as_str()).collect());
        let matcher = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            // Built once, asked for as long as the service runs.
            .kind(Some(AhoCorasickKind::DFA))
            .build(&phrases)
            .ok();
        Themes { matcher, hints, meaning }
    }

    /// Whether the address of `length` bytes that the text starts with may have a theme.
    pub fn is_worth_a_look(&self, text: &[u8], length: usize) -> bool {
        self.hints.may_have_word_of(text, length)
    }

    /// How many addresses speak of each theme; copies of one wire story, which share their slug, count once.
    pub fn count(&self, addresses: &[&[u8]]) -> [u32; 2] {
        let mut slug = Vec::new();
        let mut hits: HashSet<(Theme, Vec<u8>)> = HashSet::new();
        for address in addresses {
            for theme in self.of_address(address, &mut slug) {
                hits.insert((theme, slug.clone()));
            }
        }
        [Theme::Cyber, Theme::Supply].map(|theme| hits.iter().filter(|(t, _)| *t == theme).count() as u32)
    }

    /// The themes of an address. `slug` receives its headline words, `-in-this-form-`.
    fn of_address(&self, address: &[u8], slug: &mut Vec<u8>) -> impl Iterator<Item = Theme> + use<> {
        let mut score = [(0u32, 0u32); 2];
        let words = write_slug(address, slug);
        if let Some(matcher) = self.matcher.as_ref().filter(|_| words >= MIN_WORDS) {
            for found in matcher.find_overlapping_iter(slug.as_slice()) {
                let (theme, speaks_for) = self.meaning[found.pattern().as_usize()];
                let entry = &mut score[theme as usize];
                if speaks_for { entry.0 += 1 } else { entry.1 += 1 }
            }
        }
        [Theme::Cyber, Theme::Supply].into_iter().filter(move |t| {
            let (speaks_for, against) = score[*t as usize];
            speaks_for > against
        })
    }
}

/// Few words, so that every phrase has one of them: the word that most phrases share, then the word that most of the
/// remaining ones share, and so on.
fn one_word_of_each(mut phrases: Vec<&str>) -> WordSet {
    let mut chosen = Vec::new();
    while !phrases.is_empty() {
        let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
        for word in phrases.iter().flat_map(|phrase| telling_words(phrase)) {
            *shared.entry(word).or_default() += 1;
        }
        let Some((word, _)) = shared.into_iter().max_by_key(|(word, phrases)| (*phrases, word.len())) else {
            break;
        };
        phrases.retain(|phrase| !phrase.split('-').any(|other| other == word));
        chosen.push(word.to_owned());
    }
    chosen.into_iter().collect()
}

/// Words of all news: they say little about what they stand in.
const COMMON_WORDS: [&str; 9] =
    ["attack", "attacks", "critical", "data", "rare", "service", "strike", "workers", "zero"];

/// The words of a phrase that a set can hold; common ones only if there is no other.
fn telling_words(phrase: &str) -> Vec<&str> {
    let (common, telling): (Vec<&str>, Vec<&str>) = phrase
        .split('-')
        .filter(|word| WordSet::can_hold(word))
        .partition(|word| COMMON_WORDS.contains(word));
    if telling.is_empty() { common } else { telling }
}

/// Writes the wordiest path segment as lower-case words between hyphens; returns the number of words.
fn write_slug(address: &[u8], slug: &mut Vec<u8>) -> usize {
    slug.clear();
    slug.push(b'-');
    let segment = wordiest_segment(address);
    let (mut words, mut start, mut digits) = (0, slug.len(), 0);
    let segment = &segment[..segment.len().min(MAX_SLUG)];
    for byte in segment.iter().chain(b"-") {
        if byte.is_ascii_alphanumeric() {
            slug.push(byte.to_ascii_lowercase());
            digits += usize::from(byte.is_ascii_digit());
            continue;
        }
        let length = slug.len() - start;
        // Article numbers differ between copies of one story and mean nothing.
        if digits * 2 > length {
            slug.truncate(start);
        } else if length > 0 {
            slug.push(b'-');
            words += 1;
        }
        (start, digits) = (slug.len(), 0);
    }
    words
}

/// The last of the segments with the most hyphens.
fn wordiest_segment(address: &[u8]) -> &[u8] {
    let path = memchr::memchr_iter(b'/', address).nth(2).map_or(&[][..], |slash| &address[slash + 1..]);
    let path = &path[..memchr::memchr2(b'?', b'#', path).unwrap_or(path.len())];
    let (mut best, mut most, mut start) = (&path[..0], 0, 0);
    for end in memchr::memchr_iter(b'/', path).chain([path.len()]) {
        let segment = &path[start..end];
        let hyphens = memchr::memchr3_iter(b'-', b'_', b'+', segment).count();
        if hyphens >= most {
            (best, most) = (segment, hyphens);
        }
        start = end + 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_speak_for_themselves() {
        let themes = Themes::build();
        assert!(themes.matcher.is_some(), "the word lists compile");
        for phrase in LISTS.iter().flat_map(|(_, list)| list.lines()).map(str::trim) {
            let speaks_for = !phrase.is_empty() && !phrase.starts_with(['#', '!']);
            let is_seen = themes.is_worth_a_look(phrase.as_bytes(), phrase.len());
            assert!(is_seen || !speaks_for, "{phrase} is passed over");
        }
        let check = |slug: &str, want: &[Theme]| {
            let address = format!("https://news.example/2025/08/20/{slug}");
            let got: Vec<_> = themes.of_address(address.as_bytes(), &mut Vec::new()).collect();
            assert_eq!(got, want, "{slug}");
            let is_seen = themes.is_worth_a_look(address.as_bytes(), address.len());
            assert!(is_seen || want.is_empty(), "{slug} is passed over");
        };
        use Theme::{Cyber, Supply};
        for slug in [
            "college-of-eastern-idaho-hit-by-malware-attack",
            "takedown-of-blacksuit-ransomware-infrastructure/",
            "m-s-restarts-online-orders-after-cyber-attack-084106990.html",
            "russia-hacked-u-s-power-grid-so-what",
            "hackers-breach-water-utility.html?utm_source=x-y-z",
        ] {
            check(slug, &[Cyber]);
        }
        for slug in [
            "canadian-rail-dispute-poised-disrupt-us-supply-chains-amid-lockout-threats-3740115",
            "chinas-rare-earth-export-curbs-risk",
            "nationwide-iv-fluid-shortage-changing-how-hospitals-manage",
            "container-ships-rerouted-around-cape-after-attacks",
        ] {
            check(slug, &[Supply]);
        }
        check("ransomware-attack-halts-port-operations-amid-port-closure", &[Cyber, Supply]);
        for slug in [
            "chechnya-kadyrov-musk-tesla-cybertruck-intl",
            "tourism-hackathon-2025-to-be-launched",
            "princess-gabriella-secret-hack-look-like",
            "best-cyber-monday-deals-on-laptops",
            "israeli-strikes-gaza-kill-least-130",
            "federal-courts-struggle-with-judge-shortages",
            "sanctions",
            "ransomware",
            "at-the-port-of-call-a-new-restaurant",
        ] {
            check(slug, &[]);
        }
    }

    #[test]
    fn copies_share_a_slug() {
        let slug = |address: &str| {
            let mut slug = Vec::new();
            write_slug(address.as_bytes(), &mut slug);
            String::from_utf8(slug).unwrap()
        };
        let want = "-metis-leaders-strike-note-of-optimism-";
        assert_eq!(slug("https://a.example/news/metis-leaders-strike-note-of-optimism-11043797"), want);
        assert_eq!(slug("https://b.example/x/Metis_leaders_strike_note_of_optimism/11045883"), want);
        assert_eq!(slug("https://b.example"), "-");
    }
}
