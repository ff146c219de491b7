//! Published scores over time, in buckets.

use crate::representation::Number;
use crate::representation::table::{CsvCell, CsvRow};
use crate::resources::scores::body::shown_score;
use gsi_model::{DAY, HOUR, MINUTE, Pillar, TICK, Timestamp};
use gsi_store::HistoryPoint;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Scores as published, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = History)]
pub struct HistoryBody {
    /// `composite` or the pillar's key.
    #[schema(example = "composite", pattern = "^[a-z_]+$")]
    pub series: &'static str,
    /// The beginning of the window.
    #[schema(example = "2026-11-07T00:00:00Z")]
    pub from: Timestamp,
    #[schema(example = "2026-11-14T00:00:00Z")]
    pub to: Timestamp,
    pub step: HistoryStep,
    /// Buckets in which something was published; an empty one is left out.
    pub points: Vec<HistoryBucket>,
    /// The pillars in the same buckets with `series=all`, else null.
    #[schema(required = true)]
    pub pillars: Option<PillarBuckets>,
}

/// The buckets of every pillar.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PillarBuckets {
    pub conflict: Vec<HistoryBucket>,
    pub cyber: Vec<HistoryBucket>,
    pub supply_chain: Vec<HistoryBucket>,
    #[serde(rename = "macro")]
    pub macro_: Vec<HistoryBucket>,
}

impl PillarBuckets {
    pub fn of(&self, pillar: Pillar) -> &[HistoryBucket] {
        match pillar {
            Pillar::Conflict => &self.conflict,
            Pillar::Cyber => &self.cyber,
            Pillar::SupplyChain => &self.supply_chain,
            Pillar::Macro => &self.macro_,
        }
    }
}

/// All five series side by side, as a table: a row for every bucket of the composite.
pub struct WideRow<'a> {
    composite: &'a HistoryBucket,
    /// The last score of each pillar in the same bucket.
    pillars: [Option<&'a Number>; 4],
}

impl<'a> WideRow<'a> {
    pub fn all(composite: &'a [HistoryBucket], pillars: &'a PillarBuckets) -> Vec<Self> {
        let last = |pillar: Pillar, at: Timestamp| {
            let buckets = pillars.of(pillar);
            buckets.binary_search_by_key(&at, |b| b.at).ok().map(|found| &buckets[found].last)
        };
        composite
            .iter()
            .map(|bucket| WideRow { composite: bucket, pillars: Pillar::ALL.map(|p| last(p, bucket.at)) })
            .collect()
    }
}

impl CsvRow for WideRow<'_> {
    const COLUMNS: &'static [&'static str] =
        &["at", "min", "max", "last", "published_at", "late", "conflict", "cyber", "supply_chain", "macro"];

    fn cells(&self) -> Vec<CsvCell<'_>> {
        let mut cells = self.composite.cells();
        cells.extend(self.pillars.iter().map(|last| CsvCell::maybe(*last)));
        cells
    }
}

impl CsvRow for HistoryBucket {
    const COLUMNS: &'static [&'static str] = &["at", "min", "max", "last", "published_at", "late"];

    fn cells(&self) -> Vec<CsvCell<'_>> {
        vec![
            CsvCell::time(self.at),
            CsvCell::number(&self.min),
            CsvCell::number(&self.max),
            CsvCell::number(&self.last),
            CsvCell::time(self.published_at),
            CsvCell::is_true(self.late),
        ]
    }
}

/// Width of a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = StepWord)]
pub enum HistoryStep {
    #[default]
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "15m")]
    QuarterHour,
    #[serde(rename = "1d")]
    Day,
}

impl HistoryStep {
    pub const ALL: [HistoryStep; 3] = [HistoryStep::Hour, HistoryStep::QuarterHour, HistoryStep::Day];

    pub const fn key(self) -> &'static str {
        match self {
            HistoryStep::QuarterHour => "15m",
            HistoryStep::Hour => "1h",
            HistoryStep::Day => "1d",
        }
    }

    pub const fn seconds(self) -> i64 {
        match self {
            HistoryStep::QuarterHour => 15 * MINUTE,
            HistoryStep::Hour => HOUR,
            HistoryStep::Day => DAY,
        }
    }
}

/// The scores that were published from `at` until the next bucket.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryBucket {
    #[schema(example = "2026-11-07T00:00:00Z")]
    pub at: Timestamp,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 40.1)]
    pub min: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 42.7)]
    pub max: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub last: Number,
    /// The time at which `last` was published.
    #[schema(example = "2026-11-07T00:45:03Z")]
    pub published_at: Timestamp,
    /// `last` was computed after the next tick was due.
    pub late: bool,
}

/// Whether a tick was published so late that the next one was due already.
pub fn is_late(tick: Timestamp, published_at: Timestamp) -> bool {
    published_at.since(tick) > TICK
}

/// Buckets are aligned to the step, counted from 1970-01-01T00:00:00Z. `points` are in time order.
pub fn buckets(points: &[HistoryPoint], step_seconds: i64) -> Vec<HistoryBucket> {
    let start = |t: Timestamp| Timestamp::from_unix(t.unix().div_euclid(step_seconds) * step_seconds);
    points
        .chunk_by(|a, b| start(a.tick) == start(b.tick))
        .filter_map(|bucket| {
            let scores = || bucket.iter().map(|p| p.score).filter(|s| s.is_finite());
            let last = bucket.iter().rfind(|p| p.score.is_finite())?;
            Some(HistoryBucket {
                at: start(bucket.first()?.tick),
                min: shown_score(scores().fold(f64::INFINITY, f64::min))?,
                max: shown_score(scores().fold(f64::NEG_INFINITY, f64::max))?,
                last: shown_score(last.score)?,
                published_at: last.published_at,
                late: is_late(last.tick, last.published_at),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_min_max_and_last() {
        let at = |minute: i64, score: f64| {
            let tick = Timestamp::from_unix(minute * 60);
            // The tick of three o'clock is published an hour late.
            let published_at = if minute == 180 { tick.plus(HOUR) } else { tick.plus(3) };
            HistoryPoint { tick, score, published_at }
        };
        let got = buckets(&[at(0, 5.0), at(15, 9.04), at(45, 7.0), at(60, 1.0), at(180, 2.0)], 3600);
        let text = serde_json::to_string(&got).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"[{"at":"1970-01-01T00:00:00Z","min":5.0,"max":9.0,"last":7.0,"published_at":"1970-01-01T00:45:03Z","late":false},"#,
                r#"{"at":"1970-01-01T01:00:00Z","min":1.0,"max":1.0,"last":1.0,"published_at":"1970-01-01T01:00:03Z","late":false},"#,
                r#"{"at":"1970-01-01T03:00:00Z","min":2.0,"max":2.0,"last":2.0,"published_at":"1970-01-01T04:00:00Z","late":true}]"#
            )
        );
    }
}
