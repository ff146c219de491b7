//! Deaths by day. An event of several days is spread evenly over them.

use super::DeadlyEvent;
use crate::Payload;
use crate::formats::series::{self, ObservationStamp, add_days};
use gsi_model::{CountryCode, Day, Decoded, Observation, Origin, Reject};
use std::collections::{BTreeMap, BTreeSet};

/// Summary events cover up to a few years.
const MAX_SPAN: i32 = 1_500;
/// The most days of all events of a file together. A cumulative release has about ten thousand events, nearly all of one day.
/// Without this bound a small file of many long events would take minutes.
const MAX_EVENT_DAYS: i32 = 2_000_000;

#[derive(Default)]
pub struct DeathsByDay {
    days: BTreeMap<Day, f64>,
    countries: BTreeMap<(CountryCode, Day), f64>,
    event_days: i32,
}

impl DeathsByDay {
    /// Counts an event, and spreads its deaths over its days unless it is a duplicate.
    pub fn take(
        &mut self,
        decoded: &mut Decoded,
        known: &mut BTreeSet<u64>,
        event: Result<DeadlyEvent, Reject>,
    ) {
        let event = event.and_then(|event| match known.insert(event.id) {
            true if self.spread(&event) => Ok(true),
            true => Err(Reject::Date),
            false => Ok(false),
        });
        decoded.take(event, |is_new| *is_new);
    }

    /// Spreads the deaths of an event. Returns `false` if its days are out of order, more than `MAX_SPAN`, or more than is left
    /// of `MAX_EVENT_DAYS`.
    fn spread(&mut self, event: &DeadlyEvent) -> bool {
        let DeadlyEvent { first, last, deaths, country, .. } = *event;
        let span = last.0 - first.0 + 1;
        if !(1..=MAX_SPAN).contains(&span) || self.event_days + span > MAX_EVENT_DAYS {
            return false;
        }
        self.event_days += span;
        let share = deaths / f64::from(span);
        for day in series::days(first, last) {
            *self.days.entry(day).or_default() += share;
            if let Some(country) = country {
                *self.countries.entry((country, day)).or_default() += share;
            }
        }
        true
    }

    /// Tells whether an event falls on one of these days.
    pub fn has_any_in(&self, (first, last): (Day, Day)) -> bool {
        self.days.range(first..=last).next().is_some()
    }

    /// Adds a value for each day that the file covers: `covered`, otherwise from its first event to its last.
    pub fn add_to(
        &self,
        decoded: &mut Decoded,
        origin: &Origin,
        series: &'static str,
        payload: &Payload<'_>,
        covered: Option<(Day, Day)>,
    ) {
        let Some((first, last)) = covered.or_else(|| series::spanned(&self.days)) else { return };
        series::note_newest(decoded, last);
        add_days(decoded, origin, payload, series::days(first, last), |day| {
            [(series, self.days.get(&day).copied().unwrap_or(0.0))]
        });
    }
}

impl DeathsByDay {
    /// Adds the same by country, without zeros.
    pub fn add_countries_to(
        &self,
        decoded: &mut Decoded,
        origin: &Origin,
        series: &'static str,
        payload: &Payload<'_>,
        covered: Option<(Day, Day)>,
    ) {
        let Some((first, last)) = covered.or_else(|| series::spanned(&self.days)) else { return };
        let stamp = ObservationStamp::new(origin, payload);
        let some = self.countries.iter().filter(|((_, day), n)| (first..=last).contains(day) && **n > 0.0);
        decoded.observations.extend(some.map(|((country, day), deaths)| Observation {
            entity: country.as_str().to_owned(),
            ..stamp.observe_day(series, *day, *deaths)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(first: Day, last: Day, deaths: f64) -> DeadlyEvent {
        DeadlyEvent { id: 1, first, last, deaths, country: CountryCode::from_iso2("UA") }
    }

    #[test]
    fn days_are_bounded_by_event_and_by_file() {
        let mut deaths = DeathsByDay::default();
        assert!(deaths.spread(&event(Day(10), Day(13), 8.0)) && deaths.spread(&event(Day(13), Day(13), 1.0)));
        assert_eq!(deaths.days.values().copied().collect::<Vec<_>>(), [2.0, 2.0, 2.0, 3.0]);
        assert_eq!(deaths.countries.values().copied().collect::<Vec<_>>(), [2.0, 2.0, 2.0, 3.0]);
        assert!(!deaths.spread(&event(Day(10), Day(9), 1.0)));
        assert!(!deaths.spread(&event(Day(0), Day(MAX_SPAN), 1.0)));
        let taken = (0..10_000).filter(|_| deaths.spread(&event(Day(0), Day(MAX_SPAN - 1), 0.0))).count();
        assert_eq!(taken as i32, MAX_EVENT_DAYS / MAX_SPAN);
    }
}
