//! The tree behind a score. Shown parts add exactly to shown totals: contributions to the score and effects to the change,
//! on both levels.

use crate::representation::Number;
use crate::representation::apportion;
use crate::resources::explain::beside::BesideBody;
use crate::resources::explain::score_context::ScoreContextBody;
use crate::resources::history::body::is_late;
use crate::resources::scores::body::{shown_delta, shown_score};
use gsi_model::{
    Confidence, IndicatorScore, Pillar, PillarScore, Snapshot, Timestamp, Trend, round_half_away,
    shown_change,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Contributions and effects are shown to a thousandth of a point.
const PLACES: u32 = 3;
const UNIT: f64 = 1000.0;

/// The composite, its pillars and their indicators, with all values that the numbers come from.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    #[schema(example = "snp_0123456789ABCDEFGHJKMNPQRS", pattern = "^snp_[0-9A-HJKMNP-TV-Z]{26}$")]
    pub snapshot: String,
    #[schema(example = "2026-11-14T23:45:00Z")]
    pub as_of: Timestamp,
    pub method: MethodReference,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 41.3)]
    pub score: Number,
    /// The composite before smoothing.
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 40.9)]
    pub unsmoothed: Number,
    pub trend: Trend,
    /// The fast minus the slow average, from which the trend follows.
    #[schema(value_type = f64, example = -0.62)]
    pub momentum: Number,
    /// `calm`, `guarded`, `elevated`, `high` or `severe`.
    #[schema(example = "elevated", pattern = "^[a-z]+$")]
    pub band: &'static str,
    #[schema(value_type = f64, minimum = -100, maximum = 100, example = -0.8)]
    pub delta_24h: Number,
    /// `ok`, or `no_baseline` when nothing was published 24 hours ago.
    #[schema(example = "ok", pattern = "^(ok|no_baseline)$")]
    pub delta_basis: &'static str,
    pub delta_significant: bool,
    /// Percentile within the composite's last ten years; null with too little history.
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 100)]
    pub percentile_10y: Option<Number>,
    pub confidence: ConfidenceBody,
    pub interval_90: Interval,
    /// Share of the method's weight that had fresh data.
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.97)]
    pub coverage: Number,
    /// `ok`, `degraded` or `stale`.
    #[schema(example = "ok", pattern = "^(ok|degraded|stale)$")]
    pub status: &'static str,
    /// How much the pillars move together, 0 to 1. It is not part of the score; null with too little history.
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 1)]
    pub coupling: Option<Number>,
    /// Number of pillars at 50 or more.
    pub breadth: u32,
    /// Their contributions add to `score`, their effects to `delta_24h`.
    pub pillars: Vec<PillarExplanation>,
    /// The time of publication; null while the store is unavailable.
    #[schema(required = true, example = "2026-11-14T23:45:04Z")]
    pub published_at: Option<Timestamp>,
    /// The snapshot was computed after the next tick was due, as after an outage or a change of leader.
    pub late: bool,
    /// The score among the days before it, computed at publication; null for snapshots from before this field.
    #[schema(required = true)]
    pub context: Option<ScoreContextBody>,
    /// Previous methods, which run in parallel for a month, oldest first. `?method=` explains their scores.
    pub beside: Vec<BesideBody>,
}

/// The method that computed the numbers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MethodReference {
    pub version: String,
    pub digest: String,
}

/// The range that contains the true value with a probability of 90 %.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 38.2)]
    pub low: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 44.4)]
    pub high: Number,
}

/// How much a number can be trusted, and why.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceBody {
    #[schema(value_type = f64, minimum = 0, maximum = 1, example = 0.71)]
    pub value: Number,
    /// `low`, `moderate` or `high`.
    #[schema(example = "high", pattern = "^(low|moderate|high)$")]
    pub word: &'static str,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub coverage: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub calibration: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub agreement: Number,
}

/// One pillar's part in the composite.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PillarExplanation {
    pub pillar: Pillar,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 55.2)]
    pub score: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 100, example = 54.8)]
    pub unsmoothed: Number,
    #[schema(value_type = f64, minimum = -100, maximum = 100, example = -1.4)]
    pub delta_24h: Number,
    /// `ok`, or `no_baseline` when nothing was published 24 hours ago.
    #[schema(example = "ok", pattern = "^(ok|no_baseline)$")]
    pub delta_basis: &'static str,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub coverage: Number,
    /// `ok`, `degraded`, or `unavailable`: the last score is held and the composite is computed without it.
    #[schema(example = "ok", pattern = "^(ok|degraded|unavailable)$")]
    pub status: &'static str,
    /// Effective weight in the composite.
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub weight: Number,
    /// Points of the composite.
    #[schema(value_type = f64, example = 14.212)]
    pub contribution: Number,
    /// Points of the composite's change from data and from coverage; null without a baseline.
    #[schema(value_type = Option<f64>, required = true)]
    pub data_effect: Option<Number>,
    #[schema(value_type = Option<f64>, required = true)]
    pub coverage_effect: Option<Number>,
    #[schema(value_type = Option<f64>, required = true)]
    pub standard_error: Option<Number>,
    pub confidence: ConfidenceBody,
    pub indicators: Vec<IndicatorExplanation>,
}

/// One indicator's part in its pillar and in the composite.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndicatorExplanation {
    #[schema(example = "event_velocity", pattern = "^[a-z0-9_]+$")]
    pub key: String,
    #[schema(example = "events/day")]
    pub unit: String,
    #[schema(example = "gdelt")]
    pub feed: String,
    /// Null when there is no data; `missing` says why.
    #[schema(value_type = Option<f64>, required = true)]
    pub value: Option<Number>,
    #[schema(required = true)]
    pub missing: Option<String>,
    /// End of the newest period in the value.
    #[schema(required = true)]
    pub period_end: Option<Timestamp>,
    #[schema(required = true)]
    pub age_seconds: Option<i64>,
    /// Share of its history below this value, in percent.
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 100)]
    pub percentile: Option<Number>,
    /// 0 to 100 on the common scale.
    #[schema(value_type = Option<f64>, required = true, minimum = 0, maximum = 100)]
    pub score: Option<Number>,
    /// Days of history that the value was ranked in.
    pub sample: u32,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub calibration: Number,
    /// Weight in the pillar: in the catalogue, and reduced by age and quality.
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub weight: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub effective_weight: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub freshness: Number,
    #[schema(value_type = f64, minimum = 0, maximum = 1)]
    pub quality: Number,
    /// Points of the pillar score, and of the composite.
    #[schema(value_type = f64)]
    pub pillar_contribution: Number,
    #[schema(value_type = f64)]
    pub contribution: Number,
    /// Points of the pillar's change; null without a baseline.
    #[schema(value_type = Option<f64>, required = true)]
    pub pillar_data_effect: Option<Number>,
    #[schema(value_type = Option<f64>, required = true)]
    pub pillar_coverage_effect: Option<Number>,
    /// Points of the composite's change; null without a baseline.
    #[schema(value_type = Option<f64>, required = true)]
    pub data_effect: Option<Number>,
    #[schema(value_type = Option<f64>, required = true)]
    pub coverage_effect: Option<Number>,
    /// A jump that is held back for one tick.
    pub held: bool,
    /// The stored observations behind the value.
    pub inputs: Vec<InputReference>,
}

/// A reference to a stored observation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InputReference {
    #[schema(example = "ofr.fsi")]
    pub series: String,
    /// The entity of the observation; empty for the world.
    pub entity: String,
    #[schema(example = "2026-11-13T00:00:00Z")]
    pub period_end: Timestamp,
    pub revision: u32,
}

fn unit_share(value: f64) -> Number {
    Number::decimals(value.clamp(0.0, 1.0), 4).unwrap_or_else(Number::zero)
}

fn places(value: f64) -> Number {
    Number::decimals(value, PLACES).unwrap_or_else(Number::zero)
}

fn confidence(c: &Confidence) -> ConfidenceBody {
    ConfidenceBody {
        value: unit_share(c.value),
        word: c.word(),
        coverage: unit_share(c.coverage),
        calibration: unit_share(c.calibration),
        agreement: unit_share(c.agreement),
    }
}

/// The shown score or change in thousandths. The parts must add to it exactly.
fn units(shown: f64) -> i64 {
    (round_half_away(shown, 1) * UNIT).round() as i64
}

/// Data and coverage effects of a list of parts, data first, as one list to apportion.
fn both_effects<'a>(
    parts: impl Iterator<Item = &'a IndicatorScore> + Clone,
    data: impl Fn(&IndicatorScore) -> Option<f64>,
    coverage: impl Fn(&IndicatorScore) -> Option<f64>,
) -> Vec<f64> {
    let scaled = |v: Option<f64>| v.unwrap_or(0.0) * UNIT;
    parts.clone().map(|i| scaled(data(i))).chain(parts.map(|i| scaled(coverage(i)))).collect()
}

/// Shown contributions of all indicators to the composite, and of the pillars, level by level.
struct Shares {
    pillars: Vec<i64>,
    /// Per pillar, per indicator.
    indicators: Vec<Vec<i64>>,
    /// Per pillar: data effects of its indicators, then coverage effects. `None` without a baseline.
    effects: Option<Vec<Vec<i64>>>,
}

impl Shares {
    fn of(snapshot: &Snapshot) -> Self {
        let scaled: Vec<f64> = snapshot.pillars.iter().map(|p| p.contribution * UNIT).collect();
        let pillars = apportion(units(snapshot.score.clamp(0.0, 100.0)), &scaled);
        let indicators = snapshot
            .pillars
            .iter()
            .zip(&pillars)
            .map(|(p, total)| {
                let parts: Vec<f64> = p.indicators.iter().map(|i| i.contribution * UNIT).collect();
                apportion(*total, &parts)
            })
            .collect();
        let effects = snapshot.delta_24h.map(|delta| {
            let all: Vec<Vec<f64>> = snapshot
                .pillars
                .iter()
                .map(|p| both_effects(p.indicators.iter(), |i| i.data_effect, |i| i.coverage_effect))
                .collect();
            let flat: Vec<f64> = all.concat();
            let mut shown = apportion(units(shown_change(snapshot.score, delta)), &flat).into_iter();
            all.iter().map(|part| shown.by_ref().take(part.len()).collect()).collect()
        });
        Shares { pillars, indicators, effects }
    }
}

impl Explanation {
    /// `None` when a number is missing or not finite. Such a snapshot is never published.
    pub fn of(s: &Snapshot, published_at: Option<Timestamp>) -> Option<Self> {
        let shares = Shares::of(s);
        let pillars = s
            .pillars
            .iter()
            .enumerate()
            .map(|(n, p)| {
                let effects = shares.effects.as_ref().map(|e| e[n].as_slice());
                pillar(p, shares.pillars[n], &shares.indicators[n], effects)
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Explanation {
            snapshot: s.id.to_string(),
            as_of: s.tick,
            method: MethodReference { version: s.method_version.clone(), digest: s.method_digest.clone() },
            score: shown_score(s.score)?,
            unsmoothed: shown_score(s.unsmoothed)?,
            trend: s.trend,
            momentum: places(s.momentum),
            band: s.band.key(),
            delta_24h: shown_delta(s.score, s.delta_24h)?,
            delta_basis: basis(s.delta_24h),
            delta_significant: s.delta_significant,
            percentile_10y: s.percentile_10y.and_then(|p| Number::decimals(p, 1)),
            confidence: confidence(&s.confidence),
            interval_90: Interval { low: shown_score(s.low)?, high: shown_score(s.high)? },
            coverage: unit_share(s.coverage),
            status: s.status.key(),
            coupling: s.coupling.map(unit_share),
            breadth: s.breadth,
            pillars,
            published_at,
            late: published_at.is_some_and(|at| is_late(s.tick, at)),
            context: match &s.context {
                Some(context) => Some(ScoreContextBody::of(context)?),
                None => None,
            },
            beside: s.beside.iter().map(BesideBody::of).collect::<Option<_>>()?,
        })
    }
}

fn basis(delta: Option<f64>) -> &'static str {
    if delta.is_some() { "ok" } else { "no_baseline" }
}

fn pillar(
    p: &PillarScore,
    contribution: i64,
    contributions: &[i64],
    effects: Option<&[i64]>,
) -> Option<PillarExplanation> {
    let count = p.indicators.len();
    let own_parts: Vec<f64> = p.indicators.iter().map(|i| i.pillar_contribution * UNIT).collect();
    let own = apportion(units(p.score.clamp(0.0, 100.0)), &own_parts);
    let own_effects = p.delta_24h.map(|delta| {
        let parts = both_effects(p.indicators.iter(), |i| i.pillar_data_effect, |i| i.pillar_coverage_effect);
        apportion(units(shown_change(p.score, delta)), &parts)
    });
    let fixed = |units: i64| Number::fixed(units, PLACES);
    let indicators = p
        .indicators
        .iter()
        .enumerate()
        .map(|(n, i)| IndicatorExplanation {
            key: i.key.clone(),
            unit: i.unit.clone(),
            feed: i.feed.clone(),
            value: i.value.and_then(|v| Number::significant(v, 4)),
            missing: i.missing.clone(),
            period_end: i.period_end,
            age_seconds: i.age_seconds,
            percentile: i.survival.and_then(|s| Number::decimals(100.0 * (1.0 - s), 2)),
            score: i.score.and_then(shown_score),
            sample: i.sample,
            calibration: unit_share(i.calibration),
            weight: unit_share(i.weight),
            effective_weight: unit_share(i.effective_weight),
            freshness: unit_share(i.freshness),
            quality: unit_share(i.quality),
            pillar_contribution: fixed(own[n]),
            contribution: fixed(contributions[n]),
            pillar_data_effect: own_effects.as_ref().map(|e| fixed(e[n])),
            pillar_coverage_effect: own_effects.as_ref().map(|e| fixed(e[count + n])),
            data_effect: effects.map(|e| fixed(e[n])),
            coverage_effect: effects.map(|e| fixed(e[count + n])),
            held: i.held,
            inputs: i
                .inputs
                .iter()
                .map(|r| InputReference {
                    series: r.series.clone(),
                    entity: r.entity.clone(),
                    period_end: r.period_end,
                    revision: r.revision,
                })
                .collect(),
        })
        .collect();
    Some(PillarExplanation {
        pillar: p.pillar,
        score: shown_score(p.score)?,
        unsmoothed: shown_score(p.unsmoothed)?,
        delta_24h: shown_delta(p.score, p.delta_24h)?,
        delta_basis: basis(p.delta_24h),
        coverage: unit_share(p.coverage),
        status: p.status.key(),
        weight: unit_share(p.weight),
        contribution: fixed(contribution),
        data_effect: effects.map(|e| fixed(e[..count].iter().sum())),
        coverage_effect: effects.map(|e| fixed(e[count..].iter().sum())),
        standard_error: p.standard_error.and_then(|e| Number::decimals(e, 2)),
        confidence: confidence(&p.confidence),
        indicators,
    })
}
