//! Times and days as they are given on the command line.

use gsi_model::{Day, TICK, Timestamp};

/// Where a span begins; where one ends that leaves its end out (`export --to`). A day is its first second.
pub fn time_or_day(text: &str) -> Result<Timestamp, String> {
    read(text, Day::start)
}

/// The last tick of a span: a day is the last one of it.
pub fn last_tick_or_day(text: &str) -> Result<Timestamp, String> {
    read(text, |day| day.plus(1).start().minus(TICK))
}

pub fn day(text: &str) -> Result<Day, String> {
    Day::parse_iso(text).ok_or_else(|| "a day such as 2026-11-01 is wanted".to_owned())
}

fn read(text: &str, of_day: impl FnOnce(Day) -> Timestamp) -> Result<Timestamp, String> {
    let day = || Day::parse_iso(text).map(of_day);
    text.parse()
        .ok()
        .or_else(day)
        .ok_or_else(|| "a time such as 2026-11-01T12:00:00Z or a day such as 2026-11-01 is wanted".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_with_its_first_second_and_ends_with_its_last_tick() {
        let times = |text: &str| (time_or_day(text).unwrap(), last_tick_or_day(text).unwrap());
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = (time("2026-11-01T00:00:00Z"), time("2026-11-01T23:45:00Z"));
        assert_eq!(times("2026-11-01"), day);
        assert_eq!(
            times("2026-11-01T12:07:00Z"),
            (time("2026-11-01T12:07:00Z"), time("2026-11-01T12:07:00Z"))
        );
        for text in ["", "yesterday", "2026-11", "2026-11-31", "2026-11-01T12"] {
            assert!(time_or_day(text).is_err() && last_tick_or_day(text).is_err(), "{text}");
        }
    }
}
