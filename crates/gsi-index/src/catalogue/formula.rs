//! The formulas that compute indicators from series, and the checks of their parameters.

use super::error::{MethodError, refused};
use gsi_model::Day;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    Log,
    #[default]
    Linear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NewsTopic {
    Conflict,
    Threat,
    Cyber,
    Supply,
}

impl NewsTopic {
    pub const ALL: [NewsTopic; 4] =
        [NewsTopic::Conflict, NewsTopic::Threat, NewsTopic::Cyber, NewsTopic::Supply];

    /// The derived series of its raw 24 h share at the close of each day.
    pub const fn close_series(self) -> &'static str {
        match self {
            NewsTopic::Conflict => "news.conflict",
            NewsTopic::Threat => "news.threat",
            NewsTopic::Cyber => "news.cyber",
            NewsTopic::Supply => "news.supply",
        }
    }
}

/// How a raw value is computed. Lengths in periods count values of the series; lengths in days count calendar days.
///
/// On a logarithmic scale averages are taken of logarithms, and the day-of-week pattern is taken out there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Formula {
    /// The newest value, or an average of the last ones with this half-life.
    Level {
        series: String,
        #[serde(default)]
        scale: Scale,
        #[serde(default)]
        half_life_periods: f64,
    },
    /// The total of the values of the last days.
    WindowSum { series: String, days: u32 },
    /// A fast average minus a slow median: how far the present is from the recent past.
    Departure {
        series: String,
        #[serde(default)]
        scale: Scale,
        /// Values are first averaged over this many periods, for sparse counts.
        #[serde(default = "one_period")]
        mean_periods: u32,
        /// Added before the logarithm.
        #[serde(default)]
        offset: f64,
        /// 0 takes the newest value.
        #[serde(default)]
        fast_half_life_periods: f64,
        slow_periods: u32,
        /// Periods left out between the newest value and those of the slow median.
        #[serde(default)]
        gap_periods: u32,
        /// Distance in either direction.
        #[serde(default)]
        absolute: bool,
        #[serde(default = "one")]
        unit: f64,
    },
    /// Annualised volatility with this half-life, averaged over the series, each limited to three times their median.
    Volatility {
        series: Vec<String>,
        scale: Scale,
        half_life_periods: f64,
        /// Values below this count as this, on a logarithmic scale.
        #[serde(default)]
        floor: f64,
        unit: f64,
    },
    /// Mean shortfall in percent, over the series, of the last periods against a frozen reference.
    Shortfall { series: Vec<String>, periods: u32, reference_until: String, reference_periods: u32 },
    /// Share of articles of the last 24 h, in percent.
    NewsShare { topic: NewsTopic },
    /// Share of countries, in percent, whose own conflict share is beyond the 95 % point of their last year.
    ConflictSpread { min_articles: u32, min_days: u32, days: u32, quantile: f64 },
    /// The largest, over countries, of ln((f + offset) / (q + offset)): f the percentage of all articles that report
    /// conflict there, averaged over days with a half-life, q the median of its weekly means over `days` that end `gap_days` ago.
    CountrySurprise {
        half_life_days: f64,
        offset: f64,
        days: u32,
        min_days: u32,
        gap_days: u32,
        mean_days: u32,
    },
    /// The largest, over countries, of log2((f + offset) / (q + offset)): f the same percentage over the last 24 h, q its
    /// median over `days` that end `gap_days` ago.
    ReportVelocity { offset: f64, days: u32, min_days: u32, gap_days: u32 },
    /// The newest value of a per-tick series; `scored` names a smooth twin used for scoring.
    EventLevel {
        series: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scored: Option<String>,
    },
}

fn one() -> f64 {
    1.0
}

fn one_period() -> u32 {
    1
}

impl Formula {
    /// The observation series a windowed formula reads; empty for those over coded news.
    pub fn series(&self) -> &[String] {
        match self {
            Formula::Level { series, .. }
            | Formula::WindowSum { series, .. }
            | Formula::Departure { series, .. } => std::slice::from_ref(series),
            Formula::Volatility { series, .. } | Formula::Shortfall { series, .. } => series,
            _ => &[],
        }
    }

    /// Its history is computed from the daily tallies of coded news rather than from daily closes, so that tallies
    /// imported later extend it.
    pub fn is_over_tallies(&self) -> bool {
        matches!(
            self,
            Formula::NewsShare { .. } | Formula::CountrySurprise { .. } | Formula::ReportVelocity { .. }
        )
    }

    /// Computed from coded news, tick by tick.
    pub fn is_fast(&self) -> bool {
        match self {
            Formula::NewsShare { .. }
            | Formula::ConflictSpread { .. }
            | Formula::CountrySurprise { .. }
            | Formula::ReportVelocity { .. }
            | Formula::EventLevel { .. } => true,
            Formula::Level { .. }
            | Formula::WindowSum { .. }
            | Formula::Departure { .. }
            | Formula::Volatility { .. }
            | Formula::Shortfall { .. } => false,
        }
    }
}

pub(super) fn check_formula(place: &str, formula: &Formula) -> Result<(), MethodError> {
    let mut seen = BTreeSet::new();
    for name in formula.series() {
        let parts: Vec<&str> = name.split('.').collect();
        if parts.len() < 2 || parts.iter().any(|p| p.is_empty()) {
            return refused(place, format!("series {name:?} is not of the form source.name"));
        }
        if name.starts_with("index.") {
            return refused(place, format!("series {name:?} is computed by the index itself: a cycle"));
        }
        if !seen.insert(name) {
            return refused(place, format!("series {name:?} is listed twice"));
        }
    }
    if formula.series().is_empty() && !formula.is_fast() {
        return refused(place, "at least one series is needed");
    }
    for (name, length, smallest) in lengths(formula) {
        if !(length.is_finite() && length >= smallest && length <= 1000.0) {
            return refused(place, format!("{name} {length} is not within {smallest} to 1000"));
        }
    }
    match formula {
        Formula::Shortfall { reference_until, .. } if Day::parse_iso(reference_until).is_none() => {
            refused(place, format!("reference_until {reference_until:?} is not a day such as 2022-12-31"))
        }
        Formula::Departure { scale: Scale::Linear, offset, .. } if *offset != 0.0 => {
            refused(place, "an offset has no effect on a linear departure")
        }
        Formula::Departure { unit, .. } | Formula::Volatility { unit, .. }
            if !(unit.is_finite() && *unit > 0.0) =>
        {
            refused(place, format!("unit {unit} must be positive, or up would not be worse"))
        }
        Formula::ConflictSpread { quantile, .. } if !(0.5..1.0).contains(quantile) => {
            refused(place, format!("quantile {quantile} is not within 0.5 to 1"))
        }
        Formula::EventLevel { series, .. } if !series.starts_with("events.") => {
            refused(place, format!("series {series:?} is not one of events.*"))
        }
        Formula::CountrySurprise { offset, .. } | Formula::ReportVelocity { offset, .. }
            if !(offset.is_finite() && *offset > 0.0) =>
        {
            refused(place, format!("offset {offset} must be positive, or a first report would be infinite"))
        }
        _ => Ok(()),
    }
}

/// Every length of a formula with its minimum.
fn lengths(formula: &Formula) -> Vec<(&'static str, f64, f64)> {
    match formula {
        Formula::Level { half_life_periods, .. } => vec![("half_life_periods", *half_life_periods, 0.0)],
        Formula::WindowSum { days, .. } => vec![("days", f64::from(*days), 1.0)],
        Formula::Departure { mean_periods, fast_half_life_periods, slow_periods, gap_periods, .. } => vec![
            ("mean_periods", f64::from(*mean_periods), 1.0),
            ("fast_half_life_periods", *fast_half_life_periods, 0.0),
            ("slow_periods", f64::from(*slow_periods), 1.0),
            ("gap_periods", f64::from(*gap_periods), 0.0),
        ],
        Formula::Volatility { half_life_periods, .. } => vec![("half_life_periods", *half_life_periods, 0.5)],
        Formula::Shortfall { periods, reference_periods, .. } => vec![
            ("periods", f64::from(*periods), 1.0),
            ("reference_periods", f64::from(*reference_periods), 30.0),
        ],
        Formula::CountrySurprise { half_life_days, days, min_days, gap_days, mean_days, .. } => vec![
            ("half_life_days", *half_life_days, 0.25),
            ("days", f64::from(*days), 1.0),
            ("min_days", f64::from(*min_days), 1.0),
            ("gap_days", f64::from(*gap_days), 1.0),
            ("mean_days", f64::from(*mean_days), 1.0),
        ],
        Formula::ReportVelocity { days, min_days, gap_days, .. } => vec![
            ("days", f64::from(*days), 1.0),
            ("min_days", f64::from(*min_days), 1.0),
            ("gap_days", f64::from(*gap_days), 1.0),
        ],
        Formula::ConflictSpread { min_articles, days, min_days, .. } => vec![
            ("min_articles", f64::from(*min_articles), 1.0),
            ("days", f64::from(*days), 1.0),
            ("min_days", f64::from(*min_days), 1.0),
        ],
        Formula::NewsShare { .. } | Formula::EventLevel { .. } => Vec::new(),
    }
}
