//! Formulas over slow series: each is a function of the last values of its inputs as known at a moment.

use crate::arithmetic::median;
use crate::catalogue::{Formula, Indicator, Scale};
use crate::indicators::weekday::Pattern;
use crate::method::algebra::{
    HALF_LIVES_KEPT, LEVEL_DAYS, MAX_LEAD, PATTERN_DAYS, SMALLEST, TRADING_DAYS, WINSOR,
};
use crate::series::row::Row;
use crate::series::table::{Column, SeriesTable};
use gsi_model::{DAY, Day, HOUR, Timestamp};

/// Decides which rows exist, and which of them count as available.
///
/// A row exists when its earliest vintage is known by `horizon`. It is available when it was known by `at`, or would
/// have been with the usual lag. So history that was loaded late is judged as if it had arrived in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub at: i64,
    /// Periods that end later are ignored.
    pub cap: i64,
    pub horizon: i64,
    pub lag_seconds: i64,
}

impl Moment {
    /// Now: all that is known by the tick.
    pub fn tick(tick: Timestamp) -> Moment {
        Moment { at: tick.unix(), cap: i64::MAX, horizon: tick.unix(), lag_seconds: 0 }
    }

    /// Only periods that end by then are read.
    pub fn reach(self) -> i64 {
        self.cap.min(self.at.saturating_add(MAX_LEAD))
    }

    /// When this row became known.
    pub fn of_row(row: &Row, horizon: i64, lag_seconds: i64) -> Moment {
        Moment { at: available_at(row, lag_seconds), cap: row.end(), horizon, lag_seconds }
    }
}

pub(crate) fn available_at(row: &Row, lag_seconds: i64) -> i64 {
    row.known_at().min(row.end().saturating_add(lag_seconds))
}

pub(crate) fn lag_seconds(indicator: &Indicator) -> i64 {
    (indicator.lag_hours * HOUR as f64) as i64
}

/// The available rows of a column from the newest back.
pub(crate) fn available(column: &Column, moment: Moment) -> impl Iterator<Item = Row> {
    let upto = column.rows().partition_point(|r| r.end() <= moment.reach());
    (0..upto).rev().filter_map(move |i| {
        let row = &column.rows()[i];
        (row.known_at() <= moment.horizon && available_at(row, moment.lag_seconds) <= moment.at)
            .then(|| column.resolve(i, moment.at))
    })
}

/// What a formula gives at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evaluated {
    pub value: f64,
    pub period_end: i64,
    pub quality: f64,
    /// The newest row of each series: (index of the series, period end, revision).
    pub newest: Vec<(usize, i64, u32)>,
}

type Window = Vec<(i64, f64)>;

struct Reader<'a> {
    table: &'a SeriesTable,
    series: &'a [String],
    moment: Moment,
    quality: f64,
    newest: Vec<(usize, i64, u32)>,
}

impl Reader<'_> {
    /// The last `count` values of one series, oldest first.
    fn window(&mut self, index: usize, count: usize) -> Window {
        let Some(column) = self.table.column(&self.series[index], "") else { return Vec::new() };
        let mut rows = Vec::with_capacity(count);
        for row in available(column, self.moment).take(count) {
            if rows.is_empty() {
                self.quality = self.quality.min(row.quality());
                self.newest.push((index, row.end(), row.revision));
            }
            rows.push((row.end(), row.value));
        }
        rows.reverse();
        rows
    }

    /// The last `count` values of the only series on the given scale, with the weekday pattern taken out if asked.
    fn scaled(&mut self, count: usize, scale: Scale, offset: f64, day_of_week: bool) -> Vec<f64> {
        if !day_of_week {
            let window = self.window(0, count);
            return window.iter().map(|(_, v)| on_scale(*v, scale, offset)).collect();
        }
        let window = self.window(0, count.max(PATTERN_DAYS).max(LEVEL_DAYS) + 1);
        let pattern = pattern_before_newest(&window);
        let used = &window[window.len().saturating_sub(count)..];
        used.iter().map(|(end, v)| pattern.adjusted(*v, day_of(*end), scale)).collect()
    }
}

fn on_scale(value: f64, scale: Scale, offset: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => libm::log((value + offset).max(SMALLEST)),
    }
}

/// A period that ends at midnight belongs to the day before.
fn day_of(end: i64) -> i32 {
    Timestamp::from_unix(end - 1).day().0
}

/// The formula's value as of `moment`; `None` when its inputs do not reach.
pub(crate) fn evaluate(indicator: &Indicator, table: &SeriesTable, moment: Moment) -> Option<Evaluated> {
    let series = indicator.formula.series();
    let mut reader = Reader { table, series, moment, quality: 1.0, newest: Vec::new() };
    let value = value_of(indicator, &mut reader)?;
    let period_end = reader.newest.iter().map(|(_, end, _)| *end).max()?;
    value.is_finite().then_some(Evaluated {
        value,
        period_end,
        quality: reader.quality,
        newest: reader.newest,
    })
}

fn value_of(indicator: &Indicator, reader: &mut Reader) -> Option<f64> {
    match &indicator.formula {
        Formula::Level { scale, half_life_periods, .. } => {
            let values = reader.scaled(kept(*half_life_periods), *scale, 0.0, indicator.day_of_week);
            let mean = forgetting_mean(&values, *half_life_periods)?;
            Some(if *scale == Scale::Log { libm::exp(mean) } else { mean })
        }
        Formula::WindowSum { days, .. } => window_sum(reader, *days),
        Formula::Departure {
            scale,
            mean_periods,
            offset,
            fast_half_life_periods,
            slow_periods,
            gap_periods,
            absolute,
            unit,
            ..
        } => {
            let (slow, gap, mean) = (*slow_periods as usize, *gap_periods as usize, *mean_periods as usize);
            let count = kept(*fast_half_life_periods).max(slow + gap + 1);
            let values = if mean > 1 {
                let window = reader.window(0, count + mean - 1);
                running_means(&window, mean).map(|m| on_scale(m, *scale, *offset)).collect()
            } else {
                reader.scaled(count, *scale, *offset, indicator.day_of_week)
            };
            let before = values.len().checked_sub(slow + gap + 1)?;
            let usual = median(&mut values[before..before + slow].to_vec())?;
            let gap = forgetting_mean(&values, *fast_half_life_periods)? - usual;
            Some(unit * if *absolute { gap.abs() } else { gap })
        }
        Formula::Volatility { scale, half_life_periods, floor, unit, .. } => {
            let count = kept(*half_life_periods) + 1;
            let mut each = Vec::with_capacity(reader.series.len());
            for index in 0..reader.series.len() {
                let window = reader.window(index, count);
                if window.len() < count {
                    return None;
                }
                each.push(unit * volatility(&window, *scale, *floor, *half_life_periods)?);
            }
            let limit = WINSOR * median(&mut each.clone())?;
            Some(each.iter().map(|v| v.min(limit)).sum::<f64>() / each.len() as f64)
        }
        Formula::Shortfall { periods, reference_until, reference_periods, .. } => {
            let until = Day::parse_iso(reference_until)?.end().unix();
            let mut total = 0.0;
            for index in 0..reader.series.len() {
                let recent = reader.window(index, *periods as usize);
                let newest = recent.last()?.0;
                let mean = recent.iter().map(|(_, v)| v).sum::<f64>() / recent.len() as f64;
                let usual = reference(reader, index, until.min(newest - 1), *reference_periods as usize)?;
                if usual > 0.0 {
                    total += (1.0 - mean / usual).max(0.0);
                }
            }
            Some(100.0 * total / reader.series.len() as f64)
        }
        Formula::NewsShare { .. }
        | Formula::ConflictSpread { .. }
        | Formula::CountrySurprise { .. }
        | Formula::ReportVelocity { .. }
        | Formula::EventLevel { .. } => None,
    }
}

/// The weekday pattern learnt from all but the newest value.
fn pattern_before_newest(window: &[(i64, f64)]) -> Pattern {
    let past = &window[..window.len().saturating_sub(1)];
    let closes: Vec<(i32, f64)> = past.iter().map(|(end, v)| (day_of(*end), *v)).collect();
    Pattern::fit(&closes)
}

/// Number of values that an average with this half-life reads.
fn kept(half_life: f64) -> usize {
    ((half_life * HALF_LIVES_KEPT).ceil() as usize).max(1)
}

/// An exponential average, the newest (last) value weighing most; a half-life of 0 is the newest value itself.
fn forgetting_mean(values: &[f64], half_life: f64) -> Option<f64> {
    let newest = *values.last()?;
    if half_life <= 0.0 {
        return Some(newest);
    }
    let keep = libm::exp2(-1.0 / half_life);
    let (mut sum, mut total, mut weight) = (0.0, 0.0, 1.0);
    for value in values.iter().rev().take(kept(half_life)) {
        sum += weight * value;
        total += weight;
        weight *= keep;
    }
    Some(sum / total)
}

fn running_means(window: &[(i64, f64)], length: usize) -> impl Iterator<Item = f64> {
    window.windows(length).map(move |w| w.iter().map(|(_, v)| v).sum::<f64>() / length as f64)
}

/// The total of the values of the last calendar days, once history reaches back that far.
fn window_sum(reader: &mut Reader, days: u32) -> Option<f64> {
    let window = reader.window(0, days as usize + 1);
    let begin = window.last()?.0 - i64::from(days) * DAY;
    if window[0].0 > begin + DAY {
        return None;
    }
    Some(window.iter().filter(|(end, _)| *end > begin).map(|(_, v)| v).sum())
}

/// Annualised root of the exponential mean of squared changes from value to value.
fn volatility(window: &[(i64, f64)], scale: Scale, floor: f64, half_life: f64) -> Option<f64> {
    let floor = floor.max(SMALLEST);
    let squares: Vec<f64> = window
        .windows(2)
        .map(|w| match scale {
            Scale::Log => libm::log(w[1].1.max(floor) / w[0].1.max(floor)),
            Scale::Linear => w[1].1 - w[0].1,
        })
        .map(|change| change * change)
        .collect();
    Some((forgetting_mean(&squares, half_life)? * TRADING_DAYS).sqrt())
}

/// The median of the values up to `until`, once there are enough: growing at first, then frozen.
fn reference(reader: &Reader, index: usize, until: i64, needed: usize) -> Option<f64> {
    let column = reader.table.column(&reader.series[index], "")?;
    let moment = Moment { cap: reader.moment.cap.min(until), ..reader.moment };
    let mut values: Vec<f64> = available(column, moment).map(|row| row.value).collect();
    if values.len() < needed { None } else { median(&mut values) }
}
