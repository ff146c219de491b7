//! The method in force: the catalogue cut down to what the enabled feeds can carry, and its digest.

use crate::catalogue::{Catalogue, Indicator, MethodError, Parameters};
use data_encoding::HEXLOWER;
use gsi_model::Pillar;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

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
}

/// What the digest covers: all that can change a number, and nothing else.
#[derive(Serialize)]
struct Digested<'a> {
    version: &'a str,
    parameters: &'a Parameters,
    pillar_weights: [f64; 4],
    indicators: &'a [Indicator],
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
        let Catalogue { version, pillars, parameters, alerts, indicators } = catalogue;
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
        let digested =
            Digested { version: &version, parameters: &parameters, pillar_weights, indicators: &indicators };
        let canonical = serde_json::to_vec(&digested)
            .map_err(|e| MethodError::Syntax(format!("it cannot be written back: {e}")))?;
        let digest = HEXLOWER.encode(&Sha256::digest(&canonical));
        Ok(Method { version, digest, parameters, pillar_weights, alert_levels, indicators, inactive })
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    /// SHA-256 of everything that can change a number, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
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
            "inactive": self.inactive.iter().map(|i| &i.key).collect::<Vec<_>>(),
        })
    }
}
