//! Query parameters, read strictly: a name that no parameter has, a name that is given too often and a value that is not
//! allowed are refused, all in one answer.
//!
//! A query is a struct that derives `Deserialize` and `IntoParams`, or a tuple of such structs. Every parameter is optional.

mod values;

use crate::problem::{ParameterProblem, RequestRefusal};
use axum::extract::FromRequestParts;
use http::request::Parts;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use values::QueryDeserializer;

/// Longest name of a parameter in a problem.
const MAX_NAME: usize = 100;

/// The parameters of an endpoint.
pub struct Query<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestRefusal> {
        let mut reader = QueryReader::parse(parts.uri.query());
        let parameters = reader.read()?;
        reader.finish()?;
        Ok(Query(parameters))
    }
}

/// The query of an endpoint without parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

/// A query, decoded, and the problems found in it.
pub struct QueryReader {
    pairs: Vec<(String, String)>,
    declared: Vec<&'static str>,
    problems: Vec<ParameterProblem>,
}

impl QueryReader {
    pub fn parse(query: Option<&str>) -> Self {
        let mut parsed = QueryReader { pairs: Vec::new(), declared: Vec::new(), problems: Vec::new() };
        for piece in query.unwrap_or("").split('&').filter(|p| !p.is_empty()) {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            match (decode(name), decode(value)) {
                (Some(name), Some(value)) => parsed.pairs.push((name, value)),
                (name, _) => {
                    let name = name.unwrap_or_else(|| piece.to_owned());
                    parsed.add_problem(&name, "is not valid percent-encoded UTF-8", "percent-encoded UTF-8");
                }
            }
        }
        parsed
    }

    /// The decoded names and values, in the order of the query.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.pairs
    }

    /// Reads the parameters of `T`. A bad value is recorded as a problem and left out, so that `finish` reports all of them.
    pub fn read<T: DeserializeOwned>(&mut self) -> Result<T, RequestRefusal> {
        loop {
            let mut deserializer = QueryDeserializer::new(&self.pairs);
            let error = match T::deserialize(&mut deserializer) {
                Ok(parameters) => {
                    self.declared = deserializer.into_declared();
                    return Ok(parameters);
                }
                Err(error) => error,
            };
            self.add_problem(error.parameter, error.problem, error.allowed);
            // Each round leaves out a value. Without one, a parameter is missing that has no default.
            if error.places.is_empty() {
                return Err(RequestRefusal::parameters(std::mem::take(&mut self.problems)));
            }
            for place in error.places.into_iter().rev() {
                self.pairs.remove(place);
            }
        }
    }

    /// Refuses a query with a problem or with a name that was not read.
    pub fn finish(mut self) -> Result<(), RequestRefusal> {
        let allowed = match self.declared.as_slice() {
            [] => "no parameters".to_owned(),
            names => format!("one of {}", names.join(", ")),
        };
        let mut unknown: Vec<String> =
            std::mem::take(&mut self.pairs).into_iter().map(|(name, _)| name).collect();
        unknown.retain(|name| !self.declared.contains(&name.as_str()));
        unknown.dedup();
        for name in unknown {
            self.add_problem(&name, "is not a parameter of this resource", allowed.clone());
        }
        if self.problems.is_empty() { Ok(()) } else { Err(RequestRefusal::parameters(self.problems)) }
    }

    fn add_problem(&mut self, parameter: &str, problem: impl Into<String>, allowed: impl Into<String>) {
        self.problems.push(ParameterProblem {
            parameter: shown_name(parameter),
            problem: problem.into(),
            allowed: allowed.into(),
        });
    }
}

/// Decodes percent-encoding and `+`, which means a space in the query strings of forms.
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

/// A parameter's name as a problem shows it: short, and without the secret of a key that was sent by mistake.
fn shown_name(name: &str) -> String {
    let name = name.split('=').next().unwrap_or("");
    let short: String = name.chars().take(MAX_NAME).collect();
    crate::auth::keys::redact(&short).into_owned()
}

#[cfg(test)]
mod tests;
