//! Formulas over slow series: each is a function of the last values of its inputs as they could be known at a moment.

use crate::arithmetic::median;
use crate::catalogue::{Combine, Formula, Indicator, Scale};
use crate::table::{Column, Row, SeriesTable};
use crate::weekday::{DAYS_NEEDED, LEVEL_DAYS, Pattern};
use gsi_model::{DAY, Day, HOUR, Timestamp};

/// A period may be reported before it is over (a running month), but never earlier than this.
const MAX_LEAD: i64 = 40 * DAY;
/// An average is cut off where the weights are below a thousandth.
const HALF_LIVES_KEPT: f64 = 10.0;
const TRADING_DAYS: f64 = 252.0;
/// A realised volatility in a basket counts at most this many times the basket's median.
const WINSOR: f64 = 3.0;
/// Oil has traded below zero; its logarithm starts here.
const MIN_PRICE: f64 = 1.0;
/// Reference values needed for a calendar month, or else for the whole reference.
const MONTH_REFERENCE: usize = 20;
const WHOLE_REFERENCE: usize = 90;

/// A standpoint: which rows exist, and which of them count as available.
///
/// A row exists when its earliest vintage is known by `horizon`. It is available when it was known by `at`, or would
/// have been had it arrived with the usual lag; so history that was loaded late is judged as if it had come in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub at: i64,
    /// Periods that end later are not looked at.
    pub cap: i64,
    pub horizon: i64,
    pub lag: i64,
}

impl Moment {
    /// Now: all that is known by the tick.
    pub fn tick(tick: Timestamp) -> Moment {
        Moment { at: tick.unix(), cap: i64::MAX, horizon: tick.unix(), lag: 0 }
    }

    /// When this row came to light.
    pub fn of_row(row: &Row, horizon: i64, lag: i64) -> Moment {
        Moment { at: available_at(row, lag), cap: row.end, horizon, lag }
    }
}

pub(crate) fn available_at(row: &Row, lag: i64) -> i64 {
    row.known_at.min(row.end.saturating_add(lag))
}

pub(crate) fn lag_seconds(indicator: &Indicator) -> i64 {
    (indicator.lag_hours * HOUR as f64) as i64
}

/// The available rows of a column from the newest back.
pub(crate) fn available(column: &Column, moment: Moment) -> impl Iterator<Item = Row> {
    let last = moment.cap.min(moment.at.saturating_add(MAX_LEAD));
    let upto = column.rows().partition_point(|r| r.end <= last);
    (0..upto).rev().filter_map(move |i| {
        let row = &column.rows()[i];
        (row.known_at <= moment.horizon && available_at(row, moment.lag) <= moment.at)
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
type OverWindow<'a> = dyn Fn(&[(i64, f64)]) -> Option<f64> + 'a;

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
                self.newest.push((index, row.end, row.revision));
            }
            rows.push((row.end, row.value));
        }
        rows.reverse();
        rows
    }

    /// All series added (or averaged) period by period; periods that one of them lacks are left out.
    fn combined(&mut self, combine: Combine, count: usize) -> Window {
        let mut total = self.window(0, count);
        for index in 1..self.series.len() {
            let other = self.window(index, count + 10);
            total.retain_mut(|(end, value)| match other.binary_search_by_key(end, |(e, _)| *e) {
                Ok(at) => {
                    *value += other[at].1;
                    true
                }
                Err(_) => false,
            });
        }
        if combine == Combine::Mean {
            let n = self.series.len() as f64;
            total.iter_mut().for_each(|(_, v)| *v /= n);
        }
        total
    }
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
        Formula::Level { combine, half_life_periods, .. } => {
            let count = 1 + (half_life_periods * HALF_LIVES_KEPT) as usize;
            each_or_combined(indicator, reader, *combine, count, &|w| forgetting_mean(w, *half_life_periods))
        }
        Formula::WindowSum { days, .. } => window_total(reader, *days).map(|(sum, _)| sum),
        Formula::WindowMean { days, .. } => {
            let (sum, n) = window_total(reader, *days)?;
            (n > 0).then(|| sum / n as f64)
        }
        Formula::PriceShock { periods, .. } => {
            each_or_combined(indicator, reader, Combine::Max, *periods as usize + 1, &|w| {
                let full = w.len() == *periods as usize + 1;
                full.then(|| {
                    let price = |i: usize| w[i].1.max(MIN_PRICE);
                    let change = libm::log(price(w.len() - 1) / price(0)).abs() * 100.0;
                    0.5 * change + 0.5 * realised_volatility(w, Scale::Log, MIN_PRICE) * 100.0
                })
            })
        }
        Formula::Volatility { periods, scale, unit, .. } => {
            let count = *periods as usize + 1;
            let mut each: Vec<f64> = (0..reader.series.len())
                .map(|i| reader.window(i, count))
                .filter(|w| w.len() == count)
                .map(|w| realised_volatility(&w, *scale, f64::MIN_POSITIVE) * unit)
                .collect();
            let limit = WINSOR * median(&mut each.clone())?;
            each.iter_mut().for_each(|v| *v = v.min(limit));
            Some(each.iter().sum::<f64>() / each.len() as f64)
        }
        Formula::Departure {
            combine,
            scale,
            fast_half_life_periods,
            slow_periods,
            offset,
            total_periods,
            absolute,
            ..
        } => {
            let (slow, total) = (*slow_periods as usize, *total_periods as usize);
            let count = slow.max((fast_half_life_periods * HALF_LIVES_KEPT) as usize + 1) + total - 1;
            each_or_combined(indicator, reader, *combine, count, &|w| {
                let scaled: Window = running_totals(w, total)
                    .into_iter()
                    .map(|(end, v)| match scale {
                        Scale::Log => (end, libm::log((v + offset).max(1e-9))),
                        Scale::Linear => (end, v),
                    })
                    .collect();
                if scaled.len() < slow {
                    return None;
                }
                let mut past: Vec<f64> = scaled[scaled.len() - slow..].iter().map(|(_, v)| *v).collect();
                let gap = forgetting_mean(&scaled, *fast_half_life_periods)? - median(&mut past)?;
                Some(if *absolute { gap.abs() } else { gap })
            })
        }
        Formula::Drawdown { periods, .. } => {
            let w = reader.window(0, *periods as usize);
            let highest = w.iter().map(|(_, v)| *v).max_by(f64::total_cmp)?;
            (w.len() == *periods as usize && highest > 0.0)
                .then(|| 100.0 * (1.0 - w[w.len() - 1].1 / highest))
        }
        Formula::Shortfall { weights, days, reference_from, reference_to, .. } => {
            let from = Day::parse_iso(reference_from)?.start().unix();
            let to = Day::parse_iso(reference_to)?.end().unix();
            let mut total = 0.0;
            for (index, weight) in weights.iter().enumerate() {
                let recent = reader.window(index, *days as usize);
                let newest = recent.last()?.0;
                let mean = recent.iter().map(|(_, v)| v).sum::<f64>() / recent.len() as f64;
                let usual = monthly_reference(reader, index, from, to, newest)?;
                if usual > 0.0 {
                    total += weight * (1.0 - mean / usual).max(0.0);
                }
            }
            Some(100.0 * total)
        }
        Formula::NewsShare { .. }
        | Formula::ConflictSpread { .. }
        | Formula::EventVelocity { .. }
        | Formula::EventLevel { .. } => None,
    }
}

/// Applies `f` to the sum or mean of the series, or takes the largest of its values over them.
fn each_or_combined(
    indicator: &Indicator,
    reader: &mut Reader,
    combine: Combine,
    count: usize,
    f: &OverWindow,
) -> Option<f64> {
    let wanted = if indicator.day_of_week { count.max(DAYS_NEEDED).max(LEVEL_DAYS) + 1 } else { count };
    let finish = |mut w: Window| {
        if indicator.day_of_week {
            take_out_weekdays(&mut w);
        }
        f(&w[w.len().saturating_sub(count)..])
    };
    if combine == Combine::Max {
        let each: Vec<Window> = (0..reader.series.len()).map(|i| reader.window(i, wanted)).collect();
        return each.into_iter().filter_map(finish).max_by(f64::total_cmp);
    }
    let window = reader.combined(combine, wanted);
    finish(window)
}

/// Takes the day-of-week pattern, learnt from all but the newest value, out of every value.
fn take_out_weekdays(window: &mut [(i64, f64)]) {
    let Some(past) = window.len().checked_sub(1) else { return };
    // A period that ends at midnight belongs to the day before.
    let day = |end: i64| Timestamp::from_unix(end - 1).day().0;
    let closes: Vec<(i32, f64)> = window[..past].iter().map(|(end, v)| (day(*end), *v)).collect();
    let pattern = Pattern::fit(&closes);
    window.iter_mut().for_each(|(end, v)| *v = pattern.adjust(*v, day(*end), 1.0));
}

/// An exponential average over the window, newest value weighing most; a half-life of 0 is the newest value itself.
fn forgetting_mean(window: &[(i64, f64)], half_life: f64) -> Option<f64> {
    let newest = window.last()?.1;
    if half_life <= 0.0 {
        return Some(newest);
    }
    let keep = libm::exp2(-1.0 / half_life);
    let (mut sum, mut total, mut weight) = (0.0, 0.0, 1.0);
    let kept = 1 + (half_life * HALF_LIVES_KEPT) as usize;
    for (_, value) in window.iter().rev().take(kept) {
        sum += weight * value;
        total += weight;
        weight *= keep;
    }
    Some(sum / total)
}

fn running_totals(window: &[(i64, f64)], length: usize) -> Window {
    window.windows(length).map(|w| (w[w.len() - 1].0, w.iter().map(|(_, v)| v).sum())).collect()
}

/// Sum and number of the values of the last calendar days, once history reaches back that far.
fn window_total(reader: &mut Reader, days: u32) -> Option<(f64, usize)> {
    let window = reader.combined(Combine::Sum, days as usize + 1);
    let newest = window.last()?.0;
    let begin = newest - i64::from(days) * DAY;
    if window[0].0 > begin + DAY {
        return None;
    }
    let inside = window.iter().filter(|(end, _)| *end > begin);
    Some(inside.fold((0.0, 0), |(sum, n), (_, v)| (sum + v, n + 1)))
}

/// Annualised root mean square of the changes from value to value.
fn realised_volatility(window: &[(i64, f64)], scale: Scale, floor: f64) -> f64 {
    let squares: f64 = window
        .windows(2)
        .map(|w| match scale {
            Scale::Log => libm::log(w[1].1.max(floor) / w[0].1.max(floor)),
            Scale::Linear => w[1].1 - w[0].1,
        })
        .map(|change| change * change)
        .sum();
    (squares / (window.len() - 1) as f64 * TRADING_DAYS).sqrt()
}

/// The usual value for the calendar month of `newest`, from the frozen reference years.
fn monthly_reference(reader: &Reader, index: usize, from: i64, to: i64, newest: i64) -> Option<f64> {
    let month = |end: i64| Timestamp::from_unix(end - 1).day().ymd().1;
    let column = reader.table.column(&reader.series[index], "")?;
    let moment = Moment { cap: reader.moment.cap.min(to), ..reader.moment };
    let reference: Vec<(i64, f64)> =
        available(column, moment).take_while(|row| row.end > from).map(|row| (row.end, row.value)).collect();
    if reference.len() < WHOLE_REFERENCE {
        return None;
    }
    let wanted = month(newest);
    let mut same: Vec<f64> =
        reference.iter().filter(|(end, _)| month(*end) == wanted).map(|(_, v)| *v).collect();
    if same.len() >= MONTH_REFERENCE {
        return median(&mut same);
    }
    median(&mut reference.iter().map(|(_, v)| *v).collect::<Vec<_>>())
}
