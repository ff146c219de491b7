//! The service's time: whole seconds, UTC, and ticks every quarter of an hour.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

pub const MINUTE: i64 = 60;
pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 86_400;
/// Snapshots are computed at :00, :15, :30 and :45.
pub const TICK: i64 = 15 * MINUTE;

/// An instant in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 time such as 2026-11-14T23:45:00Z")]
pub struct TimeError;

impl Timestamp {
    /// 0000-01-01 and 9999-12-31T23:59:59: the range of a year with four digits.
    pub const MIN: Timestamp = Timestamp(-62_167_219_200);
    pub const MAX: Timestamp = Timestamp(253_402_300_799);

    pub const fn from_unix(seconds: i64) -> Self {
        Timestamp(seconds)
    }

    pub const fn unix(self) -> i64 {
        self.0
    }

    /// Returns midnight at the start of a calendar day, or `None` if there is no such day.
    pub fn from_ymd(year: i16, month: i8, day: i8) -> Option<Self> {
        Day::from_ymd(year, month, day).map(Day::start)
    }

    pub const fn plus(self, seconds: i64) -> Self {
        Timestamp(self.0.saturating_add(seconds))
    }

    pub const fn minus(self, seconds: i64) -> Self {
        Timestamp(self.0.saturating_sub(seconds))
    }

    /// Returns the seconds from `earlier` to `self`; negative when `earlier` is later.
    pub const fn since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the tick at or before this instant.
    pub const fn floor_tick(self) -> Self {
        Timestamp(self.0.div_euclid(TICK) * TICK)
    }

    /// Returns the first tick strictly after this instant.
    pub const fn next_tick(self) -> Self {
        Timestamp((self.0.div_euclid(TICK) + 1) * TICK)
    }

    pub const fn is_tick(self) -> bool {
        self.0.rem_euclid(TICK) == 0
    }

    pub const fn day(self) -> Day {
        Day(self.0.div_euclid(DAY) as i32)
    }

    /// Returns the seconds since midnight UTC.
    pub const fn second_of_day(self) -> i64 {
        self.0.rem_euclid(DAY)
    }

    /// Returns whether the next tick belongs to another day.
    pub const fn is_last_tick_of_day(self) -> bool {
        self.second_of_day() == DAY - TICK
    }

    /// Strict RFC 3339. A fraction of a second is dropped; a leap second is read as the second before it.
    pub fn parse_rfc3339(text: &str) -> Result<Self, TimeError> {
        let b = text.as_bytes();
        if !has_rfc3339_shape(b) {
            return Err(TimeError);
        }
        let instant: jiff::Timestamp = text.parse().map_err(|_| TimeError)?;
        Ok(Timestamp(instant.as_second().div_euclid(1)))
    }

    /// The compact form of GDELT file stamps, `YYYYMMDDHHMMSS`.
    pub fn parse_compact(text: &[u8]) -> Option<Self> {
        if text.len() != 14 || !text.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let n = |r: std::ops::Range<usize>| text[r].iter().fold(0i64, |a, d| a * 10 + i64::from(d - b'0'));
        let (h, m, s) = (n(8..10), n(10..12), n(12..14));
        if h > 23 || m > 59 || s > 59 {
            return None;
        }
        let day = Day::from_ymd(n(0..4) as i16, n(4..6) as i8, n(6..8) as i8)?;
        Some(day.start().plus(h * HOUR + m * MINUTE + s))
    }

    /// `YYYYMMDDHHMMSS`, the inverse of [`Timestamp::parse_compact`].
    pub fn to_compact(self) -> String {
        let (d, t) = (self.day().civil(), self.second_of_day());
        format!(
            "{:04}{:02}{:02}{:02}{:02}{:02}",
            d.year(),
            d.month(),
            d.day(),
            t / HOUR,
            t % HOUR / MINUTE,
            t % MINUTE
        )
    }
}

fn has_rfc3339_shape(b: &[u8]) -> bool {
    let digits = |r: std::ops::Range<usize>| b.get(r).is_some_and(|s| s.iter().all(u8::is_ascii_digit));
    if !(b.len() >= 20
        && digits(0..4)
        && b[4] == b'-'
        && digits(5..7)
        && b[7] == b'-'
        && digits(8..10)
        && matches!(b[10], b'T' | b't')
        && digits(11..13)
        && b[13] == b':'
        && digits(14..16)
        && b[16] == b':'
        && digits(17..19))
    {
        return false;
    }
    let mut i = 19;
    if b[i] == b'.' {
        let end = b[i + 1..].iter().position(|c| !c.is_ascii_digit()).map_or(b.len(), |p| i + 1 + p);
        if end == i + 1 || end - i > 10 {
            return false;
        }
        i = end;
    }
    match b.get(i) {
        Some(b'Z' | b'z') => i + 1 == b.len(),
        Some(b'+' | b'-') => {
            i + 6 == b.len() && digits(i + 1..i + 3) && b[i + 3] == b':' && digits(i + 4..i + 6)
        }
        _ => false,
    }
}

/// The wire form: `2026-11-14T23:45:00Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (d, t) = (self.day().civil(), self.second_of_day());
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            d.year(),
            d.month(),
            d.day(),
            t / HOUR,
            t % HOUR / MINUTE,
            t % MINUTE
        )
    }
}

impl FromStr for Timestamp {
    type Err = TimeError;
    fn from_str(text: &str) -> Result<Self, TimeError> {
        Self::parse_rfc3339(text)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A UTC calendar day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

impl Day {
    pub fn from_ymd(year: i16, month: i8, day: i8) -> Option<Self> {
        let date = jiff::civil::Date::new(year, month, day).ok()?;
        let epoch = jiff::civil::date(1970, 1, 1);
        Some(Day(epoch.until(date).ok()?.get_days()))
    }

    /// `YYYY-MM-DD`, exactly.
    pub fn parse_iso(text: &str) -> Option<Self> {
        let is_iso = text.len() == 10
            && text
                .bytes()
                .enumerate()
                .all(|(i, b)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() });
        if !is_iso {
            return None;
        }
        Day::from_ymd(text[0..4].parse().ok()?, text[5..7].parse().ok()?, text[8..10].parse().ok()?)
    }

    /// The first day of the month `months_later` months after this day's, or before it if negative.
    pub fn month_start(self, months_later: i32) -> Day {
        let (year, month, _) = self.ymd();
        let months = i32::from(year) * 12 + i32::from(month) - 1 + months_later;
        // Days have a year of four digits or less, and no caller asks for months millennia away.
        Day::from_ymd(months.div_euclid(12) as i16, months.rem_euclid(12) as i8 + 1, 1).unwrap_or(self)
    }

    pub const fn start(self) -> Timestamp {
        Timestamp(self.0 as i64 * DAY)
    }

    /// Midnight at the end of the day, which is the start of the next.
    pub const fn end(self) -> Timestamp {
        Timestamp((self.0 as i64 + 1) * DAY)
    }

    pub const fn plus(self, days: i32) -> Self {
        Day(self.0 + days)
    }

    /// 0 = Monday … 6 = Sunday.
    pub const fn weekday(self) -> usize {
        (self.0 + 3).rem_euclid(7) as usize
    }

    pub const fn is_weekend(self) -> bool {
        self.weekday() >= 5
    }

    pub fn civil(self) -> jiff::civil::Date {
        let unix = jiff::Timestamp::from_second(self.0 as i64 * DAY).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        jiff::tz::Offset::UTC.to_datetime(unix).date()
    }

    /// Year, month (1–12), day of month (1–31).
    pub fn ymd(self) -> (i16, i8, i8) {
        let d = self.civil();
        (d.year(), d.month(), d.day())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (y, m, d) = self.ymd();
        write!(f, "{y:04}-{m:02}-{d:02}")
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Day::parse_iso(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not a day")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_in_and_out() {
        let check = |text: &str, want: Option<&str>| {
            let got = Timestamp::parse_rfc3339(text).ok().map(|t| t.to_string());
            assert_eq!(got.as_deref(), want, "{text}");
        };
        check("2026-11-14T23:45:00Z", Some("2026-11-14T23:45:00Z"));
        check("2026-11-14t23:45:00.999z", Some("2026-11-14T23:45:00Z"));
        check("2026-11-15T00:45:00+01:00", Some("2026-11-14T23:45:00Z"));
        check("1969-12-31T23:59:59Z", Some("1969-12-31T23:59:59Z"));
        for bad in [
            "",
            "2026-11-14",
            "2026-11-14 23:45:00Z",
            "2026-11-14T23:45Z",
            "2026-11-14T23:45:00",
            "2026-02-30T00:00:00Z",
            "2026-11-14T25:00:00Z",
            "2026-11-14T23:45:00.Z",
            "2026-11-14T23:45:00Z[UTC]",
            "20261114T234500Z",
            "２026-11-14T23:45:00Z",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn compact_stamps() {
        let t = Timestamp::parse_compact(b"20250820163000").unwrap();
        assert_eq!(t.to_string(), "2025-08-20T16:30:00Z");
        assert_eq!(t.to_compact(), "20250820163000");
        assert_eq!(Timestamp::parse_compact(b"20250820163060"), None);
        assert_eq!(Timestamp::parse_compact(b"20251320163000"), None);
    }

    #[test]
    fn ticks_and_days() {
        let t: Timestamp = "2026-11-14T23:52:10Z".parse().unwrap();
        assert_eq!(t.floor_tick().to_string(), "2026-11-14T23:45:00Z");
        assert_eq!(t.next_tick().to_string(), "2026-11-15T00:00:00Z");
        assert_eq!(t.day().to_string(), "2026-11-14");
        assert_eq!(t.day().weekday(), 5);
        assert_eq!(Day::parse_iso("2024-02-29").unwrap().plus(1).to_string(), "2024-03-01");
        for bad in ["2023-02-29", "+202-+1-+1", "2024-2-29", "2024/02/29", "2024-02-2\u{661}", ""] {
            assert_eq!(Day::parse_iso(bad), None, "{bad}");
        }
        let months = |text: &str, later| Day::parse_iso(text).unwrap().month_start(later).to_string();
        assert_eq!(months("2026-11-15", 0), "2026-11-01");
        assert_eq!([months("2026-12-31", 1), months("2026-01-31", -1)], ["2027-01-01", "2025-12-01"]);
    }
}
