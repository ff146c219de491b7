//! Times and days on the command line.

use crate::config::ConfigError;
use gsi_model::{Day, TICK, Timestamp};

/// Reads the beginning of a span, or an exclusive end (`export --to`). A day means its first second.
pub fn time_or_day(text: &str) -> Result<Timestamp, String> {
    read(text, Day::start)
}

/// Reads the last tick of a span. A day means its last tick.
pub fn last_tick_or_day(text: &str) -> Result<Timestamp, String> {
    read(text, |day| day.plus(1).start().minus(TICK))
}

pub fn day(text: &str) -> Result<Day, String> {
    Day::parse_iso(text).ok_or_else(|| "expected a day such as 2026-11-01".to_owned())
}

/// Returns an error for a span that ends before it begins, because an empty result would mislead.
pub fn check_span(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(), ConfigError> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(ConfigError::Invalid("--from is after --to".into())),
        _ => Ok(()),
    }
}

fn read(text: &str, of_day: impl FnOnce(Day) -> Timestamp) -> Result<Timestamp, String> {
    let day = || Day::parse_iso(text).map(of_day);
    text.parse()
        .ok()
        .or_else(day)
        .ok_or_else(|| "expected a time such as 2026-11-01T12:00:00Z or a day such as 2026-11-01".to_owned())
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
