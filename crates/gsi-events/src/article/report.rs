//! One article's report of one happening.

use crate::actors::{self, Side};
use crate::article::story::Story;
use crate::location::place::Place;
use gsi_model::{Category, CountryCode, Timestamp};

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The coded row that the report is taken from.
    pub row: u64,
    pub added: Timestamp,
    pub category: Category,
    /// CAMEO code of the act.
    pub code: u16,
    /// How probable it is that the article reports a real, current happening.
    pub probability: f64,
    /// How probable it is that it does, and in this country: escalation follows this.
    pub certainty: f64,
    pub place: Place,
    pub dyad: Dyad,
    pub labels: Vec<String>,
    pub url: String,
    pub url_hash: u64,
    pub domain: String,
    pub outlet_country: Option<CountryCode>,
    pub story: Story,
}

/// Two sides without an order; an empty key is an unknown side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dyad {
    pub low: String,
    pub high: String,
    /// Gravity in tenths, so that it compares exactly.
    pub gravity: u8,
}

impl Dyad {
    pub fn between(a: &Side, b: &Side) -> Self {
        let (low, high) = if a.key <= b.key { (a.key, b.key) } else { (b.key, a.key) };
        let gravity = libm::round(actors::gravity(a, b) * 10.0) as u8;
        Dyad { low: low.to_owned(), high: high.to_owned(), gravity }
    }

    pub fn is_complete(&self) -> bool {
        !self.low.is_empty()
    }
}
