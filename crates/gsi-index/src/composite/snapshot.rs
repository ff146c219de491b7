//! The published snapshot of a tick, assembled from what was computed and from the state of a day ago.

use crate::catalogue::{Formula, Indicator};
use crate::composite::alerts::{SUBJECTS, subject_key};
use crate::composite::compose::{Composed, IndicatorInput, confidence, mean_calibration};
use crate::composite::record::CompositeRecord;
use crate::composite::state::{Effects, EngineState, IndicatorState, Reading};
use crate::method::Method;
use crate::method::algebra::{BREADTH_SCORE, LATE_FRESHNESS, MIN_FRESHNESS, STALE_SHARE, Z90};
use crate::series::derived::NEWS_FILE;
use gsi_model::{
    DataStatus, IndicatorScore, ObservationRef, Pillar, PillarScore, PillarStatus, Snapshot, SnapshotId,
    SubjectAlert, Timestamp,
};
use std::ops::Range;

/// One indicator at this tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scored {
    pub missing: Option<&'static str>,
    pub age: Option<i64>,
    pub survival: Option<f64>,
    pub score: Option<f64>,
    pub sample: u32,
    pub calibration: f64,
    pub freshness: f64,
    pub quality: f64,
    pub effective: f64,
    pub current: f64,
}

impl Scored {
    pub fn input(&self) -> IndicatorInput {
        IndicatorInput { score: self.score, effective: self.effective, current: self.current }
    }

    fn is_late(&self) -> bool {
        match self.missing {
            Some(reason) => reason == "no_data",
            None => self.freshness < LATE_FRESHNESS,
        }
    }
}

pub(crate) struct Parts<'a> {
    pub method: &'a Method,
    pub slices: &'a [Range<usize>; 4],
    pub composed: &'a Composed,
    pub scored: &'a [Scored],
    pub state: &'a EngineState,
    pub day_ago: Option<&'a EngineState>,
    pub record: &'a CompositeRecord,
}

impl Parts<'_> {
    /// The share of a pillar's weight whose values are held but too old to count as covered. An indicator without any
    /// value counts with its feed: if it was warming up when the feed fell silent, it is as lost as the others.
    fn aged_out(&self, slice: &Range<usize>) -> f64 {
        let parts = || self.method.indicators()[slice.clone()].iter().zip(&self.scored[slice.clone()]);
        let aged = |s: &Scored| s.missing.is_none() && s.freshness < MIN_FRESHNESS;
        let silent = |feed: &str| parts().any(|(indicator, s)| indicator.feeds[0] == feed && aged(s));
        let lost = parts().filter(|(i, s)| aged(s) || s.missing.is_some() && silent(&i.feeds[0]));
        lost.map(|(indicator, _)| indicator.weight).sum()
    }
}

/// The snapshot; `None` before the composite was ever formed.
pub(crate) fn build(parts: &Parts, tick: Timestamp, simulated: bool) -> Option<Snapshot> {
    let Parts { method, composed, state, day_ago, .. } = parts;
    let p = method.parameters();
    let now = state.composite.as_ref()?;
    let pillars: Vec<PillarScore> =
        (0..4).map(|k| pillar(parts, k, now.weights[k])).collect::<Option<_>>()?;

    let coverage: f64 =
        Pillar::ALL.iter().map(|k| method.pillar_weight(*k) * composed.pillars[k.index()].coverage).sum();
    let error = composed.standard_error(&now.weights, now.unsmoothed, p);
    let all = state.indicators.iter().zip(parts.scored);
    let calibration = mean_calibration(all.map(|(s, i)| (s.in_composite.contribution, i.calibration)));
    let delta = day_ago.and_then(|s| s.composite.as_ref()).map(|then| now.score - then.score);
    let status = match () {
        _ if composed.composite.is_none() => DataStatus::Stale,
        _ if parts.slices.iter().any(|slice| parts.aged_out(slice) >= STALE_SHARE) => DataStatus::Stale,
        _ if pillars.iter().any(|p| p.status != PillarStatus::Ok) => DataStatus::Degraded,
        _ if parts.scored.iter().any(Scored::is_late) => DataStatus::Degraded,
        _ => DataStatus::Ok,
    };
    let mut snapshot = Snapshot {
        id: SnapshotId::derive(&[]),
        tick,
        simulated,
        method_version: method.version().to_owned(),
        method_digest: method.digest().to_owned(),
        score: now.score,
        unsmoothed: now.unsmoothed,
        trend: now.trend,
        momentum: now.fast - now.slow,
        band: now.band,
        delta_24h: delta,
        delta_significant: delta.is_some_and(|d| parts.record.is_significant(d, p)),
        percentile_10y: parts.record.percentile(now.score),
        confidence: confidence(coverage, calibration, error),
        low: (now.score - Z90 * error).clamp(0.0, 100.0),
        high: (now.score + Z90 * error).clamp(0.0, 100.0),
        coverage,
        status,
        coupling: parts.record.coupling(),
        breadth: pillars.iter().filter(|p| p.score >= BREADTH_SCORE).count() as u32,
        pillars,
        alerts: alerts(state),
        feeds: Vec::new(),
        words_digest: String::new(),
        alerts_digest: String::new(),
        context: None,
        beside: Vec::new(),
    };
    // The id is derived from the content with a placeholder in the id's place.
    snapshot.id = SnapshotId::derive(&serde_json::to_vec(&snapshot).unwrap_or_default());
    Some(snapshot)
}

fn alerts(state: &EngineState) -> Vec<SubjectAlert> {
    let on =
        SUBJECTS.into_iter().zip(&state.alerts).filter_map(|(subject, alert)| Some((subject, (*alert)?)));
    on.map(|(subject, alert)| SubjectAlert {
        subject: subject_key(subject).to_owned(),
        began_at: Timestamp::from_unix(alert.began),
    })
    .collect()
}

fn pillar(parts: &Parts, k: usize, weight: f64) -> Option<PillarScore> {
    let state = parts.state.pillars[k].as_ref()?;
    let now = &parts.composed.pillars[k];
    let slice = parts.slices[k].clone();
    let kept = &parts.state.indicators[slice.clone()];
    let scored = &parts.scored[slice.clone()];
    let calibration =
        mean_calibration(kept.iter().zip(scored).map(|(s, i)| (s.in_pillar.contribution, i.calibration)));
    let then = parts.day_ago.and_then(|s| s.pillars[k].as_ref());
    let indicators = slice
        .enumerate()
        .map(|(offset, i)| indicator(parts, i, now.weights[offset], then.is_some()))
        .collect();
    Some(PillarScore {
        pillar: Pillar::ALL[k],
        score: state.score,
        unsmoothed: state.unsmoothed,
        delta_24h: then.map(|then| state.score - then.score),
        coverage: now.coverage,
        status: now.status,
        weight,
        contribution: kept.iter().map(|s| s.in_composite.contribution).sum(),
        standard_error: now.standard_error,
        confidence: confidence(
            now.coverage,
            calibration,
            now.standard_error.unwrap_or(parts.method.parameters().standard_error_unknown),
        ),
        indicators,
    })
}

fn indicator(parts: &Parts, i: usize, effective_weight: f64, pillar_known: bool) -> IndicatorScore {
    let entry = &parts.method.indicators()[i];
    let kept: &IndicatorState = &parts.state.indicators[i];
    let scored = &parts.scored[i];
    let then = parts.day_ago.map(|s| &s.indicators[i]);
    let since = |now: Effects, then: Effects| (now.data - then.data, now.coverage - then.coverage);
    let in_pillar = then.filter(|_| pillar_known).map(|t| since(kept.in_pillar.total, t.in_pillar.total));
    let composite_known = parts.day_ago.is_some_and(|s| s.composite.is_some());
    let in_composite =
        then.filter(|_| composite_known).map(|t| since(kept.in_composite.total, t.in_composite.total));
    let reading = kept.reading.as_ref();
    IndicatorScore {
        key: entry.key.clone(),
        unit: entry.unit.clone(),
        feed: entry.feeds[0].clone(),
        value: reading.map(|r| r.value),
        missing: scored.missing.map(str::to_owned),
        period_end: reading.map(|r| Timestamp::from_unix(r.period_end)),
        age_seconds: scored.age,
        survival: scored.survival,
        score: scored.score,
        sample: scored.sample,
        calibration: scored.calibration,
        weight: entry.weight,
        freshness: scored.freshness,
        quality: scored.quality,
        effective_weight,
        pillar_contribution: kept.in_pillar.contribution,
        contribution: kept.in_composite.contribution,
        pillar_data_effect: in_pillar.map(|e| e.0),
        pillar_coverage_effect: in_pillar.map(|e| e.1),
        data_effect: in_composite.map(|e| e.0),
        coverage_effect: in_composite.map(|e| e.1),
        held: kept.held,
        inputs: reading.map(|r| inputs(entry, r)).unwrap_or_default(),
    }
}

/// The newest row of each input; for shares of coded news, the newest file.
fn inputs(entry: &Indicator, reading: &Reading) -> Vec<ObservationRef> {
    let reference = |series: &str, end: i64, revision: u32| ObservationRef {
        series: series.to_owned(),
        entity: String::new(),
        period_end: Timestamp::from_unix(end),
        revision,
    };
    match &entry.formula {
        Formula::EventLevel { series, .. } => {
            reading.newest.iter().map(|(_, end, revision)| reference(series, *end, *revision)).collect()
        }
        Formula::NewsShare { .. }
        | Formula::ConflictSpread { .. }
        | Formula::CountrySurprise { .. }
        | Formula::ReportVelocity { .. } => {
            vec![reference(NEWS_FILE, reading.period_end, 0)]
        }
        other => reading
            .newest
            .iter()
            .filter_map(|(s, end, revision)| {
                Some(reference(other.series().get(usize::from(*s))?, *end, *revision))
            })
            .collect(),
    }
}
