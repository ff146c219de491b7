//! The schema of the method's document. The index writes the document, and a test compares it with these types.

use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Everything that can change a number, with a digest over it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Method)]
pub struct MethodBody {
    #[schema(example = "3.0.0")]
    pub version: String,
    /// The digest of everything that can change a score: parameters, indicators and the files in `parts`.
    pub digest: String,
    /// Weight of each pillar in the composite.
    pub pillars: BTreeMap<String, f64>,
    pub parameters: BTreeMap<String, MethodParameter>,
    /// How the alert levels are computed.
    pub alerts: MethodAlerts,
    pub indicators: Vec<MethodIndicator>,
    /// Indicators whose feeds are off.
    pub inactive: Vec<String>,
    /// The series that the indicators read.
    pub series: Vec<String>,
    /// Digest of each file of lists and words.
    #[serde(default)]
    pub parts: BTreeMap<String, String>,
    /// How texts phrase each indicator.
    #[serde(default)]
    pub words: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    pub words_digest: Option<String>,
    /// The same for countries.
    #[serde(default)]
    pub countries: Option<CountryMethodBody>,
    /// Further thresholds at which alerts begin and end.
    #[serde(default)]
    pub alert_rules: BTreeMap<String, MethodParameter>,
    /// The statement that the score does not forecast, with figures. Absent until the past is computed.
    #[serde(default)]
    pub forecast: Option<String>,
}

/// A number, a name, several of them, or a group of numbers.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum MethodParameter {
    Number(f64),
    Switch(bool),
    Text(String),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
    Group(BTreeMap<String, f64>),
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodAlerts {
    pub past_days: u32,
    pub past_needed: u32,
    /// By pillar, and `composite`.
    pub rules: BTreeMap<String, BTreeMap<String, f64>>,
}

/// One indicator of the composite.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodIndicator {
    #[schema(example = "country_surprise")]
    pub key: String,
    #[schema(example = "conflict")]
    pub pillar: String,
    /// The weight within its pillar. With zero, the indicator is shown and not scored.
    pub weight: f64,
    pub unit: String,
    pub description: String,
    pub feeds: Vec<String>,
    /// `kind` and its parameters.
    pub formula: BTreeMap<String, MethodParameter>,
    /// The distribution assumed before there is history.
    pub prior: MethodPrior,
    pub cadence_hours: f64,
    pub lag_hours: f64,
    pub slack_hours: f64,
    pub window_years: f64,
    pub business_days: bool,
    /// Compared with the same day of the week.
    pub day_of_week: bool,
    /// Its absence does not lower the coverage.
    pub optional: bool,
    #[serde(default)]
    pub takes_over: Option<bool>,
    #[serde(default)]
    pub fades: Option<BTreeMap<String, f64>>,
    #[serde(default)]
    pub start: Option<String>,
    #[serde(default)]
    pub tested_on: Option<MethodTestSeries>,
}

/// A distribution by its median and its 95th percentile.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodPrior {
    #[schema(example = "normal")]
    pub kind: String,
    pub median: f64,
    pub q95: f64,
}

/// The longer series on which an indicator was tested.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodTestSeries {
    pub series: String,
    pub prior: MethodPrior,
}

/// The method for countries.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CountryMethod)]
pub struct CountryMethodBody {
    pub version: String,
    pub digest: String,
    pub pillars: BTreeMap<String, f64>,
    pub parameters: BTreeMap<String, f64>,
    pub indicators: Vec<CountryMethodIndicator>,
    /// The countries of each region.
    pub regions: BTreeMap<String, Vec<String>>,
    /// The countries of each exchange rate.
    pub currencies: BTreeMap<String, Vec<String>>,
    /// The series that the indicators read.
    #[serde(default)]
    pub series: Vec<String>,
}

/// One indicator of a country.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CountryMethodIndicator {
    pub key: String,
    pub pillar: String,
    pub weight: f64,
    pub unit: String,
    pub description: String,
    #[schema(example = "own")]
    pub compared_with: String,
    pub formula: BTreeMap<String, MethodParameter>,
    pub prior: MethodPrior,
    pub cadence_hours: f64,
    pub lag_hours: f64,
    pub slack_hours: f64,
    pub business_days: bool,
}
