//! The overview, the pillar drilldown and the summary. `tests/http/pristine.rs` checks these fields and their order.

use crate::representation::Number;
use gsi_model::{Pillar, PillarScore, Snapshot, Summary, Timestamp, Trend, shown_change};
use serde::Serialize;
use utoipa::ToSchema;

/// The composite and its four parts at one tick.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "Stability overview")]
pub struct Overview {
    /// Composite score, lower is more stable. One decimal.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub score: Number,
    /// Direction of the number: `down` means getting more stable.
    pub trend: Trend,
    pub pillars: PillarScores,
    /// The tick the data refer to.
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
}

/// The four pillar scores, 0 to 100, one decimal.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PillarScores {
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 55.2)]
    pub conflict: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 38.0)]
    pub cyber: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 33.1)]
    pub supply_chain: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 36.4)]
    pub r#macro: Number,
}

impl Overview {
    /// `None` when a number is missing or not finite. Such a snapshot is not published.
    pub fn of(snapshot: &Snapshot) -> Option<Self> {
        let score = |p| snapshot.pillar(p).and_then(|s: &PillarScore| shown_score(s.score));
        Some(Overview {
            score: shown_score(snapshot.score)?,
            trend: snapshot.trend,
            pillars: PillarScores {
                conflict: score(Pillar::Conflict)?,
                cyber: score(Pillar::Cyber)?,
                supply_chain: score(Pillar::SupplyChain)?,
                r#macro: score(Pillar::Macro)?,
            },
            as_of: snapshot.tick,
        })
    }
}

/// A published score: one decimal, from 0 to 100.
pub(crate) fn shown_score(score: f64) -> Option<Number> {
    score.is_finite().then(|| score.clamp(0.0, 100.0)).and_then(|s| Number::decimals(s, 1))
}

pub(crate) fn shown_delta(score: f64, delta: Option<f64>) -> Option<Number> {
    match delta {
        None => Some(Number::zero()),
        Some(delta) => Number::decimals(shown_change(score, delta), 1),
    }
}

/// One pillar with the readings behind it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "Pillar drilldown")]
pub struct PillarDrilldown {
    pub pillar: Pillar,
    /// Pillar score. One decimal.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 55.2)]
    pub score: Number,
    /// The published score minus the one published 24 hours ago; 0.0 without one.
    #[schema(value_type = f64, minimum = -100, maximum = 100, example = -1.4)]
    pub delta_24h: Number,
    /// Readings with data. Others are left out.
    pub indicators: Vec<IndicatorReading>,
    /// The tick the data refer to.
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
}

/// A reading of one indicator, in its own unit (see `/v1/method`).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Indicator)]
pub struct IndicatorReading {
    #[schema(example = "active_theaters", pattern = "^[a-z0-9_]+$")]
    pub key: String,
    /// Four significant digits.
    #[schema(value_type = f64, example = 7.0)]
    pub value: Number,
}

impl PillarDrilldown {
    pub fn of(snapshot: &Snapshot, pillar: Pillar) -> Option<Self> {
        let scored = snapshot.pillar(pillar)?;
        let reading = |i: &gsi_model::IndicatorScore| {
            let value = i.value.and_then(|v| Number::significant(v, 4))?;
            Some(IndicatorReading { key: i.key.clone(), value })
        };
        Some(PillarDrilldown {
            pillar,
            score: shown_score(scored.score)?,
            delta_24h: shown_delta(scored.score, scored.delta_24h)?,
            indicators: scored.indicators.iter().filter_map(reading).collect(),
            as_of: snapshot.tick,
        })
    }
}

/// The rolling summary.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "Summary")]
pub struct SummaryBody {
    /// Natural-language text covering all pillars.
    #[schema(example = "Global stability stands at 41.3, easing over the last three days.")]
    pub summary: String,
    /// The tick the summary refers to.
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
}

impl SummaryBody {
    pub fn of(summary: &Summary) -> Self {
        SummaryBody { summary: summary.text.clone(), as_of: summary.as_of }
    }
}
