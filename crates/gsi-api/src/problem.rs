//! Every refusal is an RFC 9457 problem. The codes are a closed table; `/problems/<code>` explains each.

use crate::settings::RETRY_AFTER_OVERLOAD_SECONDS;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use gsi_store::StoreError;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

pub const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// A problem lists at most this many parameters. That is enough to correct a request, and bounds the size of the
/// answer.
const MAX_ERRORS: usize = 20;

macro_rules! codes {
    ($($name:ident $slug:literal $status:literal $title:literal $page:literal;)*) => {
        /// Why a request was refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemCode { $($name,)* }

        impl ProblemCode {
            pub const ALL: &'static [ProblemCode] = &[$(ProblemCode::$name,)*];

            pub const fn slug(self) -> &'static str {
                match self { $(ProblemCode::$name => $slug,)* }
            }

            pub const fn number(self) -> u16 {
                match self { $(ProblemCode::$name => $status,)* }
            }

            pub const fn title(self) -> &'static str {
                match self { $(ProblemCode::$name => $title,)* }
            }

            /// The text of the page that the problem's `type` leads to.
            pub const fn explanation(self) -> &'static str {
                match self { $(ProblemCode::$name => $page,)* }
            }
        }
    };
}

codes! {
    InvalidParameter "invalid_parameter" 400 "A query parameter is not valid"
        "A parameter is not declared for this resource, is given twice where once is allowed, or has a value outside what is allowed. The errors list names each one. Nothing is ignored or adjusted silently.";
    InvalidCursor "invalid_cursor" 400 "The cursor is not valid here"
        "A cursor is opaque and belongs to the list and the filters it was given for. Send it back unchanged, with the same filters, or start again without it.";
    BadRequest "bad_request" 400 "The request is not valid HTTP"
        "A header that must be there once is missing, doubled or malformed. What cannot be read as HTTP at all gets a bare 400 and a close.";
    MissingCredentials "missing_credentials" 401 "A key is needed"
        "Every request under /v1 carries one header: Authorization: Bearer followed by a key.";
    InvalidCredentials "invalid_credentials" 401 "The key is not valid"
        "The key is mistyped, unknown or revoked, or more than one Authorization header was sent.";
    ExpiredCredentials "expired_credentials" 401 "The key has expired"
        "The key was valid once. Ask whoever issued it for a new one.";
    InsufficientScope "insufficient_scope" 403 "The key does not cover this resource"
        "The key is valid but was issued for other resources. GET /v1/keys/self shows its scopes.";
    NotFound "not_found" 404 "There is nothing here"
        "No resource has this address, or no record has this identifier.";
    UnknownPillar "unknown_pillar" 404 "There is no such pillar"
        "The pillars are conflict, cyber, supply_chain and macro.";
    UnknownCountry "unknown_country" 404 "There is no such country"
        "Countries are named by their ISO 3166-1 alpha-2 code in capitals, such as UA.";
    NoSnapshot "no_snapshot" 503 "Nothing was published then"
        "With as_of: nothing had been published at that time (404). Without: the service has not published its first snapshot yet (503); Retry-After says when to ask again.";
    MethodNotAllowed "method_not_allowed" 405 "Only reading is possible"
        "The interface is read-only. The Allow header names the methods.";
    NotAcceptable "not_acceptable" 406 "No form of the answer is acceptable"
        "Bodies are JSON, plain or compressed with gzip, br or zstd. The Accept or Accept-Encoding header excludes all of these.";
    NoLongerKept "no_longer_kept" 410 "This is no longer kept"
        "It was there, and the operator of this service keeps it for a limited time. The detail says what is gone and from before when. What was published stays: scores, their history, explanations, summaries and briefings.";
    BodyNotAllowed "body_not_allowed" 413 "A request body is not allowed"
        "Requests carry no body; the largest one accepted is empty.";
    UriTooLong "uri_too_long" 414 "The request line is too long"
        "The request line may have 8192 bytes.";
    RateLimited "rate_limited" 429 "Too many requests"
        "The key has used up its quota, or an address has failed to authenticate too often. Retry-After says when to go on.";
    HeadersTooLarge "headers_too_large" 431 "The request headers are too large"
        "The request head may have 32768 bytes and 100 headers.";
    Internal "internal" 500 "Something went wrong here"
        "The fault is ours. Quote the request_id when reporting it.";
    Overloaded "overloaded" 503 "Too busy"
        "More requests are waiting than the service takes on. Retry-After says when to ask again.";
}

impl ProblemCode {
    pub fn from_slug(slug: &str) -> Option<ProblemCode> {
        ProblemCode::ALL.iter().copied().find(|c| c.slug() == slug)
    }

    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.number()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// One parameter that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterProblem {
    /// The parameter's name as it was sent.
    #[schema(example = "limit", max_length = 100)]
    pub parameter: String,
    /// What is wrong with it.
    #[schema(example = "is not a whole number")]
    pub problem: String,
    /// What would be accepted.
    #[schema(example = "a whole number from 1 to 200")]
    pub allowed: String,
}

/// The wire form of a problem.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "Problem", as = Problem)]
pub struct ProblemBody {
    /// A path that resolves to a page about this kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "/problems/invalid_parameter", pattern = "^/problems/[a-z_]+$")]
    pub kind: String,
    /// The kind of problem in a few words.
    #[schema(example = "A query parameter is not valid")]
    pub title: Cow<'static, str>,
    /// The status code, again.
    #[schema(minimum = 400, maximum = 599, example = 400)]
    pub status: u16,
    /// What happened in this case.
    #[schema(example = "limit: is not a whole number")]
    pub detail: Cow<'static, str>,
    /// The path that was asked for.
    #[schema(example = "/v1/conflict")]
    pub instance: String,
    /// A stable word for programs.
    #[schema(example = "invalid_parameter", pattern = "^[a-z_]+$")]
    pub code: &'static str,
    /// Also in the header X-Request-Id and in the service's log.
    #[schema(example = "6f1a9c0d2b7e4835", pattern = "^[0-9a-f]{16}$")]
    pub request_id: String,
    /// The parameters concerned, when the problem is about parameters; the first twenty when there are more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub errors: Vec<ParameterProblem>,
}

/// A refusal, without the data about the request that its document needs.
#[derive(Clone, Debug)]
pub struct RequestRefusal {
    pub code: ProblemCode,
    pub status: StatusCode,
    pub detail: Cow<'static, str>,
    pub errors: Vec<ParameterProblem>,
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl RequestRefusal {
    pub fn new(code: ProblemCode, detail: impl Into<Cow<'static, str>>) -> Self {
        RequestRefusal {
            code,
            status: code.status(),
            detail: detail.into(),
            errors: Vec::new(),
            headers: Vec::new(),
        }
    }

    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub fn retry_after(self, seconds: u64) -> Self {
        self.with(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// Names the first `MAX_ERRORS` of the parameters that were not accepted, and says how many more there were.
    pub fn parameters(mut errors: Vec<ParameterProblem>) -> Self {
        let more = errors.len().saturating_sub(MAX_ERRORS);
        errors.truncate(MAX_ERRORS);
        let detail: String =
            errors.iter().map(|e| format!("{}: {}", e.parameter, e.problem)).collect::<Vec<_>>().join("; ");
        let detail = if more > 0 { format!("{detail}; and {more} more") } else { detail };
        RequestRefusal { errors, ..RequestRefusal::new(ProblemCode::InvalidParameter, detail) }
    }

    pub fn not_found(detail: impl Into<Cow<'static, str>>) -> Self {
        RequestRefusal::new(ProblemCode::NotFound, detail)
    }

    /// Nothing was published at the time asked for.
    pub fn no_snapshot_then(detail: impl Into<Cow<'static, str>>) -> Self {
        RequestRefusal {
            status: StatusCode::NOT_FOUND,
            ..RequestRefusal::new(ProblemCode::NoSnapshot, detail)
        }
    }

    pub fn body(&self, instance: &str, request_id: &str) -> Bytes {
        let problem = ProblemBody {
            kind: format!("/problems/{}", self.code.slug()),
            title: self.code.title().into(),
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            instance: crate::auth::keys::redact(instance).into_owned(),
            code: self.code.slug(),
            request_id: request_id.to_owned(),
            errors: self.errors.clone(),
        };
        serde_json::to_vec(&problem).unwrap_or_default().into()
    }
}

/// Says what the store could not do, without details of how it is built.
impl From<StoreError> for RequestRefusal {
    fn from(error: StoreError) -> Self {
        if let StoreError::Pruned { .. } = error {
            // The store's own sentence names only what was pruned and when. It is safe to show.
            let mut detail = error.to_string();
            detail[..1].make_ascii_uppercase();
            return RequestRefusal::new(ProblemCode::NoLongerKept, detail + ".");
        }
        tracing::error!(%error, "the store could not answer a request");
        match error {
            StoreError::Unavailable(_) => {
                RequestRefusal::new(ProblemCode::Overloaded, "The data cannot be reached at the moment.")
                    .retry_after(RETRY_AFTER_OVERLOAD_SECONDS)
            }
            StoreError::Overloaded(_) => {
                RequestRefusal::new(ProblemCode::Overloaded, "The question takes longer than a question may.")
                    .retry_after(RETRY_AFTER_OVERLOAD_SECONDS)
            }
            _ => RequestRefusal::new(ProblemCode::Internal, "The request could not be answered."),
        }
    }
}

/// Puts the refusal into the response's extensions. `layers::complete` knows the request and writes the document.
impl IntoResponse for RequestRefusal {
    fn into_response(mut self) -> Response {
        let mut response = Response::default();
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.headers.drain(..));
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_found_again() {
        for code in ProblemCode::ALL {
            assert_eq!(ProblemCode::from_slug(code.slug()), Some(*code));
            assert!(code.status().is_client_error() || code.status().is_server_error());
            assert!(code.explanation().ends_with('.'));
        }
        assert_eq!(ProblemCode::from_slug("nonsense"), None);
    }
}
