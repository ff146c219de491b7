//! Answers of the ArcGIS server of both PortWatch feeds, and the quarters in which their history is read.

use crate::formats::json;
use crate::refusal::refuse;
use gsi_model::{Day, PayloadRefusal, RefusalCode, Timestamp};
use serde_json::Value;

pub const HOSTS: &[&str] = &["services9.arcgis.com"];
/// The data of both feeds begin in this year.
const FIRST_YEAR: i16 = 2019;

/// Returns the rows of an answer.
pub fn attributes(document: &Value) -> Result<impl Iterator<Item = &Value>, PayloadRefusal> {
    let features = json::array(document, "features")?;
    // A throttled answer is empty. A window without a single ship in the world does not exist.
    if features.is_empty() {
        return refuse(RefusalCode::Empty, "no rows for a time that has rows");
    }
    Ok(features.iter().map(|feature| feature.get("attributes").unwrap_or(&Value::Null)))
}

/// Reads the date column, which has been a number of milliseconds, a text, and once had another name.
pub fn day(attributes: &Value) -> Option<Day> {
    match attributes.get("date").or_else(|| attributes.get("date_"))? {
        Value::String(text) => Day::parse_iso(text.get(..10)?),
        ms => json::millis(ms).map(Timestamp::day),
    }
}

/// One quarter of a year.
pub struct Quarter {
    /// For example `2026q3`.
    pub name: String,
    pub start: Day,
    /// The day after its last.
    pub end: Day,
}

/// Returns the quarters that begin before `before`, newest first.
pub fn quarters(before: Day) -> impl Iterator<Item = Quarter> {
    let months_into_quarter = i32::from(before.ymd().1 - 1) % 3;
    let newest = before.month_start(-months_into_quarter);
    let starts = (0..).map(move |back| newest.month_start(-3 * back));
    let starts = starts.take_while(|start| start.ymd().0 >= FIRST_YEAR);
    starts.filter(move |start| *start < before).map(|start| {
        let (year, month, _) = start.ymd();
        Quarter { name: format!("{year}q{}", (month + 2) / 3), start, end: start.month_start(3) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_go_back_to_the_first() {
        let names = |before: &str| -> Vec<String> {
            quarters(Day::parse_iso(before).unwrap())
                .map(|q| format!("{} {} {}", q.name, q.start, q.end))
                .collect()
        };
        assert_eq!(names("2019-07-01"), ["2019q2 2019-04-01 2019-07-01", "2019q1 2019-01-01 2019-04-01"]);
        assert_eq!(names("2026-08-17")[0], "2026q3 2026-07-01 2026-10-01");
        assert_eq!(names("2026-08-17").len(), 31);
    }
}
