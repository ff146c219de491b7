//! The index as a table: every indicator with its formula, inputs, weight and prior, read from reviewed text.
//!
//! Reading is strict. An unknown word, a weight that does not add up or a prior that cannot be a distribution is
//! refused with a sentence that names the place.

use crate::power::Power;
use crate::survival::{Prior, PriorKind, Rarity, SampleWorth};
use gsi_model::{Day, Direction, IndicatorWords, Pillar};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    #[error("the catalogue cannot be read: {0}")]
    Syntax(String),
    #[error("the catalogue is refused at {place}: {problem}")]
    Refused { place: String, problem: String },
    #[error("the baseline is refused at {place}: {problem}")]
    Baseline { place: String, problem: String },
    #[error("no indicator of pillar {0} can be computed from the enabled feeds")]
    EmptyPillar(Pillar),
    #[error(
        "it is method {version}, and this program computes by another; a release with that method can replay it"
    )]
    OtherMethod { version: String },
    #[error("it is method {version} with other constants in method/{part} than this program was built with")]
    OtherPart { version: String, part: String },
}

fn refused<T>(place: &str, problem: impl Into<String>) -> Result<T, MethodError> {
    Err(MethodError::Refused { place: place.to_owned(), problem: problem.into() })
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    pub version: String,
    pub pillars: BTreeMap<String, f64>,
    pub parameters: Parameters,
    pub alerts: AlertRules,
    #[serde(rename = "indicator")]
    pub indicators: Vec<Indicator>,
}

/// Numbers of the method that are a matter of judgement or calibration, as opposed to its algebra.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Power of the mean across pillars.
    pub composite_power: Power,
    /// Half-life of the published scores on ordinary days.
    pub publication_half_life_hours: f64,
    /// A published score this far from the unsmoothed one has an alert's size of news to catch up with …
    pub follow_gap: f64,
    /// … and follows with this half-life …
    pub follow_half_life_hours: f64,
    /// … until it is this near.
    pub follow_until: f64,
    pub trend_fast_half_life_hours: f64,
    pub trend_slow_half_life_hours: f64,
    pub trend_enter: f64,
    pub trend_leave: f64,
    pub trend_history_hours: f64,
    /// Lower edges of guarded, elevated, high and severe.
    pub band_edges: [f64; 4],
    pub band_hysteresis: f64,
    /// A pillar at or above this coverage is ok …
    pub coverage_ok: f64,
    /// … and below this one, not scored.
    pub coverage_min: f64,
    /// Standard error assumed of a pillar with too few indicators to tell.
    pub standard_error_unknown: f64,
    /// A value that is held beyond its budget keeps all of its weight for this long …
    pub held_full_hours: f64,
    /// … and then loses it with this half-life, unless two cadences are longer.
    pub held_half_life_hours: f64,
    /// By how much of their own weight indicators may grow by what ageing content gives up.
    pub takeover_limit: f64,
    /// Daily change taken as ordinary while too few days are known.
    pub daily_change_unknown: f64,
    pub rarity: Rarity,
    pub spikes: Spikes,
    pub news: NewsParameters,
}

/// A value that jumps out of the ordinary in one tick, alone, is held back once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spikes {
    /// A value rarer than this …
    pub rare: f64,
    /// … that was at least this ordinary a tick ago is held …
    pub ordinary: f64,
    /// … unless another feed of the pillar is at least this unusual.
    pub support: f64,
}

/// What counts as a day of coded news.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewsParameters {
    /// Below this share of the usual volume a day is partial …
    pub volume_low: f64,
    /// … and below this one it says nothing.
    pub volume_none: f64,
    /// The quality of a reading over a partial day.
    pub partial_quality: f64,
    /// Days over which the usual volume is taken, and how many must be known.
    pub volume_days: u32,
    pub volume_days_needed: u32,
}

/// When a subject is on alert: its unsmoothed score is high, well above its own recent past, and not yet old news.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertRules {
    /// Days of the recent past, and how many of them must be known.
    pub past_days: u32,
    pub past_needed: u32,
    /// A pillar's key or `composite`. A subject without a rule has no alert.
    pub rules: BTreeMap<String, AlertRule>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertRule {
    /// The unsmoothed score at which an alert may begin …
    pub level: f64,
    /// … if it is this far above the median of the recent past.
    pub rise: f64,
    /// It ends after this many days below the level by `release`, …
    pub quiet_days: u32,
    pub release: f64,
    /// … and at the latest after this many days: what lasts longer is told by the level itself.
    pub longest_days: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Indicator {
    pub key: String,
    pub pillar: Pillar,
    pub unit: String,
    pub description: String,
    /// How it is told. Every indicator of a catalogue has words; a method keeps them apart, since they are no numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<IndicatorWords>,
    /// All must be enabled for the indicator to be active; the first is shown as its feed.
    pub feeds: Vec<String>,
    pub formula: Formula,
    pub cadence_hours: f64,
    pub lag_hours: f64,
    /// Lateness tolerated before freshness falls: holidays, release days.
    #[serde(default)]
    pub slack_hours: f64,
    /// Age is counted in hours of Monday to Friday.
    #[serde(default)]
    pub business_days: bool,
    /// Take the day-of-week pattern out first.
    #[serde(default)]
    pub day_of_week: bool,
    /// 0 shows the value and leaves it out of the score.
    pub weight: f64,
    /// Its content is released late and in one piece, and gives up weight as newer news arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fades: Option<ContentFade>,
    /// Takes the weight that fading content gives up: it is fresh, and its prior or history was measured on the world.
    #[serde(default, skip_serializing_if = "is_false")]
    pub takes_over: bool,
    /// A history that stands in for it where a backtest has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_on: Option<TestedOn>,
    /// Off unless its feed is switched on; its weight comes on top of the default set's.
    #[serde(default)]
    pub optional: bool,
    pub prior: Prior,
    pub window_years: f64,
    /// History before this day is not of one kind with what followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

/// The weight of a value halves every so often once newer news is this much younger than its content.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentFade {
    pub from_hours: f64,
    pub half_life_hours: f64,
}

impl ContentFade {
    /// What is left of the weight when the newest news is this much younger.
    pub(crate) fn left(self, hours: f64) -> f64 {
        if hours <= self.from_hours {
            1.0
        } else {
            libm::exp2((self.from_hours - hours) / self.half_life_hours)
        }
    }
}

/// A daily series of the same meaning from another source, with the prior that fits that source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestedOn {
    pub series: String,
    pub prior: Prior,
}

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

/// How a raw value is made. Lengths in periods count values of the series; lengths in days count calendar days.
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
    /// A fast average minus a slow median: how far the present stands from the recent past.
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
    /// Annualised volatility with this half-life, averaged over the series, each held to three times their median.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
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

    /// Its past is computed from the daily tallies of coded news rather than from closes of its own, so that tallies
    /// which are read in later give it a past.
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

impl Indicator {
    /// Daily values that one value of the history stands for.
    pub fn days_each(&self) -> f64 {
        // A month of business days; weekly and daily series count as they come.
        if self.cadence_hours >= 24.0 * 28.0 { 21.0 } else { 1.0 }
    }

    pub(crate) fn sample_worth(&self) -> SampleWorth {
        SampleWorth { days_each: self.days_each(), is_news: self.takes_over }
    }

    pub fn start_day(&self) -> Option<Day> {
        self.start.as_deref().and_then(Day::parse_iso)
    }

    fn check(&self) -> Result<(), MethodError> {
        let place = format!("indicator {}", self.key);
        let named = !self.key.is_empty()
            && self.key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !named {
            return refused(&place, "a key is made of a-z, 0-9 and _");
        }
        if self.unit.trim().is_empty() || self.description.trim().is_empty() {
            return refused(&place, "unit and description are required");
        }
        let Some(words) = &self.words else { return refused(&place, "words are required") };
        if let Some(problem) = words.problem() {
            return refused(&place, problem);
        }
        let both_ways = matches!(self.formula, Formula::Departure { absolute: true, .. });
        if both_ways != (words.direction == Direction::Either) {
            return refused(
                &place,
                "words.direction is `either` for a distance in either direction, and only then",
            );
        }
        if self.feeds.is_empty() {
            return refused(&place, "at least one feed is required");
        }
        if !(0.0..=1.0).contains(&self.weight) {
            return refused(&place, format!("weight {} is not within 0 to 1", self.weight));
        }
        if let Some(fade) = self.fades
            && !(fade.from_hours >= 0.0 && fade.half_life_hours > 0.0 && fade.half_life_hours.is_finite())
        {
            return refused(&place, "fades needs from_hours of at least 0 and a half-life above 0");
        }
        if self.fades.is_some() && self.takes_over {
            return refused(&place, "what fades cannot take over as well");
        }
        if let Some(stand_in) = &self.tested_on {
            check_prior(&place, &stand_in.prior)?;
        }
        for (name, hours) in [
            ("cadence_hours", self.cadence_hours),
            ("lag_hours", self.lag_hours),
            ("slack_hours", self.slack_hours),
        ] {
            if !(hours.is_finite() && (0.0..=24.0 * 400.0).contains(&hours)) {
                return refused(&place, format!("{name} {hours} is not within 0 to 9600"));
            }
        }
        if !(self.window_years.is_finite() && self.window_years > 0.0 && self.window_years <= 50.0) {
            return refused(&place, format!("window_years {} is not within (0, 50]", self.window_years));
        }
        if let Some(start) = &self.start
            && Day::parse_iso(start).is_none()
        {
            return refused(&place, format!("start {start:?} is not a day such as 2023-01-01"));
        }
        check_prior(&place, &self.prior)?;
        check_formula(&place, &self.formula)
    }
}

fn check_prior(place: &str, prior: &Prior) -> Result<(), MethodError> {
    let Prior { median, q95, kind } = *prior;
    if !(median.is_finite() && q95.is_finite() && q95 > median) {
        return refused(place, format!("prior q95 {q95} must lie above its median {median}"));
    }
    if kind == PriorKind::Lognormal && median <= 0.0 {
        return refused(place, format!("a lognormal prior needs a positive median, not {median}"));
    }
    Ok(())
}

fn check_formula(place: &str, formula: &Formula) -> Result<(), MethodError> {
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

/// Every length of a formula with the smallest it may be.
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

impl Catalogue {
    pub fn parse(text: &str) -> Result<Catalogue, MethodError> {
        let catalogue: Catalogue =
            toml::from_str(text).map_err(|e| MethodError::Syntax(e.to_string().trim().to_owned()))?;
        catalogue.check()?;
        Ok(catalogue)
    }

    fn check(&self) -> Result<(), MethodError> {
        if self.version.trim().is_empty() {
            return refused("version", "it is empty");
        }
        let names: Vec<&str> = self.pillars.keys().map(String::as_str).collect();
        let mut expected: Vec<&str> = Pillar::ALL.iter().map(|p| p.key()).collect();
        expected.sort_unstable();
        if names != expected {
            return refused("pillars", format!("the pillars must be {}", expected.join(", ")));
        }
        if self.pillars.values().any(|w| !(w.is_finite() && *w > 0.0)) {
            return refused("pillars", "every weight must be positive");
        }
        adds_to_one("pillars", self.pillars.values().copied())?;
        self.parameters.check()?;
        self.alerts.check()?;
        let mut keys = BTreeSet::new();
        for indicator in &self.indicators {
            indicator.check()?;
            if !keys.insert(indicator.key.as_str()) {
                return refused(&format!("indicator {}", indicator.key), "the key is used twice");
            }
        }
        for pillar in Pillar::ALL {
            let default = self.indicators.iter().filter(|i| i.pillar == pillar && !i.optional);
            adds_to_one(&format!("pillar {pillar}"), default.map(|i| i.weight))?;
        }
        Ok(())
    }
}

fn adds_to_one(place: &str, weights: impl Iterator<Item = f64>) -> Result<(), MethodError> {
    let total: f64 = weights.sum();
    if (total - 1.0).abs() > 1e-9 {
        return refused(place, format!("the weights add to {total}, not to 1"));
    }
    Ok(())
}

impl AlertRules {
    fn check(&self) -> Result<(), MethodError> {
        if self.past_days == 0 || self.past_needed == 0 || self.past_needed > self.past_days {
            return refused("alerts", "past_needed must lie within 1 and past_days");
        }
        for (subject, rule) in &self.rules {
            let place = format!("alerts.rules.{subject}");
            if subject != "composite" && Pillar::from_key(subject).is_none() {
                return refused(&place, "it is neither a pillar nor composite");
            }
            if !(0.0..=100.0).contains(&rule.level) {
                return refused(&place, format!("level {} is not within 0 to 100", rule.level));
            }
            if !(rule.rise >= 0.0 && rule.release >= 0.0 && rule.rise.is_finite() && rule.release.is_finite())
            {
                return refused(&place, "rise and release must not be negative");
            }
            if rule.quiet_days == 0 || rule.longest_days == 0 {
                return refused(&place, "quiet_days and longest_days must be at least 1");
            }
        }
        Ok(())
    }
}

impl Parameters {
    fn check(&self) -> Result<(), MethodError> {
        let positive = [
            ("publication_half_life_hours", self.publication_half_life_hours),
            ("follow_gap", self.follow_gap),
            ("follow_half_life_hours", self.follow_half_life_hours),
            ("follow_until", self.follow_until),
            ("trend_fast_half_life_hours", self.trend_fast_half_life_hours),
            ("trend_slow_half_life_hours", self.trend_slow_half_life_hours),
            ("trend_enter", self.trend_enter),
            ("trend_leave", self.trend_leave),
            ("trend_history_hours", self.trend_history_hours),
            ("coverage_ok", self.coverage_ok),
            ("coverage_min", self.coverage_min),
            ("standard_error_unknown", self.standard_error_unknown),
            ("held_half_life_hours", self.held_half_life_hours),
            ("daily_change_unknown", self.daily_change_unknown),
            ("takeover_limit", self.takeover_limit),
            ("rarity.tail_shape", self.rarity.tail_shape),
            ("rarity.prior_strength", self.rarity.prior_strength),
            ("rarity.news_prior_strength", self.rarity.news_prior_strength),
        ];
        for (name, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return refused("parameters", format!("{name} {value} must be positive"));
            }
        }
        let shares = [
            ("rarity.tail_quantile", self.rarity.tail_quantile),
            ("spikes.rare", self.spikes.rare),
            ("spikes.ordinary", self.spikes.ordinary),
            ("spikes.support", self.spikes.support),
            ("news.volume_low", self.news.volume_low),
            ("news.volume_none", self.news.volume_none),
            ("news.partial_quality", self.news.partial_quality),
        ];
        for (name, value) in shares {
            if !(value > 0.0 && value < 1.0) {
                return refused("parameters", format!("{name} {value} is not within 0 and 1"));
            }
        }
        if !(self.held_full_hours.is_finite() && self.held_full_hours >= 0.0) {
            return refused("parameters", "held_full_hours must not be negative");
        }
        if self.follow_until > self.follow_gap {
            return refused("parameters", "follow_until must not exceed follow_gap");
        }
        if self.rarity.tail_sample < 10 {
            return refused("parameters", "rarity.tail_sample must be at least 10");
        }
        if !(self.band_hysteresis.is_finite() && self.band_hysteresis >= 0.0) {
            return refused("parameters", "band_hysteresis must not be negative");
        }
        if self.trend_leave > self.trend_enter {
            return refused("parameters", "trend_leave must not exceed trend_enter");
        }
        if self.coverage_min > self.coverage_ok || self.coverage_ok > 1.0 {
            return refused("parameters", "coverage_min <= coverage_ok <= 1 must hold");
        }
        if !self.band_edges.windows(2).all(|e| e[0] < e[1])
            || self.band_edges[0] <= 0.0
            || self.band_edges[3] >= 100.0
        {
            return refused("parameters", "band_edges must rise within 0 to 100");
        }
        Ok(())
    }
}
