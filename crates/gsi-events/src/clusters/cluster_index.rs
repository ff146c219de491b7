//! The open events of one category in one country, searched for the event that a report belongs to.
//!
//! Two reports of one happening share words, time and place. A near place and the same sides are not enough, or a
//! famine in a town would confirm an air raid on it. Every choice is made by the events' own values (shared words,
//! distance, then age), never by their order here, so the index of a restarted service gives the same results.

use crate::article::address::hash64;
use crate::article::report::{Dyad, Report};
use crate::article::story::Story;
use crate::clusters::cluster::Cluster;
use crate::location::place::{Place, haversine_km};
use crate::parameters::PARAMETERS;
use gsi_model::{GeoPrecision, HOUR, Timestamp};

/// Kilometres of a degree of latitude, rounded down so that the quick test never rejects what the exact one accepts.
const DEGREE_KM: f64 = 110.0;

/// Two sides as hashes; 0 is an unknown side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DyadKey {
    low: u64,
    high: u64,
}

impl DyadKey {
    pub const UNKNOWN: DyadKey = DyadKey { low: 0, high: 0 };

    pub fn from_dyad(dyad: &Dyad) -> Self {
        let key = |side: &str| if side.is_empty() { 0 } else { hash64(side) };
        DyadKey { low: key(&dyad.low), high: key(&dyad.high) }
    }

    pub fn is_complete(self) -> bool {
        self.low != 0 && self.high != 0
    }

    /// The same pair, or one side missing and the other shared, or one pair unknown.
    pub fn is_compatible(self, other: DyadKey) -> bool {
        if self.is_complete() && other.is_complete() {
            return self == other;
        }
        let known = |d: DyadKey| if d.low != 0 { d.low } else { d.high };
        let has = |d: DyadKey, side: u64| d.low == side || d.high == side;
        match (known(self), known(other)) {
            (0, _) | (_, 0) => true,
            _ if self.is_complete() => has(self, known(other)),
            (own, _) => has(other, own),
        }
    }
}

/// The parts of a place that decide about joining.
#[derive(Debug, Clone, Copy, PartialEq)]
struct JoinPlace {
    lat: f64,
    lon: f64,
    is_city: bool,
    /// Only the country is known.
    is_vague: bool,
    /// Hash of the first-order region; 0 for none.
    adm1: u64,
}

impl JoinPlace {
    fn from_place(place: &Place) -> Self {
        JoinPlace {
            lat: place.lat,
            lon: place.lon,
            is_city: place.precision == GeoPrecision::City,
            is_vague: place.precision == GeoPrecision::Country,
            adm1: if place.adm1.is_empty() { 0 } else { hash64(&place.adm1) },
        }
    }

    /// Distance to a place that may be the same: in the same region, or near when both are cities; infinite when one
    /// is known by its country only.
    fn fits(&self, other: &JoinPlace, join_km: f64) -> Option<f64> {
        if self.is_vague || other.is_vague {
            return Some(f64::INFINITY);
        }
        let same_region = self.adm1 != 0 && self.adm1 == other.adm1;
        let may_be_near =
            self.is_city && other.is_city && (self.lat - other.lat).abs() * DEGREE_KM <= join_km;
        if !same_region && !may_be_near {
            return None;
        }
        let distance = haversine_km((self.lat, self.lon), (other.lat, other.lon));
        (same_region || distance <= join_km).then_some(distance)
    }
}

#[derive(Debug, Clone, Copy)]
struct IndexedEvent {
    row: u64,
    occurred_at: Timestamp,
    last_activity: Timestamp,
    place: JoinPlace,
    dyad: DyadKey,
    /// Number of its indexed stories, and whether any of them has words to compare.
    stories: usize,
    has_words: bool,
}

impl IndexedEvent {
    fn age(&self) -> (Timestamp, u64) {
        (self.occurred_at, self.row)
    }
}

/// Whether an event is still open to a report of that time.
fn is_open_to(event: &IndexedEvent, report: &Report) -> bool {
    let limits = &PARAMETERS.clustering;
    report.added.since(event.last_activity).abs() <= limits.idle_hours * HOUR
        && report.added.since(event.occurred_at) <= limits.longest_hours * HOUR
}

#[derive(Debug, Clone, Default)]
pub struct ClusterIndex {
    events: Vec<IndexedEvent>,
    stories: Vec<(u64, Story)>,
}

impl ClusterIndex {
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Adds an event, or updates it after it has grown.
    pub fn put(&mut self, cluster: &Cluster) {
        let at = self.events.iter().position(|h| h.row == cluster.first_row);
        let known = at.map_or(0, |at| self.events[at].stories);
        let stories = cluster.stories();
        for story in stories.iter().skip(known).filter(|s| s.has_words()) {
            self.stories.push((cluster.first_row, story.clone()));
        }
        let event = IndexedEvent {
            row: cluster.first_row,
            occurred_at: cluster.occurred_at,
            last_activity: cluster.last_activity,
            place: JoinPlace::from_place(&cluster.place),
            dyad: cluster.dyad_key(),
            stories: stories.len(),
            has_words: stories.iter().any(Story::has_words),
        };
        match at {
            Some(at) => self.events[at] = event,
            None => self.events.push(event),
        }
    }

    pub fn remove(&mut self, row: u64) {
        self.events.retain(|h| h.row != row);
        self.stories.retain(|(owner, _)| *owner != row);
    }

    fn event(&self, row: u64) -> Option<&IndexedEvent> {
        self.events.iter().find(|h| h.row == row)
    }

    /// The oldest event that has the report's story.
    pub fn same_story(&self, report: &Report) -> Option<u64> {
        self.stories
            .iter()
            .filter(|(_, story)| story.is_same(&report.story))
            .filter_map(|(owner, _)| self.event(*owner))
            .filter(|event| is_open_to(event, report))
            .min_by_key(|event| event.age())
            .map(|event| event.row)
    }

    /// The event that reports the same happening in other words: most shared words, then nearest, then oldest.
    pub fn same_happening(&self, report: &Report) -> Option<u64> {
        let (place, dyad) = (JoinPlace::from_place(&report.place), DyadKey::from_dyad(&report.dyad));
        let limits = &PARAMETERS.clustering;
        let mut best: Option<(usize, f64, &IndexedEvent)> = None;
        for event in self.events.iter().filter(|event| is_open_to(event, report)) {
            let Some(distance) = event.place.fits(&place, limits.join_km) else { continue };
            let same_sides = event.dyad.is_compatible(dyad);
            let shared = self.shared_words(event.row, report);
            let is_same = if distance.is_finite() {
                // Without words to compare, or with the town's name in both headlines, the same two sides in the same
                // place are enough.
                let least = if dyad.is_complete() && dyad == event.dyad {
                    limits.words_same_sides
                } else {
                    limits.words_same_place
                };
                let has_words = report.story.has_words() && event.has_words;
                shared >= limits.words_same_country
                    || same_sides && shared >= least
                    || !has_words && dyad.is_complete() && same_sides
            } else {
                shared >= limits.words_same_country
            };
            let is_better = |(words, km, held): &(usize, f64, &IndexedEvent)| {
                shared.cmp(words).then(km.total_cmp(&distance)).then_with(|| held.age().cmp(&event.age()))
                    == std::cmp::Ordering::Greater
            };
            if is_same && best.as_ref().is_none_or(is_better) {
                best = Some((shared, distance, event));
            }
        }
        best.map(|(_, _, event)| event.row)
    }

    fn shared_words(&self, row: u64, report: &Report) -> usize {
        let own = self.stories.iter().filter(|(owner, _)| *owner == row);
        own.map(|(_, story)| story.shared_words(&report.story)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_sides_may_be_the_same() {
        let key = |low: &str, high: &str| {
            DyadKey::from_dyad(&Dyad { low: low.into(), high: high.into(), gravity: 0 })
        };
        for (a, b, want) in [
            (("RUS", "UKR"), ("RUS", "UKR"), true),
            (("RUS", "UKR"), ("RUS", "USA"), false),
            (("RUS", "UKR"), ("", "UKR"), true),
            (("RUS", "UKR"), ("", "RUS"), true),
            (("RUS", "UKR"), ("", "USA"), false),
            (("RUS", "UKR"), ("", ""), true),
            (("", "UKR"), ("", "UKR"), true),
            (("", "UKR"), ("", "RUS"), false),
            (("", ""), ("", ""), true),
            (("USA", "USA"), ("", "USA"), true),
        ] {
            let (x, y) = (key(a.0, a.1), key(b.0, b.1));
            assert_eq!((x.is_compatible(y), y.is_compatible(x)), (want, want), "{a:?} {b:?}");
        }
    }

    #[test]
    fn which_places_may_be_the_same() {
        let place = |lat: f64, lon: f64, is_city: bool, adm1: u64| JoinPlace {
            lat,
            lon,
            is_city,
            is_vague: false,
            adm1,
        };
        let kyiv = place(50.45, 30.52, true, 12);
        for (why, other, want) in [
            ("itself", kyiv, true),
            ("same region, far", place(49.0, 33.0, true, 12), true),
            ("same region, not a city", place(49.0, 33.0, false, 12), true),
            ("other region, 20 km", place(50.51, 30.79, true, 13), true),
            ("other region, 20 km, not a city", place(50.51, 30.79, false, 13), false),
            ("other region, just under 50 km north", place(50.45 + 0.4495, 30.52, true, 13), true),
            ("other region, just over 50 km north", place(50.45 + 0.4498, 30.52, true, 13), false),
            ("no region, far", place(49.0, 33.0, true, 0), false),
        ] {
            assert_eq!(kyiv.fits(&other, 50.0).is_some(), want, "{why}");
            assert_eq!(other.fits(&kyiv, 50.0).is_some(), want, "{why}, the other way");
        }
    }
}
