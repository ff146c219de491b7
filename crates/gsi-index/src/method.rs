//! The method in force: the catalogue cut down to what the enabled feeds can carry, and its digest.

use crate::baseline::close_series;
use crate::baseline_file::{BaselineFile, DRIFT_WINDOW_YEARS};
use crate::catalogue::{Catalogue, Formula, Indicator, MethodError, NewsTopic, Parameters};
use crate::news::{ARTICLES_SERIES, COUNTRY_SERIES, HEAT_SERIES};
use crate::record::{COMPOSITE_SERIES, PILLAR_SERIES};
use data_encoding::HEXLOWER;
use gsi_model::{Pillar, WordsByIndicator};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// A validated catalogue with the indicators that are active, ordered by pillar and key.
#[derive(Clone, Debug)]
pub struct Method {
    version: String,
    digest: String,
    parameters: Parameters,
    /// In the order of [`Pillar::ALL`].
    pillar_weights: [f64; 4],
    /// The same four, then the composite.
    alert_levels: [f64; 5],
    indicators: Vec<Indicator>,
    inactive: Vec<Indicator>,
    /// Of all indicators, active or not.
    words: WordsByIndicator,
    words_digest: String,
}

/// What the digest covers: all that can change a number, and nothing else.
#[derive(Serialize)]
struct Digested<'a> {
    version: &'a str,
    parameters: &'a Parameters,
    pillar_weights: [f64; 4],
    indicators: &'a [Indicator],
}

/// The parts of the document from which the method can be had again.
#[derive(Deserialize)]
struct Documented {
    version: String,
    digest: String,
    parameters: Parameters,
    pillars: BTreeMap<String, f64>,
    alerts: BTreeMap<String, f64>,
    indicators: Vec<Indicator>,
    /// Not in documents that were kept before there were any.
    #[serde(default)]
    words: WordsByIndicator,
}

fn digest(
    version: &str,
    parameters: &Parameters,
    pillar_weights: [f64; 4],
    indicators: &[Indicator],
) -> Result<String, MethodError> {
    let digested = Digested { version, parameters, pillar_weights, indicators };
    let canonical = serde_json::to_vec(&digested)
        .map_err(|e| MethodError::Syntax(format!("it cannot be written back: {e}")))?;
    Ok(HEXLOWER.encode(&Sha256::digest(&canonical)))
}

fn digest_of_words(words: &WordsByIndicator) -> String {
    // A map of texts is always written.
    let canonical = serde_json::to_vec(words).unwrap_or_default();
    HEXLOWER.encode(&Sha256::digest(&canonical))
}

impl Method {
    /// The reviewed catalogue compiled into the program.
    pub fn default_text() -> &'static str {
        include_str!("../../../method/catalogue.toml")
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

    /// The same with any rule for which indicators are active, such as "its series have history". A pillar may be
    /// left without any; it is then never scored.
    pub fn from_catalogue(
        catalogue: Catalogue,
        active: &dyn Fn(&Indicator) -> bool,
    ) -> Result<Method, MethodError> {
        let Catalogue { version, pillars, parameters, alerts, mut indicators } = catalogue;
        let words: WordsByIndicator =
            indicators.iter_mut().filter_map(|i| Some((i.key.clone(), i.words.take()?))).collect();
        let pillar_weights = Pillar::ALL.map(|p| pillars.get(p.key()).copied().unwrap_or_default());
        let level = |subject: &str| alerts.get(subject).copied().unwrap_or(100.0);
        let [a, b, c, d] = Pillar::ALL.map(|p| level(p.key()));
        let alert_levels = [a, b, c, d, level("composite")];
        let (mut indicators, mut inactive): (Vec<_>, Vec<_>) =
            indicators.into_iter().partition(|i| active(i));
        indicators.sort_by(|a, b| (a.pillar, &a.key).cmp(&(b.pillar, &b.key)));
        inactive.sort_by(|a, b| (a.pillar, &a.key).cmp(&(b.pillar, &b.key)));
        for pillar in Pillar::ALL {
            let total: f64 = indicators.iter().filter(|i| i.pillar == pillar).map(|i| i.weight).sum();
            indicators.iter_mut().filter(|i| i.pillar == pillar).for_each(|i| i.weight /= total);
        }
        let digest = digest(&version, &parameters, pillar_weights, &indicators)?;
        let words_digest = digest_of_words(&words);
        Ok(Method {
            version,
            digest,
            parameters,
            pillar_weights,
            alert_levels,
            indicators,
            inactive,
            words,
            words_digest,
        })
    }

    /// The method that a document of [`Method::document`] describes, bit by bit: nothing is scaled again, and the digest
    /// must come out as the document says.
    pub fn from_document(document: &serde_json::Value) -> Result<Method, MethodError> {
        let read: Documented = Documented::deserialize(document)
            .map_err(|e| MethodError::Syntax(format!("it is not a method document: {e}")))?;
        let weight = |p: Pillar| read.pillars.get(p.key()).copied();
        let level = |subject: &str| read.alerts.get(subject).copied().unwrap_or(100.0);
        let [a, b, c, d] = Pillar::ALL.map(|p| level(p.key()));
        let missing = Pillar::ALL.into_iter().find(|p| weight(*p).is_none());
        if let Some(pillar) = missing {
            return Err(MethodError::Syntax(format!("the weight of pillar {pillar} is missing")));
        }
        let sorted = read.indicators.is_sorted_by(|a, b| (a.pillar, &a.key) < (b.pillar, &b.key));
        if !sorted {
            return Err(MethodError::Syntax("its indicators are not in order, each once".to_owned()));
        }
        let pillar_weights = Pillar::ALL.map(|p| weight(p).unwrap_or_default());
        let digest = digest(&read.version, &read.parameters, pillar_weights, &read.indicators)?;
        if digest != read.digest {
            return Err(MethodError::Syntax(format!("its digest is {digest}, not {}", read.digest)));
        }
        Ok(Method {
            version: read.version,
            digest,
            parameters: read.parameters,
            pillar_weights,
            alert_levels: [a, b, c, d, level("composite")],
            indicators: read.indicators,
            inactive: Vec::new(),
            words_digest: digest_of_words(&read.words),
            words: read.words,
        })
    }

    /// The same numbers, told with other words.
    pub fn with_words(&self, words: WordsByIndicator) -> Method {
        Method { words_digest: digest_of_words(&words), words, ..self.clone() }
    }

    /// The same with measured priors, and shorter windows for what drifts. An indicator that is off is passed over; one
    /// that the catalogue does not know is refused.
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
        method.digest =
            digest(&method.version, &method.parameters, method.pillar_weights, &method.indicators)?;
        Ok(method)
    }

    /// Every series a tick reads, sorted: what must be at hand to compute it again. Coded-news slots come on top.
    pub fn series(&self) -> Vec<String> {
        let mut names: BTreeSet<String> =
            [COMPOSITE_SERIES, PILLAR_SERIES, ARTICLES_SERIES, COUNTRY_SERIES, HEAT_SERIES]
                .into_iter()
                .chain(NewsTopic::ALL.map(NewsTopic::close_series))
                .map(str::to_owned)
                .collect();
        for indicator in &self.indicators {
            names.extend(indicator.formula.series().iter().cloned());
            match &indicator.formula {
                Formula::EventLevel { series, scored } => {
                    names.insert(series.clone());
                    names.extend(scored.clone());
                }
                Formula::EventVelocity { series } => drop(names.insert(series.clone())),
                _ => {}
            }
            if indicator.formula.is_fast() {
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

    /// How each indicator is told.
    pub fn words(&self) -> &WordsByIndicator {
        &self.words
    }

    /// SHA-256 of the words, in hexadecimal. Apart from [`Method::digest`], so that a better word makes no new method.
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

    pub fn pillar_weight(&self, pillar: Pillar) -> f64 {
        self.pillar_weights[pillar.index()]
    }

    /// The unsmoothed score at which an alert may begin; `None` asks for the composite's.
    pub fn alert_level(&self, pillar: Option<Pillar>) -> f64 {
        self.alert_levels[pillar.map_or(4, Pillar::index)]
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
        let subjects = Pillar::ALL.into_iter().map(Some).chain([None]);
        let alerts: serde_json::Map<String, serde_json::Value> = subjects
            .map(|p| (p.map_or("composite", Pillar::key).to_owned(), serde_json::json!(self.alert_level(p))))
            .collect();
        serde_json::json!({
            "version": self.version,
            "digest": self.digest,
            "parameters": self.parameters,
            "pillars": pillars,
            "alerts": alerts,
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
    fn a_document_is_the_method_again() {
        let feeds = ["gdelt", "kev", "oil", "ofr", "treasury"].map(str::to_owned);
        let method = Method::load(Method::default_text(), &BTreeSet::from(feeds)).unwrap();
        let text = serde_json::to_string(&method.document()).unwrap();
        let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let again = Method::from_document(&document).unwrap();
        assert_eq!(again.digest(), method.digest());
        assert_eq!(again.indicators(), method.indicators());
        assert_eq!(again.alert_level(None), method.alert_level(None));
        assert_eq!((again.words(), again.words_digest()), (method.words(), method.words_digest()));

        document["indicators"][0]["weight"] = serde_json::json!(0.5);
        let refused = Method::from_document(&document).unwrap_err().to_string();
        assert!(refused.contains("digest"), "{refused}");
        assert!(Method::from_document(&serde_json::json!({"version": "1"})).is_err());
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
        // Words that were kept apart come back as they were.
        assert_eq!(after.with_words(before.words().clone()).words_digest(), before.words_digest());
    }

    #[test]
    fn words_that_cannot_be_told_are_refused() {
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
            assert!(Method::default_text().contains(words), "the catalogue has moved on");
            let refused =
                Catalogue::parse(&Method::default_text().replace(words, other)).unwrap_err().to_string();
            assert!(refused.contains(problem), "{other:?}: {refused}");
        }
    }
}
