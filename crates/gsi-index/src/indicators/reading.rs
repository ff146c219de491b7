//! The reading of a slow indicator, cached until one of its inputs changes. Most ticks add no row to a daily series,
//! and a formula may read years of them.

use crate::catalogue::Indicator;
use crate::indicators::windowed::{Evaluated, Moment, evaluate};
use crate::series::table::SeriesTable;
use gsi_model::Timestamp;

#[derive(Clone, Debug, Default)]
pub(crate) struct SlowReading {
    /// What the formula could see of each series when it was evaluated.
    seen: Option<Vec<Seen>>,
    result: Option<Evaluated>,
}

/// Rows are only added and never changed, so equal counts mean equal rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    insertions: u64,
    known: usize,
    in_reach: usize,
}

impl SlowReading {
    /// The formula's value at the tick.
    pub fn at(&mut self, indicator: &Indicator, table: &SeriesTable, tick: Timestamp) -> Option<&Evaluated> {
        let moment = Moment::tick(tick);
        let seen_now = |name: &String| {
            table.column(name, "").map_or_else(Seen::default, |column| Seen {
                insertions: column.insertions(),
                known: column.known_before(moment.horizon.saturating_add(1)),
                in_reach: column.rows().partition_point(|row| row.end() <= moment.reach()),
            })
        };
        let series = indicator.formula.series();
        let same =
            self.seen.as_ref().is_some_and(|seen| series.iter().map(seen_now).eq(seen.iter().copied()));
        if !same {
            self.result = evaluate(indicator, table, moment);
            self.seen = Some(series.iter().map(seen_now).collect());
        }
        self.result.as_ref()
    }
}
