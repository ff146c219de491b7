//! The trained event filter: how probable it is that an article reports a real, current happening, and where.
//!
//! Two linear models over named features. Their weights are reviewed data (`method/event_filter.tsv`), trained by
//! `gsi-lab train-events` on articles judged by hand, and part of the method's digest.

use crate::article::features::Features;
use crate::location::locate::{PLACE_FEATURES, PlaceFeatures};
use gsi_model::method_files;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

static SHIPPED: LazyLock<Arc<EventFilter>> = LazyLock::new(|| {
    // A test reads the same text. A build with a broken file drops every article rather than accepting all.
    Arc::new(EventFilter::parse(method_files::EVENT_FILTER).unwrap_or_default())
});

#[derive(Debug, Clone, PartialEq)]
pub struct EventFilter {
    /// Log-odds of an article without any feature.
    pub bias: f64,
    /// An article is kept from this probability on.
    pub keep_from: f64,
    /// A country is accepted from this probability on.
    pub place_from: f64,
    /// By feature name. Looked up, and iterated only to be written in order.
    pub article: HashMap<String, f64>,
    pub place: PlaceFeatures,
}

impl Default for EventFilter {
    fn default() -> Self {
        EventFilter {
            bias: f64::NEG_INFINITY,
            keep_from: 1.0,
            place_from: 1.0,
            article: HashMap::new(),
            place: [0.0; PLACE_FEATURES.len()],
        }
    }
}

impl EventFilter {
    /// The weights this release was built with.
    pub fn shipped() -> Arc<EventFilter> {
        SHIPPED.clone()
    }

    pub fn parse(text: &str) -> Result<EventFilter, String> {
        let mut filter = EventFilter::default();
        for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.starts_with('#')) {
            let broken =
                || format!("line {} of the event filter's weights is not understood: {line}", number + 1);
            let mut cells = line.split('\t');
            let (Some(kind), Some(name), Some(value)) = (cells.next(), cells.next(), cells.next()) else {
                return Err(broken());
            };
            let value: f64 = value.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(broken)?;
            match (kind, name) {
                ("setting", "bias") => filter.bias = value,
                ("setting", "keep_from") => filter.keep_from = value,
                ("setting", "place_from") => filter.place_from = value,
                ("article", _) => drop(filter.article.insert(name.to_owned(), value)),
                ("place", _) => {
                    let at = PLACE_FEATURES.iter().position(|f| *f == name).ok_or_else(broken)?;
                    filter.place[at] = value;
                }
                _ => return Err(broken()),
            }
        }
        Ok(filter)
    }

    /// The text that [`EventFilter::parse`] reads, under a comment, with how many articles had each feature.
    pub fn write(&self, comment: &str, articles: &HashMap<String, usize>) -> String {
        let mut out = String::new();
        for line in comment.lines() {
            let _ = writeln!(out, "# {line}");
        }
        for (name, value) in
            [("bias", self.bias), ("keep_from", self.keep_from), ("place_from", self.place_from)]
        {
            let _ = writeln!(out, "setting\t{name}\t{value}");
        }
        for (name, weight) in PLACE_FEATURES.iter().zip(self.place) {
            let _ = writeln!(out, "place\t{name}\t{weight:.2}");
        }
        let mut names: Vec<&String> = self.article.keys().collect();
        names.sort();
        for name in names {
            let count = articles.get(name).copied().unwrap_or(0);
            let _ = writeln!(out, "article\t{name}\t{:.2}\t{count}", self.article[name]);
        }
        out
    }

    /// 0–1: how probable it is that the article reports a real, current happening.
    pub fn probability(&self, features: &Features) -> f64 {
        let weight = |name: &String| self.article.get(name).copied().unwrap_or(0.0);
        let log_odds = self.bias + features.iter().map(|(name, value)| weight(name) * value).sum::<f64>();
        1.0 / (1.0 + libm::exp(-log_odds))
    }

    /// The score of a country as the place, on a scale without a zero: only differences mean something.
    pub fn place_score(&self, features: &PlaceFeatures) -> f64 {
        self.place.iter().zip(features).map(|(weight, value)| weight * value).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_weights_are_read_whole() {
        let filter = EventFilter::parse(method_files::EVENT_FILTER).unwrap();
        assert!(filter.article.len() > 100 && filter.bias.is_finite());
        assert!((0.0..1.0).contains(&filter.keep_from) && (0.0..1.0).contains(&filter.place_from));
        let lines = method_files::EVENT_FILTER.lines().filter(|l| l.starts_with("article")).count();
        assert_eq!(lines, filter.article.len(), "a feature is listed twice");
        assert_eq!(EventFilter::parse(&filter.write("", &HashMap::new())).unwrap(), filter);
    }

    #[test]
    fn broken_weights_are_named() {
        for text in
            ["article\tclass:x", "article\tx\tNaN", "place\tnowhere\t1", "setting\tx\t1", "x\ty\t1", "x"]
        {
            assert!(EventFilter::parse(text).unwrap_err().contains("line 1"), "{text}");
        }
    }

    #[test]
    fn probabilities_follow_the_weights() {
        let filter = EventFilter {
            bias: -1.0,
            article: HashMap::from([("a".to_owned(), 1.0), ("b".to_owned(), -2.0)]),
            ..EventFilter::default()
        };
        let with =
            |names: &[&str]| filter.probability(&names.iter().map(|n| ((*n).to_owned(), 1.0)).collect());
        assert!((with(&["a", "unknown"]) - 0.5).abs() < 1e-12);
        assert!(with(&["b"]) < with(&[]) && with(&[]) < with(&["a"]));
        assert_eq!(EventFilter::default().probability(&Features::new()), 0.0);
    }
}
