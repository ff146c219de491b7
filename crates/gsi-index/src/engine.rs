//! One tick: readings, scores, pillars, composite, and the next state.
//!
//! [`Engine::compute`] is a function of the method, the rows known by the tick, the states it is given and the tick.
//! What the engine keeps between calls only saves work.

use crate::catalogue::Indicator;
use crate::composite::alerts::{AlertState, SUBJECTS};
use crate::composite::closes;
use crate::composite::compose::{Composed, IndicatorInput, compose};
use crate::composite::record::CompositeRecord;
use crate::composite::snapshot::{self, Scored};
use crate::composite::state::{EngineState, IndicatorState, Reading};
use crate::indicators::freshness::{business_hours, freshness, holding};
use crate::indicators::news::{LastDay, NewsContext};
use crate::indicators::reading::SlowReading;
use crate::method::Method;
use crate::method::algebra::{DAY_AGO_TOLERANCE, MIN_FRESHNESS};
use crate::rarity::baseline::{Baseline, close_series};
use crate::rarity::survival::score_from_survival;
use crate::series::table::SeriesTable;
use gsi_model::{DAY, Day, HOUR, Observation, Pillar, Snapshot, Timestamp};
use std::ops::Range;
use std::sync::Arc;

/// What a tick yields.
#[derive(Clone, Debug)]
pub struct Computed {
    /// `None` until every pillar has been scored once and the composite can be formed.
    pub snapshot: Option<Snapshot>,
    /// Pillars without any data yet. While there are any, there is no score.
    pub waiting: Vec<Pillar>,
    /// Passed back as `previous` at the next tick, and as the state of a day ago later on.
    pub state: Vec<u8>,
    /// Daily closes to be stored and inserted like any observation, before the next tick.
    pub derived: Vec<Observation>,
}

/// Computes ticks by one method, with its baselines kept from tick to tick.
pub struct Engine {
    method: Arc<Method>,
    slices: [Range<usize>; 4],
    baselines: Vec<Baseline>,
    slow: Vec<SlowReading>,
    news: NewsContext,
    record: CompositeRecord,
}

impl Engine {
    pub fn new(method: Arc<Method>) -> Self {
        let slices = Pillar::ALL.map(|p| {
            let from = method.indicators().partition_point(|i| i.pillar < p);
            from..method.indicators().partition_point(|i| i.pillar <= p)
        });
        let baselines = method.indicators().iter().map(Baseline::new).collect();
        let slow = vec![SlowReading::default(); method.indicators().len()];
        let (news, record) = (NewsContext::default(), CompositeRecord::default());
        Engine { method, slices, baselines, slow, news, record }
    }

    pub fn method(&self) -> &Arc<Method> {
        &self.method
    }

    /// Computes the tick.
    ///
    /// `previous` is the state of the last committed tick. `state_at` returns the state of the newest tick at or
    /// before a moment; it is called once, for the moment a day ago.
    pub fn compute(
        &mut self,
        tick: Timestamp,
        table: &SeriesTable,
        previous: Option<&[u8]>,
        state_at: &dyn Fn(Timestamp) -> Option<Vec<u8>>,
        simulated: bool,
    ) -> Computed {
        let digest = self.method.digest().to_owned();
        let count = self.method.indicators().len();
        let previous = previous
            .and_then(|bytes| EngineState::decode(bytes, &digest, count))
            .filter(|s| s.tick < tick.unix());
        self.learn(table, tick);

        let mut state = previous.clone().unwrap_or_else(|| EngineState::new(tick.unix(), count));
        state.tick = tick.unix();
        let missing = self.read(table, tick, &mut state);
        let scored = self.score(tick, &state, missing);
        let inputs: Vec<IndicatorInput> = scored.iter().map(Scored::input).collect();
        let composed = self.compose(&inputs);
        composed.advance(&self.method, &self.slices, &inputs, &mut state, previous.as_ref().map(|s| s.tick));

        state.is_scored = SUBJECTS.map(|subject| composed.score(subject).is_some());
        let unclosed = previous.as_ref().filter(|last| last.leaves_its_day_open(tick));
        self.advance_alerts(tick, table, &composed, unclosed, &mut state);

        let day_ago = state_at(tick.minus(DAY))
            .and_then(|bytes| EngineState::decode(&bytes, &digest, count))
            .filter(|s| s.tick <= tick.unix() - DAY && s.tick >= tick.unix() - DAY - DAY_AGO_TOLERANCE);
        let snapshot = self.snapshot(tick, simulated, &composed, &scored, &state, day_ago.as_ref());

        let derived = self.closes(table, unclosed, &state);
        let waiting = Pillar::ALL.into_iter().filter(|p| state.pillars[p.index()].is_none()).collect();
        Computed { snapshot, waiting, state: state.encode(&digest), derived }
    }

    /// The history of every indicator, in the method's order, as known before a day.
    pub(crate) fn baselines_on(&mut self, table: &SeriesTable, day: Day) -> &[Baseline] {
        self.learn(table, day.start());
        &self.baselines
    }

    /// Scores at one moment, without the state of earlier ticks.
    pub(crate) fn scores_at(&mut self, tick: Timestamp, table: &SeriesTable) -> Vec<Scored> {
        self.learn(table, tick);
        let mut state = EngineState::new(tick.unix(), self.method.indicators().len());
        let missing = self.read(table, tick, &mut state);
        self.score(tick, &state, missing)
    }

    pub(crate) fn compose(&self, inputs: &[IndicatorInput]) -> Composed {
        self.compose_with(&self.method, inputs)
    }

    /// The same with other weights for the same indicators.
    pub(crate) fn compose_with(&self, method: &Method, inputs: &[IndicatorInput]) -> Composed {
        compose(method, &self.slices, inputs)
    }

    /// Advances everything learnt from the past to the tick's day.
    fn learn(&mut self, table: &SeriesTable, tick: Timestamp) {
        let day = tick.day();
        let rarity = &self.method.parameters().rarity;
        let learnt_anew = self.news.advance(&self.method, table, day);
        for (baseline, indicator) in self.baselines.iter_mut().zip(self.method.indicators()) {
            if !indicator.formula.is_over_tallies() {
                baseline.advance(indicator, rarity, table, day);
            } else if learnt_anew {
                baseline.replace(indicator, rarity, day, &self.news.history(indicator, table));
            }
        }
        self.record.advance(rarity, table, day);
    }

    fn survival(&self, index: usize, scored: f64) -> f64 {
        let indicator = &self.method.indicators()[index];
        let rarity = &self.method.parameters().rarity;
        rarity.survival(self.baselines[index].sample(), indicator.sample_worth(), &indicator.prior, scored)
    }

    /// Takes every reading; gives the reason for indicators that never had one.
    fn read(
        &mut self,
        table: &SeriesTable,
        tick: Timestamp,
        state: &mut EngineState,
    ) -> Vec<Option<&'static str>> {
        let method = Arc::clone(&self.method);
        let now = tick.unix();
        let stamp = table.newest_stamp(now).unwrap_or(i64::MIN);
        let news_arrived = stamp > state.slot_stamp;
        let last_day = LastDay::ending(table, now);
        let news = &method.parameters().news;
        let mut fresh: Vec<Result<Reading, &'static str>> = Vec::with_capacity(self.baselines.len());
        for (index, indicator) in method.indicators().iter().enumerate() {
            fresh.push(if !indicator.formula.is_fast() {
                self.slow_reading(index, indicator, table, tick)
            } else if news_arrived {
                self.news.read(indicator, news, table, &last_day).map(|r| Reading {
                    value: r.value,
                    scored: r.scored,
                    period_end: stamp,
                    quality: r.quality,
                    taken_at: now,
                    survival: self.survival(index, r.scored),
                    newest: r.row.map(|(end, revision)| (0, end, revision)).into_iter().collect(),
                })
            } else {
                // Files arrived before this tick, so the indicator lacks days of them. Its publisher is not silent.
                Err(if state.slot_stamp == i64::MIN { "no_data" } else { "warming_up" })
            });
        }
        if news_arrived {
            state.slot_stamp = stamp;
        }
        let mut missing = Vec::with_capacity(fresh.len());
        for index in 0..fresh.len() {
            let spike = self.is_lone_spike(index, &fresh, &state.indicators[index]);
            let kept = &mut state.indicators[index];
            kept.held = spike;
            match &fresh[index] {
                Ok(reading) if !spike => kept.reading = Some(reading.clone()),
                _ => {
                    if let Some(reading) = &mut kept.reading {
                        reading.survival = self.survival(index, reading.scored);
                    }
                }
            }
            let reason = fresh[index].as_ref().err().copied();
            missing.push(if kept.reading.is_none() { reason.or(Some("no_data")) } else { None });
        }
        missing
    }

    fn slow_reading(
        &mut self,
        index: usize,
        indicator: &Indicator,
        table: &SeriesTable,
        tick: Timestamp,
    ) -> Result<Reading, &'static str> {
        let Some(result) = self.slow[index].at(indicator, table, tick) else {
            let empty = indicator.formula.series().iter().all(|s| table.latest(s, "", tick).is_none());
            return Err(if empty { "no_data" } else { "warming_up" });
        };
        let oldest = self.method.parameters().oldest_reading_days * DAY as f64;
        if (tick.unix() - result.period_end) as f64 > oldest {
            return Err("no_data");
        }
        let (value, period_end, quality) = (result.value, result.period_end, result.quality);
        let newest = result.newest.iter().map(|(s, end, revision)| (*s as u8, *end, *revision)).collect();
        Ok(Reading {
            value,
            scored: value,
            period_end,
            quality,
            taken_at: tick.unix(),
            survival: self.survival(index, value),
            newest,
        })
    }

    /// A jump out of the ordinary that no other feed of the pillar shares, seen for the first time.
    fn is_lone_spike(
        &self,
        index: usize,
        fresh: &[Result<Reading, &'static str>],
        before: &IndicatorState,
    ) -> bool {
        let (Ok(now), Some(last)) = (&fresh[index], &before.reading) else { return false };
        let spikes = &self.method.parameters().spikes;
        let jumped = now.scored != last.scored
            && now.survival < spikes.rare
            && last.survival >= spikes.ordinary
            && !before.held;
        if !jumped {
            return false;
        }
        let indicators = self.method.indicators();
        let own = &indicators[index];
        !fresh.iter().zip(indicators).any(|(other, indicator)| {
            indicator.pillar == own.pillar
                && indicator.feeds[0] != own.feeds[0]
                && other.as_ref().is_ok_and(|r| r.survival < spikes.support)
        })
    }

    fn score(&self, tick: Timestamp, state: &EngineState, missing: Vec<Option<&'static str>>) -> Vec<Scored> {
        let p = self.method.parameters();
        let each = self.method.indicators().iter().zip(&state.indicators).zip(missing).enumerate();
        let each = each.map(|(index, ((indicator, kept), missing))| {
            let sample = self.baselines[index].sample().len() as f64 * indicator.days_each();
            let mut scored = Scored {
                missing,
                sample: sample as u32,
                calibration: p.rarity.calibration(sample, indicator.takes_over),
                ..Scored::default()
            };
            if let Some(reading) = &kept.reading {
                let end = Timestamp::from_unix(reading.period_end);
                let age = tick.since(end).max(0);
                let hours = if indicator.business_days {
                    business_hours(end, tick)
                } else {
                    age as f64 / HOUR as f64
                };
                let budget = indicator.lag_hours + indicator.slack_hours;
                scored.age = Some(age);
                scored.freshness = freshness(hours, indicator.cadence_hours, budget);
                let (full, half_life) = (p.held_full_hours, p.held_half_life_hours);
                let holding = holding(hours, indicator.cadence_hours, budget, full, half_life);
                scored.quality = reading.quality;
                scored.survival = Some(reading.survival);
                scored.score = Some(score_from_survival(reading.survival));
                if holding >= MIN_FRESHNESS {
                    scored.effective = indicator.weight * holding * scored.quality;
                }
                if scored.freshness >= MIN_FRESHNESS {
                    scored.current = scored.freshness / holding;
                }
            }
            scored
        });
        let mut scored: Vec<Scored> = each.collect();
        for slice in &self.slices {
            self.move_weight_to_news(
                &state.indicators[slice.clone()],
                slice.start,
                &mut scored[slice.clone()],
            );
        }
        scored
    }

    /// Within one pillar, moves weight from ageing content to newer news.
    ///
    /// Age is counted up to the newest news and not to the tick. While the news is silent no weight moves to it, and
    /// none moves back before the silent news itself loses its weight. So silence moves no score.
    fn move_weight_to_news(&self, kept: &[IndicatorState], first: usize, scored: &mut [Scored]) {
        let indicators = &self.method.indicators()[first..first + scored.len()];
        let period_end = |i: usize| kept[i].reading.as_ref().map(|r| r.period_end);
        let takers: Vec<usize> =
            (0..scored.len()).filter(|i| indicators[*i].takes_over && scored[*i].effective > 0.0).collect();
        let Some(newest) = takers.iter().filter_map(|i| period_end(*i)).max() else { return };
        let given: Vec<f64> = (0..scored.len())
            .map(|i| match (indicators[i].fades, period_end(i)) {
                (Some(fade), Some(end)) => {
                    let hours = (newest - end) as f64 / HOUR as f64;
                    scored[i].effective * (1.0 - fade.left(hours))
                }
                _ => 0.0,
            })
            .collect();
        let weight_of_takers: f64 = takers.iter().map(|i| scored[*i].effective).sum();
        let offered: f64 = given.iter().sum();
        let taken = offered.min(self.method.parameters().takeover_limit * weight_of_takers);
        if taken <= 0.0 {
            return;
        }
        // Coverage stays the same: a weekly index that is in time is no gap because newer news weighs more.
        let reweigh = |s: &mut Scored, effective: f64| {
            if effective > 0.0 {
                s.current *= s.effective / effective;
            }
            s.effective = effective;
        };
        for (s, given) in scored.iter_mut().zip(&given) {
            reweigh(s, s.effective - taken * given / offered);
        }
        for i in takers {
            let effective = scored[i].effective;
            reweigh(&mut scored[i], effective + taken * effective / weight_of_takers);
        }
    }

    fn snapshot(
        &self,
        tick: Timestamp,
        simulated: bool,
        composed: &Composed,
        scored: &[Scored],
        state: &EngineState,
        day_ago: Option<&EngineState>,
    ) -> Option<Snapshot> {
        let parts = snapshot::Parts {
            method: &self.method,
            slices: &self.slices,
            composed,
            scored,
            state,
            day_ago,
            record: &self.record,
        };
        snapshot::build(&parts, tick, simulated)
    }

    /// Begins and ends alerts. A subject without a score at this tick keeps its alert. `unclosed` is the state
    /// before, if its day had no last tick: that day's quiet is counted now.
    fn advance_alerts(
        &self,
        tick: Timestamp,
        table: &SeriesTable,
        composed: &Composed,
        unclosed: Option<&EngineState>,
        state: &mut EngineState,
    ) {
        for (subject, kept) in SUBJECTS.into_iter().zip(&mut state.alerts) {
            let Some(rule) = self.method.alert_rule(subject) else { continue };
            // The past is read only where it decides.
            let usual = |before: Option<AlertState>, at: Timestamp, score: f64| {
                let asked = rule.needs_the_past(before, at, score);
                if asked { self.method.alerts().usual_at(table, subject, at) } else { None }
            };
            if let Some(last) = unclosed
                && let Some(score) = last.unsmoothed(subject)
            {
                let at = Timestamp::from_unix(last.tick);
                *kept = kept.and_then(|on| rule.close_day(on, at, score, usual(Some(on), at, score)));
            }
            let Some(score) = composed.score(subject) else { continue };
            *kept = rule.next(*kept, tick, score, usual(*kept, tick, score));
        }
    }

    /// Daily closes: of today at its last tick, and of an earlier day whose last tick was missed.
    fn closes(
        &self,
        table: &SeriesTable,
        unclosed: Option<&EngineState>,
        state: &EngineState,
    ) -> Vec<Observation> {
        let known_at = Timestamp::from_unix(state.tick);
        let today = known_at.is_last_tick_of_day().then_some(state);
        let close = |of: &EngineState| closes::of_day(&self.method, table, &self.news, of, known_at);
        unclosed.into_iter().chain(today).flat_map(close).collect()
    }

    /// The history sample behind an indicator's score on the day last computed, in the order of time.
    pub fn history(&self, key: &str) -> Vec<(Timestamp, f64)> {
        let position = self.method.indicators().iter().position(|i| i.key == key);
        let ordered = position.into_iter().flat_map(|i| self.baselines[i].ordered());
        ordered.map(|(end, value)| (Timestamp::from_unix(end), value)).collect()
    }

    /// The series under which an indicator's daily closes are stored, when it has them.
    pub fn close_series(indicator: &Indicator) -> Option<String> {
        let has_closes = indicator.formula.is_fast() && !indicator.formula.is_over_tallies();
        has_closes.then(|| close_series(&indicator.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composite::state::PillarState;

    fn method() -> Method {
        let feeds = ["gdelt", "gpr", "kev", "ofr", "oil"].map(str::to_owned).into();
        Method::load(Method::default_text(), &feeds).unwrap()
    }

    /// The days on which an alert is on in a service that computes one tick a day, at noon, starting from a state
    /// with this one pillar.
    fn days_on(is_scored: bool) -> usize {
        let mut engine = Engine::new(Arc::new(method()));
        let digest = engine.method().digest().to_owned();
        let began = Day(20_000).start().plus(12 * HOUR);
        let mut state = EngineState::new(began.unix(), engine.method().indicators().len());
        let conflict = Pillar::Conflict.index();
        let kept = Some(PillarState { score: 10.0, unsmoothed: 10.0, following: false });
        state.alerts[conflict] =
            engine.method().alert_rule(Some(Pillar::Conflict)).unwrap().next(None, began, 90.0, Some(10.0));
        assert!(state.alerts[conflict].is_some());
        let still_on = |day: &i64| {
            (state.pillars[conflict], state.is_scored[conflict]) = (kept.clone(), is_scored);
            let bytes = state.encode(&digest);
            let tick = began.plus(day * DAY);
            let next = engine.compute(tick, &SeriesTable::new(), Some(&bytes), &|_| None, true).state;
            state = EngineState::decode(&next, &digest, state.indicators.len()).unwrap();
            state.alerts[conflict].is_some()
        };
        (1..20).take_while(still_on).count()
    }

    #[test]
    fn a_service_that_is_down_every_midnight_ends_its_alerts_too() {
        let rule_days = method().alert_rule(Some(Pillar::Conflict)).unwrap().quiet_days as usize;
        assert_eq!(days_on(true), rule_days - 1, "the last quiet day ends it");
        assert_eq!(days_on(false), 19, "a day without a score is not quiet");
    }
}
