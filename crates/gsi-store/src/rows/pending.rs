//! Data from outside a tick, which wait for the next one.
//!
//! A batch is one compressed body, because no query searches it. The tick that takes it in gives each value its `known_at`
//! and stores it like other received data.

use gsi_model::{NewsRow, NewsSlot, Observation, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows in a waiting batch, unless a single news file has more: a few megabytes of JSON, far below the maximum size of a
/// body.
const ROWS_IN_A_BATCH: usize = 10_000;

/// Data from outside a tick.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ingest {
    /// The store assigns the revisions.
    pub observations: Vec<Observation>,
    /// A news file is a slot and the rows added with it; a stored file is skipped.
    pub slots: Vec<NewsSlot>,
    pub rows: Vec<NewsRow>,
}

/// A batch that waits for a tick.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingBatch {
    /// Rises in the order of arrival and is never reused.
    pub number: i64,
    pub data: Ingest,
}

impl Ingest {
    pub fn row_count(&self) -> u64 {
        (self.observations.len() + self.slots.len() + self.rows.len()) as u64
    }

    /// Returns the news without the observations.
    pub(crate) fn news(&self) -> Ingest {
        Ingest { observations: Vec::new(), slots: self.slots.clone(), rows: self.rows.clone() }
    }

    /// Divides the data into batches for storage. A news file is never divided.
    pub(crate) fn batches(&self) -> Vec<Ingest> {
        let mut batches: Vec<Ingest> = self
            .observations
            .chunks(ROWS_IN_A_BATCH)
            .map(|part| Ingest { observations: part.to_vec(), ..Ingest::default() })
            .collect();
        let mut files: BTreeMap<Timestamp, Ingest> = BTreeMap::new();
        for slot in &self.slots {
            files.entry(slot.stamp).or_default().slots.push(slot.clone());
        }
        for row in &self.rows {
            files.entry(row.added).or_default().rows.push(row.clone());
        }
        let mut open = Ingest::default();
        for file in files.into_values() {
            if !open.rows.is_empty() && open.rows.len() + file.rows.len() > ROWS_IN_A_BATCH {
                batches.push(std::mem::take(&mut open));
            }
            open.slots.extend(file.slots);
            open.rows.extend(file.rows);
        }
        if open.row_count() > 0 {
            batches.push(open);
        }
        batches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::sample;

    #[test]
    fn batches_hold_everything_and_no_file_is_cut() {
        let rows: Vec<NewsRow> = (0..9)
            .flat_map(|n| (0..3_000).map(move |id| sample::row(n * 3_000 + id, sample::tick(n as i64))))
            .collect();
        let ingest = Ingest {
            observations: (0..25_000).map(|day| sample::observation("s", "", day, 1.0)).collect(),
            slots: (0..9).map(|n| sample::slot(sample::tick(n))).collect(),
            rows,
        };
        let batches = ingest.batches();
        assert!(batches.iter().all(|b| b.row_count() <= ROWS_IN_A_BATCH as u64 + 9));
        assert_eq!(batches.iter().map(Ingest::row_count).sum::<u64>(), ingest.row_count());
        for batch in &batches {
            assert!(batch.rows.iter().all(|r| batch.slots.iter().any(|s| s.stamp == r.added)));
        }
        assert!(Ingest::default().batches().is_empty());
    }
}
