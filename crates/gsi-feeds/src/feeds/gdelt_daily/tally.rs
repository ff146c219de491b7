//! Counts one day of coded reports by root code, by country, by pair of countries, and by article.
//!
//! An article is one distinct address. It weighs one, divided among its rows, as in the quarter-hourly files.

use gsi_model::CountryCode;
use std::collections::{BTreeMap, HashMap, HashSet};

/// CAMEO root codes 01 to 20.
pub const ROOTS: usize = 20;

/// The used cells of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DailyRow<'a> {
    pub id: u64,
    /// 1 to 20.
    pub root: u8,
    pub is_material_conflict: bool,
    pub country: Option<CountryCode>,
    /// The countries of the two sides.
    pub sides: [Option<CountryCode>; 2],
    pub address: &'a [u8],
}

/// Rows of one article.
#[derive(Clone, Copy, Default)]
struct ArticleRows {
    all: u32,
    conflict: u32,
    threat: u32,
}

/// Rows of one article in one country.
#[derive(Clone, Copy, Default)]
struct PlacedRows {
    all: u32,
    conflict: u32,
}

#[derive(Default)]
pub struct DayTally {
    ids: HashSet<u64>,
    /// For each address the position of its article in `articles`.
    addresses: HashMap<Vec<u8>, u32>,
    articles: Vec<ArticleRows>,
    placed: BTreeMap<(CountryCode, u32), PlacedRows>,
    pub rows: u32,
    pub roots: [u32; ROOTS],
    pub pairs: BTreeMap<[CountryCode; 2], u32>,
}

impl DayTally {
    /// Counts a row. Returns `false` if a row with this id was counted before.
    pub fn count(&mut self, row: &DailyRow<'_>) -> bool {
        if !self.ids.insert(row.id) {
            return false;
        }
        self.rows += 1;
        self.roots[usize::from(row.root) - 1] += 1;
        let at = self.find_or_add_article(row.address);
        let conflict = u32::from(matches!(row.root, 18..=20));
        let article = &mut self.articles[at as usize];
        article.all += 1;
        article.conflict += conflict;
        article.threat += u32::from(matches!(row.root, 13 | 15));
        if let Some(country) = row.country {
            let placed = self.placed.entry((country, at)).or_default();
            placed.all += 1;
            placed.conflict += conflict;
        }
        if let [Some(a), Some(b)] = row.sides
            && a != b
            && row.is_material_conflict
        {
            *self.pairs.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
        true
    }

    fn find_or_add_article(&mut self, address: &[u8]) -> u32 {
        if let Some(at) = self.addresses.get(address) {
            return *at;
        }
        let at = self.articles.len() as u32;
        self.addresses.insert(address.to_vec(), at);
        self.articles.push(ArticleRows::default());
        at
    }

    pub fn articles(&self) -> u32 {
        self.articles.len() as u32
    }

    /// Returns the articles that report violence (CAMEO roots 18 to 20), each counted by the share of such rows.
    pub fn conflict(&self) -> f64 {
        self.articles.iter().map(|a| f64::from(a.conflict) / f64::from(a.all)).sum()
    }

    /// Returns the same for threats and shows of force (roots 13 and 15).
    pub fn threat(&self) -> f64 {
        self.articles.iter().map(|a| f64::from(a.threat) / f64::from(a.all)).sum()
    }

    /// Returns for each country the articles with a row there.
    pub fn articles_by_country(&self) -> BTreeMap<CountryCode, u32> {
        let mut counts: BTreeMap<CountryCode, u32> = BTreeMap::new();
        self.placed.keys().for_each(|(country, _)| *counts.entry(*country).or_default() += 1);
        counts
    }

    /// Returns for each country the articles that report violence there, each counted by the share of such rows there.
    pub fn conflict_by_country(&self) -> BTreeMap<CountryCode, f64> {
        let mut sums: BTreeMap<CountryCode, f64> = BTreeMap::new();
        for ((country, _), placed) in &self.placed {
            *sums.entry(*country).or_default() += f64::from(placed.conflict) / f64::from(placed.all);
        }
        sums
    }
}
