//! Trains the event filter: selects the features that get a weight, and computes the weights.

use super::examples::{Corpus, TrainingArticle};
use super::fit::{self, PlaceChoice, SparseRow};
use gsi_events::{EventFilter, PLACE_FEATURES};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A feature that fewer articles or fewer folds have is the name of a story, which a model would learn by heart.
const MIN_ARTICLES: usize = 3;
const MIN_FOLDS: usize = 2;
/// Penalty on the square of a weight, chosen on held-out days. Half or twice the value gives the same quality.
const ARTICLE_RIDGE: f64 = 3.0;
const PLACE_RIDGE: f64 = 2.0;
/// The probabilities from which an article is kept and its country is accepted, chosen on held-out days: more than half of the real
/// articles are kept, seven in ten of the kept ones are real, and nine in ten of these are in the right country.
const KEEP_FROM: f64 = 0.31;
const PLACE_FROM: f64 = 0.65;

/// Rounds a weight to hundredths. More digits change nothing and make the file harder to review.
fn rounded(weight: f64) -> f64 {
    // Adding zero turns -0 into 0.
    (weight * 100.0).round() / 100.0 + 0.0
}

/// Trains a filter on the articles, and returns it with the number of articles that have each feature.
pub fn teach<'a>(
    articles: impl Iterator<Item = &'a TrainingArticle>,
) -> (EventFilter, HashMap<String, usize>) {
    let taught: Vec<(&TrainingArticle, f64)> = articles.filter_map(|a| Some((a, a.target()?))).collect();
    let mut seen: BTreeMap<&str, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for (article, _) in &taught {
        for name in article.example.features.keys() {
            let (count, folds) = seen.entry(name).or_default();
            *count += 1;
            folds.insert(article.fold);
        }
    }
    seen.retain(|_, (count, folds)| *count >= MIN_ARTICLES && folds.len() >= MIN_FOLDS);
    let counts: BTreeMap<&str, usize> = seen.into_iter().map(|(name, (count, _))| (name, count)).collect();
    // Position 0 is the bias.
    let position: HashMap<&str, usize> = counts.keys().enumerate().map(|(i, name)| (*name, i + 1)).collect();
    let row = |a: &TrainingArticle| -> SparseRow {
        let features = a.example.features.iter().filter_map(|(n, v)| Some((*position.get(n.as_str())?, *v)));
        std::iter::once((0, 1.0)).chain(features).collect()
    };
    let rows: Vec<SparseRow> = taught.iter().map(|(a, _)| row(a)).collect();
    let targets: Vec<f64> = taught.iter().map(|(_, t)| *t).collect();
    let weights = fit::logistic(&rows, &targets, counts.len() + 1, ARTICLE_RIDGE);
    let named = counts.keys().zip(&weights[1..]).map(|(name, w)| ((*name).to_owned(), rounded(*w)));
    let filter = EventFilter {
        bias: rounded(weights[0]),
        keep_from: KEEP_FROM,
        place_from: PLACE_FROM,
        article: named.filter(|(_, w)| *w != 0.0).collect(),
        place: fit::conditional(&choices(&taught), PLACE_RIDGE).map(rounded),
    };
    (filter, counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect())
}

fn choices(taught: &[(&TrainingArticle, f64)]) -> Vec<PlaceChoice<{ PLACE_FEATURES.len() }>> {
    let choice = |(article, _): &(&TrainingArticle, f64)| {
        let country = article.judged.filter(|j| j.real)?.country?;
        let chosen = article.example.places.keys().position(|c| *c == country)?;
        Some(PlaceChoice { candidates: article.example.places.values().copied().collect(), chosen })
    };
    taught.iter().filter_map(choice).collect()
}

/// Returns the weights file, trained on all articles.
pub fn weights_file(corpus: &Corpus) -> String {
    let (filter, counts) = teach(corpus.articles.iter());
    let taught = corpus.articles.iter().filter(|a| a.target().is_some()).count();
    let comment = format!(
        "The event filter: which articles report a real, current happening, and in which country (docs/event-quality.md).\n\
         Written by `gsi-lab train-events` from {taught} articles judged by hand; do not edit, teach.\n\
         setting: log-odds of an article without features; the probability from which on an article is kept; the same for its country.\n\
         place: what speaks for a country as the place. article: feature, weight in log-odds, articles that had it.\n\
         word: a word's stem. class, classes: one, several words of a class of method/word_classes.tsv. start: the first word's class.\n\
         path: a word before the headline. section, site: class of a path segment, of the host. host, domain: parts of the host's name.\n\
         root, share, lead, code: CAMEO codes of the rows. geo: type of place. role: actor types. is, number: the article's rows as a whole."
    );
    filter.write(&comment, &counts)
}
