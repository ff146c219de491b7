//! Query strings as the publishers' servers read them.

use gsi_model::{Day, Timestamp};
use percent_encoding::percent_decode_str;

/// Returns the decoded value of a parameter; `+` is a space.
pub fn value(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key) == name).then(|| decode(value))
    })
}

fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

pub fn number(query: &str, name: &str) -> Option<i64> {
    value(query, name)?.parse().ok()
}

/// Reads a date, or the date part of a date and time.
pub fn day(query: &str, name: &str) -> Option<Day> {
    value(query, name).and_then(|text| Day::parse_iso(text.get(..10)?))
}

pub fn unix(query: &str, name: &str) -> Option<Timestamp> {
    number(query, name).map(Timestamp::from_unix)
}
