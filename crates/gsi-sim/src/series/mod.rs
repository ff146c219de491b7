//! Plain series: values that are a level, slow walks, noise and what the scenario adds.
//!
//! They are rows of `data/series.toml`. A value depends only on the seed, the scenario and its day: a group walks step by
//! step from a fixed first day. Its past is extended on demand and kept; decades of all groups take about a megabyte.

mod counts;
mod release;
mod table;
mod walker;

use crate::scenario::Timeline;
pub use counts::draw_count;
use gsi_model::{Day, HOUR, Timestamp};
pub use release::{Posting, Release};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
pub use table::{CsvFile, DateFormat};
use table::{GROUPS, Group};
use walker::Walker;

/// The moment of a day at which scenario effects on its value are read.
pub fn business_time(day: Day) -> Timestamp {
    day.start().plus(16 * HOUR)
}

/// Months since January 1970.
pub fn month_of(day: Day) -> i32 {
    let (y, m, _) = day.ymd();
    (i32::from(y) - 1970) * 12 + i32::from(m) - 1
}

/// The last day of a month.
pub fn month_end(month: i32) -> Day {
    let next = month + 1;
    let first = Day::from_ymd((1970 + next.div_euclid(12)) as i16, (next.rem_euclid(12) + 1) as i8, 1);
    first.map_or(Day(0), |d| d.plus(-1))
}

/// All series of a world.
pub struct SeriesSet {
    groups: BTreeMap<&'static str, SeriesGroup>,
}

impl SeriesSet {
    pub fn new(seed: u64, timeline: &Arc<Timeline>, start: Day) -> Self {
        let group = |group| SeriesGroup::new(group, Walker::new(group, seed, timeline.clone(), start));
        SeriesSet { groups: GROUPS.iter().map(|(name, row)| (name.as_str(), group(row))).collect() }
    }

    /// Returns the group of a name in `data/series.toml`.
    pub fn group(&self, name: &str) -> &SeriesGroup {
        &self.groups[name]
    }

    /// Finds the group that is published as a plain CSV file at `path`.
    pub fn csv_group(&self, path: &str) -> Option<(&SeriesGroup, &'static CsvFile)> {
        self.groups.values().find_map(|g| Some((g, g.row.file.as_ref().filter(|f| f.path == path)?)))
    }
}

/// A group with the values it has walked through.
pub struct SeriesGroup {
    row: &'static Group,
    walked: Mutex<Walked>,
}

struct Walked {
    walker: Walker,
    days: Vec<Day>,
    /// One value of each column for each day.
    values: Vec<f64>,
}

impl SeriesGroup {
    fn new(row: &'static Group, walker: Walker) -> Self {
        SeriesGroup { row, walked: Mutex::new(Walked { walker, days: Vec::new(), values: Vec::new() }) }
    }

    /// Returns the newest posting at `now`. A group without a release rule is posted every midnight.
    pub fn newest(&self, now: Timestamp) -> Posting {
        self.row.release.unwrap_or(Release::Daily { hour: 0, lag_days: 0 }).newest(now)
    }

    /// Returns the index of a column.
    pub fn column(&self, id: &str) -> Option<usize> {
        self.row.columns.iter().position(|c| c.id == id)
    }

    /// Reads the values of all days up to and including `last`.
    pub fn read<R>(&self, last: Day, read: impl FnOnce(SeriesRows) -> R) -> R {
        let mut walked = self.walked.lock().unwrap_or_else(|p| p.into_inner());
        let Walked { walker, days, values } = &mut *walked;
        // A weekend or holiday at the end is walked again until the next value, at most.
        while days.last().is_none_or(|day| *day < last) {
            days.extend(walker.step(values));
        }
        let end = days.partition_point(|day| *day <= last);
        read(SeriesRows { days: &days[..end], values, width: self.row.columns.len() })
    }
}

/// Days with the values of a group's columns, oldest first.
#[derive(Clone, Copy)]
pub struct SeriesRows<'a> {
    days: &'a [Day],
    values: &'a [f64],
    width: usize,
}

impl<'a> SeriesRows<'a> {
    pub fn len(&self) -> usize {
        self.days.len()
    }

    /// Leaves out the days before `first`.
    pub fn since(self, first: Day) -> Self {
        let skipped = self.days.partition_point(|day| *day < first);
        SeriesRows { days: &self.days[skipped..], values: &self.values[skipped * self.width..], ..self }
    }

    pub fn iter(self) -> impl DoubleEndedIterator<Item = (Day, &'a [f64])> + ExactSizeIterator {
        self.days.iter().copied().zip(self.values.chunks_exact(self.width).take(self.days.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    #[test]
    fn every_row_of_the_table_walks_to_the_present() {
        let start = Timestamp::from_unix(1_790_000_000);
        let timeline = Arc::new(Timeline::new(&Scenario::default(), start, start));
        let set = SeriesSet::new(1, &timeline, start.day());
        for (name, row) in GROUPS.iter() {
            let newest = set.group(name).read(start.day(), |rows| {
                assert_eq!(rows.iter().len(), rows.len(), "{name}");
                rows.iter().next_back().map(|(day, values)| (day, values.len()))
            });
            let (day, width) = newest.unwrap();
            assert!(start.day().0 - day.0 < 32 && width == row.columns.len(), "{name}: {day}");
        }
    }

    #[test]
    fn months() {
        let day = |text| Day::parse_iso(text).unwrap();
        assert_eq!(month_end(month_of(day("2026-02-03"))), day("2026-02-28"));
        assert_eq!(month_end(month_of(day("2024-12-31"))), day("2024-12-31"));
    }
}
