//! The history sample of one indicator, kept sorted and advanced once a day.
//!
//! On a given day the sample contains what was known before the day began, without the newest of those values, which
//! is the one being scored. The cache only saves work: it detects rows that reach into the past and rebuilds.

use crate::catalogue::Indicator;
use crate::indicators::windowed::{Moment, available, evaluate, lag_seconds};
use crate::method::algebra::DAYS_PER_YEAR;
use crate::rarity::survival::{Rarity, Sample};
use crate::series::growth::make_room_behind;
use crate::series::table::{Column, SeriesTable};
use gsi_model::{DAY, Day};
use std::collections::VecDeque;

/// The derived series that holds the daily closes of an indicator computed tick by tick.
pub(crate) fn close_series(key: &str) -> String {
    format!("index.{key}")
}

#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    series: Vec<String>,
    fast: bool,
    day: Option<i32>,
    /// (period end, value), oldest first; the same values as in `sample`.
    ordered: VecDeque<(i64, f64)>,
    sample: Sample,
    /// The newest period in the sample, also when it fell outside the window.
    last_end: i64,
    /// For each series: its insertion count, and the vintages known before the day.
    seen: Vec<(u64, usize)>,
}

impl Baseline {
    pub fn new(indicator: &Indicator) -> Self {
        let fast = indicator.formula.is_fast();
        let series =
            if fast { vec![close_series(&indicator.key)] } else { indicator.formula.series().to_vec() };
        Baseline {
            series,
            fast,
            day: None,
            ordered: VecDeque::new(),
            sample: Sample::default(),
            last_end: i64::MIN,
            seen: Vec::new(),
        }
    }

    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// The sample in the order of time.
    pub fn ordered(&self) -> impl Iterator<Item = (i64, f64)> {
        self.ordered.iter().copied()
    }

    /// Replaces the sample by the given values, oldest first, that are in the indicator's window before `day`.
    pub fn replace(&mut self, indicator: &Indicator, rarity: &Rarity, day: Day, values: &[(i64, f64)]) {
        let oldest = oldest(indicator, day.start().unix());
        self.day = Some(day.0);
        self.ordered = values.iter().filter(|(end, _)| *end > oldest).copied().collect();
        self.sample = Sample::new(self.ordered.iter().map(|(_, v)| *v).collect(), rarity);
    }

    /// Advances the sample to `day`.
    pub fn advance(&mut self, indicator: &Indicator, rarity: &Rarity, table: &SeriesTable, day: Day) {
        let fresh_rows = self.reaches_into_past(table);
        if self.day == Some(day.0) && !fresh_rows {
            return;
        }
        let horizon = day.start().unix();
        let forward = self.day.filter(|d| *d < day.0 && !fresh_rows).is_some_and(|d| {
            let seen_until = Day(d).start().unix();
            !self.columns(table).flatten().any(|c| c.has_late_period(seen_until, horizon, self.last_end))
        });
        if !forward {
            self.ordered.clear();
            self.sample = Sample::default();
            self.last_end = i64::MIN;
        }
        self.day = Some(day.0);
        self.append(indicator, rarity, table, horizon);
        self.seen = self
            .columns(table)
            .map(|c| c.map_or((0, 0), |c| (c.insertions(), c.known_before(horizon))))
            .collect();
    }

    fn columns<'a>(&'a self, table: &'a SeriesTable) -> impl Iterator<Item = Option<&'a Column>> {
        self.series.iter().map(|name| table.column(name, ""))
    }

    /// Whether rows were added that belong into the sample of the current day. Remembers the counts it compared.
    fn reaches_into_past(&mut self, table: &SeriesTable) -> bool {
        let Some(day) = self.day else { return false };
        let horizon = Day(day).start().unix();
        let mut changed = false;
        for (name, seen) in self.series.iter().zip(&mut self.seen) {
            let Some(column) = table.column(name, "") else { continue };
            if column.insertions() != seen.0 {
                seen.0 = column.insertions();
                changed |= column.known_before(horizon) != seen.1;
            }
        }
        changed
    }

    fn append(&mut self, indicator: &Indicator, rarity: &Rarity, table: &SeriesTable, horizon: i64) {
        let oldest = oldest(indicator, horizon);
        while let Some((_, value)) = self.ordered.pop_front_if(|(end, _)| *end <= oldest) {
            self.sample.remove(value);
        }
        let lag_seconds = lag_seconds(indicator);
        if let Some(column) = self.series.first().and_then(|name| table.column(name, "")) {
            let last_known = Moment { at: horizon - 1, cap: i64::MAX, horizon: horizon - 1, lag_seconds };
            let scored = if self.fast { None } else { available(column, last_known).next().map(|r| r.end()) };
            let from = column.rows().partition_point(|r| r.end() <= self.last_end.max(oldest));
            for row in &column.rows()[from..] {
                if scored.is_some_and(|end| row.end() >= end) {
                    break;
                }
                if row.known_at() >= horizon {
                    continue;
                }
                self.last_end = row.end();
                let value = if self.fast {
                    Some(row.value)
                } else {
                    evaluate(indicator, table, Moment::of_row(row, horizon - 1, lag_seconds)).map(|e| e.value)
                };
                if let Some(value) = value {
                    make_room_behind(&mut self.ordered);
                    self.ordered.push_back((row.end(), value));
                    self.sample.insert(value);
                }
            }
        }
        self.sample.fit_tail(rarity);
    }
}

/// Periods that end by then are too old for the sample.
fn oldest(indicator: &Indicator, horizon: i64) -> i64 {
    let window = (indicator.window_years * DAYS_PER_YEAR) as i64 * DAY;
    (horizon - window).max(indicator.start_day().map_or(i64::MIN, |d| d.start().unix()))
}
