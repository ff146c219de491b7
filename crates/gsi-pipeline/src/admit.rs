//! Giving each new value its place in time: when it could first be known, and which revision of its period it is.

use gsi_feeds::SeriesSpec;
use gsi_index::SeriesTable;
use gsi_model::{NewsSlot, Observation, Timestamp};
use gsi_store::StoreError;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};

/// History whose publication times are reconstructed counts for a little less than values seen as they appeared.
const RECONSTRUCTED_QUALITY: f64 = 0.8;

/// The span of `known_at` that this tick may write: after everything already published, and not after itself.
#[derive(Clone, Copy, Debug)]
pub struct KnownSpan {
    pub frontier: Option<Timestamp>,
    pub tick: Timestamp,
}

impl KnownSpan {
    /// A published tick must stay recomputable for ever, so nothing may slip in before the frontier.
    fn clamp(self, stated: Timestamp) -> Timestamp {
        let earliest = self.frontier.map_or(Timestamp::MIN, |f| f.plus(1));
        stated.max(earliest).min(self.tick)
    }
}

/// Takes the decoded values that are new or changed into the table and returns them as they are to be stored.
///
/// With `specs`, the first values of a series are taken for its history and dated by the usual lag; without, values state
/// their own times.
pub fn admit_observations(
    table: &mut SeriesTable,
    specs: Option<&BTreeMap<&'static str, SeriesSpec>>,
    span: KnownSpan,
    decoded: Vec<Observation>,
) -> Vec<Observation> {
    let mut first_loads: BTreeMap<String, bool> = BTreeMap::new();
    let mut admitted: Vec<Observation> = Vec::new();
    // Values of one period are judged against each other, so a repeated period ends a batch.
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
        // Later vintages that come with the first load say themselves when they became known.
        if let Some(specs) = specs.filter(|_| first_load && revision == 0) {
            let lag = specs.get(observation.series.as_str()).map_or(0, |s| s.publication_lag);
            let usual = observation.period_end.plus(lag);
            if usual < observation.known_at {
                observation.known_at = usual;
                observation.quality = observation.quality.min(RECONSTRUCTED_QUALITY);
            }
        }
        // Zero has no sign: SQLite keeps none, and a tick computed again from the store must get the same bytes. (An empty sum is
        // minus zero, so this is no rare case.)
        observation.value += 0.0;
        observation.known_at = span.clamp(observation.known_at);
        observation.ingested_at = span.tick;
        observation.revision = revision;
        admitted.push(observation);
    }
    table.insert_all(&admitted[batch..]);
    admitted
}

/// What tells two values apart. A false match costs a batch, never a value.
fn period(observation: &Observation) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    (&observation.series, &observation.entity, observation.period_end.unix()).hash(&mut hasher);
    hasher.finish()
}

/// Takes the files that have not been counted yet. `stored` answers for stamps older than the table remembers.
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
    fn first_load_is_dated_back_and_later_news_is_not() {
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

        // The same values again are no news; a corrected old value is a new vintage known from now on.
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
