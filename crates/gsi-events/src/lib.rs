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
mod address;
mod article;
mod cameo;
mod cluster;
mod cluster_index;
mod clusterer;
mod conflict_intensity;
pub mod derived;
mod escalation;
mod event_filter;
mod facts;
mod features;
mod locate;
mod lookup;
mod mention;
mod news;
mod outlet;
mod parameters;
mod place;
mod rarity;
mod report;
mod story;
mod wording;

pub use article::{ArticleVerdict, Dropped};
pub use cluster::MAX_ACTORS;
pub use clusterer::EventClusterer;
pub use conflict_intensity::Theater;
pub use escalation::contributions as escalation_contributions;
pub use event_filter::EventFilter;
pub use facts::{Advance, EventFacts};
pub use features::Features;
pub use locate::{PLACE_FEATURES, PlaceFeatures};
pub use report::Report;

use gsi_model::{CountryCode, NewsRow};
use std::collections::BTreeMap;

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
