//! How much an ageing value still counts: fully within its budget, then halving.

use gsi_model::{DAY, Day, HOUR, Timestamp};

/// Even a fast feed keeps half its weight this long after its budget ran out.
const MIN_HALF_LIFE_HOURS: f64 = 6.0;
/// Below this a value no longer counts at all.
pub const MIN_FRESHNESS: f64 = 0.05;

/// 1 within `cadence + lag`, then halving every two cadences, but no faster than every six hours.
pub fn freshness(age_hours: f64, cadence_hours: f64, lag_hours: f64) -> f64 {
    let over = age_hours - (cadence_hours + lag_hours);
    if over <= 0.0 {
        return 1.0;
    }
    libm::exp2(-over / (2.0 * cadence_hours).max(MIN_HALF_LIFE_HOURS))
}

/// Hours from `from` to `to` that fall on Monday to Friday.
pub fn business_hours(from: Timestamp, to: Timestamp) -> f64 {
    if to <= from {
        return 0.0;
    }
    (weekday_seconds(to) - weekday_seconds(from)) as f64 / HOUR as f64
}

/// Seconds of Monday to Friday between a fixed Monday and this instant.
fn weekday_seconds(t: Timestamp) -> i64 {
    let day = t.day();
    // 1970-01-05 was a Monday.
    let days = i64::from(day.0) - i64::from(Day(4).0);
    let (weeks, weekday) = (days.div_euclid(7), days.rem_euclid(7));
    let whole = weeks * 5 + weekday.min(5);
    let today = if weekday < 5 { t.second_of_day() } else { 0 };
    whole * DAY + today
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_then_halving() {
        for (age, cadence, lag, want) in [
            (30.0, 24.0, 6.0, 1.0),
            (54.0, 24.0, 6.0, 0.5f64.sqrt()),
            (2.0, 0.25, 0.25, 0.8408964152537145),
            (960.0, 744.0, 168.0, 0.977888536),
        ] {
            assert!((freshness(age, cadence, lag) - want).abs() < 1e-9, "{age}");
        }
    }

    #[test]
    fn weekends_do_not_age() {
        let at = |s: &str| s.parse::<Timestamp>().unwrap();
        for (from, to, want) in [
            // 2026-11-13 is a Friday.
            ("2026-11-13T00:00:00Z", "2026-11-14T00:00:00Z", 24.0),
            ("2026-11-14T00:00:00Z", "2026-11-16T00:00:00Z", 0.0),
            ("2026-11-13T18:00:00Z", "2026-11-16T06:00:00Z", 12.0),
            ("2026-11-09T00:00:00Z", "2026-11-23T00:00:00Z", 240.0),
            ("2026-11-15T12:00:00Z", "2026-11-15T13:00:00Z", 0.0),
            ("2026-11-15T13:00:00Z", "2026-11-15T12:00:00Z", 0.0),
        ] {
            assert_eq!(business_hours(at(from), at(to)), want, "{from} {to}");
        }
    }
}
