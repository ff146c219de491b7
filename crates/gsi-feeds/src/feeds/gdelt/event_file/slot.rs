//! Counts over all rows of a file: articles, and the shares of them that report conflict.
//!
//! An article is one distinct address. It weighs one, divided among its rows.

use super::themes;
use gsi_model::{CountryCode, NewsSlot, SlotCountry, Timestamp};
use std::collections::{BTreeMap, HashMap};

#[derive(Default)]
pub struct SlotCounter<'a> {
    rows: u32,
    /// For each address its position in `articles`.
    positions: HashMap<&'a str, usize>,
    articles: Vec<Article<'a>>,
    /// For each article and country the position in `placed`.
    placed_positions: HashMap<(usize, CountryCode), usize>,
    placed: Vec<PlacedRows>,
}

struct Article<'a> {
    address: &'a str,
    rows: u32,
    conflict: u32,
    threat: u32,
}

/// Rows of one article in one country.
struct PlacedRows {
    country: CountryCode,
    rows: u32,
    conflict: u32,
}

impl<'a> SlotCounter<'a> {
    pub fn count(&mut self, address: &'a str, root: u8, country: Option<CountryCode>) {
        let conflict = u32::from(matches!(root, 18..=20));
        let threat = u32::from(matches!(root, 13 | 15));
        self.rows += 1;
        let position = *self.positions.entry(address).or_insert_with(|| {
            self.articles.push(Article { address, rows: 0, conflict: 0, threat: 0 });
            self.articles.len() - 1
        });
        let article = &mut self.articles[position];
        article.rows += 1;
        article.conflict += conflict;
        article.threat += threat;
        let Some(country) = country else { return };
        let placed = *self.placed_positions.entry((position, country)).or_insert_with(|| {
            self.placed.push(PlacedRows { country, rows: 0, conflict: 0 });
            self.placed.len() - 1
        });
        let placed = &mut self.placed[placed];
        placed.rows += 1;
        placed.conflict += conflict;
    }

    /// Shares are added in the order in which the file first names the articles, so that sums are the same to the last bit.
    pub fn summarize(&self, stamp: Timestamp) -> NewsSlot {
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
        let mut countries: BTreeMap<CountryCode, SlotCountry> = BTreeMap::new();
        for placed in &self.placed {
            let country = placed.country;
            let entry =
                countries.entry(country).or_insert(SlotCountry { country, articles: 0, conflict: 0.0 });
            entry.articles += 1;
            entry.conflict += share(placed.conflict, placed.rows);
        }
        let [cyber, supply] = themes::count(self.articles.iter().map(|article| article.address));
        NewsSlot {
            stamp,
            known_at: stamp,
            rows: self.rows,
            articles: self.articles.len() as u32,
            conflict: self.articles.iter().map(|article| share(article.conflict, article.rows)).sum(),
            threat: self.articles.iter().map(|article| share(article.threat, article.rows)).sum(),
            cyber,
            supply,
            countries: countries.into_values().collect(),
        }
    }
}
