//! Deaths by day. An event of several days is spread evenly over them.

use gsi_model::Day;
use std::collections::BTreeMap;

/// Summary events cover up to a few years.
const MAX_SPAN: i32 = 1_500;
/// All events of a file together. A cumulative release has some ten thousand, nearly all of one day; a file of many long
/// events would be small and take minutes.
const MAX_EVENT_DAYS: i32 = 2_000_000;

#[derive(Default)]
pub struct Spread {
    pub days: BTreeMap<Day, f64>,
    event_days: i32,
}

impl Spread {
    /// Whether the event was taken: its days are in order and not too many, nor are those of all before it.
    pub fn add(&mut self, first: Day, last: Day, deaths: f64) -> bool {
        let span = last.0 - first.0 + 1;
        if !(1..=MAX_SPAN).contains(&span) || self.event_days + span > MAX_EVENT_DAYS {
            return false;
        }
        self.event_days += span;
        let share = deaths / f64::from(span);
        for day in first.0..=last.0 {
            *self.days.entry(Day(day)).or_default() += share;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_bounded_by_event_and_by_file() {
        let mut spread = Spread::default();
        assert!(spread.add(Day(10), Day(13), 8.0) && spread.add(Day(13), Day(13), 1.0));
        assert_eq!(spread.days.values().copied().collect::<Vec<_>>(), [2.0, 2.0, 2.0, 3.0]);
        assert!(!spread.add(Day(10), Day(9), 1.0));
        assert!(!spread.add(Day(0), Day(MAX_SPAN), 1.0));
        let taken = (0..10_000).filter(|_| spread.add(Day(0), Day(MAX_SPAN - 1), 0.0)).count();
        assert_eq!(taken as i32, MAX_EVENT_DAYS / MAX_SPAN);
    }
}
