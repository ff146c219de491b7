//! When a publisher posts, and which day is the newest in its file.

use crate::world::Calendar;
use gsi_model::{Day, HOUR, Timestamp};
use serde::Deserialize;

/// A publisher's rule. Hours are counted from midnight UTC of the posting day; 30 is six o'clock on the next morning.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Release {
    Daily {
        hour: i64,
        lag_days: i32,
    },
    /// The lag is counted in open days of the calendar.
    BusinessDays {
        calendar: Calendar,
        hour: i64,
        lag_days: u32,
    },
    /// `weekday` 0 is Monday.
    Weekly {
        weekday: i32,
        hour: i64,
        lag_days: i32,
    },
}

/// The newest posting at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The newest day in the file.
    pub last: Day,
    pub at: Timestamp,
}

impl Release {
    pub fn newest(self, now: Timestamp) -> Posting {
        match self {
            Release::Daily { hour, lag_days } => posting(now.minus(hour * HOUR).day(), hour, lag_days),
            Release::Weekly { weekday, hour, lag_days } => {
                let day = now.minus(hour * HOUR).day();
                let since = (day.weekday() as i32 - weekday).rem_euclid(7);
                posting(day.plus(-since), hour, lag_days)
            }
            Release::BusinessDays { calendar, hour, lag_days } => {
                let last = calendar.before(now.minus(hour * HOUR).day(), lag_days);
                let at = calendar.after(last, lag_days).start().plus(hour * HOUR);
                Posting { last, at }
            }
        }
    }
}

fn posting(day: Day, hour: i64, lag_days: i32) -> Posting {
    Posting { last: day.plus(-lag_days), at: day.start().plus(hour * HOUR) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekly_file_appears_on_its_weekday() {
        let mondays = Release::Weekly { weekday: 0, hour: 15, lag_days: 1 };
        for (now, last, at) in [
            ("2026-11-16T14:59:59Z", "2026-11-08", "2026-11-09T15:00:00Z"),
            ("2026-11-16T15:00:00Z", "2026-11-15", "2026-11-16T15:00:00Z"),
            ("2026-11-22T23:00:00Z", "2026-11-15", "2026-11-16T15:00:00Z"),
        ] {
            let posting = mondays.newest(now.parse().unwrap());
            assert_eq!((posting.last.to_string().as_str(), posting.at.to_string().as_str()), (last, at));
        }
    }
}
