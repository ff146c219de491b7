//! The reviewed numbers behind the alerts: `method/alerts.toml`.

use data_encoding::HEXLOWER;
use gsi_model::method_files;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertMethod {
    pub version: String,
    pub(crate) country: CountryAlertRule,
    pub(crate) country_bands: CountryBands,
    pub(crate) event: EventAlertRule,
    pub(crate) own_rule: OwnRuleMargins,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountryAlertRule {
    pub level: f64,
    pub release: f64,
    pub year_share: f64,
    pub year_share_release: f64,
    pub longest_days: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountryBands {
    pub high: f64,
    pub severe: f64,
    pub release: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventAlertRule {
    pub escalation: f64,
    pub ends_below: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnRuleMargins {
    pub release: f64,
    pub change_share: f64,
}

static COMPILED: LazyLock<(AlertMethod, String)> = LazyLock::new(|| {
    let method: AlertMethod =
        toml::from_str(method_files::ALERTS).expect("method/alerts.toml is read by a test");
    let digest = HEXLOWER.encode(&Sha256::digest(method.document().to_string()));
    (method, digest)
});

impl AlertMethod {
    pub fn compiled() -> &'static AlertMethod {
        &COMPILED.0
    }

    /// The digest of the rules, without the file's comments.
    pub fn digest() -> &'static str {
        &COMPILED.1
    }

    /// The lower edges of a country's bands high and severe.
    pub fn country_band_edges(&self) -> [f64; 2] {
        [self.country_bands.high, self.country_bands.severe]
    }

    /// The document in `/v1/method`.
    pub fn document(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_lets_go_below_where_it_begins() {
        let method = AlertMethod::compiled();
        assert!(
            method.country.release > 0.0 && method.country.year_share_release < method.country.year_share
        );
        assert!(method.country_bands.high + method.country_bands.release < method.country_bands.severe);
        assert!(method.event.ends_below < method.event.escalation);
        assert_eq!(AlertMethod::digest().len(), 64);
    }
}
