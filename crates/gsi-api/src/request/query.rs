//! Query parameters, read strictly: what is not declared, is doubled, or is out of range is named and refused.
//!
//! Reading a parameter declares it. The OpenAPI document is made by reading an empty query and writing down what was
//! asked for, so that it states the bounds that are checked.

use crate::problem::{ParameterProblem, RequestRefusal};
use crate::representation::form::AnswerForm;
use crate::request::cursor::TEXT_LENGTH;
use axum::extract::FromRequestParts;
use gsi_model::{AlertRuleKind, Category, CountryCode, EventStatus, LayerKey, Pillar, Timestamp};
use http::request::Parts;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use utoipa::openapi::path::Parameter;

pub(crate) const DEFAULT_LIMIT: usize = 50;
pub(crate) const MAX_LIMIT: usize = 200;
/// Longest text of a free-form value; the longest actor label is far shorter.
pub(crate) const MAX_TEXT: usize = 100;
/// A repeatable parameter may be given this often; more values than that is no longer a filter.
pub(crate) const MAX_REPEATS: usize = 50;

const TAG_PATTERN: &str = "^[A-Za-z0-9_:-]{1,100}$";
/// A time with nanoseconds and an offset has 35 characters; the rest is room for longer fractions.
const MAX_TIME: usize = 64;
/// Three numbers of up to four digits.
const VERSION_PATTERN: &str = r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$";
const MAX_VERSION: usize = 14;
/// Four numbers with all their digits.
const MAX_BBOX: usize = 103;
/// Four plain decimal numbers within the degrees of the globe.
const BBOX_PATTERN: &str = concat!(
    "^(-?(0|[1-9][0-9]?|1[0-7][0-9])(\\.[0-9]{1,20})?|-?180(\\.0{1,20})?),",
    "(-?(0|[1-8]?[0-9])(\\.[0-9]{1,20})?|-?90(\\.0{1,20})?),",
    "(-?(0|[1-9][0-9]?|1[0-7][0-9])(\\.[0-9]{1,20})?|-?180(\\.0{1,20})?),",
    "(-?(0|[1-8]?[0-9])(\\.[0-9]{1,20})?|-?90(\\.0{1,20})?)$"
);

/// The parameters of an endpoint, read from its query. Rejects with all that is wrong at once.
pub struct Query<T>(pub T);

/// A set of query parameters.
pub trait QueryParameters: Sized {
    /// The forms the answer comes in; with more than one, `format` is a parameter (see `formed`).
    const FORMS: &'static [AnswerForm] = &[AnswerForm::Json];

    fn read(query: &mut QueryReader) -> Self;

    /// The parameters as OpenAPI describes them; for `IntoParams`.
    fn describe() -> Vec<Parameter> {
        let mut query = QueryReader { describes: Some(Vec::new()), ..QueryReader::parse(None) };
        Self::read(&mut query);
        query.form(Self::FORMS);
        let described = query.describes.unwrap_or_default();
        described.into_iter().filter_map(|parameter| serde_json::from_value(parameter).ok()).collect()
    }
}

/// Lets `#[utoipa::path(params(...))]` name a set of parameters.
#[macro_export]
macro_rules! document_parameters {
    ($($name:ty),*) => {$(
        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                <$name as $crate::request::query::QueryParameters>::describe()
            }
        }
    )*};
}
pub use crate::document_parameters;

impl<S: Sync, T: QueryParameters> FromRequestParts<S> for Query<T> {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestRefusal> {
        let mut query = QueryReader::parse(parts.uri.query());
        let parameters = T::read(&mut query);
        query.finish().map(|()| Query(parameters))
    }
}

/// For endpoints without parameters.
pub struct NoParameters;

impl QueryParameters for NoParameters {
    fn read(_: &mut QueryReader) -> Self {
        NoParameters
    }
}

/// The moment a question is about; `None` asks for the present.
pub struct AsOf {
    pub as_of: Option<Timestamp>,
}

impl QueryParameters for AsOf {
    fn read(query: &mut QueryReader) -> Self {
        AsOf { as_of: query.as_of() }
    }
}

document_parameters!(AsOf);

/// The decoded query, with the parameters not yet asked for.
pub struct QueryReader {
    pairs: Vec<(String, String)>,
    errors: Vec<ParameterProblem>,
    declared: Vec<&'static str>,
    /// Collects descriptions instead of values.
    describes: Option<Vec<Value>>,
}

impl QueryReader {
    pub fn parse(query: Option<&str>) -> Self {
        let mut parsed =
            QueryReader { pairs: Vec::new(), errors: Vec::new(), declared: Vec::new(), describes: None };
        for piece in query.unwrap_or("").split('&').filter(|p| !p.is_empty()) {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            match (decode(name), decode(value)) {
                (Some(name), Some(value)) => parsed.pairs.push((name, value)),
                (name, _) => {
                    let shown = name.unwrap_or_else(|| name_for_people(piece));
                    parsed.fail(&shown, "is not valid percent-encoded UTF-8", "percent-encoded UTF-8");
                }
            }
        }
        parsed
    }

    fn declare(&mut self, name: &'static str, description: &str, schema: impl FnOnce() -> Value) {
        self.declared.push(name);
        if let Some(described) = &mut self.describes {
            let schema = schema();
            let mut parameter = json!({
                "name": name, "in": "query", "required": false, "description": description, "schema": schema,
            });
            if schema["type"] == "array" {
                parameter["style"] = json!("form");
                parameter["explode"] = json!(true);
            }
            described.push(parameter);
        }
    }

    /// What has not been taken yet, decoded.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.pairs
    }

    pub fn fail(&mut self, parameter: &str, problem: impl Into<String>, allowed: impl Into<String>) {
        self.errors.push(ParameterProblem {
            parameter: name_for_people(parameter),
            problem: problem.into(),
            allowed: allowed.into(),
        });
    }

    fn take_all(&mut self, name: &str) -> Vec<String> {
        let (taken, rest) = std::mem::take(&mut self.pairs).into_iter().partition(|(n, _)| n == name);
        self.pairs = rest;
        let taken: Vec<(String, String)> = taken;
        taken.into_iter().map(|(_, v)| v).collect()
    }

    fn take_one(&mut self, name: &str) -> Option<String> {
        let mut all = self.take_all(name);
        if all.len() > 1 {
            self.fail(name, format!("is given {} times", all.len()), "once");
            return None;
        }
        all.pop()
    }

    fn one<T>(
        &mut self,
        name: &str,
        allowed: &str,
        parse: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let value = self.take_one(name)?;
        parse(&value).map_err(|problem| self.fail(name, problem, allowed)).ok()
    }

    fn many<T>(&mut self, name: &str, allowed: &str, parse: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let values = self.take_all(name);
        if values.len() > MAX_REPEATS {
            self.fail(
                name,
                format!("is given {} times", values.len()),
                format!("at most {MAX_REPEATS} times"),
            );
            return Vec::new();
        }
        let mut good = Vec::with_capacity(values.len());
        for value in values {
            match parse(&value) {
                Some(v) => good.push(v),
                None => self.fail(name, "is not one of the allowed values", allowed),
            }
        }
        good
    }

    pub fn limit(&mut self) -> usize {
        self.declare(
            "limit",
            "Entries per page.",
            || json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT }),
        );
        let allowed = format!("a whole number from 1 to {MAX_LIMIT}");
        let parsed = self.one("limit", &allowed, |v| {
            let digits = !v.is_empty() && v.len() <= 9 && v.bytes().all(|b| b.is_ascii_digit());
            let n: usize = digits.then(|| v.parse().ok()).flatten().ok_or("is not a whole number")?;
            if (1..=MAX_LIMIT).contains(&n) { Ok(n) } else { Err("is out of range") }
        });
        parsed.unwrap_or(DEFAULT_LIMIT)
    }

    pub fn time(&mut self, name: &'static str, description: &str) -> Option<Timestamp> {
        self.declare(name, description, || {
            json!({
                "type": "string", "format": "date-time", "maxLength": MAX_TIME, "example": "2026-11-14T23:45:00Z",
            })
        });
        self.one(name, "an RFC 3339 time such as 2026-11-14T23:45:00Z (a + is sent as %2B)", |v| {
            let short = Some(v).filter(|v| v.len() <= MAX_TIME).ok_or("is too long")?;
            Timestamp::parse_rfc3339(short).map_err(|_| "is not an RFC 3339 time")
        })
    }

    pub fn as_of(&mut self) -> Option<Timestamp> {
        self.time(
            "as_of",
            "Answer as it was published at this time. Nothing published then: 404 `no_snapshot`.",
        )
    }

    /// A version of the method.
    pub fn method(&mut self, description: &str) -> Option<String> {
        self.declare("method", description, || {
            json!({ "type": "string", "pattern": VERSION_PATTERN, "maxLength": MAX_VERSION, "example": "3.0.0" })
        });
        self.one("method", "a version of the method such as 3.0.0", |v| {
            let is_part =
                |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
            let is_version = v.split('.').count() == 3 && v.split('.').all(is_part);
            if is_version { Ok(v.to_owned()) } else { Err("is not a version") }
        })
    }

    /// The two ends of a half-open window.
    pub fn since_until(&mut self) -> (Option<Timestamp>, Option<Timestamp>) {
        let since = self.time("since", "From this time on, inclusive; must come before `until`.");
        let until = self.time("until", "Up to this time, exclusive.");
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            self.fail("since", "is not before until", "a time before until");
        }
        (since, until)
    }

    /// Beside a window, which is about when an event began.
    pub fn active_since(&mut self) -> Option<Timestamp> {
        self.time("active_since", "Last active at this time or later: its `last_activity`.")
    }

    pub fn cursor(&mut self) -> Option<String> {
        self.declare("cursor", "The `next_cursor` of the previous page, with the same filters.", || {
            let pattern = format!("^[A-Za-z0-9_-]{{{TEXT_LENGTH}}}$");
            json!({ "type": "string", "pattern": pattern, "maxLength": TEXT_LENGTH })
        });
        self.take_one("cursor")
    }

    fn any_of(&mut self, name: &'static str, description: &str, item: impl FnOnce() -> Value) {
        self.declare(
            name,
            description,
            || json!({ "type": "array", "items": item(), "maxItems": MAX_REPEATS }),
        );
    }

    pub fn categories(&mut self) -> Vec<Category> {
        let keys = Category::ALL.map(Category::key);
        self.any_of("category", "Any of these categories.", || json!({ "type": "string", "enum": keys }));
        self.many("category", &list(keys), Category::from_key)
    }

    pub fn countries(&mut self) -> Vec<CountryCode> {
        self.any_of("country", "Any of these countries, ISO 3166-1 alpha-2.", || {
            let codes: Vec<String> = CountryCode::all().iter().map(|c| c.to_string()).collect();
            json!({ "type": "string", "enum": codes })
        });
        self.many("country", "an ISO 3166-1 alpha-2 code in capitals, such as UA", CountryCode::from_iso2)
    }

    pub fn statuses(&mut self) -> Vec<EventStatus> {
        let keys = EventStatus::ALL.map(EventStatus::key);
        self.any_of(
            "status",
            "Any of these statuses. Default: confirmed and reported.",
            || json!({ "type": "string", "enum": keys }),
        );
        let given = self.many("status", &list(keys), EventStatus::from_key);
        if given.is_empty() { vec![EventStatus::Confirmed, EventStatus::Reported] } else { given }
    }

    pub fn tags(&mut self) -> Vec<String> {
        self.any_of(
            "tag",
            "Any of these tags.",
            || json!({ "type": "string", "pattern": TAG_PATTERN, "maxLength": MAX_TEXT }),
        );
        self.many("tag", "a tag such as global, conflict or country:UA", |v| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':');
            (!v.is_empty() && v.len() <= MAX_TEXT && v.bytes().all(fits)).then(|| v.to_owned())
        })
    }

    pub fn layers(&mut self) -> Vec<LayerKey> {
        let keys = LayerKey::ALL.map(LayerKey::key);
        self.any_of("layers", "Only these layers.", || json!({ "type": "string", "enum": keys }));
        self.many("layers", &list(keys), LayerKey::from_key)
    }

    pub fn actor(&mut self) -> Option<String> {
        self.declare("actor", "Part of an actor label, in any case.", || {
            json!({
                "type": "string", "minLength": 1, "maxLength": MAX_TEXT,
                "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", "example": "military",
            })
        });
        self.one("actor", &format!("1 to {MAX_TEXT} characters of an actor label"), |v| {
            let count = v.chars().count();
            if v.chars().any(char::is_control) {
                Err("has control characters")
            } else if count == 0 || count > MAX_TEXT {
                Err("is empty or too long")
            } else {
                Ok(v.to_owned())
            }
        })
    }

    pub fn min_escalation(&mut self) -> Option<f64> {
        self.declare(
            "min_escalation",
            "This escalation or more.",
            || json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        );
        self.one("min_escalation", "a decimal number from 0 to 1", |v| {
            let n = json_number(v).ok_or("is not a decimal number")?;
            if (0.0..=1.0).contains(&n) { Ok(n) } else { Err("is out of range") }
        })
    }

    pub fn min_score(&mut self) -> Option<f64> {
        self.declare(
            "min_score",
            "This score or more.",
            || json!({ "type": "number", "minimum": 0, "maximum": 100 }),
        );
        self.one("min_score", "a decimal number from 0 to 100", |v| {
            let n = json_number(v).ok_or("is not a decimal number")?;
            if (0.0..=100.0).contains(&n) { Ok(n) } else { Err("is out of range") }
        })
    }

    pub fn pillar(&mut self) -> Option<Pillar> {
        let keys = Pillar::ALL.map(Pillar::key);
        self.declare(
            "pillar",
            "Ranked and filtered by this pillar.",
            || json!({ "type": "string", "enum": keys }),
        );
        self.one("pillar", &list(keys), |v| Pillar::from_key(v).ok_or("is not one of the allowed values"))
    }

    pub fn alert_rule(&mut self) -> Option<AlertRuleKind> {
        let keys: Vec<&str> = AlertRuleKind::PUBLIC.iter().map(|rule| rule.key()).collect();
        self.declare("rule", "Only alerts by this rule.", || json!({ "type": "string", "enum": keys }));
        let find = |v: &str| AlertRuleKind::PUBLIC.into_iter().find(|rule| rule.key() == v);
        self.one("rule", &keys.join(", "), |v| find(v).ok_or("is not one of the allowed values"))
    }

    /// Whether only active alerts are wanted, or only those that are over.
    pub fn alert_state(&mut self) -> Option<bool> {
        self.declare(
            "state",
            "Only alerts in this state.",
            || json!({ "type": "string", "enum": ["active", "ended"] }),
        );
        self.one("state", "active, ended", |v| match v {
            "active" => Ok(true),
            "ended" => Ok(false),
            _ => Err("is not one of the allowed values"),
        })
    }

    pub fn one_country(&mut self) -> Option<CountryCode> {
        self.declare("country", "Only this country, ISO 3166-1 alpha-2.", || {
            let codes: Vec<String> = CountryCode::all().iter().map(|c| c.to_string()).collect();
            json!({ "type": "string", "enum": codes })
        });
        let allowed = "an ISO 3166-1 alpha-2 code in capitals, such as UA";
        self.one("country", allowed, |v| CountryCode::from_iso2(v).ok_or("is not one of the allowed values"))
    }

    pub fn bbox(&mut self) -> Option<[f64; 4]> {
        self.declare(
            "bbox",
            "west,south,east,north in degrees, south not above north; west above east crosses the antimeridian.",
            || {
                json!({
                    "type": "string", "pattern": BBOX_PATTERN, "maxLength": MAX_BBOX,
                    "example": "22.1,44.3,40.2,52.4",
                })
            },
        );
        let allowed = "west,south,east,north in degrees: longitudes from -180 to 180, latitudes from -90 to 90, south not above north";
        self.one("bbox", allowed, |v| {
            let numbers: Option<Vec<f64>> = v.split(',').map(decimal).collect();
            let Some(&[west, south, east, north]) = numbers.as_deref() else {
                return Err("is not four decimal numbers");
            };
            let longitudes = [west, east].iter().all(|d| (-180.0..=180.0).contains(d));
            let latitudes = [south, north].iter().all(|d| (-90.0..=90.0).contains(d));
            match (longitudes && latitudes, south <= north) {
                (false, _) => Err("is out of range"),
                (true, false) => Err("has south above north"),
                (true, true) => Ok([west, south, east, north]),
            }
        })
    }

    /// One word out of a closed set; the first is the default.
    pub fn word<T: Copy, const N: usize>(
        &mut self,
        name: &'static str,
        description: &str,
        words: [(&'static str, T); N],
    ) -> T {
        let names = words.map(|(word, _)| word);
        self.declare(
            name,
            description,
            || json!({ "type": "string", "enum": names.as_slice(), "default": names[0] }),
        );
        let found = self.one(name, &list(names), |v| {
            words.iter().find(|(word, _)| *word == v).copied().ok_or("is not one of the allowed values")
        });
        found.unwrap_or(words[0]).1
    }

    /// The form that is asked for by name, out of several.
    pub fn form(&mut self, offered: &[AnswerForm]) -> Option<AnswerForm> {
        if offered.len() < 2 {
            return None;
        }
        let names: Vec<&str> = offered.iter().map(|form| form.key()).collect();
        self.declare(
            "format",
            "The form of the answer; without it, `Accept` decides.",
            || json!({ "type": "string", "enum": names, "default": names[0] }),
        );
        self.one("format", &format!("one of {}", names.join(", ")), |v| {
            offered.iter().find(|form| form.key() == v).copied().ok_or("is not one of the allowed values")
        })
    }

    /// Everything declared has been taken; what is left was not declared.
    pub fn finish(mut self) -> Result<(), RequestRefusal> {
        let mut left: Vec<String> = self.pairs.iter().map(|(n, _)| n.clone()).collect();
        left.dedup();
        let allowed = if self.declared.is_empty() {
            "no parameters".to_owned()
        } else {
            format!("one of {}", self.declared.join(", "))
        };
        for name in left {
            self.fail(&name, "is not a parameter of this resource", allowed.clone());
        }
        if self.errors.is_empty() { Ok(()) } else { Err(RequestRefusal::parameters(self.errors)) }
    }
}

fn list<const N: usize>(words: [&str; N]) -> String {
    format!("one of {}", words.join(", "))
}

/// `+` means a space in query strings of forms; in times and cursors it never occurs unescaped.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut i = 0;
    while let Some(at) = bytes[i..].iter().position(|b| *b == b'%') {
        let hex = bytes.get(i + at + 1..i + at + 3)?;
        if !hex.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        i += at + 3;
    }
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(|s| s.into_owned())
}

/// A parameter name as it may be shown: short, and never a key that was sent by mistake.
fn name_for_people(name: &str) -> String {
    let name = name.split('=').next().unwrap_or("");
    let short: String = name.chars().take(MAX_TEXT).collect();
    crate::auth::keys::redact(&short).into_owned()
}

/// Plain decimal notation only: no exponent, no `inf`, no `nan`, no leading plus or zeros.
fn decimal(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |s: &str| !s.is_empty() && s.len() <= 20 && s.bytes().all(|b| b.is_ascii_digit());
    let padded = whole.len() > 1 && whole.starts_with('0');
    (plain(whole) && plain(fraction) && !padded).then(|| text.parse().ok()).flatten()
}

/// A number as JSON writes it.
fn json_number(text: &str) -> Option<f64> {
    let bare = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
    bare.then(|| serde_json::from_str(text).ok()).flatten()
}

#[cfg(test)]
mod tests;
