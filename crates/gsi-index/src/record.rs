//! The composite against its own record: its percentile over ten years, and how large an ordinary daily change is.

use crate::arithmetic::median;
use crate::catalogue::Parameters;
use crate::survival::Sample;
use crate::table::SeriesTable;
use gsi_model::{DAY, Day, Timestamp};

pub(crate) const COMPOSITE_SERIES: &str = "index.composite";
const RECORD_DAYS: i64 = 3653;
/// A percentile over less than a year would flatter or frighten.
const RECORD_NEEDED: usize = 365;
const CHANGE_DAYS: i64 = 90;
const CHANGES_NEEDED: usize = 10;
/// Makes the median absolute deviation comparable with a standard deviation.
const MAD_TO_SIGMA: f64 = 1.4826;
const SMALLEST_CHANGE: f64 = 1.0;
/// A change beyond this many ordinary ones is significant.
const SIGNIFICANT: f64 = 2.0;

#[derive(Clone, Debug, Default)]
pub(crate) struct CompositeRecord {
    day: Option<i32>,
    insertions: u64,
    sample: Sample,
    ordinary_change: Option<f64>,
}

impl CompositeRecord {
    pub fn advance(&mut self, table: &SeriesTable, day: Day) {
        let Some(column) = table.column(COMPOSITE_SERIES, "") else { return *self = Self::default() };
        if self.day == Some(day.0) && self.insertions == column.insertions() {
            return;
        }
        let horizon = day.start().unix();
        let known = |days: i64| {
            let from = column.rows().partition_point(|r| r.end <= horizon - days * DAY);
            column.rows()[from..].iter().filter(move |r| r.known_at < horizon)
        };
        self.sample = Sample::new(known(RECORD_DAYS).map(|r| r.value).collect());
        let recent: Vec<(i32, f64)> =
            known(CHANGE_DAYS).map(|r| (Timestamp::from_unix(r.end - 1).day().0, r.value)).collect();
        let consecutive = recent.windows(2).filter(|w| w[1].0 - w[0].0 == 1);
        let mut changes: Vec<f64> = consecutive.map(|w| w[1].1 - w[0].1).collect();
        self.ordinary_change = (changes.len() >= CHANGES_NEEDED)
            .then(|| {
                let middle = median(&mut changes)?;
                changes.iter_mut().for_each(|c| *c = (*c - middle).abs());
                Some((MAD_TO_SIGMA * median(&mut changes)?).max(SMALLEST_CHANGE))
            })
            .flatten();
        self.day = Some(day.0);
        self.insertions = column.insertions();
    }

    /// 0–100; `None` while the record is short.
    pub fn percentile(&self, score: f64) -> Option<f64> {
        (self.sample.len() >= RECORD_NEEDED).then(|| {
            let sorted = self.sample.sorted();
            let below = sorted.partition_point(|v| *v < score);
            let equal = sorted[below..].partition_point(|v| *v <= score);
            100.0 * (below as f64 + 0.5 * equal as f64) / sorted.len() as f64
        })
    }

    pub fn is_significant(&self, change: f64, p: &Parameters) -> bool {
        change.abs() >= SIGNIFICANT * self.ordinary_change.unwrap_or(p.daily_change_unknown)
    }
}
