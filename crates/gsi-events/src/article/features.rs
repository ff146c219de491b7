//! The input of the event filter: an article's address and its coded rows as named numbers.
//!
//! The trainer and the service call the same function, so a weight keeps the meaning it had in training.

use crate::actors::Side;
use crate::article::address::{Address, is_significant, words};
use crate::article::wording;
use crate::parameters::PARAMETERS;
use gsi_model::NewsRow;
use std::collections::{BTreeMap, BTreeSet};

/// Sums over features are formed in the order of their names.
pub type Features = BTreeMap<String, f64>;

/// The features of one article, from all of its rows in one file.
pub fn article_features(address: &Address, rows: &[&NewsRow]) -> Features {
    let mut found = Features::new();
    address_features(address, &mut found);
    row_features(rows, &mut found);
    found
}

fn mark(found: &mut Features, kind: &str, name: &str) {
    found.insert(format!("{kind}:{name}"), 1.0);
}

fn address_features(address: &Address, found: &mut Features) {
    let headline = address.headline();
    let headline_words = wording::headline_words(address);
    let stems: Vec<String> = headline_words.iter().map(|w| wording::stem(w)).collect();
    for (word, stem) in headline_words.iter().zip(&stems) {
        if is_significant(word) {
            mark(found, "word", stem);
        }
    }
    for (class, count) in wording::class_counts(&stems) {
        mark(found, "class", class);
        if count > 1 {
            mark(found, "classes", class);
        }
    }
    if headline_words.len() >= PARAMETERS.features.min_words_for_start
        && let Some(first) = headline_words.first()
        && let Some(class) = wording::start_class(first)
    {
        mark(found, "start", class);
    }
    for word in address.segments().filter(|s| *s != headline).flat_map(words) {
        if word.len() >= PARAMETERS.word_forms.min_letters && !word.bytes().any(|b| b.is_ascii_digit()) {
            mark(found, "path", word);
        }
    }
    for class in wording::section_classes(address) {
        mark(found, "section", class);
    }
    if let Some(class) = wording::host_class(address.host()) {
        mark(found, "site", class);
    }
    let mut labels: Vec<&str> = address.host().split('.').collect();
    if let Some(last) = labels.pop() {
        mark(found, "domain", last);
    }
    for label in labels.into_iter().filter(|l| !PARAMETERS.features.plain_host_labels.contains(*l)) {
        mark(found, "host", label);
    }
    let parameters = &PARAMETERS.features;
    let counted = headline_words.len().min(parameters.many_words) as f64;
    found.insert("number:words".to_owned(), counted / parameters.words_scale);
}

fn row_features(rows: &[&NewsRow], found: &mut Features) {
    let Some(first) = rows.first() else { return };
    let (parameters, share) = (&PARAMETERS.features, 1.0 / rows.len() as f64);
    let mut codes: BTreeSet<&str> = BTreeSet::new();
    let mut countries: BTreeSet<&str> = BTreeSet::new();
    let (mut across, mut two_sided, mut old, mut mentions) = (false, false, 0, 1);
    for row in rows {
        *found.entry(format!("share:{}", row.root())).or_default() += share;
        mark(found, "root", row.root());
        if row.is_root {
            mark(found, "lead", row.root());
        }
        codes.insert(&row.code);
        mark(found, "code", row.code.get(..3).unwrap_or(&row.code));
        mark(found, "geo", &row.geo.as_ref().map_or("none".to_owned(), |g| g.kind.to_string()));
        countries.extend(row.geo.as_ref().and_then(|g| g.country.as_ref()).map(|c| c.as_str()));
        for actor in [&row.actor1, &row.actor2] {
            for role in &actor.roles {
                mark(found, "role", role);
            }
        }
        let (a, b) = (Side::from_actor(&row.actor1), Side::from_actor(&row.actor2));
        across |= crate::actors::crosses_border(&a, &b);
        two_sided |= !a.is_unknown() && !b.is_unknown();
        old += u32::from(row.day != row.added.day().0);
        mentions = mentions.max(row.mentions);
    }
    for (name, holds) in [
        ("across_border", across),
        ("one_sided", !two_sided),
        ("some_old_day", old > 0),
        ("all_old_days", old as usize == rows.len()),
        ("us_only", countries.iter().all(|c| *c == "US") && !countries.is_empty()),
        ("us", countries.contains("US")),
        ("abroad", countries.iter().any(|c| !parameters.english_press.contains(*c))),
    ] {
        if holds {
            mark(found, "is", name);
        }
    }
    let numbers = [
        ("rows", libm::log2(rows.len() as f64) / parameters.rows_log2_scale),
        ("codes", libm::log2(codes.len() as f64) / parameters.codes_log2_scale),
        ("grimness", -first.tone.clamp(-parameters.grimmest_tone, 0.0) / parameters.tone_scale),
        ("mentions", libm::log2(f64::from(mentions)) / parameters.mentions_log2_scale),
    ];
    for (name, value) in numbers {
        if value != 0.0 {
            found.insert(format!("number:{name}"), value);
        }
    }
}
