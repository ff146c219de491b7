//! Business days: weekends and the public holidays that leave gaps in the daily series.

use gsi_model::Day;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calendar {
    /// United States federal holidays.
    UnitedStates,
    /// The oil market in London.
    London,
    /// The euro payment system.
    Target,
}

impl Calendar {
    pub fn is_open(self, day: Day) -> bool {
        if day.is_weekend() {
            return false;
        }
        let (_, m, d) = day.ymd();
        if (m, d) == (1, 1) || (m, d) == (12, 25) {
            return false;
        }
        match self {
            Calendar::UnitedStates => !us_holiday(day),
            Calendar::London => (m, d) != (12, 26) && easter(day).plus(-2) != day,
            Calendar::Target => {
                let e = easter(day);
                (m, d) != (12, 26) && (m, d) != (5, 1) && e.plus(-2) != day && e.plus(1) != day
            }
        }
    }

    /// Returns the `n`-th open day after `day`.
    pub fn after(self, day: Day, n: u32) -> Day {
        let (mut at, mut left) = (day, n);
        while left > 0 {
            at = at.plus(1);
            if self.is_open(at) {
                left -= 1;
            }
        }
        at
    }

    /// Returns the newest open day whose `n`-th open successor is not after `day`.
    pub fn before(self, day: Day, n: u32) -> Day {
        let mut at = day;
        while !self.is_open(at) || self.after(at, n) > day {
            at = at.plus(-1);
        }
        at
    }
}

fn us_holiday(day: Day) -> bool {
    let (y, m, d) = day.ymd();
    let nth_monday = |n: i8| day.weekday() == 0 && (d - 1) / 7 + 1 == n;
    let fixed = |month: i8, date: i8| {
        // Observed on Friday when it falls on Saturday, on Monday when on Sunday.
        (m, d) == (month, date)
            || (day.weekday() == 4 && day.plus(1).ymd() == (y, month, date))
            || (day.weekday() == 0 && day.plus(-1).ymd() == (y, month, date))
    };
    match m {
        1 => nth_monday(3) || fixed(1, 1),
        2 => nth_monday(3),
        5 => day.weekday() == 0 && d > 24,
        6 => y >= 2021 && fixed(6, 19),
        7 => fixed(7, 4),
        9 => nth_monday(1),
        10 => nth_monday(2),
        11 => fixed(11, 11) || (day.weekday() == 3 && (d - 1) / 7 + 1 == 4),
        12 => fixed(12, 25),
        _ => false,
    }
}

/// Returns Easter Sunday of the day's year (Gregorian computus).
fn easter(day: Day) -> Day {
    let y = i32::from(day.ymd().0);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let n = h + l - 7 * m + 114;
    Day::from_ymd(y as i16, (n / 31) as i8, (n % 31 + 1) as i8).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_days() {
        let day = |t: &str| Day::parse_iso(t).unwrap();
        let check = |calendar: Calendar, text: &str, open: bool| {
            assert_eq!(calendar.is_open(day(text)), open, "{calendar:?} {text}");
        };
        use Calendar::*;
        check(UnitedStates, "2026-11-26", false);
        check(UnitedStates, "2026-11-27", true);
        check(UnitedStates, "2026-07-03", false);
        check(UnitedStates, "2024-01-15", false);
        check(UnitedStates, "2026-05-25", false);
        check(UnitedStates, "2026-11-14", false);
        check(London, "2024-03-29", false);
        check(London, "2026-11-26", true);
        check(Target, "2024-04-01", false);
        check(Target, "2026-05-01", false);
        check(Target, "2026-12-24", true);
        assert_eq!(UnitedStates.after(day("2026-11-25"), 2), day("2026-11-30"));
        assert_eq!(UnitedStates.before(day("2026-11-30"), 2), day("2026-11-25"));
    }
}
