//! The reviewed list of addresses that nearly never report a current conflict event.
//!
//! A hand audit of raw rows found courts and crime, opinion, history, sport, entertainment and lifestyle behind most
//! false ones, and the address gives them away. The list is data (`data/exclusions.tsv`) so that it can be reviewed and
//! corrected without reading code.

use crate::address::{Address, words};
use crate::lookup::FastMap;
use gsi_model::Category;
use std::sync::LazyLock;

/// What the article is about instead. A closed set, fit for a counter's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    Accident,
    Business,
    Court,
    Crime,
    Entertainment,
    History,
    Lifestyle,
    Listing,
    Opinion,
    Science,
    Sport,
}

impl Topic {
    const ALL: [(Topic, &'static str); 11] = [
        (Topic::Accident, "accident"),
        (Topic::Business, "business"),
        (Topic::Court, "court"),
        (Topic::Crime, "crime"),
        (Topic::Entertainment, "entertainment"),
        (Topic::History, "history"),
        (Topic::Lifestyle, "lifestyle"),
        (Topic::Listing, "listing"),
        (Topic::Opinion, "opinion"),
        (Topic::Science, "science"),
        (Topic::Sport, "sport"),
    ];

    pub fn reason(self) -> &'static str {
        match self {
            Topic::Accident => "about_accident",
            Topic::Business => "about_business",
            Topic::Court => "about_court",
            Topic::Crime => "about_crime",
            Topic::Entertainment => "about_entertainment",
            Topic::History => "about_history",
            Topic::Lifestyle => "about_lifestyle",
            Topic::Listing => "about_listing",
            Topic::Opinion => "about_opinion",
            Topic::Science => "about_science",
            Topic::Sport => "about_sport",
        }
    }
}

/// One bit per category.
type Scope = u8;
type Rule = (Topic, Scope);

fn bit(category: Category) -> Scope {
    1 << Category::ALL.iter().position(|c| *c == category).unwrap_or(0)
}

#[derive(Default)]
struct Table {
    sections: FastMap<&'static str, Rule>,
    words: FastMap<&'static str, Rule>,
    prefixes: Vec<(&'static str, Rule)>,
    /// First words of headlines that explain or argue.
    starts: FastMap<&'static str, Rule>,
    /// By first word: the whole phrase, word by word.
    phrases: FastMap<&'static str, Vec<(Vec<&'static str>, Rule)>>,
    domains: FastMap<&'static str, Rule>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in include_str!("../data/exclusions.tsv").lines().filter(|l| !l.starts_with('#')) {
        let mut cells = line.split('\t');
        let (Some(kind), Some(term), Some(topic), Some(scope)) =
            (cells.next(), cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        let Some((topic, _)) = Topic::ALL.into_iter().find(|(_, key)| *key == topic) else { continue };
        let scope = match scope {
            "*" => Scope::MAX,
            list => list.split(',').filter_map(Category::from_key).fold(0, |s, c| s | bit(c)),
        };
        let rule = (topic, scope);
        match kind {
            "section" => drop(table.sections.insert(term, rule)),
            "word" => drop(table.words.insert(term, rule)),
            "start" => drop(table.starts.insert(term, rule)),
            "prefix" => table.prefixes.push((term, rule)),
            "domain" => drop(table.domains.insert(term, rule)),
            "phrase" => {
                let parts: Vec<&str> = words(term).collect();
                if let Some(first) = parts.first() {
                    table.phrases.entry(first).or_default().push((parts, rule));
                }
            }
            _ => {}
        }
    }
    table
});

/// What an address gives away, for every category at once: an article is looked at once however many rows it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exclusion {
    hits: [Option<Topic>; Category::ALL.len()],
}

impl Exclusion {
    pub fn of(address: &Address) -> Self {
        let mut found = Exclusion::default();
        let host = address.host();
        let mut parent = Some(host);
        while let Some(name) = parent {
            found.note(TABLE.domains.get(name));
            parent = name.split_once('.').map(|(_, rest)| rest);
        }
        for label in host.split('.') {
            found.note(TABLE.sections.get(label));
        }
        for segment in address.segments() {
            found.note(TABLE.sections.get(segment));
            found.note_words(segment);
        }
        found
    }

    fn note_words(&mut self, segment: &str) {
        let words: Vec<&str> = words(segment).collect();
        if let [first, _, _, ..] = words[..] {
            self.note(TABLE.starts.get(first));
        }
        for (at, word) in words.iter().enumerate() {
            self.note(TABLE.words.get(word));
            for (prefix, rule) in &TABLE.prefixes {
                if word.starts_with(prefix) {
                    self.note(Some(rule));
                }
            }
            for (phrase, rule) in TABLE.phrases.get(word).into_iter().flatten() {
                if words[at..].starts_with(phrase) {
                    self.note(Some(rule));
                }
            }
        }
    }

    /// The first thing found stands.
    fn note(&mut self, rule: Option<&Rule>) {
        let Some((topic, scope)) = rule else { return };
        for (hit, category) in self.hits.iter_mut().zip(Category::ALL) {
            if hit.is_none() && scope & bit(category) != 0 {
                *hit = Some(*topic);
            }
        }
    }

    pub fn for_category(&self, category: Category) -> Option<Topic> {
        Category::ALL.iter().position(|c| *c == category).and_then(|i| self.hits[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let lines = include_str!("../data/exclusions.tsv").lines().filter(|l| !l.starts_with('#')).count();
        let read = TABLE.sections.len()
            + TABLE.words.len()
            + TABLE.prefixes.len()
            + TABLE.starts.len()
            + TABLE.phrases.values().map(Vec::len).sum::<usize>()
            + TABLE.domains.len();
        assert_eq!(read, lines, "a line was malformed or doubled");
    }

    #[test]
    fn what_gives_an_address_away() {
        use Category::{Coercion, Kinetic};
        let check = |url: &str, category: Category, want: Option<Topic>| {
            let found = Exclusion::of(&Address::parse(url).unwrap());
            assert_eq!(found.for_category(category), want, "{url}");
        };
        check("https://a.com/opinion/trump-putin-summit-2025", Kinetic, Some(Topic::Opinion));
        check("https://opinion.bdnews24.com/2019/03/x", Kinetic, Some(Topic::Opinion));
        check("https://missoulian.com/news/local/crime-courts/article_d3.html", Kinetic, Some(Topic::Crime));
        check("https://a.com/2025/man-sentenced-in-2014-shooting-death/", Kinetic, Some(Topic::Court));
        check("https://www.espn.com/nfl/story", Kinetic, Some(Topic::Sport));
        check("https://a.com/news/ukraine-commemorates-fallen", Kinetic, Some(Topic::History));
        check("https://a.com/news/supermarkets-in-price-war-again", Kinetic, Some(Topic::Business));
        check("https://a.com/news/price-of-war-in-sudan", Coercion, None);
        check("https://a.com/business/us-imposes-new-sanctions-on-iran", Coercion, None);
        check("https://a.com/business/startup-battle-heats-up", Kinetic, Some(Topic::Business));
        check("https://a.com/news/israeli-airstrikes-devastate-gaza-130-killed", Kinetic, None);
        check("https://a.com/world/russian-strikes-kill-7-ukraine-hours", Kinetic, None);
        check("https://a.com/world/why-the-truce-in-gaza-fails", Kinetic, Some(Topic::Opinion));
        check("https://a.com/world/rebels-say-why", Kinetic, None);
        // A word hides in another: a gamekeeper is no game.
        check("https://a.com/world/gamekeeper-bookings", Kinetic, None);
    }
}
