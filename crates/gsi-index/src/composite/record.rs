//! The composite against its own record: its percentile over ten years, and how large an ordinary daily change is.

use crate::arithmetic::median;
use crate::catalogue::Parameters;
use crate::method::algebra::{
    CHANGE_DAYS, CHANGES_NEEDED, COUPLING_DAYS, COUPLING_HALF_LIFE, COUPLING_NEEDED, MAD_TO_SIGMA,
    ORDINARY_SCORE, RECORD_DAYS, RECORD_NEEDED, SIGNIFICANT, SMALLEST_CHANGE,
};
use crate::rarity::survival::{Rarity, Sample};
use crate::series::derived::{COMPOSITE_SERIES, PILLAR_SERIES};
use crate::series::table::SeriesTable;
use gsi_model::{DAY, Day, Pillar, Timestamp};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(crate) struct CompositeRecord {
    day: Option<i32>,
    insertions: u64,
    sample: Sample,
    ordinary_change: Option<f64>,
    coupling: Option<f64>,
}

impl CompositeRecord {
    pub fn advance(&mut self, rarity: &Rarity, table: &SeriesTable, day: Day) {
        let Some(column) = table.column(COMPOSITE_SERIES, "") else { return *self = Self::default() };
        if self.day == Some(day.0) && self.insertions == column.insertions() {
            return;
        }
        let horizon = day.start().unix();
        let known = |days: i64| {
            let from = column.rows().partition_point(|r| r.end() <= horizon - days * DAY);
            column.rows()[from..].iter().filter(move |r| r.known_at() < horizon)
        };
        self.sample = Sample::new(known(RECORD_DAYS).map(|r| r.value).collect(), rarity);
        let recent: Vec<(i32, f64)> =
            known(CHANGE_DAYS).map(|r| (Timestamp::from_unix(r.end() - 1).day().0, r.value)).collect();
        let consecutive = recent.windows(2).filter(|w| w[1].0 - w[0].0 == 1);
        let mut changes: Vec<f64> = consecutive.map(|w| w[1].1 - w[0].1).collect();
        self.ordinary_change = (changes.len() >= CHANGES_NEEDED)
            .then(|| {
                let middle = median(&mut changes)?;
                changes.iter_mut().for_each(|c| *c = (*c - middle).abs());
                Some((MAD_TO_SIGMA * median(&mut changes)?).max(SMALLEST_CHANGE))
            })
            .flatten();
        self.coupling = coupling(table, horizon);
        self.day = Some(day.0);
        self.insertions = column.insertions();
    }

    /// How much the pillars move together, 0–1. It describes the score and is no part of it.
    pub fn coupling(&self) -> Option<f64> {
        self.coupling
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

/// The mean of the pillars' pairwise correlations, with exponentially decreasing weights of older days.
fn coupling(table: &SeriesTable, horizon: i64) -> Option<f64> {
    let mut days: BTreeMap<i64, [Option<f64>; 4]> = BTreeMap::new();
    for pillar in Pillar::ALL {
        let column = table.column(PILLAR_SERIES, pillar.key())?;
        let from = column.rows().partition_point(|r| r.end() <= horizon - COUPLING_DAYS * DAY);
        for row in column.rows()[from..].iter().filter(|r| r.known_at() < horizon) {
            days.entry(row.end()).or_default()[pillar.index()] = Some(row.value - ORDINARY_SCORE);
        }
    }
    let mut products = [[0.0; 4]; 4];
    let (mut seen, mut last) = (0usize, None);
    for (end, scores) in days {
        let [Some(a), Some(b), Some(c), Some(d)] = scores else { continue };
        let scores = [a, b, c, d];
        let gap = last.map_or(0, |l: i64| (end - l) / DAY);
        let keep = libm::exp2(-(gap as f64) / COUPLING_HALF_LIFE);
        for (i, row) in products.iter_mut().enumerate() {
            for (j, product) in row.iter_mut().enumerate() {
                *product = keep * *product + scores[i] * scores[j];
            }
        }
        (seen, last) = (seen + 1, Some(end));
    }
    if seen < COUPLING_NEEDED {
        return None;
    }
    let mut sum = 0.0;
    for i in 0..4 {
        for j in i + 1..4 {
            let scale = (products[i][i] * products[j][j]).sqrt();
            sum += if scale > 0.0 { products[i][j] / scale } else { 0.0 };
        }
    }
    Some((sum / 6.0).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{FeedId, Observation};

    fn table(days: i32, score: &dyn Fn(Pillar, i32) -> f64) -> SeriesTable {
        let mut table = SeriesTable::new();
        for d in 0..days {
            for pillar in Pillar::ALL {
                table.insert(&Observation {
                    series: PILLAR_SERIES.into(),
                    entity: pillar.key().into(),
                    period_start: Day(d).start(),
                    period_end: Day(d).end(),
                    value: score(pillar, d),
                    known_at: Day(d).end().minus(900),
                    ingested_at: Day(d).end(),
                    revision: 0,
                    quality: 1.0,
                    feed: FeedId::new("index"),
                    raw: String::new(),
                });
            }
        }
        table
    }

    #[test]
    fn pillars_that_move_together_are_coupled() {
        let wave = |d: i32| ORDINARY_SCORE + if d % 2 == 0 { 10.0 } else { -10.0 };
        let together = table(100, &|_, d| wave(d));
        let at = |table: &SeriesTable, day: i32| coupling(table, Day(day).start().unix());
        assert!((at(&together, 100).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(at(&together, 59), None, "too few days are known by then");
        // Each of the four has its own rhythm: over whole cycles they are uncorrelated.
        let apart = table(128, &|p, d| ORDINARY_SCORE + if (d >> p.index()) % 2 == 0 { 10.0 } else { -10.0 });
        assert!(at(&apart, 128).unwrap() < 0.05, "{:?}", at(&apart, 128));
        // Opposites are not "less than independent".
        let opposed = table(100, &|p, d| if p.index() < 2 { wave(d) } else { wave(d + 1) });
        assert_eq!(at(&opposed, 100), Some(0.0));
        let one_is_missing = table(100, &|p, d| if p.index() == 3 { f64::NAN } else { wave(d) });
        assert_eq!(at(&one_is_missing, 100), None);
    }
}
