//! What is counted over a whole file: articles, and the shares of them that speak of conflict.
//!
//! An article is one distinct address; it weighs one however many rows the coder made of it.

use super::keywords::Themes;
use super::memo::{SPAN_SLOTS, span_slot};
use super::span::CellSpan;
use gsi_model::{CountryCode, NewsSlot, SlotCountry, Text, Timestamp};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

#[derive(Clone, Copy)]
struct Article {
    rows: u32,
    conflict: u32,
    threat: u32,
    /// The first countries that it speaks of, 16 bits each, and where their rows are counted.
    countries: u64,
    places: [u32; FEW],
    /// The last of its further ones.
    further: u32,
    /// Its address among those of articles with kept rows.
    kept: u32,
}

/// Most articles speak of no more countries.
const FEW: usize = 4;
/// In each place of a word.
const ONES: u64 = 0x0001_0001_0001_0001;

/// Rows of one article in one country. The further ones of an article form a chain.
#[derive(Clone, Copy)]
struct Placed {
    country: CountryCode,
    rows: u32,
    conflict: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

pub struct SlotCounter<'a> {
    pub stamp: Timestamp,
    rows: u32,
    /// By both ends of an address, the first article with such ones. Nearly all are found here at once.
    first: Vec<u32>,
    /// The others by their whole address.
    others: HashTable<u32>,
    hasher: DefaultHashBuilder,
    articles: Vec<Article>,
    addresses: Vec<&'a [u8]>,
    themes: &'static Themes,
    /// Addresses that may speak of a theme.
    worth_a_look: Vec<&'a [u8]>,
    /// Addresses of articles with kept rows, which share the text.
    kept: Vec<Text>,
    placed: Vec<Placed>,
    last: u32,
}

impl<'a> SlotCounter<'a> {
    /// `bytes` is the size of the file: about one article per 1,900 bytes in the real ones.
    pub fn new(stamp: Timestamp, bytes: usize) -> Self {
        let articles = (bytes / 1_500).min(1 << 16);
        SlotCounter {
            stamp,
            rows: 0,
            first: vec![NONE; if articles > 0 { SPAN_SLOTS } else { 0 }],
            others: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            articles: Vec::with_capacity(articles),
            addresses: Vec::with_capacity(articles),
            themes: Themes::shared(),
            worth_a_look: Vec::new(),
            kept: Vec::with_capacity(articles / 3),
            placed: Vec::with_capacity(articles * 2),
            last: 0,
        }
    }

    #[inline(always)]
    pub fn count(&mut self, address: CellSpan<'a>, root: u8, country: Option<CountryCode>) {
        self.rows += 1;
        self.last = self.find_or_add_article(address);
        let conflict = u32::from(matches!(root, 18..=20));
        let article = &mut self.articles[self.last as usize];
        article.rows += 1;
        article.conflict += conflict;
        article.threat += u32::from(matches!(root, 13 | 15));
        let Some(country) = country else { return };
        // All are compared at once, for which of them it is cannot be guessed: the one alike becomes zero.
        let differences = article.countries ^ (country.index() as u64 * ONES);
        let alike = differences.wrapping_sub(ONES) & !differences & (ONES << 15);
        let known = article
            .places
            .get(alike.trailing_zeros() as usize / 16)
            .and_then(|at| self.placed.get_mut(*at as usize));
        match known {
            Some(placed) => {
                placed.rows += 1;
                placed.conflict += conflict;
            }
            None => self.count_further(country, conflict),
        }
    }

    /// Counts a row in another country than the first few of its article.
    fn count_further(&mut self, country: CountryCode, conflict: u32) {
        let article = &mut self.articles[self.last as usize];
        let mut place = article.further;
        while let Some(placed) = self.placed.get_mut(place as usize) {
            if placed.country == country {
                placed.rows += 1;
                placed.conflict += conflict;
                return;
            }
            place = placed.next;
        }
        let new = self.placed.len() as u32;
        let mut next = NONE;
        match article.places.iter().position(|place| *place == NONE) {
            Some(free) => {
                article.places[free] = new;
                article.countries ^= (0xffff ^ country.index() as u64) << (16 * free);
            }
            None => next = std::mem::replace(&mut article.further, new),
        }
        self.placed.push(Placed { country, rows: 1, conflict, next });
    }

    #[inline(always)]
    fn find_or_add_article(&mut self, address: CellSpan<'a>) -> u32 {
        let slot = span_slot(address.bytes());
        let Some(first) = self.first.get(slot).copied() else { return self.find_or_add_other(address) };
        match self.addresses.get(first as usize) {
            Some(known) if *known == address.bytes() => first,
            Some(_) => self.find_or_add_in_neighbour(slot ^ 1, address),
            None => self.add_first(slot, address),
        }
    }

    /// The same in the other slot of a pair, for the second article with such ends.
    fn find_or_add_in_neighbour(&mut self, slot: usize, address: CellSpan<'a>) -> u32 {
        let first = self.first[slot];
        match self.addresses.get(first as usize) {
            Some(known) if *known == address.bytes() => first,
            Some(_) => self.find_or_add_other(address),
            None => self.add_first(slot, address),
        }
    }

    #[inline(always)]
    fn add_first(&mut self, slot: usize, address: CellSpan<'a>) -> u32 {
        self.first[slot] = self.articles.len() as u32;
        self.add(address)
    }

    fn find_or_add_other(&mut self, address: CellSpan<'a>) -> u32 {
        let hash = self.hasher.hash_one(address.bytes());
        if let Some(known) = self.others.find(hash, |i| self.addresses[*i as usize] == address.bytes()) {
            return *known;
        }
        let new = self.add(address);
        let addresses = &self.addresses;
        self.others.insert_unique(hash, new, |i| self.hasher.hash_one(addresses[*i as usize]));
        new
    }

    fn add(&mut self, address: CellSpan<'a>) -> u32 {
        let new = self.articles.len() as u32;
        self.articles.push(Article {
            rows: 0,
            conflict: 0,
            threat: 0,
            countries: u64::MAX,
            places: [NONE; FEW],
            further: NONE,
            kept: NONE,
        });
        self.addresses.push(address.bytes());
        if self.themes.is_worth_a_look(address.rest(), address.len()) {
            self.worth_a_look.push(address.bytes());
        }
        new
    }

    /// The address of the article counted last, for a row that is kept.
    pub fn keep_address(&mut self, write: impl FnOnce() -> Text) -> Text {
        let article = &mut self.articles[self.last as usize];
        if article.kept == NONE {
            article.kept = self.kept.len() as u32;
            self.kept.push(write());
        }
        self.kept[article.kept as usize].clone()
    }

    pub fn finish(self) -> NewsSlot {
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
        let mut slot = NewsSlot {
            stamp: self.stamp,
            known_at: self.stamp,
            rows: self.rows,
            articles: self.articles.len() as u32,
            conflict: self.articles.iter().map(|a| share(a.conflict, a.rows)).sum(),
            threat: self.articles.iter().map(|a| share(a.threat, a.rows)).sum(),
            ..NewsSlot::default()
        };
        // By both letters, which is the order in which they are listed.
        let mut countries = vec![(None, 0, 0.0); CountryCode::PAIRS];
        for placed in &self.placed {
            let (country, articles, conflict) = &mut countries[placed.country.index()];
            *country = Some(placed.country);
            *articles += 1;
            *conflict += share(placed.conflict, placed.rows);
        }
        slot.countries = countries
            .into_iter()
            .filter_map(|(country, articles, conflict)| {
                Some(SlotCountry { country: country?, articles, conflict })
            })
            .collect();
        [slot.cyber, slot.supply] = self.themes.count(&self.worth_a_look);
        slot
    }
}
