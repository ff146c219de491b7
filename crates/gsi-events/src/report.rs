//! From rows to reports: one article speaks once about a category in a country, however many rows it was coded into.

use crate::actors::{self, Side};
use crate::address::{Address, MAX_KEPT_ADDRESS, hash64};
use crate::exclusions::Exclusion;
use crate::filter::{self, Reason, Voice};
use crate::lookup::FastMap;
use crate::outlet;
use crate::place::Place;
use crate::story::Story;
use gsi_model::{Category, CountryCode, NewsRow, Timestamp};
use std::collections::BTreeMap;

/// A row outside the lead paragraph counts half.
const NOT_IN_LEAD: f64 = 0.5;

/// What one article says about one category in one country.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub row: u64,
    pub added: Timestamp,
    pub category: Category,
    pub intensity: f64,
    pub code: u16,
    pub voice: Voice,
    /// The article's weight of one, shared among its reports, and halved outside the lead.
    pub weight: f64,
    pub place: Place,
    pub dyad: Dyad,
    pub labels: Vec<String>,
    pub url: String,
    pub url_hash: u64,
    pub domain: String,
    pub outlet_country: Option<CountryCode>,
    pub story: Story,
}

/// Two sides without an order; an empty key is a side that is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dyad {
    pub low: String,
    pub high: String,
    /// Gravity in tenths, so that it compares exactly.
    pub gravity: u8,
}

impl Dyad {
    pub fn of(a: &Side, b: &Side) -> Self {
        let (low, high) = if a.key <= b.key { (a.key, b.key) } else { (b.key, a.key) };
        let gravity = libm::round(actors::gravity(a, b) * 10.0) as u8;
        Dyad { low: low.to_owned(), high: high.to_owned(), gravity }
    }

    pub fn is_complete(&self) -> bool {
        !self.low.is_empty()
    }
}

/// Rows in (added, id) order to reports in the same order; every row that is not a report of its own is counted.
pub fn collapse(rows: &[&NewsRow], filtered: &mut BTreeMap<String, u64>) -> Vec<Report> {
    let mut count = |reason: Reason| *filtered.entry(reason.to_owned()).or_default() += 1;
    let mut articles: FastMap<&str, Option<(Address, Exclusion)>> = FastMap::default();
    // Keyed by (article, category, country) in order of first appearance, so that the outcome has one order only.
    let mut best: Vec<(&NewsRow, filter::Verdict)> = Vec::new();
    let mut position: FastMap<(&str, Category, CountryCode), usize> = FastMap::default();
    for &row in rows {
        let verdict = match filter::judge_row(row) {
            Ok(verdict) => verdict,
            Err(reason) => {
                count(reason);
                continue;
            }
        };
        let article = articles.entry(row.url.as_str()).or_insert_with(|| {
            let address = Address::parse(&row.url).filter(|_| row.url.len() <= MAX_KEPT_ADDRESS)?;
            let exclusion = Exclusion::of(&address);
            Some((address, exclusion))
        });
        let Some((_, exclusion)) = article else {
            count("no_address");
            continue;
        };
        if let Err(reason) = filter::judge_address(exclusion, verdict.category) {
            count(reason);
            continue;
        }
        match position.entry((row.url.as_str(), verdict.category, verdict.place.country)) {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(best.len());
                best.push((row, verdict));
            }
            std::collections::hash_map::Entry::Occupied(slot) => {
                count("same_article");
                let kept = &mut best[*slot.get()];
                if is_better((row, &verdict), (kept.0, &kept.1)) {
                    *kept = (row, verdict);
                }
            }
        }
    }
    let mut shares: FastMap<&str, u32> = FastMap::default();
    for (row, _) in &best {
        *shares.entry(row.url.as_str()).or_default() += 1;
    }
    best.sort_by_key(|(row, _)| (row.added, row.id));
    best.into_iter()
        .filter_map(|(row, verdict)| {
            let (address, _) = articles.get(row.url.as_str())?.as_ref()?;
            let share = f64::from(*shares.get(row.url.as_str())?);
            Some(report(row, verdict, address, share))
        })
        .collect()
}

/// The most intense row speaks for the article, among those that may open an event; then the one with the better place.
fn is_better(new: (&NewsRow, &filter::Verdict), kept: (&NewsRow, &filter::Verdict)) -> bool {
    let rank = |(row, v): (&NewsRow, &filter::Verdict)| {
        (v.voice, libm::round(v.intensity * 100.0) as u32, v.place.rank(), row.is_root)
    };
    // At a tie the earlier row stays.
    rank(new) > rank(kept)
}

fn report(row: &NewsRow, verdict: filter::Verdict, address: &Address, share: f64) -> Report {
    let (a, b) = (Side::of(&row.actor1), Side::of(&row.actor2));
    let mut labels: Vec<String> = Vec::new();
    for actor in [&row.actor1, &row.actor2] {
        if let Some(label) = actors::label(actor, verdict.place.country)
            && !labels.contains(&label)
        {
            labels.push(label);
        }
    }
    let domain = address.registrable_domain().to_owned();
    Report {
        row: row.id,
        added: row.added,
        category: verdict.category,
        intensity: verdict.intensity,
        code: row.code.parse().unwrap_or(0),
        voice: verdict.voice,
        weight: if row.is_root { 1.0 } else { NOT_IN_LEAD } / share,
        place: verdict.place.named(row.geo.as_ref()),
        dyad: Dyad::of(&a, &b),
        labels,
        url_hash: hash64(&row.url),
        url: row.url.to_string(),
        outlet_country: outlet::source_country(&domain),
        domain,
        story: Story::new(address.slug_tokens()),
    }
}
