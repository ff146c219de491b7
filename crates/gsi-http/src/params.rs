//! Query parameters, read strictly: what is not declared, is doubled, or is out of range is named and refused.
//! The allowed values live beside the parsers so that the OpenAPI document states the same bounds.

use crate::problem::{ParameterProblem, Refusal};
use gsi_model::{Category, CountryCode, EventStatus, Timestamp};
use percent_encoding::percent_decode_str;

pub const DEFAULT_LIMIT: usize = 50;
pub const MAX_LIMIT: usize = 200;
/// Longest text of a free-form value; the longest actor label is far shorter.
pub const MAX_TEXT: usize = 100;
/// A repeatable parameter may be given this often; more values than that is no longer a filter.
pub const MAX_REPEATS: usize = 50;

pub const TAG_PATTERN: &str = "^[A-Za-z0-9_:-]{1,100}$";
/// Four plain decimal numbers within the degrees of the globe.
pub const BBOX_PATTERN: &str = concat!(
    "^(-?(0|[1-9][0-9]?|1[0-7][0-9])(\\.[0-9]{1,20})?|-?180(\\.0{1,20})?),",
    "(-?(0|[1-8]?[0-9])(\\.[0-9]{1,20})?|-?90(\\.0{1,20})?),",
    "(-?(0|[1-9][0-9]?|1[0-7][0-9])(\\.[0-9]{1,20})?|-?180(\\.0{1,20})?),",
    "(-?(0|[1-8]?[0-9])(\\.[0-9]{1,20})?|-?90(\\.0{1,20})?)$"
);

/// The decoded query, with the parameters not yet asked for.
pub struct Query {
    pairs: Vec<(String, String)>,
    errors: Vec<ParameterProblem>,
}

impl Query {
    pub fn parse(query: Option<&str>) -> Self {
        let mut parsed = Query { pairs: Vec::new(), errors: Vec::new() };
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

    /// What has not been taken yet, decoded.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.pairs
    }

    fn fail(&mut self, parameter: &str, problem: impl Into<String>, allowed: impl Into<String>) {
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
        let allowed = format!("a whole number from 1 to {MAX_LIMIT}");
        let parsed = self.one("limit", &allowed, |v| {
            let digits = !v.is_empty() && v.len() <= 9 && v.bytes().all(|b| b.is_ascii_digit());
            let n: usize = digits.then(|| v.parse().ok()).flatten().ok_or("is not a whole number")?;
            if (1..=MAX_LIMIT).contains(&n) { Ok(n) } else { Err("is out of range") }
        });
        parsed.unwrap_or(DEFAULT_LIMIT)
    }

    pub fn time(&mut self, name: &str) -> Option<Timestamp> {
        self.one(name, "an RFC 3339 time such as 2026-11-14T23:45:00Z (a + is sent as %2B)", |v| {
            Timestamp::parse_rfc3339(v).map_err(|_| "is not an RFC 3339 time")
        })
    }

    /// The two ends of a half-open window. One that ends before it begins holds nothing, which is an answer.
    pub fn window(&mut self, names: (&str, &str)) -> (Option<Timestamp>, Option<Timestamp>) {
        (self.time(names.0), self.time(names.1))
    }

    pub fn cursor(&mut self) -> Option<String> {
        self.take_one("cursor")
    }

    pub fn categories(&mut self) -> Vec<Category> {
        self.many("category", &list(Category::ALL.map(Category::key)), Category::from_key)
    }

    pub fn countries(&mut self) -> Vec<CountryCode> {
        self.many("country", "an ISO 3166-1 alpha-2 code in capitals, such as UA", CountryCode::from_iso2)
    }

    pub fn statuses(&mut self) -> Vec<EventStatus> {
        let given = self.many("status", &list(EventStatus::ALL.map(EventStatus::key)), EventStatus::from_key);
        if given.is_empty() { vec![EventStatus::Confirmed, EventStatus::Reported] } else { given }
    }

    pub fn tags(&mut self) -> Vec<String> {
        self.many("tag", "a tag such as global, conflict or country:UA", |v| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':');
            (!v.is_empty() && v.len() <= MAX_TEXT && v.bytes().all(fits)).then(|| v.to_owned())
        })
    }

    pub fn actor(&mut self) -> Option<String> {
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
        self.one("min_escalation", "a decimal number from 0 to 1", |v| {
            let n = json_number(v).ok_or("is not a decimal number")?;
            if (0.0..=1.0).contains(&n) { Ok(n) } else { Err("is out of range") }
        })
    }

    pub fn bbox(&mut self) -> Option<[f64; 4]> {
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

    /// One word out of a list; the first is the default.
    pub fn word<const N: usize>(&mut self, name: &str, words: [&'static str; N]) -> &'static str {
        let found = self.one(name, &list(words), |v| {
            words.iter().find(|w| **w == v).copied().ok_or("is not one of the allowed values")
        });
        found.unwrap_or(words[0])
    }

    /// Everything declared has been taken; what is left was not declared. `declared` names what is.
    pub fn finish(mut self, declared: &[&str]) -> Result<(), Refusal> {
        let mut left: Vec<String> = self.pairs.iter().map(|(n, _)| n.clone()).collect();
        left.dedup();
        let allowed = if declared.is_empty() {
            "no parameters".to_owned()
        } else {
            format!("one of {}", declared.join(", "))
        };
        for name in left {
            self.fail(&name, "is not a parameter of this resource", allowed.clone());
        }
        if self.errors.is_empty() { Ok(()) } else { Err(Refusal::parameters(self.errors)) }
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
    crate::keys::redact(&short).into_owned()
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
mod tests {
    use super::*;

    fn problems(query: &str, read: impl FnOnce(&mut Query)) -> Vec<(String, String)> {
        let mut q = Query::parse(Some(query));
        read(&mut q);
        match q.finish(&["x"]) {
            Ok(()) => Vec::new(),
            Err(refusal) => refusal.errors.into_iter().map(|e| (e.parameter, e.problem)).collect(),
        }
    }

    #[test]
    fn values_are_read_strictly() {
        type Read = fn(&mut Query);
        let limit: Read = |q| _ = q.limit();
        let time: Read = |q| _ = q.time("since");
        let bbox: Read = |q| _ = q.bbox();
        let min: Read = |q| _ = q.min_escalation();
        let actor: Read = |q| drop(q.actor());
        let country: Read = |q| drop(q.countries());
        let rows: &[(&str, Read, &str)] = &[
            ("limit=1", limit, ""),
            ("limit=200", limit, ""),
            ("", limit, ""),
            ("limit=0", limit, "is out of range"),
            ("limit=201", limit, "is out of range"),
            ("limit=", limit, "is not a whole number"),
            ("limit=1e2", limit, "is not a whole number"),
            ("limit=%2B5", limit, "is not a whole number"),
            ("limit=5&limit=5", limit, "is given 2 times"),
            ("limit=%zz", limit, "is not valid percent-encoded UTF-8"),
            ("limit=%ff", limit, "is not valid percent-encoded UTF-8"),
            ("limit=%4", limit, "is not valid percent-encoded UTF-8"),
            ("Limit=5", limit, "is not a parameter of this resource"),
            ("since=2026-11-14T23:45:00Z", time, ""),
            ("since=2026-11-14T23:45:00%2B01:00", time, ""),
            ("since=2026-11-14T23:45:00+01:00", time, "is not an RFC 3339 time"),
            ("since=2026-11-14", time, "is not an RFC 3339 time"),
            ("bbox=-10,-20,10,20.5", bbox, ""),
            ("bbox=170,-20,-170,20", bbox, ""),
            ("bbox=0,20,10,-20", bbox, "has south above north"),
            ("bbox=0,0,181,1", bbox, "is out of range"),
            ("bbox=0,00,1,1", bbox, "is not four decimal numbers"),
            ("bbox=0,0,1", bbox, "is not four decimal numbers"),
            ("bbox=0,0,1,nan", bbox, "is not four decimal numbers"),
            ("bbox=0,0,1e1,1", bbox, "is not four decimal numbers"),
            ("min_escalation=0.5", min, ""),
            ("min_escalation=5e-3", min, ""),
            ("min_escalation=.5", min, "is not a decimal number"),
            ("min_escalation=1.001", min, "is out of range"),
            ("min_escalation=inf", min, "is not a decimal number"),
            ("actor=%C3%A9", actor, ""),
            ("actor=", actor, "is empty or too long"),
            ("actor=a%00b", actor, "has control characters"),
            ("country=UA&country=RU", country, ""),
            ("country=ua", country, "is not one of the allowed values"),
            ("country=XX", country, "is not one of the allowed values"),
        ];
        for (query, read, want) in rows {
            let got = problems(query, read);
            let first = got.first().map_or("", |(_, p)| p.as_str());
            assert_eq!(first, *want, "{query}");
        }
    }

    #[test]
    fn a_key_sent_by_mistake_is_not_repeated() {
        let got = problems("gsi_0123456789_abcdefgh=1", |_| {});
        assert_eq!(got[0].0, "gsi_0123456789_***");
    }
}
