//! How texts phrase an indicator. Words are in the method's table with the numbers and are no part of the arithmetic.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The words for every indicator, by its key.
pub type WordsByIndicator = BTreeMap<String, IndicatorWords>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndicatorWords {
    /// Its name inside a sentence. Singular, so that a verb can follow it.
    pub name: String,
    /// How its value is phrased.
    pub told: ReadingStyle,
    /// The text after the number of a percentage or an amount: `of articles`, `in 30 days`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// The direction of the measured thing when it makes the score rise.
    pub direction: Direction,
    /// The direction in which the indicator must move to be named as the cause of its pillar's change. A count of
    /// publications, for example, falls with every holiday.
    pub notable: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Up,
    Down,
    Either,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadingStyle {
    /// A share in percent.
    Percent,
    /// A base-2 logarithm of a ratio to a baseline, read as that ratio.
    Pace,
    /// A hundred times the natural logarithm of a ratio to a usual level, read as that ratio.
    Ratio,
    /// A whole number.
    Count,
    /// An amount of something, not whole.
    Amount,
    /// An index level without a name for its unit.
    Level,
    /// The number alone means nothing to a reader and is left out.
    Nothing,
}

impl IndicatorWords {
    /// Returns what is wrong with the words, if anything.
    pub fn problem(&self) -> Option<&'static str> {
        let plain =
            |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b' ');
        let neat = |text: &str| text.split(' ').all(|word| !word.is_empty());
        match self.told {
            _ if self.name.is_empty() || !plain(&self.name) || !neat(&self.name) => {
                Some("words.name is made of lower-case words with one blank between them")
            }
            _ if !self.of.is_empty() && (!plain(&self.of) || !neat(&self.of)) => {
                Some("words.of is made of lower-case words with one blank between them")
            }
            ReadingStyle::Amount if self.of.is_empty() => {
                Some("an amount needs words.of: what it is an amount of")
            }
            ReadingStyle::Amount | ReadingStyle::Percent => None,
            _ if !self.of.is_empty() => Some("words.of follows a percentage or an amount, nothing else"),
            _ => None,
        }
    }
}
