//! The index day by day over a span: the input of every indicator, and the resulting scores.

use crate::arithmetic::smoothing;
use crate::catalogue::{Catalogue, Formula, Indicator, MethodError, Scale, TestedOn};
use crate::composite::compose::{Composed, IndicatorInput};
use crate::composite::publish::{self, Pace};
use crate::engine::Engine;
use crate::method::Method;
use crate::series::table::SeriesTable;
use gsi_model::{DAY, Day, HOUR, Pillar, TICK, Timestamp, Trend};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Scorings per day. Inputs become known at a few fixed hours, so more would repeat themselves.
const SCORINGS_PER_DAY: i64 = 4;

/// One day at its last tick.
#[derive(Clone, Debug, Serialize)]
pub struct DailyPoint {
    #[serde(serialize_with = "as_text")]
    pub day: Day,
    /// Before smoothing; `None` when too few pillars were scored.
    pub composite: Option<f64>,
    /// As it would have been published.
    pub published: Option<f64>,
    /// Before smoothing, in the order of [`Pillar::ALL`].
    pub pillars: [Option<f64>; 4],
    /// As they would have been published.
    pub published_pillars: [Option<f64>; 4],
    /// Share of each pillar's weight in this method that was fresh.
    pub coverage: [f64; 4],
    /// How often the trend changed during the day.
    #[serde(skip)]
    pub trend_changes: u32,
}

fn as_text<S: serde::Serializer>(day: &Day, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(day)
}

/// A span of days, with everything needed to recompute it in other ways.
pub struct History {
    pub points: Vec<DailyPoint>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) inputs: Vec<Vec<IndicatorInput>>,
}

/// The catalogue reduced to what a table of histories carries: indicators whose series are in the table, and for
/// tick-by-tick indicators the history that replaces theirs. `asked_for` may leave out more.
pub fn method_on(
    catalogue: &str,
    table: &SeriesTable,
    asked_for: &dyn Fn(&Indicator) -> bool,
) -> Result<Method, MethodError> {
    let mut catalogue = Catalogue::parse(catalogue)?;
    for indicator in &mut catalogue.indicators {
        if let Some(TestedOn { series, prior }) = indicator.tested_on.clone()
            && !table.is_empty_series(&series)
        {
            indicator.formula = Formula::Level { series, scale: Scale::Linear, half_life_periods: 0.0 };
            indicator.prior = prior;
            (indicator.cadence_hours, indicator.lag_hours) = (24.0, 24.0);
            // It is judged as an indicator; a sparser source does not take over from the weekly index.
            indicator.takes_over = false;
        }
    }
    let at_hand = |series: &[String]| !series.is_empty() && series.iter().all(|s| !table.is_empty_series(s));
    Method::from_catalogue(catalogue, &|i| at_hand(i.formula.series()) && asked_for(i))
}

/// The share of each pillar's live weight in a catalogue that a method made by [`method_on`] tests. Indicators that
/// are off by default do not count.
pub fn tested_weight(catalogue: &str, method: &Method) -> BTreeMap<String, f64> {
    let mut tested: BTreeMap<String, f64> = Pillar::ALL.iter().map(|p| (p.key().to_owned(), 0.0)).collect();
    let catalogue = Catalogue::parse(catalogue).map(|c| c.indicators).unwrap_or_default();
    for live in catalogue.iter().filter(|live| !live.optional) {
        if method.indicators().iter().any(|i| i.key == live.key) {
            *tested.entry(live.pillar.key().to_owned()).or_default() += live.weight;
        }
    }
    tested
}

impl History {
    /// Scores every day of `from..=to` from what was known by its last tick.
    pub fn compute(method: Arc<Method>, table: &SeriesTable, from: Day, to: Day) -> History {
        let (mut points, mut inputs) = (Vec::new(), Vec::new());
        let engine = Self::each_day(method, table, from, to, &mut |point, by_indicator| {
            points.push(point);
            inputs.push(by_indicator);
        });
        History { points, engine: Arc::new(engine), inputs }
    }

    /// The same day by day, for callers that do not keep every indicator's input over decades of days.
    pub(crate) fn each_day(
        method: Arc<Method>,
        table: &SeriesTable,
        from: Day,
        to: Day,
        each: &mut dyn FnMut(DailyPoint, Vec<IndicatorInput>),
    ) -> Engine {
        let p = method.parameters().clone();
        let mut engine = Engine::new(method);
        let mut published: Option<(f64, f64, f64)> = None;
        let mut following = false;
        let mut published_pillars: [Option<(f64, bool)>; 4] = [None; 4];
        let mut trend = Trend::Flat;
        let elapsed = (DAY / SCORINGS_PER_DAY / HOUR) as f64;
        for n in from.0..=to.0 {
            let day = Day(n);
            let mut trend_changes = 0;
            for scoring in 1..=SCORINGS_PER_DAY {
                let tick = day.start().plus(scoring * DAY / SCORINGS_PER_DAY - TICK);
                let inputs: Vec<IndicatorInput> =
                    engine.scores_at(tick, table).iter().map(|s| s.input()).collect();
                let composed = engine.compose(&inputs);
                for (published, now) in published_pillars.iter_mut().zip(&composed.pillars) {
                    let Some(now) = now.score else { continue };
                    let (score, following) = published.unwrap_or((now, false));
                    let pace = publish::pace(&p, elapsed, now - score, following);
                    *published = Some((score + pace.step * (now - score), pace.following));
                }
                if let Some(now) = composed.composite.as_ref().map(|c| c.score) {
                    let (score, fast, slow) = published.unwrap_or((now, now, now));
                    let pace: Pace = publish::pace(&p, elapsed, now - score, following);
                    following = pace.following;
                    let score = score + pace.step * (now - score);
                    let fast = fast + smoothing(elapsed, p.trend_fast_half_life_hours) * (score - fast);
                    let slow = slow + smoothing(elapsed, p.trend_slow_half_life_hours) * (score - slow);
                    published = Some((score, fast, slow));
                    let next = publish::trend(fast - slow, trend, &p);
                    trend_changes += u32::from(next != trend);
                    trend = next;
                }
                if scoring == SCORINGS_PER_DAY {
                    let published = (published.map(|p| p.0), published_pillars.map(|p| p.map(|p| p.0)));
                    each(point(day, &composed, published, trend_changes), inputs);
                }
            }
        }
        engine
    }

    /// The days of `from..=to` of this history, as scored in it.
    pub fn between(&self, from: Day, to: Day) -> History {
        let kept = |p: &DailyPoint| from <= p.day && p.day <= to;
        let inputs = self.points.iter().zip(&self.inputs).filter(|(p, _)| kept(p)).map(|(_, b)| b.clone());
        History {
            inputs: inputs.collect(),
            points: self.points.iter().filter(|p| kept(p)).cloned().collect(),
            engine: Arc::clone(&self.engine),
        }
    }

    pub fn method(&self) -> &Arc<Method> {
        self.engine.method()
    }

    /// The days of one pillar (or of the composite) that have a score.
    pub fn scored(&self, pillar: Option<Pillar>) -> Vec<(Day, f64)> {
        let value = |p: &DailyPoint| match pillar {
            None => p.composite,
            Some(k) => p.pillars[k.index()],
        };
        self.points.iter().filter_map(|p| Some((p.day, value(p)?))).collect()
    }

    /// The composite recomputed after `change` modified the indicators' inputs.
    pub(crate) fn recomposed(&self, change: &dyn Fn(usize, &mut IndicatorInput)) -> Vec<(Day, Composed)> {
        let each = self.points.iter().zip(&self.inputs);
        each.map(|(point, inputs)| {
            let mut inputs = inputs.clone();
            inputs.iter_mut().enumerate().for_each(|(i, b)| change(i, b));
            (point.day, self.engine.compose(&inputs))
        })
        .collect()
    }
}

fn point(
    day: Day,
    composed: &Composed,
    (published, published_pillars): (Option<f64>, [Option<f64>; 4]),
    trend_changes: u32,
) -> DailyPoint {
    let pillar = |k: usize| composed.pillars[k].score;
    DailyPoint {
        day,
        composite: composed.composite.as_ref().map(|c| c.score),
        published,
        pillars: [pillar(0), pillar(1), pillar(2), pillar(3)],
        // A pillar without enough data is missing and does not keep its last value.
        published_pillars: [0, 1, 2, 3].map(|k| published_pillars[k].filter(|_| pillar(k).is_some())),
        coverage: [0, 1, 2, 3].map(|k| composed.pillars[k].coverage),
        trend_changes,
    }
}

/// The last tick of a day.
pub(crate) fn last_tick(day: Day) -> Timestamp {
    day.end().minus(TICK)
}
