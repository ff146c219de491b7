//! Finds the names of the facts in a text: the longest that fits at each place, with whom it may stand for.

use super::tokens::{Token, tokens};
use crate::facts::{Fact, FactKind, Subject};
use std::collections::HashMap;

/// A name found: the tokens it covers and the subjects it may mean.
#[derive(Clone, Debug)]
pub struct NameMention {
    pub start: usize,
    pub end: usize,
    pub subjects: Vec<Subject>,
}

struct NameEntry {
    words: Vec<String>,
    /// A stranger's name must be spelt as it came, capitals included.
    proper: bool,
    subjects: Vec<Subject>,
}

pub struct KnownNames {
    entries: Vec<NameEntry>,
    by_first: HashMap<String, Vec<usize>>,
}

const GLOBAL: [&str; 4] = ["global stability score", "global score", "composite score", "global stability"];

impl KnownNames {
    pub fn of(facts: &[&Fact]) -> KnownNames {
        let mut names = KnownNames { entries: Vec::with_capacity(64), by_first: HashMap::new() };
        for name in GLOBAL {
            names.add(name, false, Subject::Global);
        }
        names.add("data coverage", false, Subject::Coverage);
        for p in gsi_model::Pillar::ALL {
            names.add(crate::names::pillar(p), false, Subject::Pillar(p));
        }
        for fact in facts {
            let proper = matches!(
                fact.kind,
                FactKind::Event | FactKind::Theater | FactKind::FeedGap | FactKind::Source
            );
            for name in &fact.names {
                names.add(name, proper, fact.subject);
            }
        }
        for (n, entry) in names.entries.iter().enumerate() {
            if let Some(first) = entry.words.first() {
                names.by_first.entry(first.to_lowercase()).or_default().push(n);
            }
        }
        for list in names.by_first.values_mut() {
            list.sort_by_key(|n| std::cmp::Reverse(names.entries[*n].words.len()));
        }
        names
    }

    fn add(&mut self, name: &str, proper: bool, subject: Subject) {
        let bare = name.strip_prefix("the ").unwrap_or(name);
        let words: Vec<String> =
            tokens(bare).iter().map(|t| if proper { t.raw.to_owned() } else { t.low.clone() }).collect();
        if words.is_empty() {
            return;
        }
        match self.entries.iter_mut().find(|e| e.words == words && e.proper == proper) {
            Some(entry) if entry.subjects.contains(&subject) => {}
            Some(entry) => entry.subjects.push(subject),
            None => self.entries.push(NameEntry { words, proper, subjects: vec![subject] }),
        }
    }

    /// Every mention, left to right, without overlaps.
    pub fn find(&self, text: &[Token]) -> Vec<NameMention> {
        let mut found = Vec::new();
        let mut n = 0;
        while n < text.len() {
            let fits = |entry: &NameEntry| {
                entry.words.len() <= text.len() - n
                    && entry
                        .words
                        .iter()
                        .zip(&text[n..])
                        .all(|(w, t)| if entry.proper { w == t.raw } else { *w == t.low })
            };
            let hit = self
                .by_first
                .get(&text[n].low)
                .and_then(|list| list.iter().find(|e| fits(&self.entries[**e])));
            match hit {
                Some(&e) => {
                    let entry = &self.entries[e];
                    // The same words may also be someone else's name: a place and an actor, a town and a country.
                    let mut subjects = entry.subjects.clone();
                    for other in self.by_first[&text[n].low].iter().map(|o| &self.entries[*o]) {
                        if other.words.len() == entry.words.len() && fits(other) {
                            subjects.extend(other.subjects.iter().filter(|s| !entry.subjects.contains(s)));
                        }
                    }
                    let end = n + entry.words.len();
                    found.push(NameMention { start: n, end, subjects });
                    n = end;
                }
                None => n += 1,
            }
        }
        found
    }
}
