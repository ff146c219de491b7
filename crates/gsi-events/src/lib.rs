//! Coded news rows become conflict events: filter, collapse, cluster, assess.
//!
//! Pure: values in, values out. No I/O, no clock, no randomness, no logging. The same rows and ticks give the same
//! events to the last bit, on any machine, through any number of restarts.

#![cfg_attr(
    not(test),
    warn(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::iter_over_hash_type,
        clippy::unwrap_used
    )
)]

mod actors;
mod article;
mod cameo;
mod clusters;
mod facts;
mod intensity;
mod location;
mod lookup;
mod parameters;

pub use article::event_filter::EventFilter;
pub use article::features::Features;
pub use article::report::Report;
pub use article::{ArticleVerdict, Dropped};
pub use clusters::cluster::MAX_ACTORS;
pub use clusters::clusterer::EventClusterer;
pub use facts::{Advance, EventFacts};
pub use intensity::conflict_intensity::Theater;
pub use intensity::derived;
pub use intensity::escalation::contributions as escalation_contributions;
pub use location::locate::{PLACE_FEATURES, PlaceFeatures};

use gsi_model::{CountryCode, NewsRow};
use std::collections::BTreeMap;

/// An article with the filter's verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedArticle<'a> {
    /// All of its rows in one file.
    pub rows: Vec<&'a NewsRow>,
    pub verdict: ArticleVerdict,
}

/// Judges rows article by article, in the order of their first rows.
pub fn judge_articles<'a>(filter: &EventFilter, rows: &'a [NewsRow]) -> Vec<JudgedArticle<'a>> {
    let rows: Vec<&NewsRow> = rows.iter().collect();
    let judge =
        |rows: Vec<&'a NewsRow>| JudgedArticle { verdict: article::judge_article(filter, &rows), rows };
    article::by_article(&rows).into_iter().map(judge).collect()
}

/// A training input of the filter: an article's features, and every country that may be its place with that country's
/// features.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingExample {
    pub features: Features,
    pub places: BTreeMap<CountryCode, PlaceFeatures>,
}

impl TrainingExample {
    /// `None` for rows without a web address.
    pub fn of(rows: &[&NewsRow]) -> Option<Self> {
        let address = article::address::Address::parse(&rows.first()?.url)?;
        Some(TrainingExample {
            features: article::features::article_features(&address, rows),
            places: location::locate::PlaceCandidates::from_rows(&address, rows).candidates().clone(),
        })
    }
}
