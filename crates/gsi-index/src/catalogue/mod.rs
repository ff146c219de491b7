//! The index as a table: every indicator with its formula, inputs, weight and prior, read from a reviewed file.
//!
//! Reading is strict. An unknown word, a weight that does not add up or a prior that is no distribution is refused,
//! and the error names the place.

mod error;
mod formula;
mod parameters;
pub(crate) mod power;

pub use error::MethodError;
pub use formula::{Formula, NewsTopic, Scale};
pub use parameters::{AlertRule, AlertRules, NewsParameters, Parameters, Spikes};

use crate::method::algebra::{MONTHLY_CADENCE_HOURS, MONTHLY_VALUE_DAYS};
use crate::rarity::survival::{Prior, PriorKind, SampleWorth};
use error::refused;
use formula::check_formula;
use gsi_model::{Day, Direction, IndicatorWords, Pillar};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Indicator {
    pub key: String,
    pub pillar: Pillar,
    pub unit: String,
    pub description: String,
    /// How texts phrase it. Every indicator of a catalogue has words. A method keeps them separately, since they
    /// change no number.
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
    /// Whether the day-of-week pattern is taken out first.
    #[serde(default)]
    pub day_of_week: bool,
    /// 0 shows the value and leaves it out of the score.
    pub weight: f64,
    /// How it gives up weight as newer news arrives, for content that is released late and in one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fades: Option<ContentFade>,
    /// Takes the weight that fading content gives up: it is fresh, and its prior or history was measured on the
    /// world.
    #[serde(default, skip_serializing_if = "is_false")]
    pub takes_over: bool,
    /// A series that replaces its history in a backtest where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_on: Option<TestedOn>,
    /// Off unless its feed is switched on; its weight is added to the default set's.
    #[serde(default)]
    pub optional: bool,
    pub prior: Prior,
    pub window_years: f64,
    /// History before this day is not comparable with what followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
}

/// The weight of a value halves with this half-life once the newest news is `from_hours` younger than its content.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentFade {
    pub from_hours: f64,
    pub half_life_hours: f64,
}

impl ContentFade {
    /// The share of the weight left when the newest news is this much younger.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Indicator {
    /// Daily values that one value of the history counts for.
    pub fn days_each(&self) -> f64 {
        // Weekly and daily series count one for one.
        if self.cadence_hours >= MONTHLY_CADENCE_HOURS { MONTHLY_VALUE_DAYS } else { 1.0 }
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
        return refused(place, format!("prior q95 {q95} must be above its median {median}"));
    }
    if kind == PriorKind::Lognormal && median <= 0.0 {
        return refused(place, format!("a lognormal prior needs a positive median, not {median}"));
    }
    Ok(())
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
