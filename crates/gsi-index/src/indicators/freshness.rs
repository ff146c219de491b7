//! How current an ageing value still is, and how much it still weighs: fully within its budget, then halving.
//!
//! Freshness falls within hours and lowers coverage and confidence. The weight falls within weeks. If both fell
//! together, a pillar whose loudest feed stops would drift to what its other feeds say, and silence would read as
//! calm.

use crate::method::algebra::{CADENCES_TO_HALF_FRESH, MIN_HALF_LIFE_HOURS};
use gsi_model::{DAY, Day, HOUR, Timestamp};

/// 1 within `cadence + lag`, then halving every two cadences, but no faster than every six hours.
pub fn freshness(age_hours: f64, cadence_hours: f64, lag_hours: f64) -> f64 {
    left(age_hours, cadence_hours, lag_hours, MIN_HALF_LIFE_HOURS)
}

/// The share of a held value's weight that is left: 1 within `cadence + lag` and `full_hours` beyond, then halving
/// every two cadences, but no faster than with the half-life given, which is never shorter than that of freshness.
pub fn holding(
    age_hours: f64,
    cadence_hours: f64,
    lag_hours: f64,
    full_hours: f64,
    half_life_hours: f64,
) -> f64 {
    left(age_hours, cadence_hours, lag_hours + full_hours, half_life_hours.max(MIN_HALF_LIFE_HOURS))
}

fn left(age_hours: f64, cadence_hours: f64, lag_hours: f64, min_half_life_hours: f64) -> f64 {
    let over = age_hours - (cadence_hours + lag_hours);
    if over <= 0.0 {
        return 1.0;
    }
    libm::exp2(-over / (CADENCES_TO_HALF_FRESH * cadence_hours).max(min_half_life_hours))
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
    use crate::method::algebra::MIN_FRESHNESS;

    #[test]
    fn a_held_value_keeps_its_weight_far_longer_than_its_freshness() {
        // A feed with a cadence of a quarter of an hour that has been silent for a day and a half.
        let (fresh, held) = (freshness(36.0, 0.25, 0.75), holding(36.0, 0.25, 0.75, 72.0, 168.0));
        assert!(fresh < MIN_FRESHNESS && held == 1.0, "{fresh} {held}");
        assert_eq!(holding(1.0, 0.25, 0.75, 0.0, 168.0), 1.0);
        assert!((holding(169.0, 0.25, 0.75, 0.0, 168.0) - 0.5).abs() < 1e-12);
        assert!((holding(241.0, 0.25, 0.75, 72.0, 168.0) - 0.5).abs() < 1e-12);
        // Weight never reaches zero before freshness does, and a slow feed fades at its own pace.
        for (age, cadence) in [(36.0, 0.25), (500.0, 24.0), (5000.0, 744.0)] {
            for half_life in [0.1, 168.0] {
                assert!(holding(age, cadence, 1.0, 0.0, half_life) >= freshness(age, cadence, 1.0));
            }
        }
        assert_eq!(holding(5000.0, 744.0, 1.0, 0.0, 168.0), freshness(5000.0, 744.0, 1.0));
    }

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
