//! Which addresses speak of cyber attacks or of disrupted supply, judged by the words of their slug.
//!
//! The word lists beside this file are reviewed data: one phrase a line, matched on whole words; a phrase after `!`
//! takes the match back.

use super::words::WordSet;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    Cyber,
    Supply,
}

const LISTS: [(Theme, &str); 2] =
    [(Theme::Cyber, include_str!("cyber.words")), (Theme::Supply, include_str!("supply.words"))];

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
        let matcher = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&phrases).ok();
        Themes { matcher, hints, meaning }
    }

    /// The addresses that may have a theme.
    pub fn worth_a_look<'t, 'a>(
        &'t self,
        addresses: &'t [&'a [u8]],
    ) -> impl Iterator<Item = &'a [u8]> + use<'t, 'a> {
        addresses.iter().copied().filter(|address| self.hints.may_have_word_of(address))
    }

    /// The themes of an address. `slug` receives its headline words, `-in-this-form-`.
    pub fn of_address(&self, address: &[u8], slug: &mut Vec<u8>) -> impl Iterator<Item = Theme> + use<> {
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
/// remaining ones share, and so on. Such words name the theme; the others are of all news.
fn one_word_of_each(mut phrases: Vec<&str>) -> WordSet {
    let mut chosen = Vec::new();
    while !phrases.is_empty() {
        let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
        for word in phrases.iter().flat_map(|phrase| phrase.split('-')).filter(|word| WordSet::can_hold(word))
        {
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

/// Writes the wordiest path segment as lower-case words between hyphens; returns the number of words.
fn write_slug(address: &[u8], slug: &mut Vec<u8>) -> usize {
    slug.clear();
    let path = address.splitn(4, |b| *b == b'/').nth(3).unwrap_or_default();
    let path = path.split(|b| matches!(b, b'?' | b'#')).next().unwrap_or_default();
    let hyphens = |s: &[u8]| s.iter().filter(|b| matches!(b, b'-' | b'_' | b'+')).count();
    let Some(segment) = path.split(|b| *b == b'/').max_by_key(|s| hyphens(s)) else { return 0 };
    let mut words = 0;
    slug.push(b'-');
    for word in segment[..segment.len().min(MAX_SLUG)].split(|b| !b.is_ascii_alphanumeric()) {
        // Article numbers differ between copies of one story and mean nothing.
        if word.is_empty() || word.iter().filter(|b| b.is_ascii_digit()).count() * 2 > word.len() {
            continue;
        }
        slug.extend(word.iter().map(u8::to_ascii_lowercase));
        slug.push(b'-');
        words += 1;
    }
    words
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
            let is_seen = themes.hints.may_have_word_of(phrase.as_bytes());
            assert!(is_seen || !speaks_for, "{phrase} is passed over");
        }
        let check = |slug: &str, want: &[Theme]| {
            let address = format!("https://news.example/2025/08/20/{slug}");
            let got: Vec<_> = themes.of_address(address.as_bytes(), &mut Vec::new()).collect();
            assert_eq!(got, want, "{slug}");
            let seen = themes.worth_a_look(&[address.as_bytes()]).count();
            assert!(seen == 1 || want.is_empty(), "{slug} is passed over");
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
