//! Query parameters that several endpoints share.
//!
//! Types of values have no doc comment where OpenAPI describes them: it would repeat the description of the parameter.

use crate::request::cursor::TEXT_LENGTH;
use gsi_model::Timestamp;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;
/// Longest value of a parameter that is free text. The longest actor label is far shorter.
pub(crate) const MAX_TEXT: usize = 100;
/// Longest time: 35 characters with nanoseconds and an offset, and room for longer fractions.
const MAX_TIME: usize = 64;

/// Reads a value with `read`, which returns what is wrong with a bad one. `allowed` describes the good ones.
pub(crate) fn read_value<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    allowed: &str,
    read: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    read(&text).map_err(|problem| D::Error::invalid_value(Unexpected::Other(problem), &allowed))
}

/// Reads a number as JSON writes it, from 0 to `most`.
pub(crate) fn read_number<'de, D: Deserializer<'de>>(deserializer: D, most: f64) -> Result<f64, D::Error> {
    read_value(deserializer, &format!("a decimal number from 0 to {most}"), |text| {
        let is_plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let number: Option<f64> = if is_plain { serde_json::from_str(text).ok() } else { None };
        let number = number.ok_or("is not a decimal number")?;
        if (0.0..=most).contains(&number) { Ok(number) } else { Err("is out of range") }
    })
}

/// The schema of a value, from its JSON.
pub(crate) fn schema_of(json: Value) -> RefOr<Schema> {
    serde_json::from_value(json).unwrap_or_default()
}

/// The place of a page in a list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Paging {
    /// Entries per page.
    #[serde(default)]
    #[param(inline)]
    pub limit: PageLimit,
    /// The `next_cursor` of the previous page, with the same filters.
    #[param(inline)]
    cursor: Option<CursorText>,
}

impl Paging {
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_ref().map(|cursor| cursor.0.as_str())
    }
}

#[derive(Clone, Copy, ToSchema)]
#[schema(value_type = i32, minimum = 1, maximum = 200, default = 50)]
pub struct PageLimit(pub usize);

impl Default for PageLimit {
    fn default() -> Self {
        PageLimit(DEFAULT_LIMIT)
    }
}

impl<'de> Deserialize<'de> for PageLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_value(deserializer, &format!("a whole number from 1 to {MAX_LIMIT}"), |text| {
            let is_whole = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
            let limit: Option<usize> = if is_whole { text.parse().ok() } else { None };
            let limit = limit.ok_or("is not a whole number")?;
            if (1..=MAX_LIMIT).contains(&limit) { Ok(PageLimit(limit)) } else { Err("is out of range") }
        })
    }
}

// Checked where it is used: a bad one is refused as `invalid_cursor`.
#[derive(Deserialize)]
struct CursorText(String);

impl PartialSchema for CursorText {
    fn schema() -> RefOr<Schema> {
        let pattern = format!("^[A-Za-z0-9_-]{{{TEXT_LENGTH}}}$");
        schema_of(json!({ "type": "string", "pattern": pattern, "maxLength": TEXT_LENGTH }))
    }
}

impl ToSchema for CursorText {}

#[derive(Clone, Copy, ToSchema)]
#[schema(value_type = String, format = DateTime, max_length = 64, example = "2026-11-14T23:45:00Z")]
pub struct RequestTime(pub Timestamp);

impl<'de> Deserialize<'de> for RequestTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let allowed = "an RFC 3339 time such as 2026-11-14T23:45:00Z (a + is sent as %2B)";
        read_value(deserializer, allowed, |text| {
            if text.len() > MAX_TIME {
                return Err("is too long");
            }
            Timestamp::parse_rfc3339(text).map(RequestTime).map_err(|_| "is not an RFC 3339 time")
        })
    }
}

impl From<RequestTime> for Timestamp {
    fn from(time: RequestTime) -> Self {
        time.0
    }
}

/// The time that an answer is about. Without it, the answer is about the present.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AsOf {
    /// Answer as it was published at this time. Nothing published then: 404 `no_snapshot`.
    #[param(inline)]
    as_of: Option<RequestTime>,
}

impl AsOf {
    pub fn time(&self) -> Option<Timestamp> {
        self.as_of.map(Timestamp::from)
    }
}

/// A half-open window of time.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields, remote = "Self")]
#[into_params(parameter_in = Query)]
pub struct Window {
    /// From this time on, inclusive; must come before `until`.
    #[param(inline)]
    since: Option<RequestTime>,
    /// Up to this time, exclusive.
    #[param(inline)]
    until: Option<RequestTime>,
}

impl Window {
    pub fn since(&self) -> Option<Timestamp> {
        self.since.map(Timestamp::from)
    }

    pub fn until(&self) -> Option<Timestamp> {
        self.until.map(Timestamp::from)
    }
}

/// Refuses a window that ends before it begins. `remote = "Self"` derives the function that reads the two times.
impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let window = Window::deserialize(deserializer)?;
        match (window.since(), window.until()) {
            (Some(since), Some(until)) if since >= until => {
                Err(D::Error::invalid_value(Unexpected::Other("is not before until"), &"a time before until"))
            }
            _ => Ok(window),
        }
    }
}

#[derive(ToSchema)]
#[schema(pattern = r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$", max_length = 14, example = "3.0.0")]
pub struct MethodVersion(pub String);

impl<'de> Deserialize<'de> for MethodVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_value(deserializer, "a version of the method such as 3.0.0", |text| {
            let is_number =
                |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
            let is_version = text.split('.').count() == 3 && text.split('.').all(is_number);
            if is_version { Ok(MethodVersion(text.to_owned())) } else { Err("is not a version") }
        })
    }
}
