//! Every observation in memory, with the vintages of each period: the store's rows, arranged for reading as of any
//! moment. Rows may be added in any order; reads depend only on which rows are present.

use crate::series::growth::make_room;
use crate::series::row::{PackedTime, Row, Vintage};
use gsi_model::{CountryCode, DAY, HOUR, NewsSlot, Observation, Timestamp};
use std::collections::BTreeMap;
use std::ops::Range;

/// Of tick-by-tick series only the newest value is read; the rest allows for whole days of missed ticks.
const FAST_SERIES_DAYS: i64 = 3;
/// Coded-news slots are read over a day; one more allows a whole day of missed ticks to be closed afterwards.
const SLOT_HOURS: i64 = 50;
/// Rows are dropped a day's worth at a time, so that dropping costs nothing per tick.
const PRUNED_AT_ONCE: usize = 96;
/// Series of this family have a row per tick.
const FAST_PREFIX: &str = "events.";

/// One series of one entity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// The earliest-known vintage of each period, by period.
    rows: Vec<Row>,
    /// The later vintages, by period and then in the order they became known.
    later: Vec<Row>,
    /// Indices into `rows` by when those became known, then by period. Empty while `rows` are already in that order.
    periods_known: Vec<u32>,
    /// When the later vintages became known, in that order.
    later_known: Vec<PackedTime>,
    insertions: u64,
}

impl Column {
    fn insert(&mut self, mut row: Row) {
        let at = self.rows.partition_point(|r| r.end() < row.end());
        match self.rows.get_mut(at).filter(|r| r.end() == row.end()) {
            None => {
                make_room(&mut self.rows);
                self.rows.insert(at, row);
                self.note_new_period(at);
            }
            Some(first) => {
                if first.revision == row.revision {
                    return;
                }
                let is_earlier = row.order() < first.order();
                if is_earlier {
                    std::mem::swap(first, &mut row);
                }
                (*first, row) = (first.marked(true), row.marked(false));
                let others = self.later_of(row.end());
                if self.later[others.clone()].iter().any(|r| r.revision == row.revision) {
                    return;
                }
                let place = self.later[others.clone()].partition_point(|r| r.order() < row.order());
                make_room(&mut self.later);
                self.later.insert(others.start + place, row);
                let place = self.later_known.partition_point(|k| k.unix() < row.known_at());
                make_room(&mut self.later_known);
                self.later_known.insert(place, PackedTime::new(row.known_at()));
                if is_earlier {
                    self.index_periods();
                }
            }
        }
        self.insertions += 1;
    }

    /// Adds rows of new periods in one piece: history may arrive newest first, and moving all later rows for each
    /// earlier one would be slow.
    fn insert_new_periods(&mut self, rows: impl Iterator<Item = Row>) {
        let before = self.rows.len();
        self.rows.extend(rows);
        self.insertions += (self.rows.len() - before) as u64;
        if !self.rows.is_sorted_by_key(Row::end) {
            self.rows.sort_by_key(Row::end);
            self.index_periods();
        } else if self.periods_known.is_empty() {
            self.index_periods();
        } else {
            (before..self.rows.len()).for_each(|at| self.index_period(at));
        }
    }

    /// Loads all rows of an empty column, in the order of periods.
    fn load(&mut self, rows: &mut [Row]) {
        rows.sort_by_key(|r| (r.end(), r.order()));
        let periods = rows.chunk_by(|a, b| a.end() == b.end());
        self.rows = Vec::with_capacity(periods.clone().count());
        self.later = Vec::with_capacity(rows.len() - self.rows.capacity());
        for period in periods {
            let Some((first, others)) = period.split_first() else { continue };
            self.rows.push(first.marked(!others.is_empty()));
            self.later.extend_from_slice(others);
        }
        self.insertions = rows.len() as u64;
        self.index_periods();
        self.index_later();
    }

    fn note_new_period(&mut self, at: usize) {
        if self.periods_known.is_empty() {
            let around = at.saturating_sub(1)..(at + 2).min(self.rows.len());
            if !is_known_in_order(&self.rows[around]) {
                self.index_periods();
            }
            return;
        }
        if at + 1 < self.rows.len() {
            self.periods_known
                .iter_mut()
                .filter(|place| **place as usize >= at)
                .for_each(|place| *place += 1);
        }
        self.index_period(at);
    }

    /// Adds one period to the index.
    fn index_period(&mut self, at: usize) {
        let order = |place: u32| (self.rows[place as usize].known_at(), place);
        let own = order(at as u32);
        let position = self.periods_known.partition_point(|place| order(*place) < own);
        make_room(&mut self.periods_known);
        self.periods_known.insert(position, own.1);
    }

    /// Indexes when each period first became known, where that is not the order of `rows`.
    fn index_periods(&mut self) {
        self.periods_known.clear();
        if !is_known_in_order(&self.rows) {
            self.periods_known.reserve_exact(self.rows.len());
            self.periods_known.extend(0..self.rows.len() as u32);
            let rows = &self.rows;
            self.periods_known.sort_by_key(|place| rows[*place as usize].known_at());
        }
    }

    fn index_later(&mut self) {
        self.later_known.clear();
        self.later_known.reserve_exact(self.later.len());
        self.later_known.extend(self.later.iter().map(|r| PackedTime::new(r.known_at())));
        self.later_known.sort_unstable_by_key(|known_at| known_at.unix());
    }

    /// The range of a period's later vintages in `later`.
    fn later_of(&self, end: i64) -> Range<usize> {
        let from = self.later.partition_point(|r| r.end() < end);
        from..from + self.later[from..].partition_point(|r| r.end() == end)
    }

    fn has_period(&self, end: i64) -> bool {
        self.rows.binary_search_by_key(&end, Row::end).is_ok()
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Grows with every row added, so that a reader can detect changes.
    pub fn insertions(&self) -> u64 {
        self.insertions
    }

    /// The newest vintage of the period at `index` that is known by `known_by`; the earliest when none is.
    pub fn resolve(&self, index: usize, known_by: i64) -> Row {
        let first = self.rows[index];
        if !first.is_revised() {
            return first;
        }
        let newer = self.later[self.later_of(first.end())].iter().rfind(|r| r.known_at() <= known_by);
        *newer.unwrap_or(&first)
    }

    /// The newest vintages known by `known_by` of the periods that end in `(from, to]`.
    pub fn known_between(&self, (from, to): (i64, i64), known_by: i64) -> impl Iterator<Item = Row> {
        let first = self.rows.partition_point(|r| r.end() <= from);
        let last = self.rows.partition_point(|r| r.end() <= to);
        (first..last).map(move |at| self.resolve(at, known_by)).filter(move |r| r.known_at() <= known_by)
    }

    /// How many vintages are known strictly before `horizon`; rows are never changed, so equal counts mean equal sets.
    pub fn known_before(&self, horizon: i64) -> usize {
        self.periods_known_before(horizon) + self.later_known.partition_point(|k| k.unix() < horizon)
    }

    fn periods_known_before(&self, horizon: i64) -> usize {
        match self.periods_known.is_empty() {
            true => self.rows.partition_point(|r| r.known_at() < horizon),
            false => self.periods_known.partition_point(|at| self.rows[*at as usize].known_at() < horizon),
        }
    }

    /// Whether a period ending by `last` first became known in `[from, to)`.
    pub fn has_late_period(&self, from: i64, to: i64, last: i64) -> bool {
        let became_known = self.periods_known_before(from)..self.periods_known_before(to);
        match self.periods_known.is_empty() {
            true => self.rows[became_known].iter().any(|r| r.end() <= last),
            false => self.periods_known[became_known].iter().any(|at| self.rows[*at as usize].end() <= last),
        }
    }

    fn newest_vintage(&self, end: i64) -> Option<Row> {
        let at = self.rows.partition_point(|r| r.end() < end);
        let first = *self.rows.get(at).filter(|r| r.end() == end)?;
        let newest = self.later[self.later_of(end)].iter().max_by_key(|r| r.revision).copied();
        Some(newest.filter(|r| r.revision > first.revision).unwrap_or(first))
    }

    /// Drops periods that ended before `end`, but never the newest: after a long silence it is still the last known
    /// value.
    fn forget_before(&mut self, end: i64) {
        let Some(newest) = self.rows.last() else { return };
        let end = end.min(newest.end());
        let old = self.rows.partition_point(|r| r.end() < end);
        if old < PRUNED_AT_ONCE {
            return;
        }
        self.rows.drain(..old);
        self.later.drain(..self.later.partition_point(|r| r.end() < end));
        self.index_periods();
        self.index_later();
    }
}

/// Fills a table with rows that arrive series by series. Each column is allocated once at its final size: columns
/// that grow concurrently leave holes as large as themselves.
pub struct TableLoader {
    table: SeriesTable,
    series: String,
    entity: String,
    rows: Vec<Row>,
}

impl TableLoader {
    pub fn new() -> Self {
        TableLoader {
            table: SeriesTable::new(),
            series: String::new(),
            entity: String::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a stored row. A value that is not a number is ignored.
    pub fn add(&mut self, obs: &Observation) {
        if obs.series != self.series || obs.entity != self.entity {
            self.end_column();
            self.series.clone_from(&obs.series);
            self.entity.clone_from(&obs.entity);
        }
        if obs.value.is_finite() {
            self.rows.push(Row::from_observation(obs));
        }
    }

    pub fn finish(mut self) -> SeriesTable {
        self.end_column();
        self.table
    }

    fn end_column(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let column = self.table.column_mut(&self.series, &self.entity);
        if column.rows.is_empty() {
            column.load(&mut self.rows);
            self.rows.clear();
        } else {
            // The series arrived in two pieces.
            self.rows.drain(..).for_each(|row| column.insert(row));
        }
    }
}

impl Default for TableLoader {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether periods became known in their own order.
fn is_known_in_order(rows: &[Row]) -> bool {
    rows.is_sorted_by_key(Row::known_at)
}

/// The counts of one coded-news file.
#[derive(Clone, Debug)]
pub(crate) struct SlotCounts {
    pub known_at: i64,
    pub articles: u32,
    pub conflict: f64,
    pub threat: f64,
    pub cyber: u32,
    pub supply: u32,
    pub countries: Box<[(CountryCode, u32, f64)]>,
}

/// The point-in-time table: observations by series and entity, and the coded-news slots of the last days.
#[derive(Clone, Debug, Default)]
pub struct SeriesTable {
    columns: BTreeMap<String, BTreeMap<String, Column>>,
    slots: BTreeMap<i64, SlotCounts>,
}

impl SeriesTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row whose revision is assigned. A revision that is already present is ignored, and so is a value that
    /// is not a number.
    pub fn insert(&mut self, obs: &Observation) {
        if obs.value.is_finite() {
            self.column_mut(&obs.series, &obs.entity).insert(Row::from_observation(obs));
        }
    }

    /// Adds many rows. Equivalent to adding one after the other, but faster.
    pub fn insert_all(&mut self, observations: &[Observation]) {
        let mut columns: BTreeMap<(&str, &str), Vec<Row>> = BTreeMap::new();
        for obs in observations.iter().filter(|o| o.value.is_finite()) {
            columns.entry((&obs.series, &obs.entity)).or_default().push(Row::from_observation(obs));
        }
        for ((series, entity), mut rows) in columns {
            let column = self.column_mut(series, entity);
            rows.sort_by_key(Row::end);
            let repeated = rows.windows(2).any(|w| w[0].end() == w[1].end());
            if repeated || rows.iter().any(|r| column.has_period(r.end())) {
                rows.into_iter().for_each(|row| column.insert(row));
            } else {
                column.insert_new_periods(rows.into_iter());
            }
        }
    }

    fn column_mut(&mut self, series: &str, entity: &str) -> &mut Column {
        // Names are copied for a new column only, since this runs for every row.
        if !self.columns.get(series).is_some_and(|entities| entities.contains_key(entity)) {
            self.columns.entry(series.to_owned()).or_default().entry(entity.to_owned()).or_default();
        }
        self.columns.get_mut(series).and_then(|e| e.get_mut(entity)).expect("it is there now")
    }

    /// The revision this value would get; `None` when it repeats the newest vintage of its period, or is no number.
    pub fn admit(&self, obs: &Observation) -> Option<u32> {
        if !obs.value.is_finite() {
            return None;
        }
        match self.newest(&obs.series, &obs.entity, obs.period_end) {
            None => Some(0),
            Some(newest) if newest.value == obs.value => None,
            Some(newest) => Some(newest.revision + 1),
        }
    }

    /// The vintage of a period with the highest revision.
    pub fn newest(&self, series: &str, entity: &str, period_end: Timestamp) -> Option<Vintage> {
        Some(self.column(series, entity)?.newest_vintage(period_end.unix())?.vintage())
    }

    /// The newest period of a series as known by `tick`.
    pub fn latest(&self, series: &str, entity: &str, tick: Timestamp) -> Option<Vintage> {
        let column = self.column(series, entity)?;
        let index = column.rows.iter().rposition(|r| r.known_at() <= tick.unix())?;
        Some(column.resolve(index, tick.unix()).vintage())
    }

    /// The end of the newest period of any series.
    pub fn newest_period_end(&self) -> Option<Timestamp> {
        let columns = self.columns.values().flat_map(|entities| entities.values());
        columns.filter_map(|column| column.rows.last()).map(|row| Timestamp::from_unix(row.end())).max()
    }

    pub fn is_empty_series(&self, series: &str) -> bool {
        self.columns.get(series).is_none_or(|e| e.values().all(|c| c.rows.is_empty()))
    }

    /// Whether a file with this stamp has been counted.
    pub fn has_slot(&self, stamp: Timestamp) -> bool {
        self.slots.contains_key(&stamp.unix())
    }

    /// Adds a slot. A file is counted once: of two with the same stamp, the one known first stays.
    pub fn insert_slot(&mut self, slot: &NewsSlot) {
        let (stamp, known_at) = (slot.stamp.unix(), slot.known_at.unix());
        if self.slots.get(&stamp).is_some_and(|s| s.known_at <= known_at) {
            return;
        }
        let countries = slot.countries.iter().map(|c| (c.country, c.articles, c.conflict)).collect();
        let counted = SlotCounts {
            known_at,
            articles: slot.articles,
            conflict: slot.conflict,
            threat: slot.threat,
            cyber: slot.cyber,
            supply: slot.supply,
            countries,
        };
        self.slots.insert(stamp, counted);
    }

    /// Drops what no tick from `tick` on can read. Reading never calls it, so that a table can also serve the past.
    pub fn prune(&mut self, tick: Timestamp) {
        self.slots = self.slots.split_off(&tick.minus(SLOT_HOURS * HOUR).unix());
        let oldest = Self::fast_series_needed_from(tick).unix();
        let fast = self.columns.iter_mut().filter(|(name, _)| name.starts_with(FAST_PREFIX));
        fast.flat_map(|(_, entities)| entities.values_mut()).for_each(|c| c.forget_before(oldest));
    }

    /// How far back tick-by-tick series are read: what a restart must load, together with the newest row of each
    /// series however old it is.
    pub fn fast_series_needed_from(tick: Timestamp) -> Timestamp {
        tick.minus(FAST_SERIES_DAYS * DAY)
    }

    /// How far back slots are read: what a restart must load.
    pub fn slots_needed_from(tick: Timestamp) -> Timestamp {
        tick.minus(SLOT_HOURS * HOUR)
    }

    pub fn row_count(&self) -> usize {
        let columns = self.columns.values().flat_map(|e| e.values());
        columns.map(|c| c.rows.len() + c.later.len()).sum()
    }

    pub(crate) fn column(&self, series: &str, entity: &str) -> Option<&Column> {
        self.columns.get(series)?.get(entity)
    }

    pub(crate) fn entities(&self, series: &str) -> impl Iterator<Item = (&str, &Column)> {
        self.columns.get(series).into_iter().flatten().map(|(name, column)| (name.as_str(), column))
    }

    /// Slots with `from < stamp <= to`, known by `known_by`, oldest first.
    pub(crate) fn slots(
        &self,
        from: i64,
        to: i64,
        known_by: i64,
    ) -> impl DoubleEndedIterator<Item = (i64, &SlotCounts)> {
        self.slots
            .range(from + 1..to + 1)
            .filter(move |(_, s)| s.known_at <= known_by)
            .map(|(stamp, s)| (*stamp, s))
    }

    /// The stamp of the newest slot known by `tick`.
    pub(crate) fn newest_stamp(&self, tick: i64) -> Option<i64> {
        self.slots.range(..=tick).rev().find(|(_, s)| s.known_at <= tick).map(|(stamp, _)| *stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::FeedId;

    fn obs(day: i32, known: i64, value: f64, revision: u32) -> Observation {
        let end = gsi_model::Day(day).end();
        Observation {
            series: "a.b".into(),
            entity: String::new(),
            period_start: gsi_model::Day(day).start(),
            period_end: end,
            value,
            known_at: end.plus(known * HOUR),
            ingested_at: end.plus(known * HOUR),
            revision,
            quality: 1.0,
            feed: FeedId::new("a"),
            raw: String::new(),
        }
    }

    #[test]
    fn vintages_by_what_was_known() {
        let rows = [obs(1, 1, 10.0, 0), obs(1, 30, 11.0, 1), obs(1, 60, 12.0, 2), obs(2, 1, 20.0, 0)];
        let end = rows[0].period_end;
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            let mut table = SeriesTable::new();
            order.into_iter().for_each(|i| table.insert(&rows[i]));
            let column = table.column("a.b", "").unwrap();
            for (hours, want) in [(0, 10.0), (1, 10.0), (29, 10.0), (30, 11.0), (60, 12.0), (900, 12.0)] {
                assert_eq!(column.resolve(0, end.plus(hours * HOUR).unix()).value, want, "{order:?} {hours}");
            }
            assert_eq!(table.newest("a.b", "", end).map(|v| v.value), Some(12.0));
            assert_eq!(column.known_before(end.plus(30 * HOUR).unix()), 2);
        }
    }

    #[test]
    fn many_at_once_are_the_same_as_one_by_one() {
        let day = |d: i32| obs(d, 1, f64::from(d), 0);
        let batches = [
            vec![day(50), day(51), day(52)],
            vec![day(12), day(11), day(10)],
            vec![day(30), day(51), obs(51, 40, 9.0, 1)],
            vec![obs(12, 2, 7.0, 1), obs(12, 3, 8.0, 2), day(60)],
        ];
        let (mut one, mut many) = (SeriesTable::new(), SeriesTable::new());
        for batch in &batches {
            batch.iter().for_each(|o| one.insert(o));
            many.insert_all(batch);
        }
        assert_eq!(format!("{one:?}"), format!("{many:?}"));
        assert_eq!(many.row_count(), 11);
        // In the order of a store, and in two pieces.
        let mut stored: Vec<Observation> = batches.concat();
        stored.sort_by_key(|o| (o.period_end, o.revision));
        stored.dedup_by_key(|o| (o.period_end, o.revision));
        for first in [0, 4] {
            let mut loader = TableLoader::new();
            let other = Observation { series: "a.a".into(), ..day(1) };
            stored[..first].iter().chain([&other]).chain(&stored[first..]).for_each(|o| loader.add(o));
            let mut loaded = loader.finish();
            loaded.columns.remove("a.a");
            assert_eq!(format!("{one:?}"), format!("{loaded:?}"), "{first}");
        }
    }

    #[test]
    fn reads_do_not_depend_on_the_order_of_rows() {
        // Periods that became known out of their order, some revised: read from the column and counted by hand.
        let rows: Vec<Observation> = (0..40)
            .map(|n: i32| obs(n % 31, i64::from((n * 37) % 61) - 24 * i64::from(n % 5), 1.0, (n / 31) as u32))
            .collect();
        for stride in [1, 7, 11, 39] {
            let mut table = SeriesTable::new();
            (0..40).for_each(|n| table.insert(&rows[(n * stride) % 40]));
            let left_out: Vec<_> = (0..40).filter(|n| !(0..40).any(|m| (m * stride) % 40 == *n)).collect();
            table.insert_all(&left_out.iter().map(|n| rows[*n].clone()).collect::<Vec<_>>());
            let column = table.column("a.b", "").unwrap();
            for day in -3..36 {
                let (from, to) = (gsi_model::Day(day).start().unix(), gsi_model::Day(day + 3).start().unix());
                let known = rows.iter().filter(|o| o.known_at.unix() < from).count();
                assert_eq!(column.known_before(from), known, "{stride} {day}");
                let last = gsi_model::Day(day - 1).end().unix();
                let first_known = |o: &Observation| {
                    rows.iter().filter(|r| r.period_end == o.period_end).map(|r| r.known_at.unix()).min()
                };
                let late = rows.iter().any(|o| {
                    o.period_end.unix() <= last && first_known(o).is_some_and(|at| from <= at && at < to)
                });
                assert_eq!(column.has_late_period(from, to, last), late, "{stride} {day}");
            }
        }
    }

    #[test]
    fn admission() {
        let mut table = SeriesTable::new();
        assert_eq!(table.admit(&obs(1, 1, 10.0, 0)), Some(0));
        table.insert(&obs(1, 1, 10.0, 0));
        assert_eq!(table.admit(&obs(1, 9, 10.0, 0)), None);
        assert_eq!(table.admit(&obs(1, 9, 10.5, 0)), Some(1));
        table.insert(&obs(1, 9, 10.5, 1));
        assert_eq!(table.admit(&obs(1, 19, 10.0, 0)), Some(2));
        assert_eq!(table.admit(&obs(1, 19, f64::NAN, 0)), None);
        table.insert(&obs(5, 9, f64::INFINITY, 0));
        assert_eq!(table.row_count(), 2);
        assert!(!table.is_empty_series("a.b"));
        assert!(table.is_empty_series("a.c"));
    }
}
