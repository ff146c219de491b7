//! The connector's state between polls: the newest quarter hour, and the owed ones, which are still to be fetched.

use gsi_model::{TICK, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A quarter hour that is still missing after this time will not appear.
pub const GIVE_UP_MISSING_SECONDS: i64 = 6 * 3_600;
/// The number of tries for a damaged or unreachable file, over several polls.
pub const MAX_TRIES: u32 = 8;
/// The most owed quarter hours. After a longer absence the rest needs an explicit backfill.
pub const MAX_OWED: i64 = 30 * 96;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GdeltCheckpoint {
    /// Newest quarter hour that the publisher has announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Timestamp>,
    /// Ranges of quarter hours to fetch, both ends included, ascending and with gaps between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owed: Vec<(Timestamp, Timestamp)>,
    /// Failed tries of owed quarter hours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tries: BTreeMap<Timestamp, u32>,
    /// The number of quarter hours that never appeared.
    #[serde(default)]
    pub given_up: u64,
}

impl GdeltCheckpoint {
    pub fn count_owed(&self) -> i64 {
        self.owed.iter().map(|(from, to)| to.since(*from) / TICK + 1).sum()
    }

    /// Marks every quarter hour from `from` to `to` as owed. Beyond `MAX_OWED` the oldest are given up.
    pub fn owe(&mut self, from: Timestamp, to: Timestamp) {
        if from > to {
            return;
        }
        self.owed.push((from, to));
        self.owed.sort();
        let mut merged: Vec<(Timestamp, Timestamp)> = Vec::with_capacity(self.owed.len());
        for (from, to) in self.owed.drain(..) {
            match merged.last_mut() {
                Some(last) if from <= last.1.plus(TICK) => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        self.owed = merged;
        let mut excess = self.count_owed() - MAX_OWED;
        while excess > 0 {
            let Some(first) = self.owed.first_mut() else { break };
            let here = (first.1.since(first.0) / TICK + 1).min(excess);
            first.0 = first.0.plus(here * TICK);
            if first.0 > first.1 {
                self.owed.remove(0);
            }
            self.given_up += here as u64;
            excess -= here;
        }
    }

    /// Returns the newest owed quarter hours, at most `count`.
    pub fn newest_owed(&self, count: usize) -> Vec<Timestamp> {
        let mut found = Vec::new();
        for (from, to) in self.owed.iter().rev() {
            let mut stamp = *to;
            while stamp >= *from && found.len() < count {
                found.push(stamp);
                stamp = stamp.minus(TICK);
            }
        }
        found
    }

    /// Removes a quarter hour that was read or given up.
    pub fn no_longer_owe(&mut self, stamp: Timestamp) {
        self.tries.remove(&stamp);
        let mut owed = Vec::with_capacity(self.owed.len() + 1);
        for (from, to) in self.owed.drain(..) {
            if stamp < from || stamp > to {
                owed.push((from, to));
                continue;
            }
            if from < stamp {
                owed.push((from, stamp.minus(TICK)));
            }
            if stamp < to {
                owed.push((stamp.plus(TICK), to));
            }
        }
        self.owed = owed;
    }

    pub fn give_up(&mut self, stamp: Timestamp) {
        self.no_longer_owe(stamp);
        self.given_up += 1;
    }

    /// Records a failed try. After `MAX_TRIES` the quarter hour is given up.
    pub fn note_failure(&mut self, stamp: Timestamp) {
        self.owe(stamp, stamp);
        let tries = self.tries.entry(stamp).or_default();
        *tries += 1;
        if *tries >= MAX_TRIES {
            self.give_up(stamp);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::files::{read_checkpoint, write_checkpoint};

    fn at(quarter: i64) -> Timestamp {
        Timestamp::from_unix(1_800_000_000).floor_tick().plus(quarter * TICK)
    }

    fn ranges(checkpoint: &GdeltCheckpoint) -> Vec<(i64, i64)> {
        checkpoint.owed.iter().map(|(a, b)| (a.since(at(0)) / TICK, b.since(at(0)) / TICK)).collect()
    }

    #[test]
    fn ranges_merge_split_and_survive_storage() {
        let mut checkpoint = GdeltCheckpoint::default();
        checkpoint.owe(at(5), at(9));
        checkpoint.owe(at(1), at(2));
        checkpoint.owe(at(3), at(3));
        checkpoint.owe(at(8), at(7));
        assert_eq!(ranges(&checkpoint), [(1, 3), (5, 9)]);
        assert_eq!(checkpoint.newest_owed(6), [at(9), at(8), at(7), at(6), at(5), at(3)]);
        checkpoint.no_longer_owe(at(7));
        checkpoint.no_longer_owe(at(9));
        checkpoint.no_longer_owe(at(40));
        assert_eq!(ranges(&checkpoint), [(1, 3), (5, 6), (8, 8)]);
        assert_eq!(checkpoint.count_owed(), 6);
        assert_eq!(read_checkpoint::<GdeltCheckpoint>(&write_checkpoint(&checkpoint)), checkpoint);
        assert_eq!(read_checkpoint::<GdeltCheckpoint>("not json"), GdeltCheckpoint::default());
    }

    #[test]
    fn owed_quarter_hours_are_bounded() {
        let mut checkpoint = GdeltCheckpoint::default();
        checkpoint.owe(at(0), at(MAX_OWED + 9));
        assert_eq!(
            (checkpoint.count_owed(), checkpoint.given_up, ranges(&checkpoint)[0].0),
            (MAX_OWED, 10, 10)
        );
        let stamp = at(500);
        for _ in 0..MAX_TRIES {
            checkpoint.note_failure(stamp);
        }
        assert_eq!((checkpoint.given_up, checkpoint.tries.len()), (11, 0));
        assert!(!checkpoint.newest_owed(usize::MAX).contains(&stamp));
    }
}
