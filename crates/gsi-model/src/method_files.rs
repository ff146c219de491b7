//! The method's files, compiled in at this one place. The crates that compute with one read it from here, and the
//! digest covers every listed file, so no computation uses a file outside the digest.

#![expect(clippy::disallowed_macros, reason = "the one place")]

/// The reviewed catalogue. The digest covers its active part and not the file.
pub const CATALOGUE: &str = include_str!("../../../method/catalogue.toml");

/// The catalogue for countries. It has a separate digest, since the world's numbers do not depend on it.
pub const COUNTRY_CATALOGUE: &str = include_str!("../../../method/countries.toml");

/// The rules of public alerts. They follow from scores and change none, so they have a separate digest.
pub const ALERTS: &str = include_str!("../../../method/alerts.toml");

/// The log of changes. It explains numbers and changes none, so the digest does not cover it.
pub const CHANGES: &str = include_str!("../../../method/changes.toml");

pub const COUNTRIES: &str = include_str!("../../../method/countries.tsv");
pub const COUNTRY_WORDS: &str = include_str!("../../../method/country_words.tsv");
pub const CYBER_WORDS: &str = include_str!("../../../method/cyber.words");
pub const EVENT_FILTER: &str = include_str!("../../../method/event_filter.tsv");
pub const EVENTS: &str = include_str!("../../../method/events.toml");
pub const GROUPS: &str = include_str!("../../../method/groups.tsv");
pub const KEV: &str = include_str!("../../../method/kev.toml");
pub const OUTLETS: &str = include_str!("../../../method/outlets.tsv");
pub const REGIONS: &str = include_str!("../../../method/regions.tsv");
pub const ROLES: &str = include_str!("../../../method/roles.tsv");
pub const SUPPLY_WORDS: &str = include_str!("../../../method/supply.words");
pub const WORD_CLASSES: &str = include_str!("../../../method/word_classes.tsv");

/// Every file besides the catalogues, alerts and changes, with its name.
pub const PARTS: [(&str, &str); 12] = [
    ("countries.tsv", COUNTRIES),
    ("country_words.tsv", COUNTRY_WORDS),
    ("cyber.words", CYBER_WORDS),
    ("event_filter.tsv", EVENT_FILTER),
    ("events.toml", EVENTS),
    ("groups.tsv", GROUPS),
    ("kev.toml", KEV),
    ("outlets.tsv", OUTLETS),
    ("regions.tsv", REGIONS),
    ("roles.tsv", ROLES),
    ("supply.words", SUPPLY_WORDS),
    ("word_classes.tsv", WORD_CLASSES),
];

#[cfg(test)]
mod tests {
    use super::PARTS;

    #[test]
    fn every_file_of_the_method_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../method");
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.is_file());
        let mut found: Vec<String> =
            files.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
        found.sort();
        let mut listed = vec!["alerts.toml", "catalogue.toml", "changes.toml", "countries.toml"];
        listed.extend(PARTS.map(|(name, _)| name));
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
