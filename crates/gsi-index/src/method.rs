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
        Self::from_catalogue(Catalogue::parse(text)?, &|i| i.feeds.iter().all(|f| enabled_feeds.contains(f)))
    }

    /// The same with any rule for which indicators are active, such as "its series have history".
    pub fn from_catalogue(
        catalogue: Catalogue,
        active: &dyn Fn(&Indicator) -> bool,
    ) -> Result<Method, MethodError> {
        let Catalogue { version, pillars, parameters, indicators } = catalogue;
        let pillar_weights = Pillar::ALL.map(|p| pillars.get(p.key()).copied().unwrap_or_default());
        let (mut indicators, mut inactive): (Vec<_>, Vec<_>) =
            indicators.into_iter().partition(|i| active(i));
        indicators.sort_by(|a, b| (a.pillar, &a.key).cmp(&(b.pillar, &b.key)));
        inactive.sort_by(|a, b| (a.pillar, &a.key).cmp(&(b.pillar, &b.key)));
        for pillar in Pillar::ALL {
            let total: f64 = indicators.iter().filter(|i| i.pillar == pillar).map(|i| i.weight).sum();
            if total <= 0.0 {
                return Err(MethodError::EmptyPillar(pillar));
            }
            indicators.iter_mut().filter(|i| i.pillar == pillar).for_each(|i| i.weight /= total);
        }
        let digested =
            Digested { version: &version, parameters: &parameters, pillar_weights, indicators: &indicators };
        let canonical = serde_json::to_vec(&digested)
            .map_err(|e| MethodError::Syntax(format!("it cannot be written back: {e}")))?;
        let digest = HEXLOWER.encode(&Sha256::digest(&canonical));
        Ok(Method { version, digest, parameters, pillar_weights, indicators, inactive })
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
            "indicators": self.indicators,
            "inactive": self.inactive.iter().map(|i| &i.key).collect::<Vec<_>>(),
        })
    }
}
