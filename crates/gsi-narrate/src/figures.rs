//! Formats values for texts. All sentences use these functions, so a number looks the same everywhere.

use gsi_model::{DAY, Timestamp, round_half_away, round_significant};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A smaller move is within the score's error and is not news.
pub const NEWS_POINTS: f64 = 3.0;

/// A younger date has no year, because day and month are unambiguous.
const YEARLESS_DAYS: i64 = 300;

/// Whether the rounded move is news: 2.96 is shown as 3.0.
pub fn is_news(delta: f64) -> bool {
    round_half_away(delta, 1).abs() >= NEWS_POINTS
}

pub fn integer(value: f64) -> String {
    format!("{:.0}", round_half_away(value, 0))
}

/// `+9.4` or `-0.3`, with a plain hyphen, which can be typed and searched for.
pub fn signed(value: f64) -> String {
    format!("{:+.1}", round_half_away(value, 1))
}

pub fn one_decimal(value: f64) -> String {
    format!("{:.1}", round_half_away(value.abs(), 1))
}

pub fn two_decimals(value: f64) -> String {
    format!("{:.2}", round_half_away(value, 2))
}

/// A share or a measured value with few digits, without exponent and trailing zeros.
pub fn significant(value: f64, digits: i32) -> String {
    let rounded = round_significant(value, digits);
    let text = format!("{rounded:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A share of one in whole percent. Only 1 gives 100 and only 0 gives 0.
pub fn percent(share: f64) -> String {
    let whole = round_half_away(share.clamp(0.0, 1.0) * 100.0, 0);
    let whole = match share {
        s if s < 1.0 && whole >= 100.0 => 99.0,
        s if s > 0.0 && whole <= 0.0 => 1.0,
        _ => whole,
    };
    format!("{whole:.0}")
}

/// `24 June`, with the year if it could be ambiguous.
pub fn date(at: Timestamp, now: Timestamp) -> String {
    let (year, month, day) = at.day().ymd();
    let name = MONTHS[(month as usize + 11) % 12];
    if now.since(at).abs() < YEARLESS_DAYS * DAY {
        format!("{day} {name}")
    } else {
        format!("{day} {name} {year}")
    }
}

/// `23:45 UTC`.
pub fn clock(at: Timestamp) -> String {
    let minutes = at.second_of_day() / 60;
    format!("{:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// `23:45 UTC on 14 November`.
pub fn moment(at: Timestamp, now: Timestamp) -> String {
    format!("{} on {}", clock(at), date(at, now))
}

/// A past moment: with the time for two days, then the date alone.
pub fn since(at: Timestamp, now: Timestamp) -> String {
    if now.since(at) > 2 * DAY { date(at, now) } else { moment(at, now) }
}

/// Whole parts that add up to the rounded whole (largest remainder; ties go to the earlier part).
pub fn parts_of(values: &[f64], whole: f64) -> Vec<i64> {
    let total = round_half_away(whole, 0) as i64;
    let mut parts: Vec<i64> = values.iter().map(|v| v.max(0.0).floor() as i64).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| {
        let rest = |i: usize| values[i].max(0.0) - values[i].max(0.0).floor();
        rest(b).total_cmp(&rest(a)).then(a.cmp(&b))
    });
    let mut missing = total - parts.iter().sum::<i64>();
    for &i in order.iter().cycle().take(order.len() * 2) {
        if missing <= 0 {
            break;
        }
        parts[i] += 1;
        missing -= 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_have_one_shape() {
        for (value, whole, sign) in
            [(56.5, "57", "+56.5"), (-0.04, "0", "+0.0"), (9.449, "9", "+9.4"), (100.0, "100", "+100.0")]
        {
            assert_eq!(integer(value), whole);
            assert_eq!(signed(value), sign);
        }
        assert_eq!(signed(-3.25), "-3.3");
        for (value, digits, want) in
            [(0.6149, 2, "0.61"), (12.0, 2, "12"), (1234.0, 2, "1200"), (0.0, 2, "0")]
        {
            assert_eq!(significant(value, digits), want);
        }
        for (share, want) in [(1.0, "100"), (0.999, "99"), (0.0, "0"), (0.001, "1"), (0.58, "58")] {
            assert_eq!(percent(share), want);
        }
    }

    #[test]
    fn moves_are_news_after_rounding() {
        for (delta, want) in [(2.94, false), (2.95, true), (-3.0, true), (0.0, false)] {
            assert_eq!(is_news(delta), want, "{delta}");
        }
    }

    #[test]
    fn old_dates_have_a_year() {
        let now = at("2026-11-15T00:00:00Z");
        assert_eq!(date(at("2026-06-24T10:00:00Z"), now), "24 June");
        assert_eq!(date(at("2025-06-24T10:00:00Z"), now), "24 June 2025");
        assert_eq!(since(at("2026-11-14T23:45:00Z"), now), "23:45 UTC on 14 November");
        assert_eq!(since(at("2026-11-03T23:45:00Z"), now), "3 November");
    }

    #[test]
    fn parts_add_up() {
        for (values, whole, want) in [
            (vec![31.4, 15.3, 6.2, 4.1], 57.0, vec![32, 15, 6, 4]),
            (vec![0.0, 0.0, 0.0, 0.0], 0.0, vec![0, 0, 0, 0]),
            (vec![25.0, 25.0, 25.0, 25.0], 100.0, vec![25, 25, 25, 25]),
        ] {
            assert_eq!(parts_of(&values, whole), want);
        }
    }
}
