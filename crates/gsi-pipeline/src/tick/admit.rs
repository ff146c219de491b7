//! Admission of new values: when each could first be known, and which revision of its period it is.

use gsi_feeds::SeriesSpec;
use gsi_index::SeriesTable;
use gsi_model::{NewsSlot, Observation, Timestamp};
use gsi_store::StoreError;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};

/// The quality of history with reconstructed publication times, a little below that of values seen at publication.
const RECONSTRUCTED_QUALITY: f64 = 0.8;

/// The range of `known_at` that a tick may write: after everything published, and at most its own time.
#[derive(Clone, Copy, Debug)]
pub struct KnownSpan {
    pub frontier: Option<Timestamp>,
    pub tick: Timestamp,
}

impl KnownSpan {
    /// A published tick must stay recomputable, so no value may become known before the frontier.
    fn clamp(self, stated: Timestamp) -> Timestamp {
        let earliest = self.frontier.map_or(Timestamp::MIN, |f| f.plus(1));
        stated.max(earliest).min(self.tick)
    }
}

/// Adds the new or changed values to the table and returns them in the form to be stored.
///
/// With `specs`, the first values of a series count as its history and are dated by the usual lag. Without, values keep their
/// own times.
pub fn admit_observations(
    table: &mut SeriesTable,
    specs: Option<&BTreeMap<&'static str, SeriesSpec>>,
    span: KnownSpan,
    decoded: Vec<Observation>,
) -> Vec<Observation> {
    let mut first_loads: BTreeMap<String, bool> = BTreeMap::new();
    let mut admitted: Vec<Observation> = Vec::new();
    // Values of one period are compared with each other, so a repeated period ends a batch.
    let mut batch = 0;
    let mut periods = HashSet::new();
    for mut observation in decoded {
        if !periods.insert(period(&observation)) {
            table.insert_all(&admitted[batch..]);
            batch = admitted.len();
            periods.clear();
            periods.insert(period(&observation));
        }
        let first_load = *first_loads
            .entry(observation.series.clone())
            .or_insert_with(|| table.is_empty_series(&observation.series));
        let Some(revision) = table.admit(&observation) else { continue };
        // Later revisions in the first load have their own times.
        if let Some(specs) = specs.filter(|_| first_load && revision == 0) {
            let lag = specs.get(observation.series.as_str()).map_or(0, |s| s.publication_lag);
            let usual = observation.period_end.plus(lag);
            if usual < observation.known_at {
                observation.known_at = usual;
                observation.quality = observation.quality.min(RECONSTRUCTED_QUALITY);
            }
        }
        // SQLite stores no sign of zero, and a tick recomputed from the store must have the same bytes. An empty sum is minus
        // zero, so this happens often.
        observation.value += 0.0;
        observation.known_at = span.clamp(observation.known_at);
        observation.ingested_at = span.tick;
        observation.revision = revision;
        admitted.push(observation);
    }
    table.insert_all(&admitted[batch..]);
    admitted
}

/// A hash of a value's period. A collision only ends a batch early.
fn period(observation: &Observation) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (&observation.series, &observation.entity, observation.period_end.unix()).hash(&mut hasher);
    hasher.finish()
}

/// Adds the files that are not counted yet. `stored` answers for stamps older than those in the table.
pub fn admit_slots(
    table: &mut SeriesTable,
    span: KnownSpan,
    slots: Vec<NewsSlot>,
    stored: &dyn Fn(Timestamp) -> Result<bool, StoreError>,
) -> Result<Vec<NewsSlot>, StoreError> {
    let remembered = SeriesTable::slots_needed_from(span.tick);
    let mut admitted = Vec::new();
    for mut slot in slots {
        if table.has_slot(slot.stamp) || (slot.stamp <= remembered && stored(slot.stamp)?) {
            continue;
        }
        slot.known_at = span.clamp(slot.known_at);
        table.insert_slot(&slot);
        admitted.push(slot);
    }
    Ok(admitted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsi_model::{DAY, FeedId};

    fn observation(day: i64, value: f64, known_at: Timestamp) -> Observation {
        Observation {
            series: "eia.brent".into(),
            entity: String::new(),
            period_start: Timestamp::from_unix(day * DAY),
            period_end: Timestamp::from_unix((day + 1) * DAY),
            value,
            known_at,
            ingested_at: known_at,
            revision: 0,
            quality: 1.0,
            feed: FeedId::new("oil"),
            raw: String::new(),
        }
    }

    #[test]
    fn only_the_first_load_is_dated_back() {
        let spec = SeriesSpec::business_daily("eia.brent", "USD/bbl", 3 * DAY);
        let specs = BTreeMap::from([("eia.brent", spec)]);
        let mut table = SeriesTable::new();
        let t0 = Timestamp::from_unix(20_000 * DAY);
        let span = KnownSpan { frontier: None, tick: t0 };
        let first = admit_observations(
            &mut table,
            Some(&specs),
            span,
            vec![observation(19_000, 70.0, t0), observation(19_998, 71.0, t0)],
        );
        assert_eq!(first[0].known_at, Timestamp::from_unix(19_004 * DAY));
        assert_eq!(first[0].quality, 0.8);
        assert_eq!((first[1].known_at, first[1].quality), (t0, 1.0), "not yet published by its usual lag");

        // Repeated values are dropped; a corrected old value is a new revision that becomes known now.
        let t1 = t0.plus(900);
        let span = KnownSpan { frontier: Some(t0), tick: t1 };
        let second = admit_observations(
            &mut table,
            Some(&specs),
            span,
            vec![observation(19_000, 70.0, t0), observation(19_998, 71.5, t0.minus(DAY))],
        );
        assert_eq!(second.len(), 1);
        assert_eq!((second[0].value, second[0].revision), (71.5, 1));
        assert_eq!(second[0].known_at, t0.plus(1), "never before what is already published");
    }
}
