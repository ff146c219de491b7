//! JSON documents of web APIs. A success status may carry an error message.

use crate::refusal::{self, refuse};
use crate::{Fetcher, Request, unpack};
use gsi_model::{PayloadRefusal, RefusalCode, Reject, Timestamp};
use serde_json::Value;

/// The largest documents of the publishers, of about 10 MB, need a third of it.
const MAX_MEMORY: usize = 256 << 20;

/// Refuses a document that would need too much memory: an object of eight bytes takes seven hundred once it is parsed.
pub fn check_memory(body: &[u8]) -> Result<(), PayloadRefusal> {
    /// A map allocates room for eleven entries.
    const OBJECT: usize = 700;
    /// A list grows by doubling, and a map of many entries is half full.
    const VALUE: usize = 128;
    /// An allocation in addition to the text.
    const TEXT: usize = 32;
    let mut memory = body.len();
    let mut is_text = false;
    let mut bytes = body.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                is_text = !is_text;
                memory += TEXT / 2;
            }
            b'\\' if is_text => _ = bytes.next(),
            _ if is_text => {}
            b'{' => memory += OBJECT,
            b'[' | b',' => memory += VALUE,
            _ => {}
        }
    }
    if memory > MAX_MEMORY {
        return refuse(RefusalCode::TooLarge, format!("needs up to {memory} bytes of memory"));
    }
    Ok(())
}

pub fn document(body: &[u8]) -> Result<Value, PayloadRefusal> {
    check_memory(body)?;
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => {
            // Some APIs write `error: null` or an empty text if there is no error.
            let error = value
                .get("error")
                .filter(|e| !e.is_null() && e.as_str() != Some("") && **e != Value::Bool(false));
            match error {
                Some(error) => refuse(RefusalCode::ErrorBody, refusal::extract(error.to_string().as_bytes())),
                None => Ok(value),
            }
        }
        Err(e) => refuse(RefusalCode::BadJson, format!("broken off or damaged at line {}", e.line())),
    }
}

/// Fetches one JSON document.
pub async fn fetch(fetcher: &Fetcher, mut request: Request) -> Result<Value, PayloadRefusal> {
    request.accept = "application/json";
    document(&unpack(&fetcher.get(&request).await?.bytes, request.max_bytes)?)
}

pub fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, PayloadRefusal> {
    let found = if key.is_empty() { value.as_array() } else { value.get(key).and_then(Value::as_array) };
    found.ok_or_else(|| PayloadRefusal::new(RefusalCode::Schema, format!("no list {key}")))
}

pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).map_or("", str::trim)
}

pub fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(Value::as_f64).filter(|n| n.is_finite())
}

/// Returns the latitude and longitude of a GeoJSON feature, if it has a geometry. A shape other than a point and a place off
/// the globe are rejected.
pub fn position(feature: &Value) -> Result<Option<(f64, f64)>, Reject> {
    let Some(geometry) = feature.get("geometry").filter(|g| !g.is_null()) else { return Ok(None) };
    if text(geometry, "type") != "Point" {
        return Err(Reject::Geometry);
    }
    let Some(coordinates) = geometry.get("coordinates").filter(|c| !c.is_null()) else { return Ok(None) };
    let within = |i: usize, most: f64| coordinates.get(i)?.as_f64().filter(|n| n.abs() <= most);
    match (within(1, 90.0), within(0, 180.0)) {
        (Some(latitude), Some(longitude)) => Ok(Some((latitude, longitude))),
        _ => Err(Reject::Geo),
    }
}

/// Parses milliseconds since 1970. A time with a year of more than four digits is rejected, so that it cannot wrap around to
/// a plausible one.
pub fn millis(value: &Value) -> Option<Timestamp> {
    let at = Timestamp::from_unix(value.as_i64()?.div_euclid(1_000));
    (Timestamp::MIN..=Timestamp::MAX).contains(&at).then_some(at)
}

/// Parses RFC 3339, or the same in UTC without a zone and with a blank instead of the `T`.
pub fn time(text: &str) -> Option<Timestamp> {
    if let Ok(at) = Timestamp::parse_rfc3339(text) {
        return Some(at);
    }
    let bare = text.get(..19)?;
    let rest = &text[19..];
    let zoneless =
        rest.is_empty() || (rest.starts_with('.') && rest[1..].bytes().all(|b| b.is_ascii_digit()));
    zoneless.then(|| Timestamp::parse_rfc3339(&format!("{}Z", bare.replace(' ', "T"))).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_and_without_zone() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(time(text).map(|t| t.to_string()).as_deref(), want, "{text}");
        };
        check("2026-08-25T20:57:25.789152+00:00", Some("2026-08-25T20:57:25Z"));
        check("2026-11-18 00:00:00.000000", Some("2026-11-18T00:00:00Z"));
        check("2026-06-26T11:34:41", Some("2026-06-26T11:34:41Z"));
        for bad in
            ["", "2026-08-25", "yesterday, at about ten", "2026-13-01 00:00:00", "2026-08-25T20:57:25 onion"]
        {
            check(bad, None);
        }
    }

    #[test]
    fn positions() {
        let check = |geometry: &str, want: Result<Option<(f64, f64)>, Reject>| {
            let feature = format!(r#"{{"geometry":{geometry}}}"#);
            assert_eq!(position(&serde_json::from_str(&feature).unwrap()), want, "{geometry}");
        };
        let point = |coordinates: &str| format!(r#"{{"type":"Point","coordinates":{coordinates}}}"#);
        check(&point("[142.5,-7.25,10]"), Ok(Some((-7.25, 142.5))));
        check(&point("[-180,90]"), Ok(Some((90.0, -180.0))));
        check(&point("null"), Ok(None));
        check(r#"{"type":"Point"}"#, Ok(None));
        check("null", Ok(None));
        for bad in ["[1]", "[]", "[1,90.5]", "[181,1]", r#"["1","2"]"#, "[null,1]", "7"] {
            check(&point(bad), Err(Reject::Geo));
        }
        check(r#"{"type":"Polygon","coordinates":[[[1,2]]]}"#, Err(Reject::Geometry));
        check("[]", Err(Reject::Geometry));
    }

    #[test]
    fn milliseconds_within_the_calendar() {
        let check = |ms: i64, want: Option<&str>| {
            assert_eq!(millis(&ms.into()).map(|t| t.to_string()).as_deref(), want, "{ms}");
        };
        check(1_794_700_800_999, Some("2026-11-15T00:00:00Z"));
        check(-1, Some("1969-12-31T23:59:59Z"));
        // This number of days wraps 32 bits around to the epoch.
        for wild in [i64::MAX, i64::MIN, (1 << 32) * 86_400_000] {
            check(wild, None);
        }
    }

    #[test]
    fn documents_that_need_too_much_memory_are_refused() {
        let check = |piece: &str, times: usize, want: &str| {
            let body = format!("[{}0]", piece.repeat(times));
            assert_eq!(document(body.as_bytes()).map_or_else(|r| r.code.key(), |_| "ok"), want, "{piece}");
        };
        check("0,", 1_000, "ok");
        check("0,", 3_000_000, "too_large");
        check("{},", 400_000, "too_large");
        check("[],", 2_000_000, "too_large");
        check("\"\\\"{,[\",", 400_000, "ok");
    }

    #[test]
    fn errors_with_a_success_status_are_refused() {
        let check = |body: &str, want: &str| {
            assert_eq!(document(body.as_bytes()).map_or_else(|r| r.code.key(), |_| "ok"), want, "{body}");
        };
        check(r#"{"error":null,"data":[]}"#, "ok");
        check(r#"{"error":"","data":[]}"#, "ok");
        check(r#"{"error":"no such entity"}"#, "error_body");
        check(r#"{"error":{"code":400}}"#, "error_body");
        check(r#"{"data":["#, "bad_json");
    }
}
