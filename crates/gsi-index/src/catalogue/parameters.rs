//! Parameters of the whole method and its alert rules, with their checks.

use super::error::{MethodError, refused};
use crate::catalogue::power::Power;
use crate::rarity::survival::Rarity;
use gsi_model::Pillar;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Numbers of the method that were chosen or calibrated, as opposed to its algebra.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Power of the mean across pillars.
    pub composite_power: Power,
    /// Half-life of the published scores on ordinary days.
    pub publication_half_life_hours: f64,
    /// A published score that is this far from the unsmoothed one after a move of an alert's size …
    pub follow_gap: f64,
    /// … follows with this half-life …
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
    /// Standard error assumed of a pillar with too few indicators to measure it.
    pub standard_error_unknown: f64,
    /// A value that is held beyond its budget keeps all of its weight for this long …
    pub held_full_hours: f64,
    /// … and then loses it with this half-life, unless two cadences are longer.
    pub held_half_life_hours: f64,
    /// An older value is part of the baseline and not a reading.
    pub oldest_reading_days: f64,
    /// Maximum growth of an indicator's weight, as a share of it, from weight that ageing content gives up.
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
    /// … and below this one it gives no reading.
    pub volume_none: f64,
    /// The quality of a reading over a partial day.
    pub partial_quality: f64,
    /// Days over which the usual volume is taken, and how many must be known.
    pub volume_days: u32,
    pub volume_days_needed: u32,
}

/// When a subject is on alert: its unsmoothed score is high and well above its recent past, and the rise is recent.
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
    /// … and at the latest after this many days: what lasts longer is described by the level itself.
    pub longest_days: u32,
}

impl AlertRules {
    pub(super) fn check(&self) -> Result<(), MethodError> {
        if self.past_days == 0 || self.past_needed == 0 || self.past_needed > self.past_days {
            return refused("alerts", "past_needed must be within 1 and past_days");
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
    pub(super) fn check(&self) -> Result<(), MethodError> {
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
            ("oldest_reading_days", self.oldest_reading_days),
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
