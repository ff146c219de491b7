//! Coded news rows become conflict events: filter, collapse, cluster, assess.
//!
//! Pure: values in, values out. No I/O, no clock, no randomness, no logging. The same rows and ticks give the same
//! events to the last bit, on any machine, through any number of restarts.

mod actors;
mod address;
mod article;
mod book;
mod cameo;
mod cluster;
mod cluster_index;
pub mod derived;
mod escalation;
mod event_filter;
mod facts;
mod features;
mod heat;
mod locate;
mod lookup;
mod mention;
mod news;
mod outlet;
mod place;
mod rarity;
mod report;
mod story;
mod wording;

pub use article::{ArticleVerdict, Dropped};
pub use book::EventBook;
pub use cluster::{MAX_ACTORS, MAX_SOURCES};
pub use escalation::contributions as escalation_contributions;
pub use event_filter::EventFilter;
pub use facts::{Advance, EventFacts};
pub use features::Features;
pub use heat::Theater;
pub use locate::{PLACE_FEATURES, PlaceFeatures};
pub use report::Report;

use gsi_model::{CountryCode, DAY, HOUR, NewsRow};
use std::collections::BTreeMap;

/// The few numbers of clustering that an operator may want to argue about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// An event without a report for longer than this is over, in seconds.
    pub idle: i64,
    /// No event lasts longer than this; what goes on is a new one, in seconds.
    pub longest: i64,
    /// Two city-level places within this distance are one place.
    pub join_km: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { idle: 24 * HOUR, longest: 7 * DAY, join_km: 50.0 }
    }
}

/// An article as the filter saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedArticle<'a> {
    /// All of its rows in one file.
    pub rows: Vec<&'a NewsRow>,
    pub verdict: ArticleVerdict,
}

/// What the filter makes of rows, article by article, in the order of their first rows.
pub fn judge_articles<'a>(filter: &EventFilter, rows: &'a [NewsRow]) -> Vec<JudgedArticle<'a>> {
    let rows: Vec<&NewsRow> = rows.iter().collect();
    let judge =
        |rows: Vec<&'a NewsRow>| JudgedArticle { verdict: article::judge_article(filter, &rows), rows };
    article::by_article(&rows).into_iter().map(judge).collect()
}

/// What the filter is taught with: an article's features, and every country that may be its place with what speaks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingExample {
    pub features: Features,
    pub places: BTreeMap<CountryCode, PlaceFeatures>,
}

impl TrainingExample {
    /// `None` for rows without a web address.
    pub fn of(rows: &[&NewsRow]) -> Option<Self> {
        let address = address::Address::parse(&rows.first()?.url)?;
        Some(TrainingExample {
            features: features::article_features(&address, rows),
            places: locate::Whereabouts::of(&address, rows).candidates().clone(),
        })
    }
}

/// Everything that decides which rows become which events, as bytes for the method's digest: reviewed tables, learned weights,
/// and the constants of the arithmetic by a version that changes with them.
pub fn method_parts() -> [(&'static str, &'static [u8]); 8] {
    [
        ("event_arithmetic", EVENT_ARITHMETIC.as_bytes()),
        ("event_filter.tsv", event_filter::SHIPPED_WEIGHTS.as_bytes()),
        ("word_classes.tsv", wording::WORD_CLASSES.as_bytes()),
        ("country_words.tsv", mention::COUNTRY_WORDS.as_bytes()),
        ("outlets.tsv", include_bytes!("../data/outlets.tsv")),
        ("roles.tsv", include_bytes!("../data/roles.tsv")),
        ("groups.tsv", include_bytes!("../data/groups.tsv")),
        ("regions.tsv", include_bytes!("../data/regions.tsv")),
    ]
}

/// Raised whenever a constant or a rule of this room changes what comes out of it.
const EVENT_ARITHMETIC: &str = "2";
