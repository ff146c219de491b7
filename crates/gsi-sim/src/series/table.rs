//! The rows of `data/series.toml`.

use super::release::Release;
use crate::world::{Calendar, Stream};
use gsi_model::Day;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The compiled-in table, by name of group.
pub static GROUPS: LazyLock<BTreeMap<String, Group>> =
    LazyLock::new(|| crate::data::parse("series.toml", include_str!("../../data/series.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub stream: Stream,
    pub key: Option<i64>,
    /// The step before the first.
    #[serde(deserialize_with = "iso_day")]
    pub begins: Day,
    #[serde(default, deserialize_with = "optional_iso_day")]
    pub first: Option<Day>,
    pub steps: Steps,
    /// The days with a value, if they are fewer than the steps.
    pub open: Option<Calendar>,
    pub scenario: Option<String>,
    pub unrest: Option<Unrest>,
    pub walks: Vec<Walk>,
    pub shocks: Option<Shocks>,
    pub columns: Vec<Column>,
    pub release: Option<Release>,
    pub file: Option<CsvFile>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steps {
    EveryDay,
    Weekdays,
    MonthEnds,
    UnitedStates,
    Target,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unrest {
    pub keep: f64,
    pub step: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walk {
    pub keep: f64,
    pub step: f64,
    #[serde(default)]
    pub start: f64,
    #[serde(default)]
    mean: f64,
    /// How far the mean is above `mean` at first, and the days in which this excess falls to a third.
    #[serde(default)]
    mean_excess: f64,
    #[serde(default)]
    mean_days: f64,
    pub jump: Option<Jump>,
    /// Draws from an own stream.
    pub key: Option<i64>,
    /// Neither unrest nor the scenario's volatility changes its steps.
    #[serde(default)]
    pub steady: bool,
}

impl Walk {
    pub fn mean_after(&self, days: i32) -> f64 {
        if self.mean_excess == 0.0 {
            return self.mean;
        }
        self.mean + self.mean_excess * libm::exp(-f64::from(days) / self.mean_days)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    pub chance: f64,
    #[serde(default = "one")]
    pub times: f64,
    #[serde(default)]
    pub adds: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shocks {
    pub chance: f64,
    /// Sizes are log-normal with this median and deviation of the logarithm.
    pub median: f64,
    pub scatter: f64,
    pub limit: f64,
    /// Steps over which a shock arrives.
    pub rise: f64,
    pub keep: f64,
    #[serde(default)]
    pub start: f64,
    pub key: Option<i64>,
    /// Days before the start of the world from which no shock begins.
    pub end_before_start: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The name that scenarios use.
    pub id: String,
    #[serde(default)]
    pub scale: Scale,
    #[serde(default)]
    level: f64,
    #[serde(default)]
    trend: Vec<TrendPoint>,
    #[serde(default = "one")]
    pub times: f64,
    /// Of the walks and then of the shocks. A missing weight is 1.
    #[serde(default)]
    weights: Vec<f64>,
    pub noise: Option<Noise>,
    /// Factors of weekdays and of weekends.
    pub week: Option<[f64; 2]>,
    pub limits: Option<[f64; 2]>,
    pub decimals: Option<u32>,
}

impl Column {
    pub fn weight(&self, index: usize) -> f64 {
        self.weights.get(index).copied().unwrap_or(1.0)
    }

    /// The level on a day: straight lines between the points of the trend, constant outside.
    pub fn level(&self, day: Day) -> f64 {
        let [from, to] = self.trend.as_slice() else { return self.level };
        let passed = f64::from(day.0 - from.day.0) / f64::from(to.day.0 - from.day.0);
        self.level + from.value + (to.value - from.value) * passed.clamp(0.0, 1.0)
    }
}

#[derive(Debug, Deserialize)]
struct TrendPoint {
    #[serde(deserialize_with = "iso_day")]
    day: Day,
    value: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    #[default]
    Linear,
    Negated,
    Log,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    #[serde(default)]
    pub keep: f64,
    pub step: f64,
    /// How much a shock of size 1 raises the step.
    #[serde(default)]
    pub heat: f64,
}

/// A file of one column: a header, then a date and a value on each line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsvFile {
    pub path: String,
    pub header: String,
    #[serde(default)]
    pub dates: DateFormat,
    /// Digits after the point. Without it values are printed without trailing zeros.
    pub decimals: Option<usize>,
    pub revision: Option<Revision>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateFormat {
    #[default]
    Iso,
    DayMonthYear,
}

/// How far the newest values of a logarithmic column still move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// The age from which a value is final.
    pub days: i32,
    /// The deviation of a value of age 0.
    pub step: f64,
}

const fn one() -> f64 {
    1.0
}

fn iso_day<'de, D: Deserializer<'de>>(from: D) -> Result<Day, D::Error> {
    let text = String::deserialize(from)?;
    Day::parse_iso(&text).ok_or_else(|| serde::de::Error::custom(format!("\"{text}\" is not a date")))
}

fn optional_iso_day<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Day>, D::Error> {
    iso_day(from).map(Some)
}
