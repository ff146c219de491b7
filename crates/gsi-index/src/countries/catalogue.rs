//! The method for countries as a table, read strictly from `method/countries.toml` and the table of countries.

use crate::catalogue::MethodError;
use crate::method::algebra;
use crate::rarity::survival::{Prior, PriorKind};
use data_encoding::HEXLOWER;
use gsi_model::{Country, CountryCode, Pillar};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// The name under which the euro is listed among reference rates, which are all per euro.
pub(super) const EURO: &str = "euro";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountryCatalogue {
    pub version: String,
    pub pillars: BTreeMap<Pillar, f64>,
    pub parameters: CountryParameters,
    #[serde(rename = "indicator")]
    pub indicators: Vec<CountryIndicatorRule>,
    /// Countries by the series of their currency's reference rate.
    pub currencies: BTreeMap<String, Vec<CountryCode>>,
    /// Countries by the region that their history is shrunk to while it is short.
    pub regions: BTreeMap<String, Vec<CountryCode>>,
}

/// The catalogue as in its file: regions and currencies are in the table of countries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CountryCatalogueFile {
    version: String,
    pillars: BTreeMap<Pillar, f64>,
    parameters: CountryParameters,
    #[serde(rename = "indicator")]
    indicators: Vec<CountryIndicatorRule>,
    /// The series of the reference rate by the code of its currency.
    reference_rates: BTreeMap<String, String>,
}

impl CountryCatalogueFile {
    fn complete(self) -> Result<CountryCatalogue, MethodError> {
        let group = |name: &dyn Fn(&Country) -> Option<String>| {
            let mut groups: BTreeMap<String, Vec<CountryCode>> = BTreeMap::new();
            for code in CountryCode::all() {
                if let Some(name) = name(code.country()) {
                    groups.entry(name).or_default().push(code);
                }
            }
            groups
        };
        let CountryCatalogueFile { version, pillars, parameters, indicators, reference_rates } = self;
        let regions = group(&|country| country.region.map(str::to_owned));
        let currencies = group(&|country| reference_rates.get(country.currency?).cloned());
        if let Some((code, _)) = reference_rates.iter().find(|(_, series)| !currencies.contains_key(*series))
        {
            return refused("reference_rates", format!("{code} is no country's currency"));
        }
        Ok(CountryCatalogue { version, pillars, parameters, indicators, currencies, regions })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountryParameters {
    pub min_coverage: f64,
    pub monitored_articles_30d: f64,
    pub monitored_articles_seen: f64,
    pub monitored_days: u32,
    pub min_news_days: u32,
    pub violence_half_life_days: f64,
    pub violence_added: f64,
    pub silent_share: f64,
    pub silent_expected_articles: f64,
    pub own_strength_days: f64,
    pub region_strength_days: f64,
    pub window_days: u32,
    pub trend_days: u32,
    pub trend_points: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountryIndicatorRule {
    pub key: String,
    pub pillar: Pillar,
    pub unit: String,
    pub description: String,
    pub formula: CountryFormula,
    pub compared_with: ComparedWith,
    pub cadence_hours: f64,
    pub lag_hours: f64,
    #[serde(default)]
    pub slack_hours: f64,
    #[serde(default)]
    pub business_days: bool,
    pub weight: f64,
    pub prior: Prior,
}

/// Which history a value is ranked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedWith {
    /// The country's own, shrunk to its region's and the prior while it is short.
    Own,
    /// All countries together: for levels, where a long war counts no less for its length.
    World,
    /// The prior alone, for values that are nearly always zero.
    Prior,
}

/// Which reports a share is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewsOf {
    Violence,
    Attention,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventMeasure {
    Intensity,
    Days,
    Peak,
    /// The country's share of all the violence in the world's events, divided by its share of the world's reports.
    Violence,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CountryFormula {
    /// ln((f + offset) / (q + offset)): f the country's percentage of all articles, averaged with a half-life, q the median
    /// of its means over `mean_days` in the `days` that end `gap_days` ago.
    Surprise {
        of: NewsOf,
        half_life_days: f64,
        offset: f64,
        days: u32,
        min_days: u32,
        gap_days: u32,
        mean_days: u32,
    },
    Events {
        measure: EventMeasure,
        #[serde(default)]
        days: u32,
        /// Percent of the world's reports that are added to the country's, for `violence`.
        #[serde(default)]
        added_attention: f64,
    },
    /// The total over the last days of a daily series by country. A day that only `covered_by` has counts zero, a day
    /// that `covered_by` lacks counts as the mean of the others.
    WindowSum {
        series: String,
        covered_by: String,
        days: u32,
    },
    /// ln((m + offset) / (u + offset)): m the mean a day of a series by country over its last `days`, u the one over at most
    /// `usual_days` before them, each over the periods that `covered_by` has. With `falls` the other way round: less than
    /// usual counts.
    Departure {
        series: String,
        covered_by: String,
        period_days: u32,
        days: u32,
        usual_days: u32,
        min_days: u32,
        offset: f64,
        #[serde(default)]
        falls: bool,
    },
    /// Percent that the currency has lost against all reference currencies together.
    CurrencyDeparture {
        fast_days: u32,
        slow_days: u32,
    },
    CurrencyVolatility {
        half_life_days: f64,
    },
}

impl CountryFormula {
    /// Read from coded news, and held while the news is silent.
    pub fn is_news(&self) -> bool {
        matches!(self, CountryFormula::Surprise { .. } | CountryFormula::Events { .. })
    }
}

/// The catalogue in force with its digest.
#[derive(Clone, Debug, PartialEq)]
pub struct CountryMethod {
    pub catalogue: CountryCatalogue,
    digest: String,
    /// By country.
    region: BTreeMap<CountryCode, String>,
    currency: BTreeMap<CountryCode, String>,
}

impl CountryMethod {
    /// The reviewed catalogue compiled into the program.
    pub fn default_text() -> &'static str {
        gsi_model::method_files::COUNTRY_CATALOGUE
    }

    /// That catalogue, parsed once.
    ///
    /// # Panics
    /// Never: a test reads it, and it does not change after that.
    pub fn compiled() -> Arc<CountryMethod> {
        static COMPILED: LazyLock<Arc<CountryMethod>> = LazyLock::new(|| {
            Arc::new(
                CountryMethod::parse(CountryMethod::default_text())
                    .expect("the compiled-in catalogue is sound"),
            )
        });
        Arc::clone(&COMPILED)
    }

    pub fn parse(text: &str) -> Result<CountryMethod, MethodError> {
        let file: CountryCatalogueFile =
            toml::from_str(text).map_err(|e| MethodError::Syntax(e.to_string().trim().to_owned()))?;
        CountryMethod::from_catalogue(file.complete()?)
    }

    fn from_catalogue(catalogue: CountryCatalogue) -> Result<CountryMethod, MethodError> {
        catalogue.check()?;
        let mut canonical = serde_json::to_vec(&catalogue)
            .map_err(|e| MethodError::Syntax(format!("it cannot be written back: {e}")))?;
        canonical.extend(algebra::countries_digest().into_iter().flat_map(String::into_bytes));
        let by_country = |table: &BTreeMap<String, Vec<CountryCode>>| {
            let pairs = table.iter().flat_map(|(name, codes)| codes.iter().map(move |c| (*c, name.clone())));
            pairs.collect::<BTreeMap<CountryCode, String>>()
        };
        Ok(CountryMethod {
            region: by_country(&catalogue.regions),
            currency: by_country(&catalogue.currencies),
            digest: HEXLOWER.encode(&Sha256::digest(&canonical)),
            catalogue,
        })
    }

    pub fn version(&self) -> &str {
        &self.catalogue.version
    }

    /// SHA-256 of everything in the catalogue, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub fn parameters(&self) -> &CountryParameters {
        &self.catalogue.parameters
    }

    pub fn indicators(&self) -> &[CountryIndicatorRule] {
        &self.catalogue.indicators
    }

    /// `None` for a place that is not scored, such as an uninhabited island.
    pub fn region(&self, country: CountryCode) -> Option<&str> {
        self.region.get(&country).map(String::as_str)
    }

    pub(super) fn currency(&self, country: CountryCode) -> Option<&str> {
        self.currency.get(&country).map(String::as_str)
    }

    /// Every country that may have a score, by code.
    pub fn countries(&self) -> impl Iterator<Item = CountryCode> {
        self.region.keys().copied()
    }

    pub fn pillar_weight(&self, pillar: Pillar) -> f64 {
        self.catalogue.pillars.get(&pillar).copied().unwrap_or_default()
    }

    /// The document in `/v1/method`.
    pub fn document(&self) -> serde_json::Value {
        let c = &self.catalogue;
        serde_json::json!({
            "version": c.version,
            "digest": self.digest,
            "pillars": c.pillars,
            "parameters": c.parameters,
            "indicators": c.indicators,
            "currencies": c.currencies,
            "regions": c.regions,
            "series": self.series(),
        })
    }

    /// The same method from its document, checked by the digest in it.
    pub fn from_document(document: &serde_json::Value) -> Result<CountryMethod, MethodError> {
        let mut catalogue = serde_json::Map::new();
        for (written, read) in DOCUMENTED {
            catalogue.insert(read.to_owned(), document[written].clone());
        }
        let catalogue: CountryCatalogue = serde_json::from_value(catalogue.into())
            .map_err(|e| MethodError::Syntax(format!("the method for countries: {e}")))?;
        let method = CountryMethod::from_catalogue(catalogue)?;
        if document["digest"].as_str() != Some(method.digest()) {
            return refused("digest", "it is not that of the catalogue in the same document");
        }
        Ok(method)
    }

    /// Every series that can change a country's score, by name.
    pub fn series(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = super::NEWS_AND_CLOSES.into_iter().map(str::to_owned).collect();
        for rule in self.indicators() {
            if let CountryFormula::WindowSum { series, covered_by, .. }
            | CountryFormula::Departure { series, covered_by, .. } = &rule.formula
            {
                names.extend([series.clone(), covered_by.clone()]);
            }
        }
        names.extend(self.catalogue.currencies.keys().filter(|name| *name != EURO).cloned());
        names
    }
}

/// Parts of the catalogue as the document names them, and as the file does.
const DOCUMENTED: [(&str, &str); 6] = [
    ("version", "version"),
    ("pillars", "pillars"),
    ("parameters", "parameters"),
    ("indicators", "indicator"),
    ("currencies", "currencies"),
    ("regions", "regions"),
];

fn refused<T>(place: &str, problem: impl Into<String>) -> Result<T, MethodError> {
    Err(MethodError::Refused { place: format!("countries: {place}"), problem: problem.into() })
}

impl CountryCatalogue {
    fn check(&self) -> Result<(), MethodError> {
        if self.version.trim().is_empty() {
            return refused("version", "it is empty");
        }
        if self.pillars.len() != Pillar::ALL.len()
            || self.pillars.values().any(|w| !(w.is_finite() && *w > 0.0))
        {
            return refused("pillars", "all four need a positive weight");
        }
        adds_to_one("pillars", self.pillars.values().copied())?;
        let p = &self.parameters;
        let shares = [("min_coverage", p.min_coverage), ("silent_share", p.silent_share)];
        if let Some((name, value)) = shares.into_iter().find(|(_, v)| !(0.0..=1.0).contains(v)) {
            return refused("parameters", format!("{name} {value} is not within 0 to 1"));
        }
        let positive = [
            ("monitored_articles_30d", p.monitored_articles_30d),
            ("silent_expected_articles", p.silent_expected_articles),
            ("own_strength_days", p.own_strength_days),
            ("region_strength_days", p.region_strength_days),
            ("trend_points", p.trend_points),
            ("monitored_days", f64::from(p.monitored_days)),
            ("window_days", f64::from(p.window_days)),
            ("trend_days", f64::from(p.trend_days)),
        ];
        if let Some((name, value)) = positive.into_iter().find(|(_, v)| !(v.is_finite() && *v > 0.0)) {
            return refused("parameters", format!("{name} {value} is not positive"));
        }
        if p.window_days > 366 {
            return refused("parameters", "window_days is longer than the year of history that is kept");
        }
        let mut keys = BTreeSet::new();
        for rule in &self.indicators {
            rule.check()?;
            if !keys.insert(&rule.key) {
                return refused(&format!("indicator {}", rule.key), "the key is used twice");
            }
        }
        for pillar in Pillar::ALL {
            let members = self.indicators.iter().filter(|i| i.pillar == pillar);
            adds_to_one(&format!("pillar {pillar}"), members.map(|i| i.weight))?;
        }
        for (name, table) in [("regions", &self.regions), ("currencies", &self.currencies)] {
            let mut seen = BTreeSet::new();
            if let Some(twice) = table.values().flatten().find(|code| !seen.insert(**code)) {
                return refused(name, format!("{twice} is listed twice"));
            }
        }
        Ok(())
    }
}

impl CountryIndicatorRule {
    fn check(&self) -> Result<(), MethodError> {
        let place = format!("indicator {}", self.key);
        if self.unit.trim().is_empty() || self.description.trim().is_empty() {
            return refused(&place, "unit and description are required");
        }
        if !(0.0..=1.0).contains(&self.weight) {
            return refused(&place, format!("weight {} is not within 0 to 1", self.weight));
        }
        let hours = [self.cadence_hours, self.lag_hours, self.slack_hours];
        if !(hours.iter().all(|h| h.is_finite() && *h >= 0.0) && self.cadence_hours > 0.0) {
            return refused(&place, "cadence, lag and slack must be hours");
        }
        let Prior { median, q95, kind } = self.prior;
        let fits = median.is_finite() && q95.is_finite() && q95 > median;
        if !fits || (kind == PriorKind::Lognormal && median <= 0.0) {
            return refused(&place, "the prior is no distribution");
        }
        let is_sound = match &self.formula {
            CountryFormula::Surprise { half_life_days, offset, days, min_days, mean_days, .. } => {
                *half_life_days > 0.0 && *offset > 0.0 && *min_days > 0 && days >= min_days && *mean_days > 0
            }
            CountryFormula::Events { measure, days, added_attention } => {
                (*measure == EventMeasure::Days) == (*days > 0)
                    && (*measure == EventMeasure::Violence) == (*added_attention > 0.0)
            }
            CountryFormula::WindowSum { days, .. } => *days > 0,
            CountryFormula::Departure { days, usual_days, min_days, offset, period_days, .. } => {
                *days > 0 && *period_days > 0 && *min_days > 0 && usual_days >= min_days && *offset > 0.0
            }
            CountryFormula::CurrencyDeparture { fast_days, slow_days } => {
                *fast_days > 0 && slow_days > fast_days
            }
            CountryFormula::CurrencyVolatility { half_life_days } => *half_life_days > 0.0,
        };
        if is_sound { Ok(()) } else { refused(&place, "a length or an offset is not positive") }
    }
}

fn adds_to_one(place: &str, weights: impl Iterator<Item = f64>) -> Result<(), MethodError> {
    let total: f64 = weights.sum();
    if (total - 1.0).abs() > 1e-9 {
        return refused(place, format!("the weights add to {total}, not to 1"));
    }
    Ok(())
}
