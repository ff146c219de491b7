//! The reconstructed past: scores that a method would have published. They are never mixed with published scores.

use crate::representation::Number;
use crate::resources::scores::body::shown_score;
use gsi_model::{Crisis, Pillar, ReconstructedDay, ReconstructedIndicator, Reconstruction, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// The scores that this method would have published on each day, from data known on that day. They were computed afterwards.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Reconstruction)]
pub struct ReconstructionBody {
    /// `composite` or the pillar's key.
    #[schema(example = "composite", pattern = "^[a-z_]+$")]
    pub series: &'static str,
    /// Always `reconstructed`: these scores and published ones are never mixed.
    #[schema(example = "reconstructed", pattern = "^reconstructed$")]
    pub origin: &'static str,
    #[schema(example = "2008-01-01T00:00:00Z")]
    pub from: Timestamp,
    #[schema(example = "2009-01-01T00:00:00Z")]
    pub to: Timestamp,
    #[schema(example = "1d", pattern = "^1d$")]
    pub step: &'static str,
    #[schema(example = "3.0.0")]
    pub method_version: String,
    /// The digest of the part of the method for which the history has data.
    #[schema(example = "288110e80bd1", pattern = "^[0-9a-f]+$")]
    pub method_digest: String,
    /// The indicators in the history, with the days on which each has a value.
    pub indicators: Vec<ReconstructedIndicatorBody>,
    /// One for each day.
    pub points: Vec<ReconstructedPoint>,
    /// The credits for the values behind it.
    pub attributions: Vec<String>,
}

/// One day at its last tick.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReconstructedPoint {
    #[schema(format = Date, example = "2008-09-15")]
    pub date: String,
    /// Null with too little data.
    #[schema(required = true, value_type = Option<f64>, minimum = 0, maximum = 100, example = 61.3)]
    pub score: Option<Number>,
    /// Share of the live weight with fresh values.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.71)]
    pub coverage: Number,
}

/// An indicator of the reconstruction.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReconstructedIndicator)]
pub struct ReconstructedIndicatorBody {
    #[schema(example = "volatility_stress")]
    pub key: String,
    pub pillar: Pillar,
    /// Its weight in the live pillar.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.2)]
    pub live_weight: Number,
    /// Spans of days with a value, within the requested window.
    pub with_data: Vec<DaySpan>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DaySpan {
    #[schema(format = Date, example = "2008-01-01")]
    pub first: String,
    #[schema(format = Date, example = "2008-12-31")]
    pub last: String,
}

/// The dated crises that the method is judged by, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Crises)]
pub struct CrisesBody {
    pub crises: Vec<CrisisBody>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Crisis)]
pub struct CrisisBody {
    #[schema(example = "Lehman Brothers")]
    pub name: String,
    #[schema(format = Date, example = "2008-09-15")]
    pub date: String,
    #[schema(format = Date, example = "2009-06-30")]
    pub end: String,
    pub pillars: Vec<Pillar>,
    /// How clearly the score should show it: A must, B should, C is hard to see or regional.
    #[schema(example = "A", pattern = "^[ABC]?$")]
    pub tier: String,
}

impl ReconstructionBody {
    /// Returns the days that begin in `from..to`.
    pub fn window(past: &Reconstruction, pillar: Option<Pillar>, from: Timestamp, to: Timestamp) -> Self {
        let is_asked = |day: &&ReconstructedDay| (from..to).contains(&day.day.start());
        let concerned = |i: &&ReconstructedIndicator| pillar.is_none_or(|p| i.pillar == p);
        let days: Vec<&ReconstructedDay> = past.days.iter().filter(is_asked).collect();
        let (first, last) = (days.first().map(|d| d.day), days.last().map(|d| d.day));
        let indicator = |i: &ReconstructedIndicator| ReconstructedIndicatorBody {
            key: i.key.clone(),
            pillar: i.pillar,
            live_weight: Number::decimals(i.live_weight, 3).unwrap_or_else(Number::zero),
            with_data: i
                .spans
                .iter()
                .filter_map(|(begin, end)| Some(((*begin).max(first?), (*end).min(last?))))
                .filter(|(begin, end)| begin <= end)
                .map(|(first, last)| DaySpan { first: first.to_string(), last: last.to_string() })
                .collect(),
        };
        ReconstructionBody {
            series: pillar.map_or("composite", Pillar::key),
            origin: "reconstructed",
            from,
            to,
            step: "1d",
            method_version: past.method_version.clone(),
            method_digest: past.method_digest.clone(),
            indicators: past.indicators.iter().filter(concerned).map(indicator).collect(),
            points: days
                .iter()
                .map(|day| ReconstructedPoint {
                    date: day.day.to_string(),
                    score: day.of(pillar).score.and_then(shown_score),
                    coverage: Number::decimals(day.of(pillar).coverage, 2).unwrap_or_else(Number::zero),
                })
                .collect(),
            attributions: past.attributions.clone(),
        }
    }
}

impl CrisesBody {
    pub fn of<'a>(crises: impl Iterator<Item = &'a Crisis>) -> Self {
        CrisesBody { crises: crises.map(CrisisBody::of).collect() }
    }
}

impl CrisisBody {
    pub fn of(crisis: &Crisis) -> Self {
        CrisisBody {
            name: crisis.name.clone(),
            date: crisis.start.to_string(),
            end: crisis.end.to_string(),
            pillars: crisis.pillars.clone(),
            tier: crisis.tier.clone(),
        }
    }
}
