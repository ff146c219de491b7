//! Combines indicators into pillars and pillars into the composite, with what is published and explained of both.

use crate::arithmetic::{jackknife, quadratic_mean, smoothing};
use crate::catalogue::Parameters;
use crate::catalogue::power::Power;
use crate::composite::attribution::{self, PillarSquare, Step, WeightedScore};
use crate::composite::publish::{self, Pace};
use crate::composite::state::{CompositeState, EngineState, IndicatorState, PillarState};
use crate::method::Method;
use crate::method::algebra::{MIN_PILLARS, NO_AGREEMENT};
use gsi_model::{Confidence, HOUR, Pillar, PillarStatus, Trend};

/// One indicator's input to its pillar at this tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IndicatorInput {
    pub score: Option<f64>,
    /// Catalogue weight times quality, less what its age has taken.
    pub effective: f64,
    /// The share of it that counts as covered, as a factor: less than 1 once the value is held beyond its budget,
    /// more than 1 where weight was moved to newer news.
    pub current: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct PillarNow {
    pub coverage: f64,
    pub status: PillarStatus,
    /// Effective weights within the pillar, for its slice of the indicators.
    pub weights: Vec<f64>,
    /// `None` when too little of the pillar is current to publish a new score.
    pub score: Option<f64>,
    /// The pillar's score from all of its values, held ones included; `None` before it had any value. A silent pillar
    /// stays in the composite by this score when its coverage is gone, or silence would read as calm. A pillar
    /// without a score yet begins with it.
    pub carried: Option<f64>,
    /// The share of the pillar's weight that is current or held; 0 once it is too small.
    pub holding: f64,
    pub standard_error: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) struct CompositeNow {
    pub score: f64,
    pub weights: [f64; 4],
}

pub(crate) struct Composed {
    pub pillars: Vec<PillarNow>,
    /// `None` when too few pillars are scored.
    pub composite: Option<CompositeNow>,
    /// The first value of a composite that has no score yet, once every pillar has begun.
    pub beginning: Option<CompositeNow>,
}

/// The composite's change from one tick to the next.
struct CompositeStep {
    power: Power,
    begins: bool,
    score: Step<f64>,
    weights: Step<[f64; 4]>,
    step: f64,
}

impl CompositeStep {
    fn between(
        before: Option<&CompositeState>,
        now: &CompositeNow,
        p: &Parameters,
        step: f64,
    ) -> CompositeStep {
        CompositeStep {
            power: p.composite_power,
            begins: before.is_none(),
            score: Step { before: before.map_or(now.score, |c| c.unsmoothed), after: now.score },
            weights: Step { before: before.map_or(now.weights, |c| c.weights), after: now.weights },
            step,
        }
    }
}

/// The four pillars and the composite before smoothing. `slices[k]` are the positions of pillar k's indicators.
pub(crate) fn compose(
    method: &Method,
    slices: &[std::ops::Range<usize>; 4],
    inputs: &[IndicatorInput],
) -> Composed {
    let p = method.parameters();
    let pillars: Vec<PillarNow> = slices
        .iter()
        .map(|s| {
            let weights: Vec<f64> = method.indicators()[s.clone()].iter().map(|i| i.weight).collect();
            pillar(p, &weights, &inputs[s.clone()])
        })
        .collect();
    let carried = |k: usize| match pillars[k].carried {
        Some(score) => {
            (method.pillar_weight(Pillar::ALL[k]) * (pillars[k].holding / p.coverage_ok).min(1.0), score)
        }
        None => (0.0, 0.0),
    };
    let mean = |parts: [(f64, f64); 4]| {
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        (total > 0.0).then(|| {
            let weights = parts.map(|(weight, _)| weight / total);
            let score = p.composite_power.mean(weights.into_iter().zip(parts.map(|(_, score)| score)));
            CompositeNow { score, weights }
        })
    };
    let scored = pillars.iter().filter(|p| p.score.is_some()).count();
    let anchored = [Pillar::Conflict, Pillar::Macro].iter().any(|p| pillars[p.index()].score.is_some());
    let composite = if scored >= MIN_PILLARS && anchored { mean([0, 1, 2, 3].map(carried)) } else { None };
    // At the very first tick every value counts by the catalogue's weight: coverage and status describe its age.
    let begun = |k: usize| (method.pillar_weight(Pillar::ALL[k]), pillars[k].carried.unwrap_or_default());
    let all_known = pillars.iter().all(|p| p.carried.is_some());
    let beginning = if all_known { mean([0, 1, 2, 3].map(begun)) } else { None };
    Composed { pillars, composite, beginning }
}

/// One pillar of indicators with these weights in the catalogue.
pub(crate) fn pillar(p: &Parameters, full_weights: &[f64], inputs: &[IndicatorInput]) -> PillarNow {
    let total: f64 = inputs.iter().map(|b| b.effective).sum();
    let full: f64 = full_weights.iter().sum();
    let covered: f64 = inputs.iter().map(|b| b.effective * b.current).sum();
    let share = |weight: f64| if full > 0.0 { weight / full } else { 0.0 };
    let (coverage, holding) = (share(covered), share(total));
    // A pillar of which most indicators never had a value is thin and not silent: it is judged by those that had one.
    let with_value = full_weights.iter().zip(inputs).filter(|(_, b)| b.score.is_some());
    let known: f64 = with_value.map(|(weight, _)| weight).sum();
    if known <= 0.0 {
        let weights = vec![0.0; inputs.len()];
        let (status, score, carried, standard_error) = (PillarStatus::Unavailable, None, None, None);
        return PillarNow { coverage, status, weights, score, carried, holding, standard_error };
    }
    let is_held = total / known >= p.coverage_min;
    let status = match coverage {
        c if c >= p.coverage_ok => PillarStatus::Ok,
        _ if is_held && covered / known >= p.coverage_min => PillarStatus::Degraded,
        _ => PillarStatus::Unavailable,
    };
    let holding = if is_held { holding } else { 0.0 };
    let weights: Vec<f64> = match is_held {
        true => inputs.iter().map(|b| b.effective / total).collect(),
        // All of it is old. If it is the pillar's first data, age makes no difference.
        false => {
            let weight = |(full, b): (&f64, &IndicatorInput)| b.score.map_or(0.0, |_| full / known);
            full_weights.iter().zip(inputs).map(weight).collect()
        }
    };
    let parts: Vec<(f64, f64)> = weights
        .iter()
        .zip(inputs)
        .filter_map(|(w, b)| Some((*w, b.score?)))
        .filter(|(w, _)| *w > 0.0)
        .collect();
    let carried = quadratic_mean(parts.iter().copied());
    let score = (status != PillarStatus::Unavailable).then_some(carried);
    // Held values may have changed since. Their share of the score is as uncertain as a pillar with too few
    // indicators.
    let held = if is_held { 1.0 - covered / total } else { 1.0 } * p.standard_error_unknown;
    let standard_error =
        score.and_then(|_| jackknife(&parts)).map(|error| (error * error + held * held).sqrt());
    PillarNow { coverage, status, weights, score, carried: Some(carried), holding, standard_error }
}

impl Composed {
    /// The score of a pillar, or of the composite, if the tick has one.
    pub fn score(&self, subject: Option<Pillar>) -> Option<f64> {
        match subject {
            Some(pillar) => self.pillars[pillar.index()].score,
            None => self.composite.as_ref().map(|c| c.score),
        }
    }

    /// Advances the published figures by one tick.
    pub fn advance(
        &self,
        method: &Method,
        slices: &[std::ops::Range<usize>; 4],
        inputs: &[IndicatorInput],
        state: &mut EngineState,
        previous_tick: Option<i64>,
    ) {
        let p = method.parameters();
        let elapsed = previous_tick.map_or(0.0, |t| (state.tick - t) as f64 / HOUR as f64);
        for (k, now) in self.pillars.iter().enumerate() {
            // A pillar's first score uses every value it has.
            let begins = state.pillars[k].is_none();
            let Some(after) = now.score.or(now.carried.filter(|_| begins)) else { continue };
            let (before, following) =
                state.pillars[k].as_ref().map_or((after, false), |pillar| (pillar.score, pillar.following));
            let Pace { step, following } = publish::pace(p, elapsed, after - before, following);
            let members = state.indicators[slices[k].clone()].iter_mut().zip(&inputs[slices[k].clone()]);
            for ((member, b), weight) in members.zip(&now.weights) {
                let share = &mut member.in_pillar;
                let part = share.step(*weight, b.score);
                let level = attribution::level_in_pillar(part.after, after);
                match &state.pillars[k] {
                    None => share.begin(*weight, b.score, level),
                    Some(before) => {
                        let pillar = Step { before: before.unsmoothed, after };
                        let change = attribution::change_in_pillar(part, pillar);
                        share.advance(*weight, b.score, change, level, step);
                    }
                }
            }
            let score = before + step * (after - before);
            state.pillars[k] = Some(PillarState { score, unsmoothed: after, following });
        }
        self.advance_composite(p, slices, inputs, state, elapsed);
    }

    fn advance_composite(
        &self,
        p: &Parameters,
        slices: &[std::ops::Range<usize>; 4],
        inputs: &[IndicatorInput],
        state: &mut EngineState,
        elapsed: f64,
    ) {
        // The overview needs all four pillars, and none of them may be invented.
        if state.pillars.iter().any(Option::is_none) {
            return;
        }
        let begins = state.composite.is_none();
        let Some(now) = self.composite.as_ref().or(self.beginning.as_ref().filter(|_| begins)) else {
            return;
        };
        let (before, following) =
            state.composite.as_ref().map_or((now.score, false), |c| (c.score, c.following));
        let Pace { step, following } = publish::pace(p, elapsed, now.score - before, following);
        let delta = CompositeStep::between(state.composite.as_ref(), now, p, step);
        for (k, slice) in slices.iter().enumerate() {
            self.update_shares(k, &mut state.indicators[slice.clone()], &inputs[slice.clone()], &delta);
        }
        let next = match state.composite.take() {
            None => CompositeState {
                since: state.tick,
                score: now.score,
                unsmoothed: now.score,
                following,
                fast: now.score,
                slow: now.score,
                trend: Trend::Flat,
                band: publish::band(now.score, None, p),
                weights: now.weights,
            },
            Some(c) => {
                let score = c.score + step * (now.score - c.score);
                let fast = c.fast + smoothing(elapsed, p.trend_fast_half_life_hours) * (score - c.fast);
                let slow = c.slow + smoothing(elapsed, p.trend_slow_half_life_hours) * (score - c.slow);
                let known_for = (state.tick - c.since) as f64 / HOUR as f64;
                let trend = if known_for >= p.trend_history_hours {
                    publish::trend(fast - slow, c.trend, p)
                } else {
                    Trend::Flat
                };
                let band = publish::band(score, Some(c.band), p);
                let (since, unsmoothed, weights) = (c.since, now.score, now.weights);
                CompositeState { since, score, unsmoothed, following, fast, slow, trend, band, weights }
            }
        };
        state.composite = Some(next);
    }

    /// Updates the shares of one pillar's indicators in the composite.
    fn update_shares(
        &self,
        k: usize,
        members: &mut [IndicatorState],
        inputs: &[IndicatorInput],
        delta: &CompositeStep,
    ) {
        let weights = &self.pillars[k].weights;
        let parts: Vec<Step<WeightedScore>> = members
            .iter()
            .zip(inputs)
            .zip(weights)
            .map(|((member, b), weight)| member.in_composite.step(*weight, b.score))
            .collect();
        let whole = |weight: f64, part: &dyn Fn(&Step<WeightedScore>) -> WeightedScore| PillarSquare {
            weight,
            square: parts.iter().map(|s| part(s).square()).sum(),
        };
        let after = whole(delta.weights.after[k], &|s| s.after);
        let before = whole(delta.weights.before[k], &|s| s.before);
        let pillar = Step { before, after };
        for (((member, b), weight), part) in members.iter_mut().zip(inputs).zip(weights).zip(parts) {
            let share = &mut member.in_composite;
            let level =
                attribution::level_in_composite(delta.power, part.after, pillar.after, delta.score.after);
            if delta.begins {
                share.begin(*weight, b.score, level);
            } else {
                let change = attribution::change_in_composite(delta.power, part, pillar, delta.score);
                share.advance(*weight, b.score, change, level, delta.step);
            }
        }
    }

    /// Standard error of the composite. A pillar without one counts with the catalogue's default.
    pub fn standard_error(&self, weights: &[f64; 4], unsmoothed: f64, p: &Parameters) -> f64 {
        if unsmoothed <= 0.0 {
            return p.standard_error_unknown;
        }
        let parts = (0..4).map(|k| {
            let pillar = &self.pillars[k];
            let error = pillar.standard_error.unwrap_or(p.standard_error_unknown);
            let pull = p.composite_power.pull(weights[k], pillar.carried.unwrap_or_default(), unsmoothed);
            pull * pull * error * error
        });
        parts.sum::<f64>().sqrt()
    }
}

/// Coverage times calibration times agreement.
pub(crate) fn confidence(coverage: f64, calibration: f64, standard_error: f64) -> Confidence {
    let agreement = 1.0 - (standard_error / NO_AGREEMENT).min(1.0);
    Confidence { value: coverage * calibration * agreement, coverage, calibration, agreement }
}

/// The mean calibration, weighted by what each indicator contributes.
pub(crate) fn mean_calibration(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, total) = parts.fold((0.0, 0.0), |(s, t), (contribution, calibration)| {
        let weight = contribution.max(0.0);
        (s + weight * calibration, t + weight)
    });
    if total > 0.0 { sum / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn parts(current: f64, holding: f64) -> PillarNow {
        let catalogue = Catalogue::parse(Method::default_text()).unwrap();
        let calm =
            |weight: f64, score: f64| IndicatorInput { score: Some(score), effective: weight, current: 1.0 };
        let loud = |score: f64| IndicatorInput { score: Some(score), effective: 0.2 * holding, current };
        pillar(
            &catalogue.parameters,
            &[0.3, 0.3, 0.2, 0.2],
            &[calm(0.3, 30.0), calm(0.3, 34.0), loud(90.0), loud(86.0)],
        )
    }

    /// A pillar whose publishers all stopped at once.
    fn silent(holding: f64) -> PillarNow {
        let catalogue = Catalogue::parse(Method::default_text()).unwrap();
        let input =
            |score: f64| IndicatorInput { score: Some(score), effective: 0.5 * holding, current: 0.0 };
        pillar(&catalogue.parameters, &[0.5, 0.5], &[input(60.0), input(80.0)])
    }

    #[test]
    fn a_silent_pillar_is_not_scored_but_stays_in_the_composite() {
        let now = silent(1.0);
        assert_eq!((now.status, now.score, now.coverage), (PillarStatus::Unavailable, None, 0.0));
        assert!((now.carried.unwrap() - 5000f64.sqrt()).abs() < 1e-12);
        assert_eq!(silent(0.31).carried.map(f64::round), Some(71.0));
        assert_eq!(silent(0.29).holding, 0.0, "after twelve days nothing of it is held");
    }

    #[test]
    fn the_loudest_feed_falls_silent_and_the_score_stays() {
        let (war, silent) = (parts(1.0, 1.0), parts(0.0, 1.0));
        assert_eq!(silent.score, war.score);
        assert_eq!(silent.weights, war.weights);
        assert!((war.coverage - 1.0).abs() < 1e-12 && (silent.coverage - 0.6).abs() < 1e-12);
        // The longer values are held, the larger the published error is.
        let (before, after) = (war.standard_error.unwrap(), silent.standard_error.unwrap());
        assert!((after * after - before * before - 16.0).abs() < 1e-9, "{before} {after}");
        assert!(parts(0.5, 1.0).standard_error.unwrap() > before);
        // Long afterwards the others decide the score.
        let over = parts(0.0, 0.0);
        assert!(over.score.unwrap() < 33.0 && (over.coverage - 0.6).abs() < 1e-12);
    }
}
