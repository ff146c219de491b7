//! One tick: readings, scores, pillars, composite, and the next state.
//!
//! [`Engine::compute`] is a function of the method, the rows known by the tick, the states it is given and the tick.
//! What the engine keeps between calls only saves work.

use crate::baseline::{Baseline, close_series};
use crate::catalogue::{Formula, Indicator};
use crate::closes;
use crate::compose::{Brought, Composed, compose};
use crate::freshness::{MIN_FRESHNESS, business_hours, freshness, holding};
use crate::method::Method;
use crate::news::{DayOfNews, NewsContext};
use crate::reading::SlowReading;
use crate::record::CompositeRecord;
use crate::snapshot::{self, Scored};
use crate::state::{IndicatorState, Reading, State};
use crate::survival::{blended_survival, calibration, score_from_survival};
use crate::table::SeriesTable;
use gsi_model::{DAY, HOUR, Observation, Pillar, Snapshot, TICK, Timestamp};
use std::ops::Range;
use std::sync::Arc;

/// A value rarer than this that was ordinary a tick ago is held back once …
const SPIKE_SURVIVAL: f64 = 1e-3;
const ORDINARY_SURVIVAL: f64 = 1e-2;
/// … unless another feed of the pillar is at least this unusual.
const SUPPORT_SURVIVAL: f64 = 0.05;

/// What a tick yields.
#[derive(Clone, Debug)]
pub struct Computed {
    /// `None` until every pillar has been scored once and the composite can be formed.
    pub snapshot: Option<Snapshot>,
    /// To be given back as `previous` at the next tick, and as the state of a day ago later on.
    pub state: Vec<u8>,
    /// Daily closes to be stored and inserted like any observation, before the next tick.
    pub derived: Vec<Observation>,
}

/// The method at work, with its baselines kept from tick to tick.
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
    /// `previous` is the state of the last committed tick. `state_at` answers with the state of the newest tick at or
    /// before a moment; it is asked once, for the moment a day ago.
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
        let previous =
            previous.and_then(|bytes| State::decode(bytes, &digest, count)).filter(|s| s.tick < tick.unix());
        self.learn(table, tick);

        let mut state = previous.clone().unwrap_or_else(|| State::new(tick.unix(), count));
        state.tick = tick.unix();
        let missing = self.read(table, tick, &mut state);
        let scored = self.score(tick, &state, missing);
        let brought: Vec<Brought> = scored.iter().map(Scored::brought).collect();
        let composed = self.compose(&brought);
        composed.advance(&self.method, &self.slices, &brought, &mut state, previous.as_ref().map(|s| s.tick));

        let day_ago =
            state_at(tick.minus(DAY)).and_then(|bytes| State::decode(&bytes, &digest, count)).filter(|s| {
                s.tick <= tick.unix() - DAY && s.tick >= tick.unix() - DAY - snapshot::DAY_AGO_TOLERANCE
            });
        let snapshot = self.snapshot(tick, simulated, &composed, &scored, &state, day_ago.as_ref());

        let derived = self.closes(table, previous.as_ref(), &state);
        Computed { snapshot, state: state.encode(&digest), derived }
    }

    /// Scores at a moment on their own, without what earlier ticks left behind.
    pub(crate) fn scores_at(&mut self, tick: Timestamp, table: &SeriesTable) -> Vec<Scored> {
        self.learn(table, tick);
        let mut state = State::new(tick.unix(), self.method.indicators().len());
        let missing = self.read(table, tick, &mut state);
        self.score(tick, &state, missing)
    }

    pub(crate) fn compose(&self, brought: &[Brought]) -> Composed {
        self.compose_with(&self.method, brought)
    }

    /// The same with other weights for the same indicators.
    pub(crate) fn compose_with(&self, method: &Method, brought: &[Brought]) -> Composed {
        compose(method, &self.slices, brought)
    }

    /// Brings everything that is learnt from the past to the tick's day.
    fn learn(&mut self, table: &SeriesTable, tick: Timestamp) {
        let day = tick.day();
        for (baseline, indicator) in self.baselines.iter_mut().zip(self.method.indicators()) {
            baseline.advance(indicator, table, day);
        }
        let spread = self.method.indicators().iter().find_map(|i| match &i.formula {
            Formula::ConflictSpread { days, min_days, quantile, .. } => Some((*days, *min_days, *quantile)),
            _ => None,
        });
        self.news.advance(table, day, spread);
        self.record.advance(table, day);
    }

    fn survival(&self, index: usize, scored: f64) -> f64 {
        let indicator = &self.method.indicators()[index];
        blended_survival(self.baselines[index].sample(), indicator.days_each(), &indicator.prior, scored)
    }

    /// Takes every reading; gives the reason for those that never had one.
    fn read(&mut self, table: &SeriesTable, tick: Timestamp, state: &mut State) -> Vec<Option<&'static str>> {
        let method = Arc::clone(&self.method);
        let now = tick.unix();
        let stamp = table.newest_stamp(now).unwrap_or(i64::MIN);
        let news_arrived = stamp > state.slot_stamp;
        let day_of_news = DayOfNews::ending(table, now, now);
        let mut fresh: Vec<Result<Reading, &'static str>> = Vec::with_capacity(self.baselines.len());
        for (index, indicator) in method.indicators().iter().enumerate() {
            let before = state.indicators[index].reading.as_ref();
            fresh.push(if !indicator.formula.is_fast() {
                self.slow_reading(index, indicator, table, tick)
            } else if news_arrived {
                let smoothed = before.map(|r| (r.scored, r.taken_at));
                let read = self.news.read(indicator, table, now, &day_of_news, smoothed);
                read.map(|r| Reading {
                    value: r.value,
                    scored: r.scored,
                    period_end: stamp,
                    quality: r.quality,
                    taken_at: now,
                    survival: self.survival(index, r.scored),
                    newest: r.row.map(|(end, revision)| (0, end, revision)).into_iter().collect(),
                })
            } else {
                // Files came before this tick: the indicator waits for days of them, not for its publisher.
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
        let jumped = now.scored != last.scored
            && now.survival < SPIKE_SURVIVAL
            && last.survival >= ORDINARY_SURVIVAL
            && !before.held;
        if !jumped {
            return false;
        }
        let indicators = self.method.indicators();
        let own = &indicators[index];
        !fresh.iter().zip(indicators).any(|(other, indicator)| {
            indicator.pillar == own.pillar
                && indicator.feeds[0] != own.feeds[0]
                && other.as_ref().is_ok_and(|r| r.survival < SUPPORT_SURVIVAL)
        })
    }

    fn score(&self, tick: Timestamp, state: &State, missing: Vec<Option<&'static str>>) -> Vec<Scored> {
        let each = self.method.indicators().iter().zip(&state.indicators).zip(missing).enumerate();
        each.map(|(index, ((indicator, kept), missing))| {
            let sample = self.baselines[index].sample().len() as f64 * indicator.days_each();
            let mut scored = Scored {
                missing,
                sample: sample as u32,
                calibration: calibration(sample),
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
                let held_half_life = self.method.parameters().held_half_life_hours;
                let holding = holding(hours, indicator.cadence_hours, budget, held_half_life);
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
        })
        .collect()
    }

    fn snapshot(
        &self,
        tick: Timestamp,
        simulated: bool,
        composed: &Composed,
        scored: &[Scored],
        state: &State,
        day_ago: Option<&State>,
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

    /// Daily closes: of today at its last tick, or of an earlier day whose last tick was missed.
    fn closes(&self, table: &SeriesTable, previous: Option<&State>, state: &State) -> Vec<Observation> {
        let known_at = Timestamp::from_unix(state.tick);
        let closes_day = |s: &State| Timestamp::from_unix(s.tick).second_of_day() == DAY - TICK;
        let mut derived = Vec::new();
        if let Some(last) = previous
            && Timestamp::from_unix(last.tick).day() < known_at.day()
            && !closes_day(last)
        {
            derived.extend(closes::of_day(&self.method, table, last, known_at));
        }
        if closes_day(state) {
            derived.extend(closes::of_day(&self.method, table, state, known_at));
        }
        derived
    }

    /// The history sample behind an indicator's score on the day last computed, in the order of time.
    pub fn history(&self, key: &str) -> Vec<(Timestamp, f64)> {
        let position = self.method.indicators().iter().position(|i| i.key == key);
        let ordered = position.into_iter().flat_map(|i| self.baselines[i].ordered());
        ordered.map(|(end, value)| (Timestamp::from_unix(end), value)).collect()
    }

    /// The series under which an indicator's daily closes are stored, when it has them.
    pub fn close_series(indicator: &Indicator) -> Option<String> {
        indicator.formula.is_fast().then(|| close_series(&indicator.key))
    }
}
