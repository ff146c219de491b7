//! Recognises addresses of articles on cyber attacks or disrupted supply by the words of their slug.
//!
//! The word lists (`method/cyber.words`, `method/supply.words`) are reviewed data with one phrase per line. Phrases match
//! whole words. A phrase after `!` cancels a match.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use gsi_model::method_files;
use std::collections::HashSet;
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Theme {
    Cyber,
    Supply,
}

const LISTS: [(Theme, &str); 2] =
    [(Theme::Cyber, method_files::CYBER_WORDS), (Theme::Supply, method_files::SUPPLY_WORDS)];

/// Longer slugs are cut: the publisher itself stops at 255 bytes.
const MAX_SLUG: usize = 255;
/// A slug with fewer words is a section name or a number, not a headline.
const MIN_WORDS: usize = 3;

struct Phrases {
    matcher: AhoCorasick,
    /// The theme of each phrase, and whether it is evidence for the theme rather than against it.
    meanings: Vec<(Theme, bool)>,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut phrases = Vec::new();
    let mut meanings = Vec::new();
    for (theme, list) in LISTS {
        for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (phrase, is_for) = match line.strip_prefix('!') {
                Some(rest) => (rest.trim(), false),
                None => (line, true),
            };
            phrases.push(format!("-{}-", phrase.replace(' ', "-")));
            meanings.push((theme, is_for));
        }
    }
    // A DFA takes longest to build and is the fastest to search; it is built once per process.
    let matcher = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(&phrases);
    Phrases { matcher: matcher.expect("method/*.words compile"), meanings }
});

/// Counts the addresses on each theme. Copies of one agency story share their slug and count once.
pub fn count<'a>(addresses: impl Iterator<Item = &'a str>) -> [u32; 2] {
    let mut cyber: HashSet<String> = HashSet::new();
    let mut supply: HashSet<String> = HashSet::new();
    for address in addresses {
        let Some(slug) = slug_of(address) else { continue };
        let [is_cyber, is_supply] = find_themes(&slug);
        if is_cyber {
            cyber.insert(slug.clone());
        }
        if is_supply {
            supply.insert(slug);
        }
    }
    [cyber.len() as u32, supply.len() as u32]
}

/// Tells whether a slug is on cyber attacks, and whether it is on disrupted supply.
fn find_themes(slug: &str) -> [bool; 2] {
    let mut balance = [0i32; 2];
    for found in PHRASES.matcher.find_overlapping_iter(slug) {
        let (theme, is_for) = PHRASES.meanings[found.pattern().as_usize()];
        balance[theme as usize] += if is_for { 1 } else { -1 };
    }
    balance.map(|balance| balance > 0)
}

/// Returns the words of the address's wordiest segment in lower case, `-in-this-form-`, if they may be a headline.
fn slug_of(address: &str) -> Option<String> {
    let segment = wordiest_segment(address.as_bytes());
    let segment = &segment[..segment.len().min(MAX_SLUG)];
    let mut slug = String::with_capacity(segment.len() + 2);
    slug.push('-');
    let mut words = 0;
    for word in segment.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        // Article numbers differ between copies of one story and carry no meaning.
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        if digits * 2 > word.len() {
            continue;
        }
        slug.extend(word.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
        slug.push('-');
        words += 1;
    }
    (words >= MIN_WORDS).then_some(slug)
}

/// Returns the last of the path segments with the most hyphens.
fn wordiest_segment(address: &[u8]) -> &[u8] {
    let Some(slash) = memchr::memchr_iter(b'/', address).nth(2) else { return &[] };
    let path = &address[slash + 1..];
    let path = &path[..memchr::memchr2(b'?', b'#', path).unwrap_or(path.len())];
    let hyphens = |segment: &&[u8]| memchr::memchr3_iter(b'-', b'_', b'+', segment).count();
    // Of equal segments `max_by_key` returns the last.
    path.split(|byte| *byte == b'/').max_by_key(hyphens).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_follow_from_the_words_of_a_slug() {
        let check = |slug: &str, want: &[Theme]| {
            let address = format!("https://news.example/2025/08/20/{slug}");
            let [is_cyber, is_supply] = slug_of(&address).map_or([false; 2], |slug| find_themes(&slug));
            assert_eq!(
                [is_cyber, is_supply],
                [Theme::Cyber, Theme::Supply].map(|t| want.contains(&t)),
                "{slug}"
            );
            assert_eq!(count([address.as_str()].into_iter()), [is_cyber, is_supply].map(u32::from), "{slug}");
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
        let want = Some("-metis-leaders-strike-note-of-optimism-".to_owned());
        assert_eq!(slug_of("https://a.example/news/metis-leaders-strike-note-of-optimism-11043797"), want);
        assert_eq!(slug_of("https://b.example/x/Metis_leaders_strike_note_of_optimism/11045883"), want);
        for other in ["https://b.example", "https://b.example/", "https://b.example/two-words", "", "a/b/c/"]
        {
            assert_eq!(slug_of(other), None, "{other}");
        }
        let copies = [
            "https://a.example/us/ransomware-attack-on-a-port-1",
            "https://b.example/ransomware-attack-on-a-port",
        ];
        assert_eq!(count(copies.into_iter())[0], 1);
    }
}
