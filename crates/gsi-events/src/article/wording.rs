//! The words of an address as the event filter reads them: stems, and their classes.
//!
//! A class (`method/word_classes.tsv`) lists words that belong together; their weight is learned. With classes, a
//! model trained on a few hundred articles covers words that none of them contained.

use crate::article::address::{Address, words};
use crate::lookup::FastMap;
use crate::parameters::PARAMETERS;
use gsi_model::method_files;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Words of the longest phrase in any table.
pub const MAX_PHRASE: usize = 3;

/// The common part of a word's inflections: `strike` of `strikes` and `striking`. Words of other scripts are
/// unchanged.
pub fn stem(word: &str) -> String {
    let (min_letters, suffixes) = (PARAMETERS.word_forms.min_stem_letters, &PARAMETERS.word_forms.suffixes);
    let mut stem = word.to_owned();
    if !word.is_ascii() {
        return stem;
    }
    if let Some(suffix) = suffixes.iter().find(|s| word.ends_with(*s) && word.len() >= s.len() + min_letters)
    {
        stem.truncate(word.len() - suffix.len());
        if suffix == "ies" {
            stem.push('y');
        }
    }
    let letters = stem.as_bytes();
    if let [.., a, b] = letters
        && letters.len() > min_letters
        && a == b
        && !matches!(b, b'l' | b's')
    {
        stem.pop();
    }
    if stem.len() > min_letters && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

#[derive(Default)]
struct ClassTable {
    /// By stem of the first word: the stems of the whole phrase.
    phrases: FastMap<String, Vec<(Vec<String>, &'static str)>>,
    starts: FastMap<&'static str, &'static str>,
    sections: FastMap<&'static str, &'static str>,
    hosts: FastMap<&'static str, &'static str>,
}

static CLASSES: LazyLock<ClassTable> = LazyLock::new(|| {
    let mut table = ClassTable::default();
    for line in method_files::WORD_CLASSES.lines().filter(|l| !l.starts_with('#')) {
        let mut cells = line.split('\t');
        let (Some(kind), Some(class), Some(terms)) = (cells.next(), cells.next(), cells.next()) else {
            continue;
        };
        for term in terms.split(' ') {
            match kind {
                "word" => {
                    let phrase: Vec<String> = term.split('-').map(stem).collect();
                    let known = table.phrases.entry(phrase[0].clone()).or_default();
                    // Two inflections of a word are one entry.
                    if !known.contains(&(phrase.clone(), class)) {
                        known.push((phrase, class));
                    }
                }
                "start" => drop(table.starts.insert(term, class)),
                "section" => drop(table.sections.insert(term, class)),
                "host" => drop(table.hosts.insert(term, class)),
                _ => {}
            }
        }
    }
    table
});

/// How many words of a headline (given as stems) belong to each class.
pub fn class_counts(stems: &[String]) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for at in 0..stems.len() {
        for (phrase, class) in CLASSES.phrases.get(&stems[at]).into_iter().flatten() {
            if stems[at..].starts_with(phrase) {
                *counts.entry(*class).or_default() += 1;
            }
        }
    }
    counts
}

/// Class of a headline's first word: it argues or explains.
pub fn start_class(first: &str) -> Option<&'static str> {
    CLASSES.starts.get(first).copied()
}

/// Classes of the path segments and host labels.
pub fn section_classes(address: &Address) -> Vec<&'static str> {
    let labels = address.host().split('.');
    let mut found: Vec<&str> =
        labels.chain(address.segments()).filter_map(|s| CLASSES.sections.get(s).copied()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Class of the host, or of the site that it is a part of.
pub fn host_class(host: &str) -> Option<&'static str> {
    let mut name = Some(host);
    while let Some(host) = name {
        if let Some(class) = CLASSES.hosts.get(host) {
            return Some(class);
        }
        name = host.split_once('.').map(|(_, parent)| parent);
    }
    None
}

/// The words of a headline: two letters or more, no digits.
pub fn headline_words(address: &Address) -> Vec<&str> {
    words(address.headline())
        .filter(|w| w.len() >= PARAMETERS.word_forms.min_letters && !w.bytes().any(|b| b.is_ascii_digit()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflections_share_a_stem() {
        for (words, want) in [
            (&["strike", "strikes", "striking"][..], "strik"),
            (&["protest", "protests", "protesting", "protested", "protesters"], "protest"),
            (&["bomb", "bombs", "bombing", "bombed"], "bomb"),
            (&["city"], "city"),
            (&["rallies"], "rally"),
            (&["gas"], "gas"),
            (&["Überfälle"], "Überfälle"),
        ] {
            for word in words {
                assert_eq!(stem(word), want, "{word}");
            }
        }
    }

    #[test]
    fn every_line_of_the_class_table_is_understood() {
        let mut terms = 0;
        for line in method_files::WORD_CLASSES.lines().filter(|l| !l.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert!(
                matches!(cells[..], ["word" | "start" | "section" | "host", class, list] if !class.is_empty() && !list.is_empty()),
                "{line}"
            );
            for term in cells[2].split(' ') {
                assert!(term.split('-').all(|word| !word.is_empty()) || cells[0] == "section", "{term}");
                terms += 1;
            }
        }
        assert!(terms > 1_000, "{terms}");
    }

    #[test]
    fn classes_of_a_headline() {
        let stems: Vec<String> = "car-bomb-kills-soldiers-price-war".split('-').map(stem).collect();
        let counts = class_counts(&stems);
        for class in ["attack", "casualty", "armed", "business"] {
            assert!(counts.contains_key(class), "{class}: {counts:?}");
        }
        assert_eq!(start_class("why"), Some("opinion"));
        assert_eq!(host_class("www.espn.com"), Some("sport"));
        let address = Address::parse("https://opinion.example.com/sports/a-b").unwrap();
        assert_eq!(section_classes(&address), ["opinion", "sport"]);
    }
}
