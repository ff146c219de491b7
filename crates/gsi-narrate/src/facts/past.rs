//! Compares the present with the published past: records, streaks and the usual size of a day's move.

use super::Sign;
use gsi_model::{DAY, Timestamp, round_half_away};

/// The minimum number of days over which a record is news.
pub const RECORD_DAYS: i64 = 30;
/// The minimum distance between a record and the rest of its window.
const RECORD_RISE: f64 = crate::figures::NEWS_POINTS;
const MIN_STREAK_DAYS: usize = 3;
/// The minimum history for a trend.
const TREND_SECONDS: i64 = 72 * 3_600;
const USUAL_DAYS: usize = 90;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The last value of each UTC day before today, newest first, at most `USUAL_DAYS` of them.
    closes: Vec<(i32, f64)>,
    today: i32,
    span_seconds: i64,
    /// The usual size of a day's move: 1.4826 times the median absolute deviation of 90 daily moves, at least 1.
    pub usual_move: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    pub sign: Sign,
    /// The last time the value was as extreme, or the beginning of the history.
    pub since: Timestamp,
    pub whole_history: bool,
}

impl Past {
    pub fn new(history: &[(Timestamp, f64)], now: Timestamp) -> Past {
        let before = || history.iter().rev().filter(|(t, _)| *t < now);
        let mut closes: Vec<(i32, f64)> = Vec::with_capacity(USUAL_DAYS + 2);
        for (t, value) in before() {
            // A close at midnight belongs to the day that ended then.
            let day = t.minus(1).day().0;
            if day >= now.minus(1).day().0 || closes.last().is_some_and(|c| c.0 <= day) {
                continue;
            }
            closes.push((day, *value));
            if closes.len() > USUAL_DAYS {
                break;
            }
        }
        let span_seconds = before().next_back().map_or(0, |(t, _)| now.since(*t));
        let mut moves: Vec<f64> =
            closes.windows(2).filter(|w| w[0].0 == w[1].0 + 1).map(|w| w[0].1 - w[1].1).collect();
        let usual_move = if moves.len() >= 20 {
            let middle = median(&mut moves);
            let mut off: Vec<f64> = moves.iter().map(|m| (m - middle).abs()).collect();
            (1.4826 * median(&mut off)).max(1.0)
        } else {
            1.0
        };
        Past { closes, today: now.minus(1).day().0, span_seconds, usual_move }
    }

    pub fn has_trend(&self) -> bool {
        self.span_seconds >= TREND_SECONDS
    }

    /// Whether there are enough daily moves to know the usual range.
    pub fn knows_usual(&self) -> bool {
        self.closes.len() as i64 >= RECORD_DAYS
    }

    /// Returns the direction and the number of days in a row with moves in one direction up to now, if the sum is news.
    pub fn streak(&self, value: f64) -> Option<(Sign, usize)> {
        let mut newer = value;
        let mut sign = None;
        let mut days = 0;
        let mut expected = self.today - 1;
        for &(day, close) in &self.closes {
            let step = Sign::from_change(round_half_away(newer - close, 1));
            if step == Sign::Flat || day != expected || sign.is_some_and(|s| s != step) {
                break;
            }
            sign = Some(step);
            days += 1;
            newer = close;
            expected = day - 1;
        }
        let news = crate::figures::is_news(value - newer);
        (days >= MIN_STREAK_DAYS && news).then(|| sign.map(|s| (s, days))).flatten()
    }
}

/// Returns the record that `value` sets, if it is the highest or lowest for at least [`RECORD_DAYS`] days.
pub fn record(history: &[(Timestamp, f64)], value: f64, now: Timestamp) -> Option<Record> {
    // Texts round to whole points, so a record by less than a tenth is not visible.
    const TIE: f64 = 0.05;
    let find = |sign: Sign| -> Option<Record> {
        let (mut far, mut oldest) = (value, now);
        for &(t, v) in history.iter().rev().filter(|(t, _)| *t < now) {
            let matched = if sign == Sign::Up { v >= value - TIE } else { v <= value + TIE };
            if matched {
                let enough = now.since(t) >= RECORD_DAYS * DAY && (value - far).abs() >= RECORD_RISE;
                return enough.then_some(Record { sign, since: t, whole_history: false });
            }
            far = if sign == Sign::Up { far.min(v) } else { far.max(v) };
            oldest = t;
        }
        let enough = now.since(oldest) >= RECORD_DAYS * DAY && (value - far).abs() >= RECORD_RISE;
        enough.then_some(Record { sign, since: oldest, whole_history: true })
    };
    find(Sign::Up).or_else(|| find(Sign::Down))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daily(values: &[f64]) -> (Vec<(Timestamp, f64)>, Timestamp) {
        let start = Timestamp::from_ymd(2026, 1, 1).unwrap();
        let points = values.iter().enumerate().map(|(i, v)| (start.plus((i as i64 + 1) * DAY), *v)).collect();
        (points, start.plus((values.len() as i64 + 1) * DAY))
    }

    #[test]
    fn records_need_a_window_and_a_rise() {
        let check = |values: &[f64], now_value: f64, want: Option<(Sign, bool)>| {
            let (history, now) = daily(values);
            let got = record(&history, now_value, now).map(|r| (r.sign, r.whole_history));
            assert_eq!(got, want, "{now_value} after {values:?}");
        };
        check(&[30.0; 40], 30.0, None);
        check(&[30.0; 40], 32.0, None);
        check(&[30.0; 40], 35.0, Some((Sign::Up, true)));
        check(&[30.0; 40], 26.0, Some((Sign::Down, true)));
        check(&[30.0; 10], 40.0, None);
        let mut old_peak = vec![50.0; 3];
        old_peak.extend([30.0; 40]);
        check(&old_peak, 45.0, Some((Sign::Up, false)));
        let mut new_peak = vec![30.0; 40];
        new_peak.extend([50.0; 3]);
        check(&new_peak, 45.0, None);
    }

    #[test]
    fn streaks_count_days_and_points() {
        let check = |values: &[f64], now_value: f64, want: Option<(Sign, usize)>| {
            let (history, now) = daily(values);
            // The current value is the close of the day after the history.
            assert_eq!(Past::new(&history, now).streak(now_value), want, "{values:?}");
        };
        check(&[30.0, 31.0, 32.0, 33.0], 36.0, Some((Sign::Up, 4)));
        check(&[30.0, 31.0, 30.0, 33.0], 36.0, None);
        check(&[30.0, 30.2, 30.4, 30.6], 30.8, None);
        check(&[40.0, 38.0, 37.0, 36.0], 35.0, Some((Sign::Down, 4)));
        check(&[], 35.0, None);
    }
}
