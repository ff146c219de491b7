//! The method in force: the part of the catalogue that the enabled feeds supply, and its digest.

pub(crate) mod algebra;
pub(crate) mod baseline_file;
pub(crate) mod changes;

use crate::catalogue::{
    AlertRule, AlertRules, Catalogue, Formula, Indicator, MethodError, NewsTopic, Parameters,
};
use crate::rarity::baseline::close_series;
use crate::series::derived::{
    ARTICLES_SERIES, COMPOSITE_SERIES, CONFLICT_BY_COUNTRY_SERIES, COUNTRY_SERIES, PILLAR_SERIES,
    UNSMOOTHED_SERIES,
};
use baseline_file::{BaselineFile, DRIFT_WINDOW_YEARS};
use data_encoding::HEXLOWER;
use gsi_model::method_files::PARTS;
use gsi_model::{Pillar, WordsByIndicator};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// This program has the arithmetic of one major version. Ticks of another are shown as published and are not
/// recomputed.
const MAJOR_VERSION: &str = "3";

/// The name of the algebra's numbers among the parts.
const ALGEBRA_PART: &str = "algebra";

/// A validated catalogue with the indicators that are active, ordered by pillar and key.
#[derive(Clone, Debug)]
pub struct Method {
    version: String,
    digest: String,
    parameters: Parameters,
    /// In the order of [`Pillar::ALL`].
    pillar_weights: [f64; 4],
    alerts: AlertRules,
    indicators: Vec<Indicator>,
    inactive: Vec<Indicator>,
    /// Of all indicators, active or not.
    words: WordsByIndicator,
    words_digest: String,
    parts: BTreeMap<String, String>,
}

/// The SHA-256 of each file's content by file name, without comments.
fn digest_parts(parts: &[(&str, &str)]) -> Result<BTreeMap<String, String>, MethodError> {
    let digest_one = |(name, text): &(&str, &str)| {
        let refused = |e: &dyn std::fmt::Display| MethodError::Syntax(format!("method/{name}: {e}"));
        let canonical = if name.ends_with(".toml") {
            let content: toml::Table = text.parse().map_err(|e: toml::de::Error| refused(&e))?;
            serde_json::to_vec(&content).map_err(|e| refused(&e))?
        } else {
            let content: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            content.join("\n").into_bytes()
        };
        Ok(((*name).to_owned(), HEXLOWER.encode(&Sha256::digest(&canonical))))
    };
    parts.iter().map(digest_one).collect()
}

/// The parts that this program computes with: the files, and the numbers of the algebra if they changed since digests
/// began.
fn own_parts() -> Result<BTreeMap<String, String>, MethodError> {
    let mut parts = digest_parts(&PARTS)?;
    parts.extend(algebra::index_digest().map(|digest| (ALGEBRA_PART.to_owned(), digest)));
    Ok(parts)
}

/// The input of the digest: everything that can change a number, and nothing else.
#[derive(Serialize)]
struct DigestedMethod<'a> {
    version: &'a str,
    parameters: &'a Parameters,
    pillar_weights: [f64; 4],
    alerts: &'a AlertRules,
    indicators: &'a [Indicator],
    parts: &'a BTreeMap<String, String>,
}

/// The parts of the document that a method is restored from.
#[derive(Deserialize)]
struct Documented {
    version: String,
    digest: String,
    parameters: Parameters,
    pillars: BTreeMap<String, f64>,
    alerts: AlertRules,
    indicators: Vec<Indicator>,
    /// Missing in documents from before methods had words.
    #[serde(default)]
    words: WordsByIndicator,
    parts: BTreeMap<String, String>,
}

/// The fields that decide whether the rest of a document can be read.
#[derive(Deserialize)]
struct Dated {
    version: String,
}

impl DigestedMethod<'_> {
    fn digest(&self) -> Result<String, MethodError> {
        let canonical = serde_json::to_vec(self)
            .map_err(|e| MethodError::Syntax(format!("it cannot be written back: {e}")))?;
        Ok(HEXLOWER.encode(&Sha256::digest(&canonical)))
    }
}

fn digest_of_words(words: &WordsByIndicator) -> String {
    // A map of texts always serializes.
    let canonical = serde_json::to_vec(words).unwrap_or_default();
    HEXLOWER.encode(&Sha256::digest(&canonical))
}

impl Method {
    /// The reviewed catalogue compiled into the program.
    pub fn default_text() -> &'static str {
        gsi_model::method_files::CATALOGUE
    }

    /// Reads and checks a catalogue; indicators without their feeds are left out and the others' weights scaled up.
    pub fn load(text: &str, enabled_feeds: &BTreeSet<String>) -> Result<Method, MethodError> {
        let method = Self::from_catalogue(Catalogue::parse(text)?, &|i| {
            i.feeds.iter().all(|f| enabled_feeds.contains(f))
        })?;
        let empty = |p: &&Pillar| !method.indicators.iter().any(|i| i.pillar == **p);
        match Pillar::ALL.iter().find(empty) {
            Some(pillar) => Err(MethodError::EmptyPillar(*pillar)),
            None => Ok(method),
        }
    }

    /// Same as [`Method::load`] with any rule for which indicators are active, such as "its series have history". A
    /// pillar may have none; it is then never scored.
    pub fn from_catalogue(
        catalogue: Catalogue,
        active: &dyn Fn(&Indicator) -> bool,
    ) -> Result<Method, MethodError> {
        let Catalogue { version, pillars, parameters, alerts, mut indicators } = catalogue;
        let words: WordsByIndicator =
            indicators.iter_mut().filter_map(|i| Some((i.key.clone(), i.words.take()?))).collect();
        let pillar_weights = Pillar::ALL.map(|p| pillars.get(p.key()).copied().unwrap_or_default());
        let (mut indicators, mut inactive): (Vec<_>, Vec<_>) =
            indicators.into_iter().partition(|i| active(i));
        indicators.sort_by(|a, b| (a.pillar, &a.key).cmp(&(b.pillar, &b.key)));
        inactive.sort_by(|a, b| (a.pillar, &a.key).cmp(&(b.pillar, &b.key)));
        for pillar in Pillar::ALL {
            let total: f64 = indicators.iter().filter(|i| i.pillar == pillar).map(|i| i.weight).sum();
            indicators.iter_mut().filter(|i| i.pillar == pillar).for_each(|i| i.weight /= total);
        }
        let (digest, parts) = (String::new(), own_parts()?);
        let words_digest = digest_of_words(&words);
        let method = Method {
            version,
            digest,
            parameters,
            pillar_weights,
            alerts,
            indicators,
            inactive,
            words,
            words_digest,
            parts,
        };
        method.sealed()
    }

    /// Computes and sets the digest.
    fn sealed(mut self) -> Result<Method, MethodError> {
        self.digest = DigestedMethod {
            version: &self.version,
            parameters: &self.parameters,
            pillar_weights: self.pillar_weights,
            alerts: &self.alerts,
            indicators: &self.indicators,
            parts: &self.parts,
        }
        .digest()?;
        Ok(self)
    }

    /// Restores the method that [`Method::document`] describes, bit by bit: nothing is scaled again, and the digest
    /// must match.
    pub fn from_document(document: &serde_json::Value) -> Result<Method, MethodError> {
        let syntax = |e: serde_json::Error| MethodError::Syntax(format!("it is not a method document: {e}"));
        let Dated { version } = Dated::deserialize(document).map_err(syntax)?;
        let major = version.split('.').next().unwrap_or_default();
        if major != MAJOR_VERSION {
            return Err(MethodError::OtherMethod { version });
        }
        let read: Documented = Documented::deserialize(document).map_err(syntax)?;
        let weight = |p: Pillar| read.pillars.get(p.key()).copied();
        let missing = Pillar::ALL.into_iter().find(|p| weight(*p).is_none());
        if let Some(pillar) = missing {
            return Err(MethodError::Syntax(format!("the weight of pillar {pillar} is missing")));
        }
        let sorted = read.indicators.is_sorted_by(|a, b| (a.pillar, &a.key) < (b.pillar, &b.key));
        if !sorted {
            return Err(MethodError::Syntax("its indicators are not in order, each once".to_owned()));
        }
        let method = Method {
            version: read.version,
            digest: String::new(),
            parameters: read.parameters,
            pillar_weights: Pillar::ALL.map(|p| weight(p).unwrap_or_default()),
            alerts: read.alerts,
            indicators: read.indicators,
            inactive: Vec::new(),
            words_digest: digest_of_words(&read.words),
            words: read.words,
            parts: read.parts,
        }
        .sealed()?;
        if method.digest != read.digest {
            return Err(MethodError::Syntax(format!("its digest is {}, not {}", method.digest, read.digest)));
        }
        let own = own_parts()?;
        if let Some(name) =
            own.keys().chain(method.parts.keys()).find(|n| own.get(*n) != method.parts.get(*n))
        {
            return Err(MethodError::OtherPart { version: method.version.clone(), part: name.clone() });
        }
        Ok(method)
    }

    /// The same numbers with other words.
    pub fn with_words(&self, words: WordsByIndicator) -> Method {
        Method { words_digest: digest_of_words(&words), words, ..self.clone() }
    }

    /// The same method with measured priors, and shorter windows for drifting indicators. An indicator that is off is
    /// skipped; one that the catalogue does not contain is refused.
    pub fn with_baseline(&self, baseline: &BaselineFile) -> Result<Method, MethodError> {
        let mut method = self.clone();
        for entry in &baseline.indicators {
            let refused = |problem: &str| MethodError::Baseline {
                place: format!("indicator {}", entry.key),
                problem: problem.to_owned(),
            };
            if method.inactive.iter().any(|i| i.key == entry.key) {
                continue;
            }
            let known = method.indicators.iter_mut().find(|i| i.key == entry.key);
            let indicator = known.ok_or_else(|| refused("the catalogue does not know it"))?;
            if let Some(prior) = entry.suggested_prior {
                if prior.kind != indicator.prior.kind {
                    return Err(refused("its prior is of another kind than the catalogue's"));
                }
                indicator.prior = prior;
            }
            if entry.drift {
                indicator.window_years = indicator.window_years.min(DRIFT_WINDOW_YEARS);
            }
        }
        method.sealed()
    }

    /// Every series a tick reads, sorted: the inputs of a recomputation, apart from the coded-news slots.
    pub fn series(&self) -> Vec<String> {
        let mut names: BTreeSet<String> = [
            COMPOSITE_SERIES,
            PILLAR_SERIES,
            UNSMOOTHED_SERIES,
            ARTICLES_SERIES,
            COUNTRY_SERIES,
            CONFLICT_BY_COUNTRY_SERIES,
        ]
        .into_iter()
        .chain(NewsTopic::ALL.map(NewsTopic::close_series))
        .map(str::to_owned)
        .collect();
        for indicator in &self.indicators {
            names.extend(indicator.formula.series().iter().cloned());
            if let Formula::EventLevel { series, scored } = &indicator.formula {
                names.insert(series.clone());
                names.extend(scored.clone());
            }
            if indicator.formula.is_fast() && !indicator.formula.is_over_tallies() {
                names.insert(close_series(&indicator.key));
            }
        }
        names.into_iter().collect()
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// SHA-256 of everything that can change a number, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How texts phrase each indicator.
    pub fn words(&self) -> &WordsByIndicator {
        &self.words
    }

    /// SHA-256 of the words, in hexadecimal. It is separate from [`Method::digest`], so that better words do not make
    /// a new method.
    pub fn words_digest(&self) -> &str {
        &self.words_digest
    }

    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Active indicators, by pillar and key; weights of a pillar add to 1.
    pub fn indicators(&self) -> &[Indicator] {
        &self.indicators
    }

    /// The feeds that a pillar's indicators read, each once.
    pub fn feeds_of(&self, pillar: Pillar) -> BTreeSet<&str> {
        let members = self.indicators.iter().filter(|i| i.pillar == pillar);
        members.flat_map(|i| i.feeds.iter().map(String::as_str)).collect()
    }

    pub fn pillar_weight(&self, pillar: Pillar) -> f64 {
        self.pillar_weights[pillar.index()]
    }

    pub fn alerts(&self) -> &AlertRules {
        &self.alerts
    }

    /// The rule for a pillar's alert, or with `None` the composite's. A subject may have no rule.
    pub fn alert_rule(&self, pillar: Option<Pillar>) -> Option<AlertRule> {
        self.alerts.rules.get(pillar.map_or("composite", Pillar::key)).copied()
    }

    /// The same indicators under other weights, for tests of how much the weights matter.
    pub(crate) fn reweighted(&self, pillar_weights: [f64; 4], weights: &[f64]) -> Method {
        let mut method = self.clone();
        method.pillar_weights = pillar_weights;
        method.indicators.iter_mut().zip(weights).for_each(|(i, w)| i.weight = *w);
        method
    }

    /// The document behind `/v1/method`.
    pub fn document(&self) -> serde_json::Value {
        let pillars: serde_json::Map<String, serde_json::Value> = Pillar::ALL
            .iter()
            .map(|p| (p.key().to_owned(), serde_json::json!(self.pillar_weight(*p))))
            .collect();
        serde_json::json!({
            "version": self.version,
            "digest": self.digest,
            "parameters": self.parameters,
            "pillars": pillars,
            "alerts": self.alerts,
            "parts": self.parts,
            "indicators": self.indicators,
            "words": self.words,
            "words_digest": self.words_digest,
            "series": self.series(),
            "inactive": self.inactive.iter().map(|i| &i.key).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_restores_the_method() {
        let feeds = ["gdelt", "kev", "oil", "ofr", "treasury"].map(str::to_owned);
        let method = Method::load(Method::default_text(), &BTreeSet::from(feeds)).unwrap();
        let text = serde_json::to_string(&method.document()).unwrap();
        let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let again = Method::from_document(&document).unwrap();
        assert_eq!(again.digest(), method.digest());
        assert_eq!(again.indicators(), method.indicators());
        assert_eq!(again.alert_rule(None), method.alert_rule(None));
        assert_eq!((again.words(), again.words_digest()), (method.words(), method.words_digest()));

        document["indicators"][0]["weight"] = serde_json::json!(0.5);
        let refused = Method::from_document(&document).unwrap_err().to_string();
        assert!(refused.contains("digest"), "{refused}");
        let older = Method::from_document(&serde_json::json!({"version": "2.0.0"})).unwrap_err();
        assert_eq!(older, MethodError::OtherMethod { version: "2.0.0".to_owned() });
        assert!(Method::from_document(&serde_json::json!({"version": "3.0.0"})).is_err());
    }

    /// The file with each of its numbers and names changed in turn.
    fn variations(text: &str) -> Vec<String> {
        fn leaves(value: &toml::Value, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
            match value {
                toml::Value::Table(t) => {
                    // Words have a separate digest.
                    for (key, inner) in t.iter().filter(|(key, _)| *key != "words") {
                        path.push(key.clone());
                        leaves(inner, path, found);
                        path.pop();
                    }
                }
                toml::Value::Array(items) => {
                    for (n, inner) in items.iter().enumerate() {
                        path.push(n.to_string());
                        leaves(inner, path, found);
                        path.pop();
                    }
                }
                _ => found.push(path.clone()),
            }
        }
        let whole: toml::Value = toml::Value::Table(text.parse().unwrap());
        let mut found = Vec::new();
        leaves(&whole, &mut Vec::new(), &mut found);
        let changed = |path: &Vec<String>| {
            let mut copy = whole.clone();
            let mut place = &mut copy;
            for step in path {
                place = match place {
                    toml::Value::Table(t) => t.get_mut(step).unwrap(),
                    toml::Value::Array(a) => a.get_mut(step.parse::<usize>().unwrap()).unwrap(),
                    _ => unreachable!("a leaf has no parts"),
                };
            }
            *place = match place.clone() {
                toml::Value::Integer(n) => toml::Value::Integer(n + 1),
                toml::Value::Float(x) => toml::Value::Float(x + 0.015625),
                toml::Value::Boolean(b) => toml::Value::Boolean(!b),
                other => toml::Value::String(format!("{other}x")),
            };
            toml::to_string(&copy).unwrap()
        };
        found.iter().map(changed).collect()
    }

    #[test]
    fn every_number_and_word_of_every_part_is_in_the_digest() {
        let catalogue = || Catalogue::parse(Method::default_text()).unwrap();
        let method = Method::from_catalogue(catalogue(), &|_| true).unwrap();
        let own = digest_parts(&PARTS).unwrap();
        assert_eq!(method.parts, own, "the method has all parts");
        for (name, text) in PARTS {
            // A table is changed line by line, a file of settings value by value.
            let lines = || text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
            let one_changed = |at: usize| {
                let changed =
                    |(n, line): (usize, &str)| format!("{line}{}\n", if n == at { "x" } else { "" });
                text.lines().enumerate().map(changed).collect::<String>()
            };
            let variations = match name.ends_with(".toml") {
                true => variations(text),
                false => lines().map(|(at, _)| one_changed(at)).collect(),
            };
            assert!(variations.len() >= 3, "{name} has values to vary");
            for varied in variations {
                assert_ne!(digest_parts(&[(name, &varied)]).unwrap()[name], own[name], "{name}: {varied}");
            }
            // A comment does not change the digest.
            let remarked = format!("# a remark\n{text}");
            assert_eq!(digest_parts(&[(name, &remarked)]).unwrap()[name], own[name], "{name}");
        }
        // The content of each part is in the method's digest.
        for name in own.keys() {
            let mut other = method.clone();
            other.parts.insert(name.clone(), "another".to_owned());
            assert_ne!(other.sealed().unwrap().digest(), method.digest(), "{name}");
        }
    }

    #[test]
    fn every_parameter_of_the_catalogue_is_in_the_digest() {
        let own =
            Method::from_catalogue(Catalogue::parse(Method::default_text()).unwrap(), &|_| true).unwrap();
        let mut compared = 0;
        for varied in variations(Method::default_text()) {
            // Many changes make a catalogue that is refused: a weight that no longer adds up, an unknown word.
            let Ok(catalogue) = Catalogue::parse(&varied) else { continue };
            let other = Method::from_catalogue(catalogue, &|_| true).unwrap();
            assert_ne!(other.digest(), own.digest(), "{varied}");
            compared += 1;
        }
        assert!(compared > 250, "{compared}");
    }

    #[test]
    fn a_word_changes_no_number() {
        let method = |text: &str| {
            let feeds = ["gdelt", "kev", "oil", "ofr", "treasury"].map(str::to_owned);
            Method::load(text, &BTreeSet::from(feeds)).unwrap()
        };
        let (before, text) = (method(Method::default_text()), Method::default_text());
        let after = method(&text.replacen("conflict news share", "the share of conflict news", 1));
        assert_eq!(after.words()["conflict_news_share"].name, "the share of conflict news");
        assert_eq!(after.digest(), before.digest());
        assert_ne!(after.words_digest(), before.words_digest());
        // Words that were removed and restored are unchanged.
        assert_eq!(after.with_words(before.words().clone()).words_digest(), before.words_digest());
    }

    #[test]
    fn incomplete_words_are_refused() {
        let words = "words = { name = \"conflict spread\", told = \"percent\", of = \"of countries\", direction = \"up\", notable = \"either\" }\n";
        for (other, problem) in [
            ("", "words are required"),
            (&words.replace("conflict spread", "Conflict spread."), "words.name"),
            (&words.replace("of countries", "of  countries"), "words.of"),
            (&words.replace("percent", "count"), "follows a percentage"),
            (&words.replace("\"percent\", of = \"of countries\"", "\"amount\""), "amount needs"),
            (&words.replace("direction = \"up\"", "direction = \"either\""), "either direction"),
            (&words.replace("direction = \"up\"", "direction = \"sideways\""), "sideways"),
        ] {
            assert!(
                Method::default_text().contains(words),
                "the catalogue no longer contains the words that this test changes"
            );
            let refused =
                Catalogue::parse(&Method::default_text().replace(words, other)).unwrap_err().to_string();
            assert!(refused.contains(problem), "{other:?}: {refused}");
        }
    }
}
