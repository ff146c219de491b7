//! Countries that a headline names, and the part each of them plays in it.
//!
//! "Israel attacks Yemen's port" happens in Yemen, "Russian drones hit Kharkiv" in Ukraine, "rally for Israel" in
//! neither. The parts are found from neighbouring words alone; the weight of each part for the place of an event is
//! learned.

use crate::article::wording::MAX_PHRASE;
use crate::lookup::FastMap;
use crate::parameters::{PARAMETERS, has_pair};
use gsi_model::{CountryCode, method_files};
use std::sync::LazyLock;

/// The kind of word that names the country.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// Of the country, a region or a town.
    Name,
    People,
    /// A capital or an office that means the government.
    Seat,
}

/// The part a country plays in a headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeadlinePart {
    /// After a word of place, or its ground: "in Sudan", "Yemeni port".
    Place,
    /// A plain name.
    Name,
    /// Its people, without an act.
    People,
    /// Its people or forces suffer: "kills Ukrainian soldiers".
    Victim,
    /// Its forces act: "Russian strikes".
    Actor,
    /// The first of several countries, which says or does something to the others.
    Subject,
    /// Its government.
    Seat,
    /// A topic or an origin: "rally for Israel", "US-made".
    Topic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountryMention {
    pub country: CountryCode,
    pub part: HeadlinePart,
}

#[derive(Default)]
struct CountryWords {
    phrases: FastMap<&'static str, (CountryCode, Naming)>,
    centers: FastMap<CountryCode, (f64, f64)>,
    /// The names of countries and of their peoples, which do not distinguish two happenings.
    plain: FastMap<&'static str, CountryCode>,
}

static TABLE: LazyLock<CountryWords> = LazyLock::new(|| {
    let mut table = CountryWords::default();
    for line in method_files::COUNTRY_WORDS.lines().filter(|l| !l.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [code, lat, lon, names, people, seats] = cells[..] else { continue };
        let Some(country) = CountryCode::from_iso2(code) else { continue };
        if let (Ok(lat), Ok(lon)) = (lat.parse(), lon.parse()) {
            table.centers.insert(country, (lat, lon));
        }
        let own_name = names.split(' ').next().unwrap_or("");
        for word in own_name.split('-').chain(people.split(' ')) {
            table.plain.insert(word, country);
        }
        for (naming, list) in [(Naming::Name, names), (Naming::People, people), (Naming::Seat, seats)] {
            for phrase in list.split(' ').filter(|p| !p.is_empty()) {
                table.phrases.insert(phrase, (country, naming));
            }
        }
    }
    table
});

/// The countries that the words name, in their order, with the part each plays.
pub fn mentions(words: &[&str]) -> Vec<CountryMention> {
    let mut found: Vec<(CountryMention, Naming)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = (1..=MAX_PHRASE.min(words.len() - at)).rev().find_map(|n| {
            let known = match n {
                1 => TABLE.phrases.get(words[at]),
                _ => TABLE.phrases.get(words[at..at + n].join("-").as_str()),
            };
            known.map(|(country, naming)| (n, *country, *naming))
        });
        let Some((length, country, naming)) = longest else {
            at += 1;
            continue;
        };
        let part = part_of(words, at, length, naming);
        found.push((CountryMention { country, part }, naming));
        at += length;
    }
    mark_subject(&mut found);
    found.into_iter().map(|(mention, _)| mention).collect()
}

fn part_of(words: &[&str], at: usize, length: usize, naming: Naming) -> HeadlinePart {
    let parts = &PARAMETERS.headlines;
    let back = |n: usize| at.checked_sub(n).map_or("", |i| words[i]);
    let ahead = |n: usize| words.get(at + length + n).copied().unwrap_or("");
    let next = if ahead(0) == "s" { ahead(1) } else { ahead(0) };
    let suffers = parts.harm.contains(back(1)) || parts.harm.contains(back(2));
    let is_people = naming == Naming::People;
    let in_a_name = has_pair(&parts.seas, words[at], next);
    let is_person_abroad = is_people && parts.person_abroad.contains(next);
    if in_a_name
        || is_person_abroad
        || parts.before_topic.contains(back(1))
        || parts.after_topic.contains(next)
    {
        HeadlinePart::Topic
    } else if is_people && parts.ground.contains(next) || !is_people && parts.before_place.contains(back(1)) {
        HeadlinePart::Place
    } else if parts.force.contains(next)
        && (is_people || naming == Naming::Name && !parts.may_be_verb.contains(next))
    {
        if suffers && parts.persons.contains(next) { HeadlinePart::Victim } else { HeadlinePart::Actor }
    } else if is_people {
        if suffers { HeadlinePart::Victim } else { HeadlinePart::People }
    } else if naming == Naming::Seat {
        HeadlinePart::Seat
    } else {
        HeadlinePart::Name
    }
}

/// Marks the first plain name as the subject when another country follows it.
fn mark_subject(found: &mut [(CountryMention, Naming)]) {
    let Some(first) =
        found.iter().position(|(m, _)| matches!(m.part, HeadlinePart::Name | HeadlinePart::Seat))
    else {
        return;
    };
    let subject = found[first].0.country;
    let object = |(m, _): &(CountryMention, Naming)| {
        m.country != subject
            && matches!(
                m.part,
                HeadlinePart::Name | HeadlinePart::Place | HeadlinePart::Victim | HeadlinePart::People
            )
    };
    if found[first + 1..].iter().any(object) {
        found[first].0.part = HeadlinePart::Subject;
    }
}

/// Whether a place name as the coder writes it ("White House, …") is a seat of that country's government.
pub fn is_seat(place_name: &str, country: CountryCode) -> bool {
    let first = place_name.split(',').next().unwrap_or("").trim().to_ascii_lowercase();
    let phrase = first.split_whitespace().collect::<Vec<_>>().join("-");
    TABLE.phrases.get(phrase.as_str()) == Some(&(country, Naming::Seat))
}

/// Words of countries' own names and of their peoples.
pub fn country_words() -> impl Iterator<Item = &'static str> {
    TABLE.plain.keys().copied()
}

/// About the middle of the country, for events that are known by their country only.
pub fn center(country: CountryCode) -> Option<(f64, f64)> {
    TABLE.centers.get(&country).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_read_whole_and_no_word_is_listed_twice() {
        let mut seen = BTreeSet::new();
        for line in method_files::COUNTRY_WORDS.lines().filter(|l| !l.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 6, "{line}");
            let country = CountryCode::from_iso2(cells[0]).unwrap_or_else(|| panic!("{line}"));
            let (lat, lon) = center(country).unwrap_or_else(|| panic!("{line}"));
            assert!((-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon), "{line}");
            for phrase in cells[3..].iter().flat_map(|c| c.split(' ')).filter(|p| !p.is_empty()) {
                assert!(seen.insert(phrase), "{phrase} is listed twice");
                assert!(phrase.split('-').count() <= MAX_PHRASE, "{phrase}");
            }
        }
    }

    #[test]
    fn parts_that_countries_play() {
        use HeadlinePart::{Actor, Name, People, Place, Seat, Subject, Topic, Victim};
        for (headline, want) in [
            (
                "israel-attacks-yemeni-port-city-of-hodeida",
                &[("IL", Subject), ("YE", Place), ("YE", Name)][..],
            ),
            ("russian-drones-hit-apartment-block-in-kharkiv", &[("RU", Actor), ("UA", Place)]),
            ("russia-launches-drones-at-ukraine", &[("RU", Subject), ("UA", Place)]),
            ("car-bomb-kills-4-in-somali-capital", &[("SO", Place)]),
            ("rally-for-israel-hostages", &[("IL", Topic)]),
            ("clash-in-south-china-sea", &[("CN", Topic)]),
            ("drone-attack-kills-three-ukrainian-soldiers", &[("UA", Victim)]),
            ("white-house-says-talks-go-on", &[("US", Seat)]),
            ("sudan-war-intensifies", &[("SD", Topic)]),
            ("french-farmers-block-roads", &[("FR", People)]),
            ("two-dead-after-blast-haiti", &[("HT", Name)]),
        ] {
            let words: Vec<&str> = headline.split('-').collect();
            let got: Vec<(String, HeadlinePart)> =
                mentions(&words).iter().map(|m| (m.country.to_string(), m.part)).collect();
            let want: Vec<(String, HeadlinePart)> = want.iter().map(|(c, p)| ((*c).to_owned(), *p)).collect();
            assert_eq!(got, want, "{headline}");
        }
    }

    #[test]
    fn seats_of_government() {
        let country = |code: &str| CountryCode::from_iso2(code).unwrap();
        assert!(is_seat("Kremlin, Moskva, Russia", country("RU")));
        assert!(is_seat("White House, District of Columbia, United States", country("US")));
        assert!(!is_seat("Moscow, Idaho, United States", country("US")));
        assert!(!is_seat("Kharkiv, Kharkivs'ka Oblast', Ukraine", country("UA")));
        assert!(!is_seat("", country("UA")));
    }
}
