//! From rows to reports: an article is judged once, by its address and all of its rows, and gives one report at most.
//!
//! A hand audit found a real, current happening behind one coded row in six. The trained filter (`event_filter`)
//! decides whether there is one. The rules here decide what needs no model: rows of another kind or of another time.

pub(crate) mod address;
pub(crate) mod event_filter;
pub(crate) mod features;
pub(crate) mod report;
pub(crate) mod story;
pub(crate) mod wording;

use crate::actors::{self, Side};
use crate::article::address::{Address, hash64};
use crate::article::event_filter::EventFilter;
use crate::article::features::article_features;
use crate::article::report::{Dyad, Report};
use crate::article::story::Story;
use crate::cameo;
use crate::location::locate::PlaceCandidates;
use crate::location::outlet;
use crate::lookup::FastMap;
use crate::parameters::PARAMETERS;
use gsi_model::{Category, NewsRow};
use std::collections::BTreeMap;

/// Why rows are not reports. The keys label a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dropped {
    /// Not a code of the five categories.
    OtherCode,
    /// Coded for a day long before the file's.
    OldDay,
    /// Not a web address, or one too long to keep.
    NoAddress,
    /// The article is probably about something else.
    Unlikely,
    /// Possibly real, but its place is uncertain.
    UncertainPlace,
    /// Another row gives the article's report.
    SameArticle,
}

impl Dropped {
    pub const fn key(self) -> &'static str {
        match self {
            Dropped::OtherCode => "other_code",
            Dropped::OldDay => "old_day",
            Dropped::NoAddress => "no_address",
            Dropped::Unlikely => "unlikely",
            Dropped::UncertainPlace => "uncertain_place",
            Dropped::SameArticle => "same_article",
        }
    }
}

/// The verdict on an article.
#[derive(Debug, Clone, PartialEq)]
pub struct ArticleVerdict {
    /// How probable it is that the article reports a real, current happening; `None` when the filter was not applied.
    pub probability: Option<f64>,
    pub report: Result<Report, Dropped>,
}

/// Judges one article by all of its rows in a file.
pub fn judge_article(filter: &EventFilter, rows: &[&NewsRow]) -> ArticleVerdict {
    let dropped = |probability, reason| ArticleVerdict { probability, report: Err(reason) };
    let Some(url) = rows.first().map(|r| &*r.url) else { return dropped(None, Dropped::OtherCode) };
    let Some(address) = Address::parse(url).filter(|_| url.len() <= PARAMETERS.articles.max_address_bytes)
    else {
        return dropped(None, Dropped::NoAddress);
    };
    let current: Vec<&NewsRow> = rows.iter().copied().filter(|r| judge_row(r).is_ok()).collect();
    let Some(first) = rows.iter().find_map(|r| judge_row(r).err()).filter(|_| current.is_empty()) else {
        return judge_current(filter, &address, rows, &current);
    };
    dropped(None, first)
}

fn judge_current(
    filter: &EventFilter,
    address: &Address,
    rows: &[&NewsRow],
    current: &[&NewsRow],
) -> ArticleVerdict {
    let probability = filter.probability(&article_features(address, rows));
    let dropped = |reason| ArticleVerdict { probability: Some(probability), report: Err(reason) };
    if probability < filter.keep_from {
        return dropped(Dropped::Unlikely);
    }
    let candidates = PlaceCandidates::from_rows(address, current);
    let category = leading_category(address, current);
    let of_category = |row: &NewsRow| cameo::category(&row.code) == Some(category);
    let likeliest = candidates.likeliest(filter).filter(|(_, sure)| *sure >= filter.place_from);
    let place =
        likeliest.and_then(|(country, sure)| Some((candidates.best_place(country, of_category)?, sure)));
    let Some((place, place_probability)) = place else { return dropped(Dropped::UncertainPlace) };
    // The row that describes the happening best: of its category and country, severe, in the lead; then the first.
    let best_row = current.iter().copied().fold(None::<&NewsRow>, |best, row| {
        let rank = |r: &NewsRow| {
            let there = r.geo.as_ref().and_then(|g| g.country) == Some(place.country);
            let sides = [&r.actor1, &r.actor2].iter().filter(|a| !Side::from_actor(a).is_unknown()).count();
            let severity = libm::round(cameo::intensity(&r.code) * 100.0) as u32;
            (of_category(r), there, sides, severity, r.is_root)
        };
        best.filter(|b| rank(b) >= rank(row)).or(Some(row))
    });
    let Some(row) = best_row else { return dropped(Dropped::UncertainPlace) };
    // Where only the headline has the category, the act is known no more closely.
    let code = if of_category(row) { &row.code } else { cameo::unspecific(category) };
    let mut labels: Vec<String> = Vec::new();
    for actor in [&row.actor1, &row.actor2] {
        if let Some(label) = actors::label(actor, place.country)
            && !labels.contains(&label)
        {
            labels.push(label);
        }
    }
    let domain = address.registrable_domain().to_owned();
    let report = Report {
        row: row.id,
        added: row.added,
        category,
        code: code.parse().unwrap_or(0),
        probability,
        certainty: probability * place_probability,
        place,
        dyad: Dyad::between(&Side::from_actor(&row.actor1), &Side::from_actor(&row.actor2)),
        labels,
        url_hash: hash64(&row.url),
        url: row.url.to_string(),
        outlet_country: outlet::source_country(&domain),
        domain,
        story: Story::new(address.slug_tokens()),
    };
    ArticleVerdict { probability: Some(probability), report: Ok(report) }
}

fn judge_row(row: &NewsRow) -> Result<(), Dropped> {
    cameo::category(&row.code).ok_or(Dropped::OtherCode)?;
    let age = row.added.day().0.saturating_sub(row.day);
    if (0..=PARAMETERS.articles.max_age_days).contains(&age) { Ok(()) } else { Err(Dropped::OldDay) }
}

/// The category that the article is about, by its headline, then by the lead, then by most rows.
fn leading_category(address: &Address, rows: &[&NewsRow]) -> Category {
    let stems: Vec<String> = wording::headline_words(address).iter().map(|w| wording::stem(w)).collect();
    let classes = wording::class_counts(&stems);
    let count = |class: &str| f64::from(classes.get(class).copied().unwrap_or(0));
    let words_of = |category: Category| match category {
        Category::Kinetic => count("attack") + count("casualty"),
        Category::Posture => count("posture"),
        Category::Threat => count("threat"),
        Category::Coercion => count("repression"),
        Category::Unrest => count("protest"),
    };
    let (weights, share) = (&PARAMETERS.articles, 1.0 / rows.len().max(1) as f64);
    let score = |category: Category| {
        let own: Vec<&&NewsRow> =
            rows.iter().filter(|r| cameo::category(&r.code) == Some(category)).collect();
        let in_rows = match own.iter().any(|r| r.is_root) {
            _ if own.is_empty() => -weights.no_row_cost,
            true => share * own.len() as f64 + weights.lead_weight,
            false => share * own.len() as f64,
        };
        in_rows + (weights.word_weight * words_of(category)).min(weights.max_word_weight)
    };
    // At a tie the graver one, which comes first.
    let better = |best: Category, new: Category| if score(new) > score(best) { new } else { best };
    Category::ALL.into_iter().fold(Category::ALL[0], better)
}

/// Converts rows in (added, id) order into reports in the same order, and counts every row that is no report.
pub fn collapse(
    filter: &EventFilter,
    rows: &[&NewsRow],
    filtered: &mut BTreeMap<String, u64>,
) -> Vec<Report> {
    let mut count = |reason: Dropped, n: usize| {
        if n > 0 {
            *filtered.entry(reason.key().to_owned()).or_default() += n as u64;
        }
    };
    let mut reports = Vec::new();
    for article in by_article(rows) {
        match judge_article(filter, &article).report {
            Ok(report) => {
                count(Dropped::SameArticle, article.len() - 1);
                reports.push(report);
            }
            Err(reason) => count(reason, article.len()),
        }
    }
    reports.sort_by_key(|r| (r.added, r.row));
    reports
}

/// Rows of one article in one file, in order of first appearance.
pub fn by_article<'a>(rows: &[&'a NewsRow]) -> Vec<Vec<&'a NewsRow>> {
    let mut articles: Vec<Vec<&NewsRow>> = Vec::new();
    let mut position: FastMap<(&str, i64), usize> = FastMap::default();
    for &row in rows {
        let at = *position.entry((&row.url, row.added.unix())).or_insert(articles.len());
        if at == articles.len() {
            articles.push(Vec::new());
        }
        articles[at].push(row);
    }
    articles
}
